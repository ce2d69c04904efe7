// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// legacy returns a Deployment and its Service as somebody runs them who never
// heard of the platform. metadata is added to that of both.
func legacy(namespace string, metadata map[string]any) []map[string]any {
	named := func(name string) map[string]any {
		out := map[string]any{"name": name, "namespace": namespace}
		maps.Copy(out, metadata)
		return out
	}
	labels := map[string]any{"app": "legacy", "tier": "web"}
	return []map[string]any{
		{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": named("legacy"),
			"spec": map[string]any{
				"replicas": int64(2), "revisionHistoryLimit": int64(3), "selector": map[string]any{"matchLabels": map[string]any{"app": "legacy"}},
				"template": map[string]any{
					"metadata": map[string]any{"labels": labels},
					"spec": map[string]any{"containers": []any{map[string]any{
						"name": "app", "image": acctest.Image, "ports": []any{map[string]any{"containerPort": int64(8080)}},
						"env": []any{map[string]any{"name": "GREETING", "value": "hello"}, map[string]any{"name": "COLOR", "value": "blue"}, theirs()},
					}}},
				},
			},
		},
		{
			"apiVersion": "v1", "kind": "Service", "metadata": named("legacy-svc"),
			"spec": map[string]any{
				"selector": map[string]any{"app": "legacy"},
				"ports":    []any{map[string]any{"name": "http", "port": int64(80), "targetPort": int64(8080)}},
			},
		},
	}
}

// theirs is a variable that is never declared.
func theirs() any { return map[string]any{"name": "THEIRS", "value": "kept"} }

// legacyIn makes the objects in a namespace of their own and waits until they run.
func legacyIn(t *testing.T, e *acctest.Env, metadata map[string]any, create func(*acctest.Env, *testing.T, map[string]any)) string {
	t.Helper()
	namespace := "team-" + rand.String(8)
	e.CreateNamespace(t, namespace)
	for _, object := range legacy(namespace, metadata) {
		create(e, t, object)
	}
	e.Await(t, "Deployment", namespace, "legacy", func(object map[string]any) bool {
		ready, _, _ := unstructured.NestedInt64(object, "status", "readyReplicas")
		return ready == 2
	})
	return namespace
}

// adopting is a deployment that takes the objects over.
func adopting(configuration string, lines ...string) string {
	return acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)) + acctest.Deployment("cart", append(lines, acctest.HTTP(configuration))...)
}

const (
	adopt   = `adopt = { workload = "legacy", service = "legacy-svc" }`
	allEnv  = `env = { GREETING = "hello", COLOR = "blue" }`
	someEnv = `env = { GREETING = "hello" }`
)

// running returns the UIDs of what runs in a namespace.
func running(t *testing.T, e *acctest.Env, namespace string) []string {
	t.Helper()
	var uids []string
	for _, kind := range []string{"Deployment", "Service", "ReplicaSet", "Pod"} {
		for _, object := range e.List(t, kind, namespace, "") {
			uids = append(uids, kind+"/"+object.GetName()+"/"+string(object.GetUID()))
		}
	}
	slices.Sort(uids)
	return uids
}

