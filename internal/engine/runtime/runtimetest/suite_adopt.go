// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func adoptCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"a foreign object is refused": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(plan))
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.AlreadyExists, "ConfigMap/"+b.namespace+"/example", "nobody", `adopt = "if_unowned"`)
		},
		"the object of another owner is refused by name": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			_, err = runtime.Apply(b.ctx, b.runtime, b.adopting(b.configMap("a", "1")))
			b.wantCode(err, runtime.AlreadyExists, b.Other.OwnerID, `adopt = "force"`)
		},
		"an unowned object is adopted if allowed": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(plan))
			b.adopt(plan)
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
		},
		"any object is adopted by force": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			plan := b.configMap("a", "2")
			request := b.request(nil, plan)
			request.Adopt = runtime.AdoptForce
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionUpdate)
			b.wantSame(b.read(plan), plan)
		},
		"adopting in a dry run writes nothing": func(b *bench) {
			plan := b.configMap("a", "1")
			foreign := bare(b.configMap("a", "2"))
			b.Foreign(b.T, foreign)
			request := b.adopting(plan)
			request.DryRun = true
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionUpdate)
			_, err = runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.AlreadyExists)
		},
		"an object that cannot change to what is wanted is not adopted": func(b *bench) {
			foreign, plan := bare(b.configMap("a", "1")), b.configMap("a", "2")
			Set(foreign, true, "immutable")
			b.Foreign(b.T, foreign)
			request := b.adopting(plan)
			request.Replace = true
			_, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, runtime.ReplaceRequired, "data")
			_, err = runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.AlreadyExists)
		},
	})
}

func adoptedFieldsCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"what an adopted object has besides is left alone": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(b.configMap("a", "theirs", "z", "theirs")))
			response := b.adopt(plan)
			b.wantField(response.Resource, map[string]any{"a": "1", "z": "theirs"}, "data")
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
			b.wantSame(b.read(plan), plan)
		},
		"what is dropped after an adoption is gone, whoever set it first": func(b *bench) {
			for _, operation := range []metav1.ManagedFieldsOperationType{metav1.ManagedFieldsOperationUpdate, metav1.ManagedFieldsOperationApply} {
				first := ConfigMap(b.Stack, b.namespace, "by-"+strings.ToLower(string(operation)), map[string]any{"a": "1", "b": "1"})
				then := ConfigMap(b.Stack, b.namespace, "by-"+strings.ToLower(string(operation)), map[string]any{"a": "1"})
				b.Foreign(b.T, bare(first))
				b.Edit(b.T, first.ID, "author", operation, "1", "data", "b")
				b.adopt(first)
				response := b.apply(first, then)
				b.wantPaths(response.ChangedPaths, "data.b")
				b.wantField(response.Resource, map[string]any{"a": "1"}, "data")
			}
		},
		"a client-side applier's fields can be taken over later": func(b *bench) {
			plan, next := b.configMap("a", "1"), b.configMap("a", "1", "z", "ours")
			b.Foreign(b.T, bare(plan))
			b.Edit(b.T, plan.ID, "kubectl-client-side-apply", metav1.ManagedFieldsOperationUpdate, "theirs", "data", "z")
			b.wantField(b.adopt(plan).Resource, "theirs", "data", "z")
			response := b.apply(plan, next)
			b.wantField(response.Resource, "ours", "data", "z")
		},
		"a client-side applier's fields outlive the last field beside them": func(b *bench) {
			plan, next := b.configMap("a", "1"), b.configMap()
			b.Foreign(b.T, bare(plan))
			b.Edit(b.T, plan.ID, "kubectl-client-side-apply", metav1.ManagedFieldsOperationUpdate, "theirs", "data", "z")
			b.adopt(plan)
			response := b.apply(plan, next)
			b.wantPaths(response.ChangedPaths, "data.a")
			b.wantField(response.Resource, map[string]any{"z": "theirs"}, "data")
		},
		"another applier's fields of an unowned object are a conflict unless forced": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(plan))
			b.Edit(b.T, plan.ID, "applier", metav1.ManagedFieldsOperationApply, "theirs", "data", "a")
			_, err := runtime.Apply(b.ctx, b.runtime, b.adopting(plan))
			b.wantCode(err, runtime.Conflict, "applier")
			b.wantPaths(pathsOf(err), "data.a")
			request := b.adopting(plan)
			request.Force = true
			_, err = runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantSame(b.read(plan), plan)
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
		},
	})
}

// adopting returns a request that may take over what nobody owns.
func (b *bench) adopting(plan *runtime.Resource) *runtime.ApplyRequest {
	request := b.request(nil, plan)
	request.Adopt = runtime.AdoptIfUnowned
	return request
}

// adopt takes over what nobody owns.
func (b *bench) adopt(plan *runtime.Resource) *runtime.ApplyResponse {
	b.Helper()
	response, err := runtime.Apply(b.ctx, b.runtime, b.adopting(plan))
	b.wantCode(err, "")
	b.wantAction(response, runtime.ActionUpdate)
	return response
}
