// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// set sets a field of an object.
func set(t *testing.T, object map[string]any, value any, fields ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(object, value, fields...); err != nil {
		t.Fatal(err)
	}
}

// containerOf returns the first container of a workload, to be changed.
func containerOf(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	containers, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "template", "spec", "containers")
	list, ok := containers.([]any)
	if !ok || len(list) == 0 {
		t.Fatal("the workload has no container")
	}
	container, _ := list[0].(map[string]any)
	return container
}

// What somebody else removes of what the provider declared is shown and made
// again by the next apply.
func TestAccDrift(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	config := e.Base() + acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)) +
		acctest.Deployment("cart", acctest.HTTP(`env = { GREETING = "hello" }`), `labels = { team = "checkout" }`)
	repaired := func(drift func(), check func(t *testing.T)) resource.TestStep {
		return resource.TestStep{
			PreConfig: drift, Config: config,
			ConfigPlanChecks: preApply(
				action(deployment, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(deployment, tfjsonpath.New("manifests"), knownvalue.NotNull()),
			),
			Check: live(t, check),
		}
	}
	e.Test(
		t,
		resource.TestStep{Config: config},
		repaired(func() {
			e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) {
				delete(containerOf(t, object), "env")
				unstructured.RemoveNestedField(object, "metadata", "labels", "team")
				unstructured.RemoveNestedField(object, "metadata", "labels", "app.kubernetes.io/managed-by")
			})
		}, func(t *testing.T) {
			d := e.Deployment(t, "cart")
			equal(t, "env", 1, len(d.Spec.Template.Spec.Containers[0].Env))
			equal(t, "label", "checkout", d.Labels["team"])
			equal(t, "owner", "terraform-provider-platform", d.Labels["app.kubernetes.io/managed-by"])
		}),
		repaired(func() { e.Delete(t, "Deployment", namespace, "cart") }, func(t *testing.T) {
			equal(t, "ready replicas", int32(1), e.Deployment(t, "cart").Status.ReadyReplicas)
		}),
	)
}

// What the provider did not declare belongs to others: it is no drift, and an
// apply leaves it.
func TestAccForeignFields(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	config := func(greeting string) string {
		return e.Base() + acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)) +
			acctest.Deployment("cart", acctest.HTTP(fmt.Sprintf("env = { GREETING = %q }", greeting)))
	}
	e.Test(
		t,
		resource.TestStep{Config: config("hello")},
		resource.TestStep{
			PreConfig: func() {
				e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) {
					set(t, object, int64(3), "spec", "replicas")
					set(t, object, "somebody", "metadata", "labels", "example.com/owner")
					set(t, object, "somebody", "metadata", "annotations", "example.com/note")
					set(t, object, "now", "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
					set(t, object, int64(3), "spec", "revisionHistoryLimit")
				})
				e.Edit(t, "Service", namespace, "cart", func(object map[string]any) {
					set(t, object, "somebody", "metadata", "labels", "example.com/owner")
				})
				e.Edit(t, "Namespace", "", namespace, func(object map[string]any) {
					set(t, object, "somebody", "metadata", "labels", "example.com/owner")
				})
			},
			Config: config("hello"), PlanOnly: true,
		},
		resource.TestStep{
			Config:           config("hi"),
			ConfigPlanChecks: preApply(action(deployment, plancheck.ResourceActionUpdate)),
			Check: live(t, func(t *testing.T) {
				d := e.Deployment(t, "cart")
				equal(t, "env", "hi", d.Spec.Template.Spec.Containers[0].Env[0].Value)
				equal(t, "replicas", int32(3), *d.Spec.Replicas)
				equal(t, "history", int32(3), *d.Spec.RevisionHistoryLimit)
				equal(t, "label", "somebody", d.Labels["example.com/owner"])
				equal(t, "annotation", "somebody", d.Annotations["example.com/note"])
				equal(t, "pod annotation", "now", d.Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"])
				equal(t, "label of the Service", "somebody", e.Get(t, "Service", namespace, "cart").GetLabels()["example.com/owner"])
				equal(t, "label of the namespace", "somebody", e.Get(t, "Namespace", "", namespace).GetLabels()["example.com/owner"])
			}),
		},
	)
}
