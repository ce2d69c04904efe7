// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

func TestOneListServesManyGets(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"), component("pay", "pay:1"), &platform.Project{Name: "shop"})
	s := store(documents)
	lists := documents.Calls("List")
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			name := []string{"cart", "pay", "gone"}[i%3]
			record, err := s.Get(t.Context(), refTo(name))
			if err != nil || (record == nil) != (name == "gone") {
				t.Errorf("%s: got %v, %v", name, record, err)
			}
			records, err := s.Select(t.Context(), platform.KindComponent, "shop/c")
			if diff := cmp.Diff([]string{"shop/cart"}, idsOf(records)); diff != "" || err != nil {
				t.Errorf("A selection is of a kind and a prefix: %v, -want +got:\n%s", err, diff)
			}
		})
	}
	group.Wait()
	if lists, gets := documents.Calls("List")-lists, documents.Calls("Get"); lists != 1 || gets != 0 {
		t.Errorf("Many reads cost one list, got %d lists and %d gets.", lists, gets)
	}
}

func TestFailedListIsRepeated(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	fails := true
	documents.ListFunc = func(context.Context, map[string]string) error {
		if fails {
			return errBoom
		}
		return nil
	}
	s := store(documents)
	if _, err := s.Get(t.Context(), refTo("cart")); !errors.Is(err, errBoom) {
		t.Errorf("What cannot be listed is an error, never absent, got %v.", err)
	}
	if _, err := s.Select(t.Context(), platform.KindComponent, ""); !errors.Is(err, errBoom) {
		t.Errorf("What cannot be listed is an error, never empty, got %v.", err)
	}
	fails = false
	if get(t, s, refTo("cart")) == nil {
		t.Error("A list that failed is made again.")
	}
}

func TestCopiesAreIndependent(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	s := store(documents)
	record := get(t, s, refTo("cart"))
	record.UID, record.Spec[0] = "changed", 'x'
	if again := get(t, s, refTo("cart")); again.UID == "changed" || again.Spec[0] == 'x' {
		t.Error("A change of a record that was read changes nothing stored.")
	}
}

