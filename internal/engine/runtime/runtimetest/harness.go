// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// patience bounds each case.
const patience = 3 * time.Minute

// Harness is one implementation under test, over real or simulated
// infrastructure that its tests share.
type Harness struct {
	// Runtime returns a runtime that remembers nothing of the infrastructure.
	Runtime func(t *testing.T) runtime.Runtime
	// Namespace returns the name of a new, empty namespace.
	Namespace func(t *testing.T) string
	// Stack owns what the cases make; Other is another owner.
	Stack, Other *runtime.Stack
	// Foreign creates an object that nobody of the platform owns.
	Foreign func(t *testing.T, resource *runtime.Resource)
	// Edit changes one field of an object as another manager; nil removes it.
	// An edit by Apply forces its value.
	Edit func(t *testing.T, id, manager string, operation metav1.ManagedFieldsOperationType, value any, path ...string)
	// MissingKind is a kind that the infrastructure does not know.
	MissingKind runtime.ObjectKey
	// Documents returns a store that was never written to, and another client of it.
	Documents func(t *testing.T) (store, again runtime.Documents)
}

// Run runs all groups of cases.
func Run(t *testing.T, h Harness) {
	t.Helper()
	groups := map[string]func(*testing.T, Harness){
		"Apply": applyCases, "Handover": handoverCases, "DryRun": dryRunCases, "Adopt": adoptCases, "AdoptedFields": adoptedFieldsCases,
		"Drift": driftCases, "Replace": replaceCases, "Refusals": refusalCases, "Racers": racerCases,
		"Read": readCases, "ReadDrift": readDriftCases, "ReadWhole": readWholeCases, "Delete": deleteCases,
		"DeleteLater": deleteLaterCases, "Import": importCases, "Watch": watchCases, "WatchEnd": watchEndCases, "Wait": waitCases,
	}
	for name, run := range groups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, h)
		})
	}
	if h.Documents != nil {
		t.Run("Documents", func(t *testing.T) {
			t.Parallel()
			documentCases(t, h)
		})
	}
}

// bench is what one case works with.
type bench struct {
	*testing.T
	Harness
	ctx       context.Context //nolint:containedctx // It is the lifetime of one test case.
	runtime   runtime.Runtime
	namespace string
}

// cases runs each function as a parallel case with a runtime and namespace of its own.
func cases(t *testing.T, h Harness, table map[string]func(*bench)) {
	t.Helper()
	for name, run := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			run(&bench{T: t, Harness: h, ctx: ctx, runtime: h.Runtime(t), namespace: h.Namespace(t)})
		})
	}
}

// configMap returns a ConfigMap of the case's namespace.
func (b *bench) configMap(pairs ...string) *runtime.Resource {
	data := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		data[pairs[i]] = pairs[i+1]
	}
	return ConfigMap(b.Stack, b.namespace, "example", data)
}

func (b *bench) request(prior, plan *runtime.Resource) *runtime.ApplyRequest {
	return &runtime.ApplyRequest{PriorResource: prior, PlanResource: plan, Stack: b.Stack}
}

// apply applies and fails the case unless that succeeds.
func (b *bench) apply(prior, plan *runtime.Resource) *runtime.ApplyResponse {
	b.Helper()
	response, err := runtime.Apply(b.ctx, b.runtime, b.request(prior, plan))
	if err != nil {
		b.Fatalf("apply of %s: %v", plan.ID, err)
	}
	return response
}

// read reads with a fresh runtime, since others have written.
func (b *bench) read(prior *runtime.Resource) *runtime.Resource {
	b.Helper()
	response, err := runtime.Read(b.ctx, b.Runtime(b.T), &runtime.ReadRequest{PriorResource: prior, Stack: b.Stack, Recorded: true})
	if err != nil {
		b.Fatalf("read of %s: %v", prior.ID, err)
	}
	return response.Resource
}

func (b *bench) wantAction(response *runtime.ApplyResponse, want runtime.Action) {
	b.Helper()
	if response.Action != want {
		b.Errorf("action is %s, want %s (changed %v)", response.Action, want, response.ChangedPaths)
	}
}

func (b *bench) wantPaths(got []string, want ...string) {
	b.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		b.Errorf("paths: -want, +got:\n%s", diff)
	}
}

// wantCode checks the code of an error, and that its text names all the words.
func (b *bench) wantCode(err error, want runtime.Code, words ...string) {
	b.Helper()
	if got := runtime.CodeOf(err); got != want {
		b.Fatalf("code is %q, want %q: %v", got, want, err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			b.Errorf("the error does not name %q: %v", word, err)
		}
	}
}

func (b *bench) wantField(resource *runtime.Resource, want any, path ...string) {
	b.Helper()
	if resource == nil {
		b.Fatalf("resource is absent, want %s = %v", strings.Join(path, "."), want)
	}
	if diff := cmp.Diff(plain(want), plain(Get(resource, path...))); diff != "" {
		b.Errorf("%s: -want, +got:\n%s", strings.Join(path, "."), diff)
	}
}

// wantSame checks that a resource's attributes are those of another.
func (b *bench) wantSame(got, want *runtime.Resource) {
	b.Helper()
	if got == nil {
		b.Fatalf("%s is absent", want.ID)
	}
	if diff := cmp.Diff(plain(want.Attributes), plain(got.Attributes)); diff != "" {
		b.Errorf("attributes: -want, +got:\n%s", diff)
	}
}

// plain gives values that went through JSON and others one form.
func plain(value any) any {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(encoded, &out); err != nil {
		return err.Error()
	}
	return out
}

// copyOf returns an independent copy of a resource.
func copyOf(resource *runtime.Resource) *runtime.Resource {
	out := *resource
	out.Attributes, _ = plain(resource.Attributes).(map[string]any)
	out.DependsOn = slices.Clone(resource.DependsOn)
	return &out
}
