// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

var errBoom = errors.New("boom")

// plan is the context of the reconciler's tests.
type plan struct{}

// step is a handler that writes down what is asked of it.
type step struct {
	name     string
	optional bool
	current  any
	fails    string
	log      *[]string
}

func (s step) do(verb string) error {
	*s.log = append(*s.log, verb+" "+s.name)
	if s.fails == verb {
		return errBoom
	}
	return nil
}

func (s step) Name() string                        { return s.name }
func (s step) IsRequired(*plan) bool               { return !s.optional }
func (s step) Create(context.Context, *plan) error { return s.do("create") }
func (s step) Delete(context.Context, *plan) error { return s.do("delete") }

func (s step) GetCurrentState(context.Context, *plan) (any, error) {
	if s.fails == "read" {
		return nil, errBoom
	}
	return s.current, nil
}

func (s step) Update(_ context.Context, _ *plan, current any) error {
	if !cmp.Equal(current, s.current) {
		return errBoom
	}
	return s.do("update")
}

// seeing is a step that can preview and observe.
type seeing struct{ step }

func (s seeing) Preview(context.Context, *plan) ([]dataplane.Change, error) {
	return []dataplane.Change{{Handler: s.name, Action: runtime.ActionCreate}}, s.do("preview")
}

func (s seeing) Observe(context.Context, *plan) ([]dataplane.Observation, error) {
	return []dataplane.Observation{{Handler: s.name}}, s.do("observe")
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		steps  []step
		want   []string
		err    error
	}{
		"Order":       {reason: "Handlers run in order.", steps: []step{{name: "a"}, {name: "b"}}, want: []string{"create a", "create b"}},
		"Update":      {reason: "What exists is updated, and gets its current state back.", steps: []step{{name: "a", current: 7}}, want: []string{"update a"}},
		"NotRequired": {reason: "What is not required is deleted, whether or not it exists.", steps: []step{{name: "a", optional: true}, {name: "b"}}, want: []string{"delete a", "create b"}},
		"Stop":        {reason: "The first error stops the run.", steps: []step{{name: "a", fails: "create"}, {name: "b"}}, want: []string{"create a"}, err: errBoom},
		"Unreadable":  {reason: "Without the current state nothing is written.", steps: []step{{name: "a", fails: "read"}, {name: "b"}}, err: errBoom},
		"DeleteFails": {reason: "A failed deletion stops the run too.", steps: []step{{name: "a", optional: true, fails: "delete"}, {name: "b"}}, want: []string{"delete a"}, err: errBoom},
		"NoHandlers":  {reason: "Without handlers nothing happens."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log []string
			err := reconciler(tc.steps, &log).Reconcile(t.Context(), &plan{})
			if !errors.Is(err, tc.err) {
				t.Errorf("%s\ngot error %v, want %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, log, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func reconciler(steps []step, log *[]string) *dataplane.Reconciler[plan] {
	handlers := make([]dataplane.ResourceHandler[plan], 0, len(steps))
	for _, s := range steps {
		s.log = log
		handlers = append(handlers, s)
	}
	return dataplane.NewReconciler(handlers...)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		steps  []step
		want   []string
		err    error
	}{
		"Reverse": {
			reason: "Everything is deleted, last handler first, whether or not it is required.",
			steps:  []step{{name: "a"}, {name: "b", optional: true}, {name: "c", current: 7}}, want: []string{"delete c", "delete b", "delete a"},
		},
		"Stop": {
			reason: "What another thing depends on stays when that cannot be deleted.",
			steps:  []step{{name: "a"}, {name: "b", fails: "delete"}}, want: []string{"delete b"}, err: errBoom,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log []string
			err := reconciler(tc.steps, &log).Delete(t.Context(), nil)
			if !errors.Is(err, tc.err) {
				t.Errorf("%s\ngot error %v, want %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, log); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPreviewAndObserve(t *testing.T) {
	t.Parallel()
	var log []string
	r := dataplane.NewReconciler[plan](seeing{step{name: "a", log: &log}}, step{name: "b", log: &log}, seeing{step{name: "c", log: &log}})
	changes, err := r.Preview(t.Context(), &plan{})
	if err != nil {
		t.Fatal(err)
	}
	observations, err := r.Observe(t.Context(), &plan{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, change := range changes {
		got = append(got, change.Handler)
	}
	for _, observation := range observations {
		got = append(got, observation.Handler)
	}
	if diff := cmp.Diff([]string{"a", "c", "a", "c"}, got); diff != "" {
		t.Errorf("Handlers that can look are asked in order, the others passed over: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"preview a", "preview c", "observe a", "observe c"}, log); diff != "" {
		t.Errorf("Looking writes nothing: -want +got:\n%s", diff)
	}
}

func TestPreviewAndObserveFail(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"preview", "observe"} {
		var log []string
		r := dataplane.NewReconciler[plan](seeing{step{name: "a", fails: verb, log: &log}}, seeing{step{name: "b", log: &log}})
		var err error
		if verb == "preview" {
			_, err = r.Preview(t.Context(), &plan{})
		} else {
			_, err = r.Observe(t.Context(), &plan{})
		}
		if !errors.Is(err, errBoom) {
			t.Errorf("A failed %s is the error, got %v.", verb, err)
		}
	}
}
