// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func deleteCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"is gone on return": func(b *bench) {
			for _, plan := range []*runtime.Resource{b.configMap("a", "1"), Deployment(b.Stack, b.namespace, "example")} {
				applied := b.apply(nil, plan)
				b.wantDeleted(&runtime.DeleteRequest{Resource: plan, Stack: b.Stack, UID: applied.UID}, runtime.ActionDelete)
				if b.read(plan) != nil {
					b.Errorf("%s is still there", plan.ID)
				}
			}
		},
		"absent is success": func(b *bench) {
			b.wantDeleted(&runtime.DeleteRequest{Resource: b.configMap(), Stack: b.Stack}, runtime.ActionNoOp)
		},
		"twice is success": func(b *bench) {
			plan := b.configMap("a", "1")
			applied := b.apply(nil, plan)
			request := &runtime.DeleteRequest{Resource: plan, Stack: b.Stack, UID: applied.UID}
			b.wantDeleted(request, runtime.ActionDelete)
			b.wantDeleted(request, runtime.ActionNoOp)
		},
		"needs only the id": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.wantDeleted(&runtime.DeleteRequest{Resource: &runtime.Resource{ID: plan.ID}, Stack: b.Stack}, runtime.ActionDelete)
		},
		"a missing kind is absent": func(b *bench) {
			key := b.MissingKind
			resource := Object(b.Stack, key.APIVersion, key.Kind, b.namespace, "example", nil)
			b.wantDeleted(&runtime.DeleteRequest{Resource: resource, Stack: b.Stack}, runtime.ActionNoOp)
		},
		"leaves a foreign object alone": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(plan))
			response := b.wantDeleted(&runtime.DeleteRequest{Resource: plan, Stack: b.Stack}, runtime.ActionNoOp)
			b.wantWarning(response)
		},
		"leaves the object of another owner alone": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			applied, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			response := b.wantDeleted(&runtime.DeleteRequest{Resource: other, Stack: b.Stack, UID: applied.UID}, runtime.ActionNoOp)
			b.wantWarning(response)
		},
		"leaves an object of another UID alone": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			response := b.wantDeleted(&runtime.DeleteRequest{Resource: plan, Stack: b.Stack, UID: "another"}, runtime.ActionNoOp)
			b.wantWarning(response)
			b.wantSame(b.read(plan), plan)
		},
		"a dry run removes nothing": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.wantDeleted(&runtime.DeleteRequest{Resource: plan, Stack: b.Stack, DryRun: true}, runtime.ActionDelete)
			b.wantSame(b.read(plan), plan)
		},
	})
}

// deleteLaterCases are about objects that do not go at once.
func deleteLaterCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"leaves alone what somebody makes in its place": func(b *bench) {
			plan := b.configMap("a", "1")
			applied := b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, []any{"example.dev/hold"}, "metadata", "finalizers")
			request := &runtime.DeleteRequest{Resource: plan, Stack: b.Stack, UID: applied.UID}
			done := make(chan *runtime.DeleteResponse, 1)
			go func() { done <- b.runtime.Delete(b.ctx, request) }()
			b.awaitDeletion(plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, nil, "metadata", "finalizers")
			b.Foreign(b.T, bare(plan))
			if response := <-done; response.Status != nil {
				b.Fatal(response.Status)
			}
			response := b.wantDeleted(request, runtime.ActionNoOp)
			b.wantWarning(response)
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.AlreadyExists)
		},
		"refuses a namespace with objects of others, unless forced": func(b *bench) {
			namespace := Object(b.Stack, "v1", "Namespace", "", b.namespace+"-own", nil)
			b.apply(nil, namespace)
			b.apply(nil, ConfigMap(b.Stack, b.namespace+"-own", "ours", nil))
			b.Foreign(b.T, bare(ConfigMap(b.Stack, b.namespace+"-own", "theirs", nil)))
			request := &runtime.DeleteRequest{Resource: namespace, Stack: b.Stack}
			_, err := runtime.Delete(b.ctx, b.runtime, request)
			b.wantCode(err, runtime.Conflict, "ConfigMap/theirs")
			b.wantSame(b.read(namespace), namespace)
			request.Force = true
			b.wantDeleted(request, runtime.ActionDelete)
			if b.read(namespace) != nil {
				b.Error("the namespace is still there")
			}
		},
		"the deadline names what holds it": func(b *bench) {
			const finalizer = "example.dev/hold"
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, []any{finalizer}, "metadata", "finalizers")
			ctx, cancel := context.WithTimeout(b.ctx, time.Second)
			defer cancel()
			_, err := runtime.Delete(ctx, b.runtime, &runtime.DeleteRequest{Resource: plan, Stack: b.Stack})
			b.wantCode(err, runtime.DeadlineExceeded, finalizer)
			// An apply waits until the old object is gone and makes a new one.
			done := make(chan *runtime.ApplyResponse, 1)
			go func() { done <- b.runtime.Apply(b.ctx, b.request(plan, plan)) }()
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, nil, "metadata", "finalizers")
			response := <-done
			if response.Status != nil {
				b.Fatal(response.Status)
			}
			b.wantAction(response, runtime.ActionCreate)
			b.wantSame(b.read(plan), plan)
		},
	})
}

func (b *bench) wantDeleted(request *runtime.DeleteRequest, want runtime.Action) *runtime.DeleteResponse {
	b.Helper()
	response, err := runtime.Delete(b.ctx, b.runtime, request)
	b.wantCode(err, "")
	if response.Action != want {
		b.Errorf("action is %s, want %s", response.Action, want)
	}
	return response
}

// awaitDeletion blocks until an object reads as absent, though a finalizer holds it.
func (b *bench) awaitDeletion(resource *runtime.Resource) {
	b.Helper()
	response, err := runtime.Watch(b.ctx, b.runtime, &runtime.WatchRequest{Resource: resource, Stack: b.Stack})
	b.wantCode(err, "")
	defer response.Stop()
	b.awaitEvent(response.Watchers.Watchers[0], "the deletion begins", func(event watch.Event) bool {
		object, ok := event.Object.(metav1.Object)
		return ok && object.GetDeletionTimestamp() != nil
	})
}

func (b *bench) wantWarning(response *runtime.DeleteResponse) {
	b.Helper()
	if len(response.Warnings) == 0 {
		b.Error("there is no warning")
	}
}
