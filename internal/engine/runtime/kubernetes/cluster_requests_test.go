// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

func apply(t *testing.T, r runtime.Runtime, stack *runtime.Stack, prior, plan *runtime.Resource) *runtime.ApplyResponse {
	t.Helper()
	out, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PriorResource: prior, PlanResource: plan, Stack: stack})
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return out
}

func wantCode(t *testing.T, err error, want runtime.Code, words ...string) {
	t.Helper()
	if got := runtime.CodeOf(err); got != want {
		t.Fatalf("code is %q, want %q: %v", got, want, err)
	}
	for _, word := range words {
		wantWord(t, err.Error(), word)
	}
}

func wantWord(t *testing.T, text, word string) {
	t.Helper()
	if !strings.Contains(text, word) {
		t.Errorf("%q is not in: %s", word, text)
	}
}

func TestClusterReadsShareOneList(t *testing.T) {
	t.Parallel()
	const count = 50
	c := newCluster(t)
	writer, _ := c.runtime(t, kubernetes.Options{})
	reader, requests := c.runtime(t, kubernetes.Options{})
	namespaces := []string{c.namespace(t), c.namespace(t)}
	var resources []*runtime.Resource
	for i := range count {
		resource := runtimetest.ConfigMap(c.stack, namespaces[i%2], fmt.Sprintf("example-%d", i), map[string]any{"a": "1"})
		apply(t, writer, c.stack, nil, resource)
		resources = append(resources, resource)
	}
	var group sync.WaitGroup
	for _, resource := range resources {
		group.Go(func() {
			out, err := runtime.Read(t.Context(), reader, &runtime.ReadRequest{PriorResource: resource, Stack: c.stack, Recorded: true})
			if err != nil || out.Resource == nil {
				t.Errorf("%s: read %v, %v", resource.ID, out.Resource, err)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(map[string]int{"list": 1}, requests.take()); diff != "" {
		t.Errorf("requests: -want, +got:\n%s", diff)
	}
}

func TestClusterRequestCounts(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, requests := c.runtime(t, kubernetes.Options{})
	namespace := c.namespace(t)
	configMap := func(value string) *runtime.Resource {
		return runtimetest.ConfigMap(c.stack, namespace, "example", map[string]any{"a": value})
	}
	want := func(what string, want map[string]int) {
		t.Helper()
		if diff := cmp.Diff(want, requests.take()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", what, diff)
		}
	}
	created := apply(t, r, c.stack, nil, configMap("1"))
	want("create", map[string]int{"apply": 1})
	version := c.get(t, created.Resource.ID).GetResourceVersion()
	if action := apply(t, r, c.stack, configMap("1"), configMap("1")).Action; action != runtime.ActionNoOp {
		t.Errorf("action is %s", action)
	}
	want("no-op", map[string]int{"get": 1, "apply": 1})
	if got := c.get(t, created.Resource.ID).GetResourceVersion(); got != version {
		t.Error("a no-op changed the version")
	}
	apply(t, r, c.stack, configMap("1"), configMap("2"))
	want("update", map[string]int{"get": 1, "apply": 1})
	c.edit(t, created.Resource.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "3", "data", "a")
	apply(t, r, c.stack, configMap("2"), configMap("2"))
	want("drift", map[string]int{"get": 1, "apply": 2})
	if _, err := runtime.Wait(t.Context(), r, &runtime.WaitRequest{Resource: configMap("2"), Stack: c.stack}); err != nil {
		t.Error(err)
	}
	want("wait", map[string]int{})
	if _, err := runtime.Read(t.Context(), r, &runtime.ReadRequest{PriorResource: configMap("2"), Stack: c.stack}); err != nil {
		t.Error(err)
	}
	want("read", map[string]int{"list": 1})
	apply(t, r, c.stack, configMap("2"), configMap("4"))
	out, err := runtime.Read(t.Context(), r, &runtime.ReadRequest{PriorResource: configMap("4"), Stack: c.stack})
	if err != nil || runtimetest.Get(out.Resource, "data", "a") != "4" {
		t.Errorf("read %v, %v after a write of ours", out.Resource, err)
	}
	requests.take()
	if _, err := runtime.Delete(t.Context(), r, &runtime.DeleteRequest{Resource: configMap("4"), Stack: c.stack}); err != nil {
		t.Error(err)
	}
	want("delete", map[string]int{"get": 1, "delete": 1})
	out, err = runtime.Read(t.Context(), r, &runtime.ReadRequest{PriorResource: configMap("4"), Stack: c.stack})
	if err != nil || out.Resource != nil {
		t.Errorf("read %v, %v after our delete", out.Resource, err)
	}
	want("read after delete", map[string]int{})
}

func TestClusterReadyDeploymentCostsOneRequest(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, requests := c.runtime(t, kubernetes.Options{})
	plan := runtimetest.Deployment(c.stack, c.namespace(t), "example")
	apply(t, r, c.stack, nil, plan)
	for range 2 {
		requests.take()
		if _, err := runtime.Wait(t.Context(), r, &runtime.WaitRequest{Resource: plan, Stack: c.stack}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"list": 1}, requests.take()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestClusterSecretsStaySecret(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, requests := c.runtime(t, kubernetes.Options{})
	namespace := c.namespace(t)
	const value = "aHVudGVyMi1odW50ZXIy"
	secret := func(fields map[string]any) *runtime.Resource {
		return runtimetest.Object(c.stack, "v1", "Secret", namespace, "example", fields)
	}
	plan := secret(map[string]any{"type": "Opaque", "data": map[string]any{"password": value}})
	out := apply(t, r, c.stack, nil, plan)
	if diff := cmp.Diff([]string{"data.password"}, out.SensitivePaths); diff != "" {
		t.Error(diff)
	}
	requests.take()
	if _, err := runtime.Read(t.Context(), r, &runtime.ReadRequest{PriorResource: plan, Stack: c.stack}); err != nil {
		t.Error(err)
	}
	for name, resource := range map[string]*runtime.Resource{
		"unknown field": secret(map[string]any{"data": map[string]any{"password": value}, "unknown": value}),
		"wrong type":    secret(map[string]any{"data": value}),
		"not base64":    secret(map[string]any{"data": map[string]any{"password": "hunter2!"}}),
		"not a string":  secret(map[string]any{"data": map[string]any{"password": 12345678}}),
		"type changes":  secret(map[string]any{"type": "other", "data": map[string]any{"password": value}}),
		"bad key":       secret(map[string]any{"data": map[string]any{"not a key!": value}}),
	} {
		_, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PriorResource: plan, PlanResource: resource, Stack: c.stack})
		if err == nil {
			t.Errorf("%s: was accepted", name)
			continue
		}
		for _, text := range []string{value, "hunter2", "12345678"} {
			if strings.Contains(err.Error(), text) {
				t.Errorf("%s: the error shows the value: %v", name, err)
			}
		}
	}
}
