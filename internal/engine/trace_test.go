// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// errBoom is what a disturbed call fails with.
var errBoom = runtime.Errorf(runtime.Unavailable, "boom")

// fault disturbs one call, or all from one on.
type fault struct {
	// at is the number of the call, from 1; 0 is none.
	at int
	// after lets the call have its effect before it fails.
	after bool
	// stays makes all later calls fail too, as after a kill.
	stays bool
}

func faults(at int) map[string]fault {
	return map[string]fault{
		"refused": {at: at}, "answer lost": {at: at, after: true},
		"killed before": {at: at, stays: true}, "killed after": {at: at, after: true, stays: true},
	}
}

// trace is every call to the cluster and to the records, in order.
type trace struct {
	mu    sync.Mutex
	calls []string
	fault fault
}

// start forgets the calls so far and disturbs the next ones.
func (t *trace) start(f fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls, t.fault = nil, f
}

// reached tells whether the disturbed call happened.
func (t *trace) reached() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault.at > 0 && len(t.calls) >= t.fault.at
}

// writes returns the calls that change something.
func (t *trace) writes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.calls), func(call string) bool {
		verb, _, _ := strings.Cut(call, " ")
		return verb != "apply" && verb != "delete" && verb != "put" && verb != "remove"
	})
}

func (t *trace) enter(what string) (before, after bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, what)
	switch n := len(t.calls); {
	case t.fault.at == 0 || n < t.fault.at:
		return false, false
	case n == t.fault.at:
		return !t.fault.after, t.fault.after
	}
	return t.fault.stays, false
}

// disturb makes a call, unless it is to fail before.
func disturb[R any](t *trace, what string, call, failed func() R) R {
	before, after := t.enter(what)
	if before {
		return failed()
	}
	response := call()
	if after {
		return failed()
	}
	return response
}

// tracedRuntime is the fake cluster under a trace.
type tracedRuntime struct {
	trace *trace
	fake  *runtimetest.Fake
}

var (
	_ runtime.Runtime   = (*tracedRuntime)(nil)
	_ runtime.Waiter    = (*tracedRuntime)(nil)
	_ runtime.Versioner = (*tracedRuntime)(nil)
)

func (r *tracedRuntime) Apply(ctx context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
	return disturb(r.trace, "apply "+request.PlanResource.ID,
		func() *runtime.ApplyResponse { return r.fake.Apply(ctx, request) },
		func() *runtime.ApplyResponse { return &runtime.ApplyResponse{Status: errBoom} })
}

func (r *tracedRuntime) Read(ctx context.Context, request *runtime.ReadRequest) *runtime.ReadResponse {
	resource := request.PriorResource
	if resource == nil {
		resource = request.PlanResource
	}
	return disturb(r.trace, "read "+resource.ID,
		func() *runtime.ReadResponse { return r.fake.Read(ctx, request) },
		func() *runtime.ReadResponse { return &runtime.ReadResponse{Status: errBoom} })
}

func (r *tracedRuntime) Delete(ctx context.Context, request *runtime.DeleteRequest) *runtime.DeleteResponse {
	return disturb(r.trace, "delete "+request.Resource.ID,
		func() *runtime.DeleteResponse { return r.fake.Delete(ctx, request) },
		func() *runtime.DeleteResponse { return &runtime.DeleteResponse{Status: errBoom} })
}

func (r *tracedRuntime) Wait(ctx context.Context, request *runtime.WaitRequest) *runtime.WaitResponse {
	return disturb(r.trace, "wait "+request.Resource.ID,
		func() *runtime.WaitResponse { return r.fake.Wait(ctx, request) },
		func() *runtime.WaitResponse { return &runtime.WaitResponse{Status: errBoom} })
}

func (r *tracedRuntime) Version(ctx context.Context) (string, error) {
	got := disturb(r.trace, "version",
		func() answer[string] { return answerOf(r.fake.Version(ctx)) }, lost[string])
	return got.value, got.err
}

func (r *tracedRuntime) Import(ctx context.Context, request *runtime.ImportRequest) *runtime.ImportResponse {
	return r.fake.Import(ctx, request)
}

func (r *tracedRuntime) Watch(ctx context.Context, request *runtime.WatchRequest) *runtime.WatchResponse {
	return r.fake.Watch(ctx, request)
}

// answer is what a call returned.
type answer[T any] struct {
	value T
	err   error
}

func answerOf[T any](value T, err error) answer[T] { return answer[T]{value, err} }

func lost[T any]() answer[T] { return answer[T]{err: errBoom} }

// tracedDocuments are the records under a trace.
type tracedDocuments struct {
	trace *trace
	fake  *runtimetest.FakeDocuments
}

var _ runtime.Documents = (*tracedDocuments)(nil)

func (d *tracedDocuments) List(ctx context.Context, labels map[string]string) ([]runtime.Document, error) {
	got := disturb(d.trace, "list", func() answer[[]runtime.Document] { return answerOf(d.fake.List(ctx, labels)) }, lost[[]runtime.Document])
	return got.value, got.err
}

func (d *tracedDocuments) Get(ctx context.Context, name string) (runtime.Document, error) {
	got := disturb(d.trace, "get "+name, func() answer[runtime.Document] { return answerOf(d.fake.Get(ctx, name)) }, lost[runtime.Document])
	return got.value, got.err
}

func (d *tracedDocuments) Put(ctx context.Context, document runtime.Document) (runtime.Document, error) {
	var record catalog.Record
	if err := json.Unmarshal(document.Data, &record); err != nil {
		return runtime.Document{}, err
	}
	got := disturb(d.trace, "put "+document.Name+" "+string(record.Operation.State),
		func() answer[runtime.Document] { return answerOf(d.fake.Put(ctx, document)) }, lost[runtime.Document])
	return got.value, got.err
}

func (d *tracedDocuments) Delete(ctx context.Context, name, version string) error {
	return disturb(d.trace, "remove "+name,
		func() error { return d.fake.Delete(ctx, name, version) }, func() error { return errBoom })
}

func (d *tracedDocuments) Identity(ctx context.Context) (string, error) {
	got := disturb(d.trace, "identity", func() answer[string] { return answerOf(d.fake.Identity(ctx)) }, lost[string])
	return got.value, got.err
}
