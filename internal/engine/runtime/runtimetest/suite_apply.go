// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func applyCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"creates": func(b *bench) {
			response := b.apply(nil, b.configMap("a", "1"))
			b.wantAction(response, runtime.ActionCreate)
			if response.UID == "" || response.Resource == nil {
				b.Error("create gave no UID or no resource")
			}
			b.wantField(response.Resource, "1", "data", "a")
		},
		"is idempotent": func(b *bench) {
			plan := b.configMap("a", "1")
			first := b.apply(nil, plan)
			second := b.apply(plan, plan)
			b.wantAction(second, runtime.ActionNoOp)
			b.wantPaths(second.ChangedPaths)
			if diff := cmp.Diff(first.UID, second.UID); diff != "" {
				b.Error(diff)
			}
			b.wantSame(second.Resource, first.Resource)
		},
		"updates": func(b *bench) {
			prior, plan := b.configMap("a", "1", "b", "1"), b.configMap("a", "2", "b", "1", "c", "3")
			b.apply(nil, prior)
			response := b.apply(prior, plan)
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "data.a", "data.c")
			b.wantSame(b.read(plan), plan)
		},
		"removes what is no longer rendered": func(b *bench) {
			prior, plan := b.configMap("a", "1", "b", "1"), b.configMap("a", "1")
			b.apply(nil, prior)
			response := b.apply(prior, plan)
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "data.b")
			b.wantField(response.Resource, map[string]any{"a": "1"}, "data")
		},
		"takes its own object without a prior one for an update": func(b *bench) {
			b.apply(nil, b.configMap("a", "1"))
			response := b.apply(nil, b.configMap("a", "2"))
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "data.a")
		},
		"creates again what was deleted": func(b *bench) {
			plan := b.configMap("a", "1")
			response := b.apply(plan, plan)
			b.wantAction(response, runtime.ActionCreate)
		},
		"does not change its input": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			before := copyOf(plan)
			b.apply(nil, plan)
			b.apply(plan, plan)
			if diff := cmp.Diff(before.Attributes, plain(plan.Attributes)); diff != "" {
				b.Errorf("input: -before, +after:\n%s", diff)
			}
		},
	})
}

func dryRunCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"a dry run of a create writes nothing": func(b *bench) {
			plan := b.configMap("a", "1")
			request := b.request(nil, plan)
			request.DryRun = true
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionCreate)
			if b.read(plan) != nil {
				b.Error("the dry run created it")
			}
		},
		"a dry run of an update writes nothing": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			b.apply(nil, prior)
			request := b.request(prior, plan)
			request.DryRun = true
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "data.a")
			b.wantSame(b.read(prior), prior)
		},
		"a cancelled context does nothing": func(b *bench) {
			plan := b.configMap("a", "1")
			ctx, cancel := context.WithCancel(b.ctx)
			cancel()
			_, err := runtime.Apply(ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.Canceled)
			if b.read(plan) != nil {
				b.Error("the object was created")
			}
		},
	})
}

func adoptCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"a foreign object is refused": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(plan))
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.AlreadyExists, "ConfigMap/"+b.namespace+"/example")
		},
		"the object of another owner is refused by name": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			request := b.request(nil, b.configMap("a", "1"))
			request.Adopt = runtime.AdoptIfUnowned
			_, err = runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, runtime.AlreadyExists, b.Other.OwnerID)
		},
		"an unowned object is adopted if allowed": func(b *bench) {
			plan := b.configMap("a", "1")
			b.Foreign(b.T, bare(plan))
			request := b.request(nil, plan)
			request.Adopt = runtime.AdoptIfUnowned
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionUpdate)
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
	})
}

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
			b.wantCode(err, runtime.Conflict, "applier")
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
	})
}

// bare returns the resource without the labels of its owner.
func bare(resource *runtime.Resource) *runtime.Resource {
	out := copyOf(resource)
	Set(out, nil, "metadata", "labels")
	Set(out, nil, "metadata", "annotations", naming.AnnotationOwnerID)
	return out
}

func pathsOf(err error) []string {
	status, ok := err.(runtime.Status) //nolint:errorlint // The helpers return the Status itself.
	if !ok {
		return nil
	}
	return status.Paths()
}
