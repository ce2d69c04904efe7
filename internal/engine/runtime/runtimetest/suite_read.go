// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func readCases(t *testing.T, h Harness) {
	t.Helper()
	const update = metav1.ManagedFieldsOperationUpdate
	cases(t, h, map[string]func(*bench){
		"absent is success": func(b *bench) {
			for _, recorded := range []bool{false, true} {
				response, err := runtime.Read(b.ctx, b.runtime, &runtime.ReadRequest{
					PriorResource: b.configMap("a", "1"), Stack: b.Stack, Recorded: recorded,
				})
				b.wantCode(err, "")
				if response.Resource != nil || response.UID != "" {
					b.Errorf("recorded %t: read %v", recorded, response.Resource)
				}
			}
		},
		"a missing kind is absent": func(b *bench) {
			key := b.MissingKind
			prior := Object(b.Stack, key.APIVersion, key.Kind, b.namespace, "example", nil)
			if b.read(prior) != nil {
				b.Error("an object of an unknown kind exists")
			}
		},
		"what was applied": func(b *bench) {
			plan := b.configMap("a", "1")
			applied := b.apply(nil, plan)
			response, err := runtime.Read(b.ctx, b.runtime, &runtime.ReadRequest{PriorResource: plan, Stack: b.Stack})
			b.wantCode(err, "")
			b.wantSame(response.Resource, plan)
			if response.UID != applied.UID {
				b.Errorf("UID is %q, want %q", response.UID, applied.UID)
			}
		},
		"what the manager owns without a prior one": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", update, "extra", "data", "z")
			response, err := runtime.Read(b.ctx, b.Runtime(b.T), &runtime.ReadRequest{PlanResource: plan, Stack: b.Stack})
			b.wantCode(err, "")
			b.wantField(response.Resource, map[string]any{"a": "1"}, "data")
		},
		"not what others added": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", update, "extra", "data", "z")
			b.Edit(b.T, plan.ID, "applier", metav1.ManagedFieldsOperationApply, "extra", "metadata", "annotations", "z")
			b.wantSame(b.read(plan), plan)
		},
	})
}

func readDriftCases(t *testing.T, h Harness) {
	t.Helper()
	const update = metav1.ManagedFieldsOperationUpdate
	cases(t, h, map[string]func(*bench){
		"drift": func(b *bench) {
			plan := b.configMap("a", "1", "b", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", update, "edited", "data", "a")
			b.wantField(b.read(plan), map[string]any{"a": "edited", "b": "1"}, "data")
		},
		"a deleted field": func(b *bench) {
			plan := b.configMap("a", "1", "b", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", update, nil, "data", "a")
			b.wantField(b.read(plan), map[string]any{"b": "1"}, "data")
		},
		"what an apply set that was not recorded": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "1", "b", "1")
			b.apply(nil, prior)
			b.apply(prior, plan)
			b.wantField(b.read(prior), map[string]any{"a": "1", "b": "1"}, "data")
		},
		"spelling and order as applied": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			b.apply(nil, plan)
			b.wantSame(b.read(plan), plan)
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
		},
		"a recorded object without its label": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", update, nil, "metadata", "labels", naming.LabelOrganization)
			got := b.read(plan)
			b.wantField(got, "1", "data", "a")
			b.wantField(got, nil, "metadata", "labels", naming.LabelOrganization)
			b.wantAction(b.apply(plan, plan), runtime.ActionUpdate)
			b.wantSame(b.read(plan), plan)
		},
		"not the object of another owner": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			if got := b.read(b.configMap("a", "1")); got != nil {
				b.Errorf("read %v", got)
			}
		},
	})
}

func importCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"an own object": func(b *bench) {
			plan := b.configMap("a", "1")
			applied := b.apply(nil, plan)
			response, err := runtime.Import(b.ctx, b.Runtime(b.T), &runtime.ImportRequest{PlanResource: plan, Stack: b.Stack})
			b.wantCode(err, "")
			b.wantField(response.Resource, "1", "data", "a")
			if response.UID != applied.UID {
				b.Errorf("UID is %q, want %q", response.UID, applied.UID)
			}
			b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
		},
		"an absent object": func(b *bench) {
			_, err := runtime.Import(b.ctx, b.runtime, &runtime.ImportRequest{PlanResource: b.configMap("a", "1"), Stack: b.Stack})
			b.wantCode(err, runtime.NotFound)
		},
	})
}
