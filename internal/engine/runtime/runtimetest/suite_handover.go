// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// replicas returns a Deployment with a number of replicas; nil renders none.
func (b *bench) replicas(number any) *runtime.Resource {
	out := Deployment(b.Stack, b.namespace, "example")
	Set(out, number, "spec", "replicas")
	return out
}

func handoverCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"leaves a number of replicas that is no longer rendered": func(b *bench) {
			prior := b.replicas(3)
			b.apply(nil, prior)
			dry := b.request(prior, b.replicas(nil))
			dry.DryRun = true
			trial, err := runtime.Apply(b.ctx, b.runtime, dry)
			b.wantCode(err, "")
			b.wantAction(trial, runtime.ActionUpdate)
			b.wantField(trial.Resource, 3, "spec", "replicas")
			b.wantSame(b.read(prior), prior)

			response := b.apply(prior, b.replicas(nil))
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "spec.replicas")
			b.wantField(response.Resource, 3, "spec", "replicas")
			b.wantSame(b.read(b.replicas(nil)), b.replicas(nil))
			b.wantAction(b.apply(b.replicas(nil), b.replicas(nil)), runtime.ActionNoOp)
		},
		"leaves a number of replicas together with other changes": func(b *bench) {
			prior, plan := b.replicas(3), b.replicas(nil)
			b.apply(nil, prior)
			Set(plan, "changed", "metadata", "annotations", "note")
			response := b.apply(prior, plan)
			b.wantPaths(response.ChangedPaths, "metadata.annotations.note", "spec.replicas")
			b.wantField(response.Resource, 3, "spec", "replicas")
		},
		"brings back the default in place of no replicas": func(b *bench) {
			prior := b.replicas(0)
			b.apply(nil, prior)
			response := b.apply(prior, b.replicas(nil))
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "spec.replicas")
			b.wantSame(b.read(b.replicas(nil)), b.replicas(nil))
			if left := fmt.Sprint(Get(response.Resource, "spec", "replicas")); left == "0" {
				b.Error("there are still no replicas")
			}
		},
		"takes a number of replicas that it left": func(b *bench) {
			b.apply(nil, b.replicas(3))
			b.apply(b.replicas(3), b.replicas(nil))
			// Nobody owns it now, so that another applier meets no conflict either.
			response := b.apply(b.replicas(nil), b.replicas(2))
			b.wantAction(response, runtime.ActionUpdate)
			b.wantPaths(response.ChangedPaths, "spec.replicas")
			b.wantSame(b.read(b.replicas(2)), b.replicas(2))
		},
		"leaves the number that somebody scaled to": func(b *bench) {
			prior := b.replicas(3)
			b.apply(nil, prior)
			b.Edit(b.T, prior.ID, "scaler", metav1.ManagedFieldsOperationUpdate, 5, "spec", "replicas")
			response := b.apply(prior, b.replicas(nil))
			b.wantField(response.Resource, 5, "spec", "replicas")
			b.wantSame(b.read(b.replicas(nil)), b.replicas(nil))
		},
	})
}
