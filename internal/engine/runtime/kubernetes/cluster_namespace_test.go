// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

func TestClusterNamespaceOfOthers(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{})
	namespace := runtimetest.Object(c.stack, "v1", "Namespace", "", "test-"+rand.String(10), nil)
	created := apply(t, r, c.stack, nil, namespace)
	key, err := runtime.ParseKubernetesID(namespace.ID)
	if err != nil {
		t.Fatal(err)
	}
	// What is ours, of any owner, and what others control may go.
	apply(t, r, c.other, nil, runtimetest.ConfigMap(c.other, key.Name, "ours", nil))
	deployment := runtimetest.Deployment(c.stack, key.Name, "example")
	apply(t, r, c.stack, nil, deployment)
	foreign := runtimetest.ConfigMap(c.stack, key.Name, "theirs", nil)
	runtimetest.Set(foreign, nil, "metadata", "labels")
	c.create(t, foreign)

	request := &runtime.DeleteRequest{Resource: namespace, Stack: c.stack, UID: created.UID}
	_, err = runtime.Delete(t.Context(), r, request)
	wantCode(t, err, runtime.Conflict, "ConfigMap/theirs")
	objects, _ := c.objects(t, foreign.ID)
	if err := objects.Delete(t.Context(), "theirs", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = runtime.Delete(ctx, r, request)
	wantCode(t, err, runtime.DeadlineExceeded, key.Name)

	// An object cannot be made in a namespace that goes, and there is none after.
	late := runtimetest.ConfigMap(c.stack, key.Name, "late", nil)
	done := make(chan error, 1)
	go func() {
		_, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PlanResource: late, Stack: c.stack})
		done <- err
	}()
	// The namespace itself comes back as soon as the old one is gone.
	again, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PriorResource: namespace, PlanResource: namespace, Stack: c.stack})
	wantCode(t, err, "")
	if again.Action != runtime.ActionCreate || again.UID == created.UID {
		t.Errorf("action is %s, UID %s", again.Action, again.UID)
	}
	if err := <-done; err != nil {
		wantCode(t, err, runtime.NotFound, key.Name)
	}
	response, err := runtime.Delete(t.Context(), r, &runtime.DeleteRequest{Resource: namespace, Stack: c.stack, UID: again.UID, Force: true})
	wantCode(t, err, "")
	if response.Action != runtime.ActionDelete {
		t.Errorf("action is %s", response.Action)
	}
}

func TestClusterNamespaceDeadlineNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{})
	namespace := runtimetest.Object(c.stack, "v1", "Namespace", "", "test-"+rand.String(10), nil)
	apply(t, r, c.stack, nil, namespace)
	key, err := runtime.ParseKubernetesID(namespace.ID)
	if err != nil {
		t.Fatal(err)
	}
	held := runtimetest.ConfigMap(c.stack, key.Name, "held", nil)
	apply(t, r, c.stack, nil, held)
	c.edit(t, held.ID, "somebody", metav1.ManagedFieldsOperationUpdate, []any{"example.dev/hold"}, "metadata", "finalizers")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err = runtime.Delete(ctx, r, &runtime.DeleteRequest{Resource: namespace, Stack: c.stack})
	wantCode(t, err, runtime.DeadlineExceeded, "ConfigMap/held", "example.dev/hold")
	c.edit(t, held.ID, "somebody", metav1.ManagedFieldsOperationUpdate, nil, "metadata", "finalizers")
}
