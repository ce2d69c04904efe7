// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestObjectsReconcile(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason    string
		prior     []platform.InventoryEntry
		change    func(*world)
		calls     []string
		liveCalls []string
		inventory []platform.InventoryEntry
		err       error
	}{
		"Create": {
			reason:    "What was never made is applied in order and recorded with its UID.",
			change:    func(w *world) { w.render = []runtime.Resource{object("lab", "a", "x"), object("lab", "b", "x")} },
			calls:     []string{"apply a", "apply b"},
			inventory: []platform.InventoryEntry{entry("lab", "a", "uid-a"), entry("lab", "b", "uid-b")},
		},
		"Prune": {
			reason:    "What is not rendered any more is deleted, last made first, after the rest was applied.",
			prior:     []platform.InventoryEntry{entry("lab", "old-1", "1"), entry("lab", "a", "uid-a"), entry("lab", "old-2", "2")},
			change:    func(w *world) { w.render = []runtime.Resource{object("lab", "a", "y")} },
			calls:     []string{"apply a", "delete old-2", "delete old-1"},
			inventory: []platform.InventoryEntry{entry("lab", "a", "uid-a")},
		},
		"NotRequired": {
			reason: "What is not required is deleted by the inventory, without a render.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1"), entry("lab", "b", "2")},
			change: func(w *world) { w.off, w.err = true, errBoom },
			calls:  []string{"delete b", "delete a"},
		},
		"Move": {
			reason:    "An object that moves to another data plane is made there before it is deleted here.",
			prior:     []platform.InventoryEntry{entry("lab", "a", "1")},
			change:    func(w *world) { w.render = []runtime.Resource{object("live", "a", "x")} },
			calls:     []string{"delete a"},
			liveCalls: []string{"apply a"},
			inventory: []platform.InventoryEntry{entry("live", "a", "uid-a")},
		},
		"OtherHandler": {
			reason:    "What another handler made is left alone.",
			prior:     []platform.InventoryEntry{{Handler: "Others", DataPlane: "lab", Type: "Kubernetes", ID: "z", UID: "9"}},
			change:    func(w *world) { w.off = true },
			inventory: []platform.InventoryEntry{{Handler: "Others", DataPlane: "lab", Type: "Kubernetes", ID: "z", UID: "9"}},
		},
		"RenderFails": {
			reason:    "Nothing is written when rendering fails.",
			prior:     []platform.InventoryEntry{entry("lab", "a", "1")},
			change:    func(w *world) { w.err = errBoom },
			inventory: []platform.InventoryEntry{entry("lab", "a", "1")},
			err:       errBoom,
		},
		"ApplyFails": {
			reason: "A failed apply stops the run; what was made is recorded and nothing is pruned.",
			prior:  []platform.InventoryEntry{entry("lab", "old", "1")},
			change: func(w *world) {
				w.render = []runtime.Resource{object("lab", "a", "x"), object("lab", "b", "x")}
				w.lab.fails["apply b"] = runtime.Errorf(runtime.Conflict, "owned: %w", errBoom)
			},
			calls:     []string{"apply a", "apply b"},
			inventory: []platform.InventoryEntry{entry("lab", "old", "1"), entry("lab", "a", "uid-a")},
			err:       errBoom,
		},
		"DeleteFails": {
			reason: "What could not be deleted stays in the inventory.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1"), entry("lab", "b", "2"), entry("lab", "c", "3")},
			change: func(w *world) {
				w.off = true
				w.lab.fails["delete b"] = runtime.Errorf(runtime.DeadlineExceeded, "blocked: %w", errBoom)
			},
			calls:     []string{"delete c", "delete b"},
			inventory: []platform.InventoryEntry{entry("lab", "a", "1"), entry("lab", "b", "2")},
			err:       errBoom,
		},
		"UnknownDataPlane": {
			reason: "Without a runtime nothing can be applied.",
			change: func(w *world) { w.render = []runtime.Resource{object("gone", "a", "x")} },
			err:    errBoom,
		},
		"UnknownDataPlaneOfInventory": {
			reason:    "Without a runtime nothing can be deleted, and nothing is forgotten.",
			prior:     []platform.InventoryEntry{entry("gone", "a", "1")},
			change:    func(w *world) { w.off = true },
			inventory: []platform.InventoryEntry{entry("gone", "a", "1")},
			err:       errBoom,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.prior...)
			tc.change(w)
			err := dataplane.NewReconciler[world](w.handler("Things")).Reconcile(t.Context(), w)
			if !errors.Is(err, tc.err) {
				t.Errorf("%s\ngot error %v, want %v", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.calls, w.lab.calls); diff != "" {
				t.Errorf("%s\ncalls on lab, -want +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.liveCalls, w.live.calls); diff != "" {
				t.Errorf("%s\ncalls on live, -want +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.inventory, w.session.Inventory(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\ninventory, -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObjectsRecordWhatTheyDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, entry("lab", "old", "1"))
	w.lab.live["old"] = map[string]any{}
	w.render = []runtime.Resource{object("lab", "a", "x")}
	if err := dataplane.NewReconciler[world](w.handler("Things")).Reconcile(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	type change struct {
		Handler, ID string
		Action      runtime.Action
	}
	var got []change
	for _, c := range w.session.Changes() {
		got = append(got, change{c.Handler, c.Resource.ID, c.Action})
	}
	want := []change{{"Things", "a", runtime.ActionCreate}, {"Things", "old", runtime.ActionDelete}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Every change is recorded: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"applied a", "deleted old"}, w.session.Warnings()); diff != "" {
		t.Errorf("Every warning is kept: -want +got:\n%s", diff)
	}
}

func TestObjectsActForTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, entry("lab", "a", "1"), entry("lab", "old", "2"))
	w.session.ForceDelete()
	w.lab.live["a"] = map[string]any{}
	w.render = []runtime.Resource{object("lab", "a", "x")}
	handler := w.handler("Things")
	if _, err := handler.Observe(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := handler.Update(t.Context(), w, nil); err != nil {
		t.Fatal(err)
	}
	stack := &runtime.Stack{Organization: "acme", OwnerKind: "deployment", OwnerID: "shop/cart/main/dev", DataPlane: "lab"}
	for verb, got := range map[string]*runtime.Stack{
		"read": w.lab.read[0].Stack, "apply": w.lab.applied[0].Stack, "delete": w.lab.deleted[0].Stack,
	} {
		if diff := cmp.Diff(stack, got); diff != "" {
			t.Errorf("Every call acts for the owner, %s does not: -want +got:\n%s", verb, diff)
		}
	}
	if deleted := w.lab.deleted[0]; deleted.UID != "2" || !deleted.Force || deleted.Resource.Type != runtime.Kubernetes {
		t.Errorf("A deletion names the recorded UID and type, and whether to force, got %+v.", deleted)
	}
	if !w.lab.read[0].Recorded {
		t.Error("A read of what the inventory lists says so.")
	}
}

func TestObjectsPreview(t *testing.T) {
	t.Parallel()
	type change struct {
		ID     string
		Action runtime.Action
		Paths  []string
	}
	cases := map[string]struct {
		reason string
		prior  []platform.InventoryEntry
		change func(*world)
		want   []change
		calls  []string
		err    error
	}{
		"Create": {
			reason: "What was never made is a create and costs no request.",
			change: func(w *world) { w.render = []runtime.Resource{object("lab", "a", "x")} },
			want:   []change{{ID: "a", Action: runtime.ActionCreate}},
		},
		"NoOp": {
			reason: "What is as it should be is a no-op.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1")},
			change: func(w *world) {
				w.lab.live["a"] = map[string]any{"field": "x"}
				w.render = []runtime.Resource{object("lab", "a", "x")}
			},
			want: []change{{ID: "a", Action: runtime.ActionNoOp}}, calls: []string{"read a"},
		},
		"Update": {
			reason: "What differs is an update that names the fields.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1")},
			change: func(w *world) {
				w.lab.live["a"] = map[string]any{"field": "old"}
				w.render = []runtime.Resource{object("lab", "a", "x")}
			},
			want: []change{{ID: "a", Action: runtime.ActionUpdate, Paths: []string{"field"}}}, calls: []string{"read a"},
		},
		"Gone": {
			reason: "What was deleted behind our back is a create.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1")},
			change: func(w *world) { w.render = []runtime.Resource{object("lab", "a", "x")} },
			want:   []change{{ID: "a", Action: runtime.ActionCreate}}, calls: []string{"read a"},
		},
		"Prune": {
			reason: "What is not rendered any more is a delete.",
			prior:  []platform.InventoryEntry{entry("lab", "old", "1")},
			change: func(w *world) { w.render = []runtime.Resource{object("lab", "a", "x")} },
			want:   []change{{ID: "a", Action: runtime.ActionCreate}, {ID: "old", Action: runtime.ActionDelete}},
		},
		"NotRequired": {
			reason: "What is not required is a delete, without a render.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1")},
			change: func(w *world) { w.off, w.err = true, errBoom },
			want:   []change{{ID: "a", Action: runtime.ActionDelete}},
		},
		"OtherDataPlane": {
			reason: "An object of another data plane is not the rendered one, whatever its id.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1")},
			change: func(w *world) { w.render = []runtime.Resource{object("live", "a", "x")} },
			want:   []change{{ID: "a", Action: runtime.ActionCreate}, {ID: "a", Action: runtime.ActionDelete}},
		},
		"RenderFails": {
			reason: "What cannot be rendered cannot be previewed.",
			change: func(w *world) { w.err = errBoom }, err: errBoom,
		},
		"ReadFails": {
			reason: "What cannot be read cannot be previewed.",
			prior:  []platform.InventoryEntry{entry("lab", "a", "1")},
			change: func(w *world) {
				w.render = []runtime.Resource{object("lab", "a", "x")}
				w.lab.fails["read a"] = runtime.Errorf(runtime.Unavailable, "down: %w", errBoom)
			},
			calls: []string{"read a"}, err: errBoom,
		},
		"UnknownDataPlane": {
			reason: "Without a runtime nothing can be read.",
			prior:  []platform.InventoryEntry{entry("gone", "a", "1")},
			change: func(w *world) { w.render = []runtime.Resource{object("gone", "a", "x")} }, err: errBoom,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.prior...)
			tc.change(w)
			changes, err := w.handler("Things").Preview(t.Context(), w)
			if !errors.Is(err, tc.err) {
				t.Errorf("%s\ngot error %v, want %v", tc.reason, err, tc.err)
			}
			var got []change
			for _, c := range changes {
				got = append(got, change{c.Resource.ID, c.Action, c.Paths})
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.calls, append(w.lab.calls, w.live.calls...), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\ncalls, -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObjectsObserve(t *testing.T) {
	t.Parallel()
	w := newWorld(t, entry("lab", "a", "1"))
	w.lab.live["a"] = map[string]any{"field": "live"}
	w.lab.live["b"] = map[string]any{"field": "not ours"}
	w.render = []runtime.Resource{object("lab", "a", "x"), object("lab", "b", "x")}
	got, err := w.handler("Things").Observe(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	want := []dataplane.Observation{
		{Handler: "Things", Rendered: &w.render[0], Live: &runtime.Resource{ID: "a", Attributes: map[string]any{"field": "live"}}},
		{Handler: "Things", Rendered: &w.render[1]},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Only what the inventory lists is read: -want +got:\n%s", diff)
	}
	w.off = true
	if got, err = w.handler("Things").Observe(t.Context(), w); err != nil || got != nil {
		t.Errorf("What is not required is not looked at, got %v, %v.", got, err)
	}
}

func TestGetCurrentState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, entry("lab", "a", "1"))
	if state, err := w.handler("Things").GetCurrentState(t.Context(), w); err != nil || state == nil {
		t.Errorf("What the inventory lists may exist, got %v, %v.", state, err)
	}
	if state, err := w.handler("Others").GetCurrentState(t.Context(), w); err != nil || state != nil {
		t.Errorf("Without an entry there is no state, not even an empty one, got %v, %v.", state, err)
	}
	if len(w.lab.calls) != 0 {
		t.Errorf("The inventory answers without a request, got %v.", w.lab.calls)
	}
}
