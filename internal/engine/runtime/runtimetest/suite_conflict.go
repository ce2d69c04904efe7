// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func driftCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"drift is taken back": func(b *bench) {
			plan := b.configMap("a", "1", "b", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "edited", "data", "a")
			response := b.apply(plan, plan)
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "data.a")
			b.wantSame(b.read(plan), plan)
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
		},
		"a removed field comes back": func(b *bench) {
			plan := b.configMap("a", "1", "b", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, nil, "data", "a")
			response := b.apply(plan, plan)
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "data.a")
		},
		"a field of another applier is a conflict": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			b.apply(nil, prior)
			b.Edit(b.T, plan.ID, "applier", metav1.ManagedFieldsOperationApply, "theirs", "data", "a")
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(prior, plan))
			b.wantCode(err, runtime.Conflict, "applier", "data.a")
			b.wantPaths(pathsOf(err), "data.a")
			request := b.request(prior, plan)
			request.Force = true
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionUpdate)
			b.wantField(response.Resource, "2", "data", "a")
		},
		"fields of others are left alone": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "extra", "data", "z")
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
			next := b.configMap("a", "2")
			response := b.apply(plan, next)
			b.wantPaths(response.ChangedPaths, "data.a")
			b.wantField(response.Resource, "extra", "data", "z")
		},
		"a field that was not ours is a conflict with who set it": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "1", "y", "same", "z", "ours")
			b.apply(nil, prior)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "same", "data", "y")
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "theirs", "data", "z")
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(prior, plan))
			b.wantCode(err, runtime.Conflict, "somebody", "data.z")
			b.wantPaths(pathsOf(err), "data.z")
			request := b.request(prior, plan)
			request.Force = true
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantField(response.Resource, "ours", "data", "z")
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
		},
		"adopting by force takes no fields of an own object": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			b.apply(nil, prior)
			b.Edit(b.T, plan.ID, "applier", metav1.ManagedFieldsOperationApply, "theirs", "data", "a")
			request := b.request(prior, plan)
			request.Adopt = runtime.AdoptForce
			_, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, runtime.Conflict, "applier")
		},
		"every conflict is listed": func(b *bench) {
			prior, plan := b.configMap("a", "1", "b", "1", "c", "1"), b.configMap("a", "2", "b", "2", "c", "2")
			b.apply(nil, prior)
			b.Edit(b.T, plan.ID, "one", metav1.ManagedFieldsOperationApply, "theirs", "data", "a")
			b.Edit(b.T, plan.ID, "two", metav1.ManagedFieldsOperationApply, "theirs", "data", "b")
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "theirs", "data", "c")
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(prior, plan))
			b.wantCode(err, runtime.Conflict, "one", "two")
			b.wantPaths(pathsOf(err), "data.a", "data.b")
		},
	})
}