func TestOwnWritesAreSeen(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	s := store(documents)
	if identity, err := s.Identity(t.Context()); identity != "" || err != nil {
		t.Errorf("A store has no identity before the first write, got %q, %v.", identity, err)
	}
	if get(t, s, refTo("cart")) != nil {
		t.Fatal("A new store is empty.")
	}
	record := &catalog.Record{Kind: platform.KindComponent, ID: "shop/cart", UID: "1"}
	if err := s.Put(t.Context(), record, component("cart", "cart:1")); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, refTo("cart")); got == nil || !got.Holds(component("cart", "cart:1")) {
		t.Errorf("A write is seen by later reads, got %+v.", got)
	}
	if identity, err := s.Identity(t.Context()); identity != "store" || err != nil {
		t.Errorf("The first write gives the store its identity, got %q, %v.", identity, err)
	}
	for range 2 {
		if err := s.Remove(t.Context(), record); err != nil {
			t.Errorf("Removing is idempotent, got %v.", err)
		}
		if get(t, s, refTo("cart")) != nil {
			t.Error("A removal is seen by later reads.")
		}
	}
	if documents.Calls("List") != 1 {
		t.Errorf("Own writes need no second list, got %d.", documents.Calls("List"))
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	entry := func(id string) platform.InventoryEntry {
		return platform.InventoryEntry{Handler: "H", Type: "Kubernetes", ID: id}
	}
	cases := map[string]struct {
		reason string
		// meanwhile is what another run does after the record was read.
		meanwhile func(t *testing.T, s *catalog.Store, record *catalog.Record) error
		want      runtime.Code
		inventory []string
		// uid is what the record is taken over with.
		uid string
	}{
		"TakenOver": {
			reason: "A run that is ending may still say how while the next one takes over.",
			meanwhile: func(t *testing.T, s *catalog.Store, record *catalog.Record) error {
				t.Helper()
				record.Inventory = []platform.InventoryEntry{entry("theirs")}
				record.Operation.State = catalog.StateFailed
				return s.Put(t.Context(), record, component("cart", "cart:1"))
			},
			uid: "another", inventory: []string{"mine", "theirs"},
		},
		"TakenOverTwice": {
			reason: "Of two runs that take over one fails.",
			meanwhile: func(t *testing.T, s *catalog.Store, record *catalog.Record) error {
				t.Helper()
				record.UID = "a third"
				return s.Put(t.Context(), record, component("cart", "cart:1"))
			},
			uid: "another", want: runtime.Conflict,
		},
		"Alone": {
			reason:    "A record is written over what it was read from.",
			meanwhile: func(*testing.T, *catalog.Store, *catalog.Record) error { return nil },
			inventory: []string{"mine"},
		},
		"Inventory": {
			reason: "Another run that left the declaration alone is no conflict, and nothing that it made is forgotten.",
			meanwhile: func(t *testing.T, s *catalog.Store, record *catalog.Record) error {
				t.Helper()
				record.Inventory = []platform.InventoryEntry{entry("mine"), entry("theirs")}
				return s.Put(t.Context(), record, component("cart", "cart:1"))
			},
			inventory: []string{"mine", "theirs"},
		},
		"Spec": {
			reason: "A declaration that changed under us is a conflict.",
			meanwhile: func(t *testing.T, s *catalog.Store, record *catalog.Record) error {
				t.Helper()
				return s.Put(t.Context(), record, component("cart", "cart:3"))
			},
			want: runtime.Conflict,
		},
		"Replaced": {
			reason: "Another object is a conflict although it is declared alike.",
			meanwhile: func(t *testing.T, s *catalog.Store, record *catalog.Record) error {
				t.Helper()
				record.UID = "another"
				return s.Put(t.Context(), record, component("cart", "cart:1"))
			},
			want: runtime.Conflict,
		},
		"Removed": {
			reason: "What was removed is not made again.",
			meanwhile: func(t *testing.T, s *catalog.Store, record *catalog.Record) error {
				t.Helper()
				return s.Remove(t.Context(), record)
			},
			want: runtime.NotFound,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := runtimetest.NewFakeDocuments("store")
			put(t, documents, component("cart", "cart:1"))
			mine, other := store(documents), store(documents)
			record := get(t, mine, refTo("cart"))
			if err := tc.meanwhile(t, other, get(t, other, refTo("cart"))); err != nil {
				t.Fatal(err)
			}
			before, _ := other.Fresh(t.Context(), refTo("cart"))
			record.Inventory = []platform.InventoryEntry{entry("mine")}
			if tc.uid != "" {
				record.UID = tc.uid
			}
			if err := mine.Put(t.Context(), record, component("cart", "cart:2")); runtime.CodeOf(err) != tc.want {
				t.Fatalf("%s\ngot %v, want %q", tc.reason, err, tc.want)
			}
			after, _ := other.Fresh(t.Context(), refTo("cart"))
			if tc.want != "" {
				if diff := cmp.Diff(before, after, cmpopts.IgnoreUnexported(catalog.Record{})); diff != "" {
					t.Errorf("%s It is left alone: -want +got:\n%s", tc.reason, diff)
				}
				return
			}
			var ids []string
			for _, entry := range after.Inventory {
				ids = append(ids, entry.ID)
			}
			if diff := cmp.Diff(tc.inventory, ids); diff != "" || !after.Holds(component("cart", "cart:2")) {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPutOfNewRecord(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	late := &catalog.Record{Kind: platform.KindComponent, ID: "shop/cart", UID: "2"}
	if err := store(documents).Put(t.Context(), late, component("cart", "cart:1")); runtime.CodeOf(err) != runtime.Conflict {
		t.Errorf("A new record never replaces one, got %v.", err)
	}
	documents.PutFunc = func(context.Context, runtime.Document) error { return errBoom }
	fresh := &catalog.Record{Kind: platform.KindComponent, ID: "shop/pay", UID: "3"}
	if err := store(documents).Put(t.Context(), fresh, component("pay", "pay:1")); !errors.Is(err, errBoom) {
		t.Errorf("A write that fails is an error, got %v.", err)
	}
}

func TestConflictThatCannotBeRead(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	documents.PutFunc = func(context.Context, runtime.Document) error { return runtime.Errorf(runtime.Conflict, "changed") }
	documents.GetFunc = func(context.Context, string) error { return errBoom }
	documents.DeleteFunc = func(context.Context, string, string) error { return errBoom }
	s := store(documents)
	record := get(t, s, refTo("cart"))
	if err := s.Put(t.Context(), record, component("cart", "cart:1")); !errors.Is(err, errBoom) {
		t.Errorf("A conflict that cannot be looked at is an error, got %v.", err)
	}
	if err := s.Remove(t.Context(), record); !errors.Is(err, errBoom) || get(t, s, refTo("cart")) == nil {
		t.Errorf("A removal that fails is an error, and the record stays, got %v.", err)
	}
}

func TestRemoveOfChangedRecord(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	s := store(documents)
	record := get(t, s, refTo("cart"))
	other := store(documents)
	if err := other.Put(t.Context(), get(t, other, refTo("cart")), component("cart", "cart:2")); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), record); runtime.CodeOf(err) != runtime.Conflict {
		t.Errorf("What somebody changed is not removed, got %v.", err)
	}
}

func TestReferring(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	cell := &platform.Cell{Project: "shop", Environment: "dev", DataPlane: "lab"}
	elsewhere := component("cart", "")
	elsewhere.Project = "shop2"
	path := &platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{{Source: "dev"}, {Source: "prod"}}}
	put(t, documents, component("pay", ""), component("cart", ""), elsewhere, cell, path)
	cases := map[string]struct {
		reason string
		kind   platform.Kind
		to     platform.Ref
		want   []string
	}{
		"Project":     {reason: "The components of a project are found, sorted.", kind: platform.KindComponent, to: platform.Ref{Kind: platform.KindProject, ID: "shop"}, want: []string{"shop/cart", "shop/pay"}},
		"Environment": {reason: "Each of several references is found.", kind: platform.KindCell, to: platform.Ref{Kind: platform.KindEnvironment, ID: "dev"}, want: []string{"shop/dev"}},
		"DataPlane":   {reason: "Kinds are told apart.", kind: platform.KindCell, to: platform.Ref{Kind: platform.KindDataPlane, ID: "lab"}, want: []string{"shop/dev"}},
		"Nobody":      {reason: "What nobody refers to has none.", kind: platform.KindComponent, to: platform.Ref{Kind: platform.KindProject, ID: "gone"}},
		"Soft":        {reason: "Several references of one kind are soft: nothing looks them up.", kind: platform.KindDeploymentPipeline, to: platform.Ref{Kind: platform.KindEnvironment, ID: "dev"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records, err := store(documents).Referring(t.Context(), tc.kind, tc.to)
			if diff := cmp.Diff(tc.want, idsOf(records)); diff != "" || err != nil {
				t.Errorf("%s\ngot error %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestReferringSeesOtherRuns(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	s := store(documents)
	get(t, s, refTo("cart"))
	put(t, documents, component("cart", ""))
	records, err := s.Referring(t.Context(), platform.KindComponent, platform.Ref{Kind: platform.KindProject, ID: "shop"})
	if err != nil || len(records) != 1 {
		t.Errorf("Children that another run made are found, got %v, %v.", records, err)
	}
	if get(t, s, refTo("cart")) != nil {
		t.Error("What was listed once stays as it was seen.")
	}
	if record, err := s.Fresh(t.Context(), refTo("cart")); err != nil || record == nil || get(t, s, refTo("cart")) == nil {
		t.Errorf("Until it is read afresh, got %v, %v.", record, err)
	}
	if err := documents.Delete(t.Context(), "component/shop/cart", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fresh(t.Context(), refTo("cart")); runtime.CodeOf(err) != runtime.NotFound || get(t, s, refTo("cart")) != nil {
		t.Errorf("What is gone is forgotten, got %v.", err)
	}
}

func TestOrganizationsAreApart(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", ""))
	records, err := catalog.NewStore(documents, "other").Select(t.Context(), platform.KindComponent, "")
	if err != nil || len(records) > 0 {
		t.Errorf("An organization sees its own records only, got %v, %v.", idsOf(records), err)
	}
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	const many = 40
	documents := runtimetest.NewFakeDocuments("store")
	s := store(documents)
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			object := component(fmt.Sprintf("c%d", i), "a:1")
			record := &catalog.Record{Kind: platform.KindComponent, ID: object.ID(), UID: object.Name}
			for _, image := range []string{"a:1", "a:2"} {
				object.Image = image
				if err := s.Put(t.Context(), record, object); err != nil {
					t.Errorf("%s: %v", object.ID(), err)
				}
				if got := get(t, s, refTo(object.Name)); got == nil || !got.Holds(object) {
					t.Errorf("%s: a write is seen at once, got %v", object.ID(), got)
				}
			}
			if i%2 == 0 {
				if err := s.Remove(t.Context(), record); err != nil {
					t.Errorf("%s: %v", object.ID(), err)
				}
			}
		})
	}
	group.Wait()
	records, err := s.Select(t.Context(), platform.KindComponent, "")
	if err != nil || len(records) != many/2 || strings.Contains(fmt.Sprint(idsOf(records)), "c0 ") {
		t.Errorf("No write is lost, got %v, %v.", idsOf(records), err)
	}
}
