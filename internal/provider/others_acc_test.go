// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// What others put beside our objects, and on them, is left alone by everything
// that happens to ours.
func TestAccOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	config := func(image, path string, more ...string) {
		text := e.Base() + acctest.Component("cart", fmt.Sprintf("image = %q", image)) +
			acctest.Deployment("cart", acctest.HTTP(`env = { GREETING = "hello" }`), `labels = { team = "checkout" }`) +
			acctest.Endpoint("web", "cart", "visibility = \"public\"\n  base_path = "+fmt.Sprintf("%q", path))
		for _, line := range more {
			text += line
		}
		cli.Write(t, "main.tf", text)
	}
	more := acctest.Component("web", fmt.Sprintf("image = %q", acctest.Image)) + acctest.Deployment("web", acctest.HTTP())
	config(acctest.Image, "/v1", more)
	cli.Apply(t).Must(t)

	beside := e.Foreign(t, namespace, "neighbour")
	// On ours, others keep a label, an annotation and a finalizer of their own.
	ours := map[string]string{"Deployment": "cart", "Service": "cart", "Namespace": namespace}
	for kind, name := range ours {
		e.Edit(t, kind, within(kind, namespace), name, func(object map[string]any) {
			set(t, object, "theirs", "metadata", "labels", "example.dev/theirs")
			set(t, object, "theirs", "metadata", "annotations", "example.dev/theirs")
			if kind != "Namespace" {
				set(t, object, []any{"example.dev/theirs"}, "metadata", "finalizers")
			}
		})
	}
	kept := func() {
		t.Helper()
		beside.Check(t)
		for kind, name := range ours {
			live := e.Get(t, kind, within(kind, namespace), name)
			equal(t, "label of "+kind, any("theirs"), field(live, "metadata", "labels", "example.dev/theirs"))
			equal(t, "annotation of "+kind, any("theirs"), field(live, "metadata", "annotations", "example.dev/theirs"))
			if kind != "Namespace" {
				equal(t, "finalizers of "+kind, any([]any{"example.dev/theirs"}), field(live, "metadata", "finalizers"))
			}
		}
	}
	cli.Plan(t).MustBeEmpty(t)
	config("registry.example/shop/cart:2.0.0", "/v2", more)
	cli.Apply(t).Must(t)
	kept()
	cli.Plan(t).MustBeEmpty(t)
	e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) { containerOf(t, object)["image"] = acctest.Image })
	cli.Apply(t).Must(t)
	kept()
	config(pullError, "/v2", more)
	cli.Apply(t).MustFail(t, "Rollout failed")
	kept()
	// A component less.
	config("registry.example/shop/cart:2.0.0", "/v2")
	cli.Apply(t).Must(t)
	kept()
	cli.Plan(t).MustBeEmpty(t)

	// A destroy takes what is ours, and stops at the namespace that is not ours alone.
	for kind, name := range map[string]string{"Deployment": "cart", "Service": "cart"} {
		e.Edit(t, kind, namespace, name, func(object map[string]any) { set(t, object, []any{}, "metadata", "finalizers") })
	}
	cli.Destroy(t).MustFail(t, "Conflict.*"+namespace+".*holds objects that were not made here")
	beside.Check(t)
	equal(t, "deployments of ours", true, e.Get(t, "Deployment", namespace, "cart") == nil)
	cli.Write(t, "force_override.tf", "resource \"platform_project\" \"shop\" {\n  force_destroy = true\n}\n")
	cli.Apply(t).Must(t)
	beside.Check(t)
	beside.Release()
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// within is the namespace of an object of a kind.
func within(kind, namespace string) string {
	if kind == "Namespace" {
		return ""
	}
	return namespace
}
