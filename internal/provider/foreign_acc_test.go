// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// An object of somebody else that is in the way is left alone.
func TestAccForeignObject(t *testing.T) {
	t.Parallel()
	metadata := func(namespace string) map[string]any {
		return map[string]any{"name": "cart", "namespace": namespace, "labels": map[string]any{"app.kubernetes.io/managed-by": "Helm"}}
	}
	labels := map[string]any{"app": "theirs"}
	cases := map[string]struct {
		kind   string
		object func(namespace string) map[string]any
	}{
		"Service": {
			kind: "Service",
			object: func(namespace string) map[string]any {
				return map[string]any{
					"apiVersion": "v1", "kind": "Service", "metadata": metadata(namespace),
					"spec": map[string]any{"selector": labels, "ports": []any{map[string]any{"port": int64(1)}}},
				}
			},
		},
		"Deployment": {
			kind: "Deployment",
			object: func(namespace string) map[string]any {
				return map[string]any{
					"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(namespace),
					"spec": map[string]any{
						"replicas": int64(0), "selector": map[string]any{"matchLabels": labels},
						"template": map[string]any{
							"metadata": map[string]any{"labels": labels},
							"spec":     map[string]any{"containers": []any{map[string]any{"name": "theirs", "image": "theirs"}}},
						},
					},
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			namespace := e.Namespace("shop", "dev")
			cli := e.CLI(t)
			// A first deployment makes the cell.
			config := e.Base() + acctest.Component("other", fmt.Sprintf("image = %q", acctest.Image)) + acctest.Deployment("other")
			cli.Write(t, "main.tf", config)
			cli.Apply(t).Must(t)
			e.Create(t, tc.object(namespace))
			before := e.Get(t, tc.kind, namespace, "cart")
			cli.Write(t, "more.tf", acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
			cli.Apply(t).MustFail(t, `Already exists \(platform_deployment.cart\).*`+tc.kind+`.*cart.*exists already and belongs to Helm`)

			after := e.Get(t, tc.kind, namespace, "cart")
			for _, object := range []*acctest.Object{before, after} {
				delete(object.Object, "status")
			}
			equal(t, "UID", before.GetUID(), after.GetUID())
			equal(t, "spec", before.Object["spec"], after.Object["spec"])
			equal(t, "labels", before.GetLabels(), after.GetLabels())

			// Destroying what failed leaves it alone too, and the namespace with it.
			cli.Destroy(t).MustFail(t, `Conflict.*holds objects that were not made here, such as `+tc.kind+`/cart`)
			equal(t, "UID", before.GetUID(), e.Get(t, tc.kind, namespace, "cart").GetUID())
			e.Delete(t, tc.kind, namespace, "cart")
			cli.Destroy(t).Must(t)
			gone(t, e)
		})
	}
}

// A namespace that holds objects of others goes only with force_destroy.
func TestAccForceDestroy(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	config := e.Base() + acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)) + acctest.Deployment("cart")
	cli.Write(t, "main.tf", config)
	cli.Apply(t).Must(t)
	e.Create(t, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "theirs", "namespace": namespace},
	})
	cli.Destroy(t).MustFail(t, "Conflict.*such as ConfigMap/theirs.*force")
	equal(t, "state", true, len(cli.State(t)) > 0)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Write(t, "force_override.tf", "resource \"platform_project\" \"shop\" {\n  force_destroy = true\n}\n")
	cli.Apply(t).Must(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
