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
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestObjectsReplace(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		id     string
		saving error
		calls  int
		err    error
	}{
		"Deployment": {reason: "Pods are made again.", id: "apps/v1:Deployment:n:x", calls: 2},
		"Service":    {reason: "A Service holds nothing.", id: "v1:Service:n:x", calls: 2},
		"Policy":     {reason: "Rules hold nothing.", id: "networking.k8s.io/v1:NetworkPolicy:n:x", calls: 2},
		"Route":      {reason: "Routes hold nothing.", id: "gateway.networking.k8s.io/v1:HTTPRoute:n:x", calls: 2},
		"StatefulSet": {
			reason: "Its claims may hold data.", id: "apps/v1:StatefulSet:n:x", calls: 1, err: errBoom,
		},
		"Claim":     {reason: "It holds data.", id: "v1:PersistentVolumeClaim:n:x", calls: 1, err: errBoom},
		"Namespace": {reason: "It holds everything.", id: "v1:Namespace::x", calls: 1, err: errBoom},
		"Custom":    {reason: "Nobody knows what a custom resource holds.", id: "example.dev/v1:Job:n:x", calls: 1, err: errBoom},
		"Unsaved": {
			reason: "Nothing is deleted before the record says so.", id: "apps/v1:Deployment:n:x", saving: errBoom, calls: 1, err: errBoom,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, entry("lab", tc.id, "old"))
			w.render = []runtime.Resource{object("lab", tc.id, "x")}
			w.lab.fails["apply "+tc.id] = runtime.Errorf(runtime.ReplaceRequired, "spec: %w", errBoom)
			var saved []platform.InventoryEntry
			w.session.SaveWith(func(context.Context) error {
				saved = w.session.Inventory()
				return tc.saving
			})
			err := dataplane.NewReconciler[world](w.handler("Things")).Reconcile(t.Context(), w)
			if !errors.Is(err, tc.err) {
				t.Errorf("%s\ngot error %v, want %v", tc.reason, err, tc.err)
			}
			if len(w.lab.applied) != tc.calls {
				t.Fatalf("%s\n%d calls, want %d", tc.reason, len(w.lab.applied), tc.calls)
			}
			if tc.err == nil {
				if diff := cmp.Diff([]platform.InventoryEntry{entry("lab", tc.id, "")}, saved); diff != "" {
					t.Errorf("The old UID is forgotten first: -want +got:\n%s", diff)
				}
				if diff := cmp.Diff([]platform.InventoryEntry{entry("lab", tc.id, "uid-"+tc.id)}, w.session.Inventory()); diff != "" {
					t.Errorf("The new UID is kept: -want +got:\n%s", diff)
				}
			}
		})
	}
}

func TestObjectsAskForWhatThePolicyAllows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, entry("lab", "a", "1"), entry("lab", "b", "2"), entry("lab", "c", ""))
	w.session.Take(dataplane.Policy{Adopt: runtime.AdoptIfUnowned, Force: true})
	former := object("lab", "a", "before")
	w.session.Remember([]runtime.Resource{former, object("live", "b", "elsewhere"), object("lab", "c", "never made")})
	w.render = []runtime.Resource{object("lab", "a", "x"), object("lab", "b", "x"), object("lab", "c", "x")}
	if err := dataplane.NewReconciler[world](w.handler("Things")).Reconcile(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	var priors []*runtime.Resource
	for _, request := range w.lab.applied {
		priors = append(priors, request.PriorResource)
		if request.Adopt != runtime.AdoptIfUnowned || !request.Force || request.Replace {
			t.Errorf("%s: the request is %+v", request.PlanResource.ID, request)
		}
	}
	want := []*runtime.Resource{&former, &w.render[1], nil}
	if diff := cmp.Diff(want, priors, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("What was made has what was last rendered of it as its prior, or itself: -want +got:\n%s", diff)
	}
}
