// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// await returns the first object of a channel that matches.
func await(t *testing.T, events <-chan watch.Event, what string, match func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case event, open := <-events:
			if !open {
				t.Fatalf("the channel closed before %s", what)
			}
			if object, ok := event.Object.(*unstructured.Unstructured); ok && match(object) {
				return object
			}
		case <-limit:
			t.Fatalf("%s did not come", what)
		}
	}
}

// anything matches every object.
func anything(*unstructured.Unstructured) bool { return true }

// child is an object that an owner controls, made by hand.
func child(owner *unstructured.Unstructured, resource *runtime.Resource) *runtime.Resource {
	runtimetest.Set(resource, []any{map[string]any{
		"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName(), "uid": string(owner.GetUID()), "controller": true,
	}}, "metadata", "ownerReferences")
	return resource
}

// A watch follows an object and, level by level, what it controls; what is not
// its own does not come, whatever its labels.
func TestClusterWatchOfEachKind(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	id := runtime.KubernetesID
	pods := func(namespace string) string { return id("v1", "Pod", namespace, "*") }
	cases := map[string]struct {
		plan func(namespace string) *runtime.Resource
		ids  func(namespace string) []string
		// more makes what no controller makes by itself in time.
		more func(t *testing.T, live *unstructured.Unstructured)
	}{
		"StatefulSet": {
			plan: func(ns string) *runtime.Resource { return statefulSet(c.stack, ns) },
			ids:  func(ns string) []string { return []string{pods(ns)} },
		},
		"DaemonSet": {
			plan: func(ns string) *runtime.Resource { return daemonSet(c.stack, ns) },
			ids:  func(ns string) []string { return []string{pods(ns)} },
		},
		"Job": {
			plan: func(ns string) *runtime.Resource { return job(c.stack, ns, "example") },
			ids:  func(ns string) []string { return []string{pods(ns)} },
		},
		"CronJob": {
			plan: func(ns string) *runtime.Resource {
				return c.described(t, "batch/v1", "CronJob", ns, "example",
					`spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}}}`)
			},
			ids: func(ns string) []string { return []string{id("batch/v1", "Job", ns, "*"), pods(ns)} },
			more: func(t *testing.T, live *unstructured.Unstructured) {
				t.Helper()
				c.create(t, child(live, job(c.stack, live.GetNamespace(), "example-now")))
			},
		},
		"Service": {
			plan: func(ns string) *runtime.Resource {
				return c.described(t, "v1", "Service", ns, "example", "spec: {selector: {app: x}, ports: [{port: 80}]}")
			},
			ids: func(ns string) []string { return []string{id("discovery.k8s.io/v1", "EndpointSlice", ns, "*")} },
		},
		"Deployment": {
			plan: func(ns string) *runtime.Resource { return runtimetest.Deployment(c.stack, ns, "example") },
			ids:  func(ns string) []string { return []string{id("apps/v1", "ReplicaSet", ns, "*"), pods(ns)} },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			// Another workload's pods have the very same labels.
			stranger := runtimetest.Deployment(c.stack, namespace, "stranger")
			c.create(t, stranger)
			plan := tc.plan(namespace)
			r, _ := c.runtime(t, kubernetes.Options{})
			apply(t, r, c.stack, nil, plan)
			response, err := runtime.Watch(t.Context(), r, &runtime.WatchRequest{Resource: plan, Stack: c.stack})
			wantCode(t, err, "")
			defer response.Stop()
			want := append([]string{plan.ID}, tc.ids(namespace)...)
			if diff := cmp.Diff(want, response.Watchers.IDs); diff != "" {
				t.Fatalf("-want, +got:\n%s", diff)
			}
			if tc.more != nil {
				tc.more(t, c.get(t, plan.ID))
			}
			for i, events := range response.Watchers.Watchers {
				first := await(t, events, want[i], anything)
				if got := first.GetName(); len(got) < len("example") || got[:len("example")] != "example" {
					t.Errorf("channel %d brings %s %s", i, first.GetKind(), got)
				}
			}
		})
	}
}

// What a gateway answers comes with the route itself.
func TestClusterWatchOfRoute(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{})
	plan := c.described(t, "gateway.networking.k8s.io/v1", "HTTPRoute", c.namespace(t), "example",
		"spec: {parentRefs: [{name: public, namespace: gateways, sectionName: http}], hostnames: [watched.example], rules: [{backendRefs: [{name: x, port: 80}]}]}")
	apply(t, r, c.stack, nil, plan)
	response, err := runtime.Watch(t.Context(), r, &runtime.WatchRequest{Resource: plan, Stack: c.stack})
	wantCode(t, err, "")
	defer response.Stop()
	if diff := cmp.Diff([]string{plan.ID}, response.Watchers.IDs); diff != "" {
		t.Fatalf("-want, +got:\n%s", diff)
	}
	await(t, response.Watchers.Watchers[0], "the answer of the gateway", func(route *unstructured.Unstructured) bool {
		parents, _, _ := unstructured.NestedSlice(route.Object, "status", "parents")
		return len(parents) > 0
	})
}

// A watch goes on where it was when the server forgets its version, and when it
// is away for a while.
func TestClusterWatchOutlivesTheServer(t *testing.T) {
	t.Parallel()
	cases := map[string]int{"expired": http.StatusGone, "away": http.StatusServiceUnavailable}
	for name, code := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			var refused atomic.Int32
			refuse := make(chan struct{})
			r, server := c.between(t, kubernetes.Options{}, func(w http.ResponseWriter, request *http.Request) bool {
				select {
				case <-refuse:
				default:
					return false
				}
				// A 410 is for watches only; who is away answers nothing.
				if refused.Load() >= 3 || (code == http.StatusGone && request.URL.Query().Get("watch") == "") {
					return false
				}
				refused.Add(1)
				http.Error(w, `{"kind":"Status","status":"Failure","reason":"Expired","message":"refused by the test"}`, code)
				return true
			})
			plan := runtimetest.ConfigMap(c.stack, c.namespace(t), "example", map[string]any{"a": "0"})
			apply(t, r, c.stack, nil, plan)
			response, err := runtime.Watch(t.Context(), r, &runtime.WatchRequest{Resource: plan, Stack: c.stack})
			wantCode(t, err, "")
			defer response.Stop()
			events := response.Watchers.Watchers[0]
			await(t, events, "the object", anything)
			close(refuse)
			server.CloseClientConnections()
			c.edit(t, plan.ID, "somebody", "Update", "1", "data", "a")
			await(t, events, "the change", func(live *unstructured.Unstructured) bool {
				value, _, _ := unstructured.NestedString(live.Object, "data", "a")
				return value == "1"
			})
			if refused.Load() == 0 {
				t.Error("the watch was not refused")
			}
		})
	}
}
