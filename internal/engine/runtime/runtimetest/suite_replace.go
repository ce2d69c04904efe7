// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func replaceCases(t *testing.T, h Harness) {
	t.Helper()
	// What cannot change, and another resource under the same id.
	frozen := func(b *bench) (prior, plan *runtime.Resource) {
		prior, plan = b.configMap("a", "1"), b.configMap("a", "2")
		Set(prior, true, "immutable")
		Set(plan, true, "immutable")
		return prior, plan
	}
	cases(t, h, map[string]func(*bench){
		"what cannot change is replaced if allowed": func(b *bench) {
			for _, pair := range [][2]*runtime.Resource{pairOf(frozen(b)), b.selectors()} {
				b.wantReplaced(pair[0], pair[1])
			}
		},
		"what can change is not replaced": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			first := b.apply(nil, prior)
			response, err := runtime.Apply(b.ctx, b.runtime, b.replacing(prior, plan))
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionUpdate)
			if diff := cmp.Diff(first.UID, response.UID); diff != "" {
				b.Error(diff)
			}
		},
		"a dry run of a replacement writes nothing": func(b *bench) {
			prior, plan := frozen(b)
			b.apply(nil, prior)
			request := b.replacing(prior, plan)
			request.DryRun = true
			response, err := runtime.Apply(b.ctx, b.runtime, request)
			b.wantCode(err, "")
			b.wantAction(response, runtime.ActionReplace)
			b.wantPaths(response.ChangedPaths, "data.a")
			if response.UID != "" || len(response.Warnings) != 1 {
				b.Errorf("UID is %q, warnings are %v", response.UID, response.Warnings)
			}
			b.wantSame(b.read(prior), prior)
		},
		"nothing is deleted for what would be refused": func(b *bench) {
			prior, plan := frozen(b)
			Set(plan, "1", "data", "not a key!")
			first := b.apply(nil, prior)
			_, err := runtime.Apply(b.ctx, b.runtime, b.replacing(prior, plan))
			if code := runtime.CodeOf(err); code != runtime.InvalidArgument && code != runtime.ReplaceRequired {
				b.Errorf("code is %q: %v", code, err)
			}
			b.wantSame(b.read(prior), prior)
			if diff := cmp.Diff(first.UID, b.apply(prior, prior).UID); diff != "" {
				b.Error(diff)
			}
		},
		"a replacement waits until the old one is gone": func(b *bench) {
			const finalizer = "example.dev/hold"
			prior, plan := frozen(b)
			b.apply(nil, prior)
			b.Edit(b.T, plan.ID, "somebody", metav1.ManagedFieldsOperationUpdate, []any{finalizer}, "metadata", "finalizers")
			ctx, cancel := context.WithTimeout(b.ctx, time.Second)
			defer cancel()
			_, err := runtime.Apply(ctx, b.runtime, b.replacing(prior, plan))
			b.wantCode(err, runtime.DeadlineExceeded, finalizer)
			// Run again it goes on from there, as after a crash: nothing is recorded.
			done := make(chan *runtime.ApplyResponse, 1)
			go func() { done <- b.runtime.Apply(b.ctx, b.replacing(nil, plan)) }()
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

func pairOf(prior, plan *runtime.Resource) [2]*runtime.Resource {
	return [2]*runtime.Resource{prior, plan}
}

// selectors returns two Deployments of one name that select other pods.
func (b *bench) selectors() [2]*runtime.Resource {
	prior, plan := Deployment(b.Stack, b.namespace, "example"), Deployment(b.Stack, b.namespace, "example")
	for _, path := range [][]string{{"spec", "selector", "matchLabels"}, {"spec", "template", "metadata", "labels"}} {
		Set(prior, "former", append(path, "example.dev/set")...)
	}
	return pairOf(prior, plan)
}

// replacing returns a request that may replace.
func (b *bench) replacing(prior, plan *runtime.Resource) *runtime.ApplyRequest {
	request := b.request(prior, plan)
	request.Replace = true
	return request
}

func (b *bench) wantReplaced(prior, plan *runtime.Resource) {
	b.Helper()
	first := b.apply(nil, prior)
	response, err := runtime.Apply(b.ctx, b.runtime, b.replacing(prior, plan))
	b.wantCode(err, "")
	b.wantAction(response, runtime.ActionReplace)
	if response.UID == "" || response.UID == first.UID {
		b.Errorf("%s: UID is %q after %q", plan.ID, response.UID, first.UID)
	}
	if len(response.ChangedPaths) == 0 || len(response.Warnings) != 1 {
		b.Errorf("%s: changed %v with warnings %v", plan.ID, response.ChangedPaths, response.Warnings)
	}
	b.wantSame(b.read(plan), plan)
	b.wantAction(b.apply(plan, plan), runtime.ActionNoOp)
}
