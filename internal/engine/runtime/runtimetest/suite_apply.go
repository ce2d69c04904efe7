// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

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
