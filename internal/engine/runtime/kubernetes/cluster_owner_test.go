// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// managers returns the managers of an object, each with its operation.
func (c *cluster) managers(t *testing.T, id string) []string {
	t.Helper()
	var out []string
	for _, entry := range c.get(t, id).GetManagedFields() {
		if entry.Subresource == "" {
			out = append(out, entry.Manager+" "+string(entry.Operation))
		}
	}
	return out
}

// kubectlApply makes an object as kubectl apply does: merged by the client.
func (c *cluster) kubectlApply(t *testing.T, resource *runtime.Resource) {
	t.Helper()
	runtimetest.Set(resource, "{}", "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	objects, _ := c.objects(t, resource.ID)
	object := asUnstructured(t, resource)
	if _, err := objects.Create(t.Context(), object, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"}); err != nil {
		t.Fatal(err)
	}
}

func TestClusterAdoptsWhatKubectlApplied(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{})
	namespace := c.namespace(t)
	plan, theirs := runtimetest.Deployment(c.stack, namespace, "example"), runtimetest.Deployment(c.stack, namespace, "example")
	runtimetest.Set(plan, nil, "spec", "replicas")
	runtimetest.Set(theirs, 3, "spec", "replicas")
	runtimetest.Set(theirs, map[string]any{"app": "theirs"}, "metadata", "labels")
	runtimetest.Set(theirs, nil, "metadata", "annotations")
	c.kubectlApply(t, theirs)
	before := c.get(t, plan.ID).Object["spec"]
	request := &runtime.ApplyRequest{PlanResource: plan, Stack: c.stack, Adopt: runtime.AdoptIfUnowned}
	out, err := runtime.Apply(t.Context(), r, request)
	wantCode(t, err, "")
	if out.Action != runtime.ActionUpdate {
		t.Errorf("action is %s", out.Action)
	}
	for _, manager := range c.managers(t, plan.ID) {
		if manager == "kubectl-client-side-apply Update" {
			t.Error("the client-side applier still owns something")
		}
	}
	live := c.get(t, plan.ID)
	if diff := cmp.Diff(before, live.Object["spec"]); diff != "" {
		t.Errorf("what is not rendered stays, and the rest is the same: -before, +after:\n%s", diff)
	}
	if again := apply(t, r, c.stack, plan, plan); again.Action != runtime.ActionNoOp {
		t.Errorf("the next apply is %s", again.Action)
	}
}

func TestClusterAdoptionRequests(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, requests := c.runtime(t, kubernetes.Options{})
	namespace := c.namespace(t)
	plan, theirs := runtimetest.ConfigMap(c.stack, namespace, "example", nil), runtimetest.ConfigMap(c.stack, namespace, "example", nil)
	runtimetest.Set(theirs, nil, "metadata", "labels")
	c.kubectlApply(t, theirs)
	if _, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PlanResource: plan, Stack: c.stack, Adopt: runtime.AdoptIfUnowned}); err != nil {
		t.Fatal(err)
	}
	// It cannot be created, is read, tried, its managers are written, and it is applied.
	if diff := cmp.Diff(map[string]int{"apply": 3, "get": 1, "patch": 1}, requests.take()); diff != "" {
		t.Errorf("requests: -want, +got:\n%s", diff)
	}
	// Besides us there is what kubectl noted of its own.
	if got := c.managers(t, plan.ID); len(got) != 2 || !slices.Contains(got, "former-kubectl-client-side-apply Update") {
		t.Errorf("managers are %v", got)
	}
}

func TestClusterTakesBackWhatWasScaled(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{})
	prior := runtimetest.Deployment(c.stack, c.namespace(t), "example")
	runtimetest.Set(prior, nil, "spec", "replicas")
	apply(t, r, c.stack, nil, prior)
	objects, key := c.objects(t, prior.ID)
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"replicas": 2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := objects.Patch(t.Context(), key.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: "kubectl"}, "scale"); err != nil {
		t.Fatal(err)
	}
	plan := runtimetest.Deployment(c.stack, key.Namespace, key.Name)
	out := apply(t, r, c.stack, prior, plan)
	if got := runtimetest.Get(out.Resource, "spec", "replicas"); got != int64(1) {
		t.Errorf("replicas are %v: whoever scales leaves the field to the object's owner", got)
	}
}

func TestClusterReplacementSurvivesALostAnswer(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	var deleted, lost atomic.Bool
	r, _ := c.through(t, kubernetes.Options{}, func(request *http.Request) bool {
		if request.Method == http.MethodDelete {
			deleted.Store(true)
		}
		return request.Method == http.MethodPatch && deleted.Load() && lost.CompareAndSwap(false, true)
	})
	namespace := c.namespace(t)
	prior := runtimetest.ConfigMap(c.stack, namespace, "example", map[string]any{"a": "1"})
	plan := runtimetest.ConfigMap(c.stack, namespace, "example", map[string]any{"a": "2"})
	runtimetest.Set(prior, true, "immutable")
	apply(t, r, c.stack, nil, prior)
	out, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PriorResource: prior, PlanResource: plan, Stack: c.stack, Replace: true})
	wantCode(t, err, "")
	if out.Action != runtime.ActionReplace || len(out.Warnings) != 1 || !lost.Load() {
		t.Errorf("action is %s with warnings %v, and an answer was lost: %t", out.Action, out.Warnings, lost.Load())
	}
	if diff := cmp.Diff([]string{"data.a", "immutable"}, out.ChangedPaths); diff != "" {
		t.Errorf("changed: -want, +got:\n%s", diff)
	}
}
