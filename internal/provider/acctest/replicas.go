// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Scale scales a Deployment of the project shop in dev as kubectl scale and
// autoscalers do.
func (e *Env) Scale(t *testing.T, name string, replicas int) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	_, err := e.dynamic.Resource(resourceOf("Deployment")).Namespace(e.Namespace("shop", "dev")).
		Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "scaler"}, "scale")
	if err != nil {
		t.Fatal(err)
	}
}

// AwaitReplicas waits until somebody scales a Deployment of the project shop in dev.
func (e *Env) AwaitReplicas(t *testing.T, name string, want int64) {
	t.Helper()
	e.Await(t, "Deployment", e.Namespace("shop", "dev"), name, func(object map[string]any) bool {
		now, _, _ := unstructured.NestedInt64(object, "spec", "replicas")
		return now == want
	})
}

// FewestReplicas follows a Deployment of the project shop in dev. The function
// that it returns ends that and tells the smallest number of replicas seen.
func (e *Env) FewestReplicas(t *testing.T, name string) func() int64 {
	t.Helper()
	watcher := e.watch(t.Context(), t, name)
	fewest := make(chan int64)
	go func() {
		least := int64(-1)
		for event := range watcher.ResultChan() {
			if now, ok := replicasOf(event); ok && (least < 0 || now < least) {
				least = now
			}
		}
		fewest <- least
	}()
	return func() int64 {
		watcher.Stop()
		return <-fewest
	}
}

func (e *Env) watch(ctx context.Context, t *testing.T, name string) watch.Interface {
	t.Helper()
	watcher, err := e.dynamic.Resource(resourceOf("Deployment")).Namespace(e.Namespace("shop", "dev")).
		Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	return watcher
}

// replicasOf returns the number in an event; one that ends a watch has none.
func replicasOf(event watch.Event) (int64, bool) {
	object, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return 0, false
	}
	replicas, found, err := unstructured.NestedInt64(object.Object, "spec", "replicas")
	return replicas, found && err == nil
}
