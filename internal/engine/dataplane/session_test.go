// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestExpect(t *testing.T) {
	t.Parallel()
	prior := []platform.InventoryEntry{entry("lab", "a", "1"), entry("lab", "old", "2")}
	a, b, old := object("lab", "a", "x"), object("lab", "b", "x"), object("lab", "old", "")
	cases := map[string]struct {
		reason  string
		changes []dataplane.Change
		want    []platform.InventoryEntry
	}{
		"Create": {
			reason:  "What will be made is listed without a UID.",
			changes: []dataplane.Change{{Handler: "Things", Action: runtime.ActionCreate, Resource: &b}},
			want:    []platform.InventoryEntry{entry("lab", "a", "1"), entry("lab", "old", "2"), entry("lab", "b", "")},
		},
		"Known": {
			reason:  "What exists keeps its place and its UID.",
			changes: []dataplane.Change{{Handler: "Things", Action: runtime.ActionUpdate, Resource: &a}},
			want:    prior,
		},
		"Delete": {
			reason:  "What will be deleted stays listed until it is gone.",
			changes: []dataplane.Change{{Handler: "Things", Action: runtime.ActionDelete, Resource: &old}},
			want:    prior,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, prior...)
			w.session.Expect(tc.changes)
			if diff := cmp.Diff(tc.want, w.session.Inventory()); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestExpectedThenMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.render = []runtime.Resource{object("lab", "a", "x")}
	handler := w.handler("Things")
	changes, err := handler.Preview(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	w.session.Expect(changes)
	if err := dataplane.NewReconciler[world](handler).Reconcile(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]platform.InventoryEntry{entry("lab", "a", "uid-a")}, w.session.Inventory()); diff != "" {
		t.Errorf("What was expected gets its UID when it is made: -want +got:\n%s", diff)
	}
}

func TestSessionKeepsItsOwnCopy(t *testing.T) {
	t.Parallel()
	prior := []platform.InventoryEntry{entry("lab", "a", "1")}
	w := newWorld(t, prior...)
	prior[0].ID = "changed"
	got := w.session.Inventory()
	if got[0].ID != "a" {
		t.Error("A session does not see changes of the inventory it was given.")
	}
	got[0].ID = "changed"
	if w.session.Inventory()[0].ID != "a" {
		t.Error("A session does not see changes of the inventory it returned.")
	}
}

func TestForced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if w.session.Forced() {
		t.Error("Nothing is forced unless asked for.")
	}
	w.session.ForceDelete()
	if !w.session.Forced() {
		t.Error("A session remembers that it may force deletions.")
	}
}

func TestSessionIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	const many = 50
	w := newWorld(t)
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			resource := object("lab", strconv.Itoa(i), "x")
			w.session.Expect([]dataplane.Change{{Handler: "Things", Action: runtime.ActionCreate, Resource: &resource}})
			w.session.Inventory()
			w.session.Changes()
			w.session.Warnings()
		})
	}
	group.Wait()
	if got := len(w.session.Inventory()); got != many {
		t.Errorf("No entry is lost, got %d of %d.", got, many)
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason        string
		configuration any
		id            string
		fails         bool
	}{
		"Namespaced": {
			reason:        "The id is made of the object's own fields.",
			configuration: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "cart", "namespace": "shop"}},
			id:            "v1:Service:shop:cart",
		},
		"Nothing":  {reason: "An object without metadata does not panic.", configuration: map[string]any{}, id: ":::"},
		"NoObject": {reason: "What is no object is an error.", configuration: []string{"x"}, fails: true},
		"NoJSON":   {reason: "What JSON cannot hold is an error.", configuration: make(chan int), fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := dataplane.Manifest("lab", tc.configuration)
			if (err != nil) != tc.fails || got.ID != tc.id {
				t.Errorf("%s\ngot %q, %v", tc.reason, got.ID, err)
			}
		})
	}
	got, err := dataplane.Manifest("lab", map[string]any{"n": int64(9007199254740993)})
	if err != nil || got.Attributes["n"] != int64(9007199254740993) || got.DataPlane() != "lab" || got.Type != runtime.Kubernetes {
		t.Errorf("Whole numbers stay exact, and the resource is on its data plane, got %+v, %v.", got, err)
	}
}

func TestVisibility(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason   string
		kind     platform.ComponentType
		declared platform.Visibility
		want     platform.Visibility
	}{
		"Declared":       {reason: "What the endpoint declares is in force.", kind: platform.TypeWebApplication, declared: platform.VisibilityProject, want: platform.VisibilityProject},
		"Service":        {reason: "Endpoints are for the project unless they say otherwise.", kind: platform.TypeService, want: platform.VisibilityProject},
		"WebApplication": {reason: "Those of a web application are public.", kind: platform.TypeWebApplication, want: platform.VisibilityPublic},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := dataplane.EndpointContext{
				Component: &platform.Component{Type: tc.kind}, Endpoint: &platform.Endpoint{Visibility: tc.declared},
			}
			if got := ctx.Visibility(); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
