// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

const (
	injectedAnnotation = "example.dev/injected"
	injectedContainer  = "proxy"
)

// inject gives a Deployment a sidecar and an annotation, as a mesh does.
func inject(deployment map[string]any) []map[string]any {
	containers, _ := field(&acctest.Object{Object: deployment}, "spec", "template", "spec", "containers").([]any)
	if slices.ContainsFunc(containers, func(c any) bool {
		container, _ := c.(map[string]any)
		return container["name"] == injectedContainer
	}) {
		return []map[string]any{}
	}
	return []map[string]any{
		{
			"op": "add", "path": "/spec/template/spec/containers/-",
			"value": map[string]any{"name": injectedContainer, "image": "registry.example/mesh/proxy:1.0.0", "env": []any{map[string]any{"name": "A", "value": "1"}}},
		},
		{"op": "add", "path": "/metadata/annotations/example.dev~1injected", "value": "true"},
	}
}

// What a webhook adds to an object on its way is nobody's drift, and stays.
func TestAccMutatingWebhook(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	e.Mutate(t, inject)
	cli := e.CLI(t)
	config := func(image string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", image))+
			acctest.Deployment("cart", acctest.HTTP(`env = { GREETING = "hello" }`)))
	}
	injected := func(image string) {
		t.Helper()
		live := e.Deployment(t, "cart")
		equal(t, "annotation", "true", live.Annotations[injectedAnnotation])
		images := map[string]string{}
		for _, container := range live.Spec.Template.Spec.Containers {
			images[container.Name] = container.Image
		}
		equal(t, "containers", map[string]string{"cart": image, injectedContainer: "registry.example/mesh/proxy:1.0.0"}, images)
	}
	config(acctest.Image)
	cli.Apply(t).Must(t)
	injected(acctest.Image)
	cli.Plan(t).MustBeEmpty(t)
	cli.Apply(t, "-refresh-only").MustBeEmpty(t)

	const next = "registry.example/shop/cart:2.0.0"
	config(next)
	cli.Apply(t).Must(t)
	injected(next)
	cli.Plan(t).MustBeEmpty(t)

	// Drift is taken back beside what was added.
	e.Edit(t, "Deployment", e.Namespace("shop", "dev"), "cart", func(object map[string]any) {
		containerOf(t, object)["image"] = acctest.Image
	})
	equal(t, "plan", map[string]string{deployment: "update"}, cli.Apply(t).Must(t).Actions)
	injected(next)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
