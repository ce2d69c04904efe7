// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"fmt"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// mostCalls is more than any operation makes.
const mostCalls = 200

// everyFault runs a test with each fault at each call, until an operation makes
// fewer calls than that.
func everyFault(t *testing.T, run func(t *testing.T, name string, f fault) (reached bool)) {
	t.Helper()
	for at := 1; at <= mostCalls; at++ {
		reached := false
		for name, f := range faults(at) {
			reached = run(t, fmt.Sprintf("%s at call %d", name, at), f) || reached
		}
		if t.Failed() {
			t.Fatalf("failed with a fault at call %d", at)
		}
		if !reached {
			return
		}
	}
	t.Fatalf("an operation makes more than %d calls", mostCalls)
}

// retries are the ways in which a failed create is run again.
func retries() map[string]func(t *testing.T, w *world, object platform.Object, left *engine.ApplyResponse) {
	again := func(t *testing.T, w *world, object platform.Object, token *engine.Token) {
		t.Helper()
		if _, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: object, Token: token, Wait: true}); err != nil {
			t.Errorf("run again: %v", err)
		}
	}
	return map[string]func(t *testing.T, w *world, object platform.Object, left *engine.ApplyResponse){
		"forgotten": func(t *testing.T, w *world, object platform.Object, _ *engine.ApplyResponse) {
			t.Helper()
			again(t, w, object, nil)
		},
		"remembered": func(t *testing.T, w *world, object platform.Object, left *engine.ApplyResponse) {
			t.Helper()
			if left == nil {
				again(t, w, object, nil)
				return
			}
			again(t, w, object, &left.Token)
		},
		"replaced": func(t *testing.T, w *world, object platform.Object, left *engine.ApplyResponse) {
			t.Helper()
			if left != nil {
				if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(object), Token: left.Token}); err != nil {
					t.Errorf("delete: %v", err)
				}
			}
			again(t, w, object, nil)
		},
	}
}

func TestCreateConverges(t *testing.T) {
	t.Parallel()
	for step, object := range story() {
		calm := newWorld()
		calm.apply(t, story()[:step+1]...)
		want := calm.view(t)
		for way, retry := range retries() {
			t.Run(kindOf(object)+"/"+way, func(t *testing.T) {
				t.Parallel()
				everyFault(t, func(t *testing.T, name string, f fault) bool {
					t.Helper()
					w := newWorld()
					w.apply(t, story()[:step]...)
					w.trace.start(f)
					left, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: story()[step], Wait: true})
					reached := w.trace.reached()
					w.trace.start(fault{})
					w.listed(t, name)
					if f == (fault{at: f.at}) && left == nil && w.records(t)[kindOf(object)+"/"+object.ID()] != nil {
						t.Errorf("%s: what was recorded is to be remembered.", name)
					}
					if err != nil {
						retry(t, w, story()[step], left)
					}
					same(t, name+": a create that failed ends like one that did not", want, w.view(t))
					w.intact(t, name)
					return reached
				})
			})
		}
	}
}

// changes are updates that add, change and remove objects.
func changes() map[string]struct {
	reason string
	step   int
	object func() platform.Object
} {
	return map[string]struct {
		reason string
		step   int
		object func() platform.Object
	}{
		"Prune": {
			reason: "A Service that is not rendered any more is deleted, however often that fails.", step: 5,
			object: func() platform.Object {
				d := cartInDev()
				d.Configuration.Ports, d.Image = nil, "cart:2"
				return d
			},
		},
		"Cells": {
			reason: "A change of a project reaches its cells.", step: 3,
			object: func() platform.Object {
				p := shop()
				p.NamespaceLabels = map[string]string{"team": "checkout"}
				return p
			},
		},
		"Record": {
			reason: "A change that renders nothing is recorded.", step: 4,
			object: func() platform.Object {
				c := cart()
				c.Description = "The cart."
				return c
			},
		},
		"Route": {
			reason: "A route that is not public any more goes, and so does the policy for it.", step: 6,
			object: func() platform.Object {
				e := api()
				e.Visibility = platform.VisibilityProject
				return e
			},
		},
	}
}

