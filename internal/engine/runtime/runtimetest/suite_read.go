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

// readWhole reads all of an object, whoever owns it.
func (b *bench) readWhole(id string) *runtime.ReadResponse {
	b.Helper()
	request := &runtime.ReadRequest{PlanResource: &runtime.Resource{ID: id, Type: runtime.Kubernetes}, Stack: b.Stack, Whole: true}
	response, err := runtime.Read(b.ctx, b.runtime, request)
	b.wantCode(err, "")
	return response
}

func readWholeCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"an object of nobody": func(b *bench) {
			foreign := bare(b.configMap("a", "1"))
			b.Foreign(b.T, foreign)
			got := b.readWhole(foreign.ID)
			b.wantField(got.Resource, "1", "data", "a")
			if got.UID == "" {
				b.Error("the object has no UID")
			}
		},
		"an own object with what others set": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.readWhole(plan.ID)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "2", "data", "b")
			b.wantField(b.readWhole(plan.ID).Resource, map[string]any{"a": "1", "b": "2"}, "data")
		},
		"the object of another owner": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			b.wantField(b.readWhole(other.ID).Resource, b.Other.OwnerKind, "metadata", "labels", naming.LabelOwnerKind)
		},
		"a namespace": func(b *bench) {
			b.wantField(b.readWhole(runtime.KubernetesID("v1", "Namespace", "", b.namespace)).Resource, b.namespace, "metadata", "name")
		},
		"an absent object": func(b *bench) {
			for _, id := range []string{b.configMap("a", "1").ID, runtime.KubernetesID("v1", "Namespace", "", b.namespace+"-missing")} {
				if got := b.readWhole(id); got.Resource != nil || got.UID != "" {
					b.Errorf("read %v", got)
				}
			}
		},
	})
}

// imports imports with a runtime that remembers nothing, and fails the case
// unless an apply right after it changes nothing.
func (b *bench) imports(plan *runtime.Resource) *runtime.ImportResponse {
	b.Helper()
	response, err := runtime.Import(b.ctx, b.Runtime(b.T), &runtime.ImportRequest{PlanResource: plan, Stack: b.Stack})
	b.wantCode(err, "")
	for _, dryRun := range []bool{true, false} {
		request := b.request(plan, plan)
		request.DryRun = dryRun
		applied, err := runtime.Apply(b.ctx, b.runtime, request)
		b.wantCode(err, "")
		b.wantAction(applied, runtime.ActionNoOp)
		if applied.UID != response.UID || response.UID == "" {
			b.Errorf("UID is %q after an import of %q", applied.UID, response.UID)
		}
	}
	b.wantSame(b.read(plan), plan)
	return response
}

func importCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"an own object": func(b *bench) {
			plan := b.configMap("a", "1")
			applied := b.apply(nil, plan)
			response := b.imports(plan)
			b.wantSame(response.Resource, applied.Resource)
			if response.UID != applied.UID {
				b.Errorf("UID is %q, want %q", response.UID, applied.UID)
			}
		},
		"an own object that somebody edited": func(b *bench) {
			plan := b.configMap("a", "1", "b", "1")
			b.apply(nil, plan)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, "edited", "data", "a")
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, nil, "metadata", "labels", naming.LabelOrganization)
			b.wantField(b.imports(plan).Resource, "1", "data", "a")
		},
		"an object of nobody": func(b *bench) {
			plan := b.configMap("a", "1", "b", "2")
			foreign := bare(b.configMap("a", "1", "b", "theirs", "c", "3"))
			b.Foreign(b.T, foreign)
			b.wantField(b.imports(plan).Resource, map[string]any{"a": "1", "b": "2", "c": "3"}, "data")
		},
		"a Deployment of nobody": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			b.Foreign(b.T, bare(plan))
			before := b.readWhole(plan.ID)
			if response := b.imports(plan); response.UID != before.UID {
				b.Errorf("UID is %q, want %q", response.UID, before.UID)
			}
		},
		"the object of another owner is refused by name": func(b *bench) {
			other := ConfigMap(b.Other, b.namespace, "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: other, Stack: b.Other})
			b.wantCode(err, "")
			_, err = runtime.Import(b.ctx, b.runtime, &runtime.ImportRequest{PlanResource: b.configMap("a", "1"), Stack: b.Stack})
			b.wantCode(err, runtime.AlreadyExists, b.Other.OwnerID)
		},
		"not what is malformed": func(b *bench) {
			for name, resource := range b.malformed() {
				_, err := runtime.Import(b.ctx, b.runtime, &runtime.ImportRequest{PlanResource: resource, Stack: b.Stack})
				if got := runtime.CodeOf(err); got != runtime.InvalidArgument {
					b.Errorf("%s: code is %q, want %q: %v", name, got, runtime.InvalidArgument, err)
				}
			}
		},
		"an absent object": func(b *bench) {
			_, err := runtime.Import(b.ctx, b.runtime, &runtime.ImportRequest{PlanResource: b.configMap("a", "1"), Stack: b.Stack})
			b.wantCode(err, runtime.NotFound)
		},
	})
}