// What runs already is taken over as it is, whoever made it, and is the
// provider's from then on.
func TestAccAdoptWorkload(t *testing.T) {
	t.Parallel()
	clientSide := func(e *acctest.Env, t *testing.T, object map[string]any) {
		t.Helper()
		last, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		set(t, object, string(last), "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
		e.CreateAs(t, "kubectl-client-side-apply", object)
	}
	by := func(manager string) func(*acctest.Env, *testing.T, map[string]any) {
		return func(e *acctest.Env, t *testing.T, object map[string]any) {
			t.Helper()
			e.CreateAs(t, manager, object)
		}
	}
	helm := map[string]any{
		"labels":      map[string]any{"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/name": "legacy"},
		"annotations": map[string]any{"meta.helm.sh/release-name": "legacy", "meta.helm.sh/release-namespace": "team"},
	}
	cases := map[string]struct {
		metadata map[string]any
		create   func(*acctest.Env, *testing.T, map[string]any)
	}{
		"kubectl apply": {create: clientSide},
		"kubectl apply --server-side": {create: func(e *acctest.Env, t *testing.T, object map[string]any) {
			t.Helper()
			e.ApplyAs(t, "kubectl", object)
		}},
		"Helm":                       {metadata: helm, create: by("helm")},
		"another Terraform provider": {create: by("Terraform")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			namespace := legacyIn(t, e, tc.metadata, tc.create)
			before := running(t, e, namespace)
			cli := e.CLI(t)
			cli.Write(t, "shop_override.tf", inNamespace(namespace))
			cli.Write(t, "main.tf", e.Base()+adopting(allEnv, adopt))
			cli.Plan(t).Must(t)
			manifests, _ := cli.Show(t).After(t, "platform_deployment.cart", "manifests")
			equal(t, "what is planned", []string{"Deployment/" + namespace + "/legacy", "Service/" + namespace + "/legacy-svc"},
				slices.Sorted(maps.Keys(manifests.(map[string]any)))) //nolint:forcetypeassert // it is a map
			cli.ApplyPlan(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			equal(t, "what runs", before, running(t, e, namespace))
			equal(t, "address", "legacy-svc."+namespace+".svc:80", cli.Values(t, "platform_deployment.cart")["addresses"].(map[string]any)["http"]) //nolint:forcetypeassert // it is a map

			// The attribute counts once.
			cli.Write(t, "main.tf", e.Base()+adopting(allEnv))
			cli.Apply(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			equal(t, "what runs", before, running(t, e, namespace))

			// What was taken over is changed like any other, and what is not declared any
			// more goes, whoever set it first.
			cli.Write(t, "main.tf", e.Base()+strings.Replace(adopting(someEnv), acctest.Image, "registry.example/shop/cart:2", 1))
			cli.Apply(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			deployment := e.Get(t, "Deployment", namespace, "legacy")
			containers, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
			equal(t, "containers", 1, len(containers))
			equal(t, "image", any("registry.example/shop/cart:2"), containerOf(t, deployment.Object)["image"])
			equal(t, "env", any([]any{map[string]any{"name": "GREETING", "value": "hello"}, theirs()}), containerOf(t, deployment.Object)["env"])
			history, _, _ := unstructured.NestedInt64(deployment.Object, "spec", "revisionHistoryLimit")
			equal(t, "what was never declared", int64(3), history)
			replicas, _, _ := unstructured.NestedInt64(deployment.Object, "spec", "replicas")
			equal(t, "replicas", int64(2), replicas)
			if slices.Equal(before, running(t, e, namespace)) {
				t.Error("another image replaces the pods")
			}

			// What never was declared outlives the last that was.
			cli.Write(t, "main.tf", e.Base()+adopting(""))
			cli.Apply(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			equal(t, "env", any([]any{theirs()}), containerOf(t, e.Get(t, "Deployment", namespace, "legacy").Object)["env"])

			cli.Destroy(t).Must(t)
			gone(t, e)
			equal(t, "what is left", []string(nil), running(t, e, namespace))
			equal(t, "namespace", true, e.Get(t, "Namespace", "", namespace).GetDeletionTimestamp() == nil)
		})
	}
}

// A configuration that says otherwise than what runs restarts it, which the plan
// tells; and an adoption that never succeeds does not cost what ran before.
func TestAccAdoptWorkloadFails(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := legacyIn(t, e, nil, func(e *acctest.Env, t *testing.T, object map[string]any) {
		t.Helper()
		e.Create(t, object)
	})
	cli := e.CLI(t)
	cli.Write(t, "shop_override.tf", inNamespace(namespace))
	cli.Write(t, "main.tf", e.Base()+strings.Replace(adopting(allEnv, adopt), acctest.Image, pullError, 1))
	const restarts = `Adoption restarts the pods \(platform_deployment.cart\) at: adopt.*spec.template.spec.containers\[0\].image`
	cli.Plan(t).MustWarn(t, restarts)
	cli.Apply(t).MustFail(t, "Rollout failed")

	cli.Destroy(t).MustWarn(t, "Left alone.*the Deployment legacy")
	for kind, name := range map[string]string{"Deployment": "legacy", "Service": "legacy-svc"} {
		if e.Get(t, kind, namespace, name) == nil {
			t.Errorf("the %s is gone", kind)
		}
	}
	// The next try takes it over all the same.
	cli.Write(t, "main.tf", e.Base()+adopting(allEnv, adopt))
	cli.Apply(t).MustWarn(t, restarts, restarts)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