func TestUpdateConverges(t *testing.T) {
	t.Parallel()
	for change, tc := range changes() {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			calm := newWorld()
			calm.update(t, tc.object(), calm.apply(t, story()...)[tc.step].Token)
			want := calm.view(t)
			everyFault(t, func(t *testing.T, name string, f fault) bool {
				t.Helper()
				w := newWorld()
				token := w.apply(t, story()...)[tc.step].Token
				w.trace.start(f)
				_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: tc.object(), Token: &token, Wait: true})
				reached := w.trace.reached()
				w.trace.start(fault{})
				w.listed(t, name)
				if err != nil {
					w.update(t, tc.object(), token)
				}
				same(t, name+": "+tc.reason, want, w.view(t))
				w.intact(t, name)
				return reached
			})
		})
	}
}

// remove deletes the story, last object first, with a fault in the deletion of
// one, which is run again.
func remove(t *testing.T, w *world, tokens []engine.Token, step int, f fault) (reached bool) {
	t.Helper()
	for i := len(tokens) - 1; i >= 0; i-- {
		request := engine.DeleteRequest{Ref: platform.RefOf(story()[i]), Token: tokens[i]}
		if i == step {
			w.trace.start(f)
		}
		_, err := w.engine(t).Delete(t.Context(), request)
		if i == step {
			reached = w.trace.reached()
			w.trace.start(fault{})
			w.listed(t, "after a delete")
			if err != nil {
				_, err = w.engine(t).Delete(t.Context(), request)
			}
		}
		if err != nil {
			t.Errorf("delete %s: %v", request.Ref, err)
		}
	}
	return reached
}

func tokensOf(responses []*engine.ApplyResponse) []engine.Token {
	tokens := make([]engine.Token, 0, len(responses))
	for _, response := range responses {
		tokens = append(tokens, response.Token)
	}
	return tokens
}

func TestDeleteConverges(t *testing.T) {
	t.Parallel()
	for step, object := range story() {
		t.Run(kindOf(object), func(t *testing.T) {
			t.Parallel()
			everyFault(t, func(t *testing.T, name string, f fault) bool {
				t.Helper()
				w := newWorld()
				reached := remove(t, w, tokensOf(w.apply(t, story()...)), step, f)
				same(t, name+": a delete that failed leaves nothing when it is run again", view{}, w.view(t))
				return reached
			})
		})
	}
}

// TestDeleteAfterLostRepair is about an object that somebody deleted: making it
// again gives it another UID, which a crash keeps from being recorded.
func TestDeleteAfterLostRepair(t *testing.T) {
	t.Parallel()
	const step = 5
	lookAt := newWorld()
	lookAt.apply(t, story()...)
	for _, lostID := range lookAt.fake.IDs() {
		t.Run(lostID, func(t *testing.T) {
			t.Parallel()
			everyFault(t, func(t *testing.T, name string, f fault) bool {
				t.Helper()
				w := newWorld()
				tokens := tokensOf(w.apply(t, story()...))
				w.fake.Forget(lostID)
				w.trace.start(f)
				_, _ = w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Token: &tokens[step], Wait: true})
				reached := w.trace.reached()
				w.trace.start(fault{})
				w.listed(t, name)
				remove(t, w, tokens, -1, fault{})
				same(t, name+": what was made again is deleted like what was made first", view{}, w.view(t))
				return reached
			})
		})
	}
}

// TestLastWords is about a process that outlives its CLI by a moment: it still
// records how its create ended when the next run has read the record already.
func TestLastWords(t *testing.T) {
	t.Parallel()
	calm := newWorld()
	calm.apply(t, story()[:6]...)
	w := newWorld()
	w.apply(t, story()[:5]...)
	w.trace.start(fault{at: 5, stays: true})
	if _, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Wait: true}); err == nil {
		t.Fatal("A create that is killed fails.")
	}
	w.trace.start(fault{})
	if got := w.records(t)["deployment/shop/cart/main/dev"]; got == nil || got.Operation.State != catalog.StateRunning {
		t.Fatalf("A killed create is recorded as running, got %+v.", got)
	}
	w.meanwhile(func(record *catalog.Record) { record.Operation.State = catalog.StateFailed })
	if _, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Wait: true}); err != nil {
		t.Errorf("The next run goes on all the same, got %v.", err)
	}
	same(t, "after the last words of a killed run", calm.view(t), w.view(t))
	w.intact(t, "after the last words of a killed run")
}
