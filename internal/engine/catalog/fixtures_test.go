// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package catalog_test

import (
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

var errBoom = runtime.Errorf(runtime.Unavailable, "boom")

func component(name, image string) *platform.Component {
	return &platform.Component{Project: "shop", Name: name, Type: platform.TypeService, Image: image}
}

func refTo(name string) platform.Ref {
	return platform.Ref{Kind: platform.KindComponent, ID: "shop/" + name}
}

// asker is who resolves something in a test.
var asker = platform.Ref{Kind: platform.KindDeployment, ID: "shop/cart/main/dev"}

func reference(name string) platform.Reference {
	return platform.Reference{Ref: refTo(name), Path: platform.Path{"component"}}
}

// store returns a store of a new process.
func store(documents runtime.Documents) *catalog.Store { return catalog.NewStore(documents, "acme") }

// put stores objects, each in a process of its own.
func put(t *testing.T, documents *runtimetest.FakeDocuments, objects ...platform.Object) {
	t.Helper()
	for _, object := range objects {
		ref := platform.RefOf(object)
		record := &catalog.Record{Kind: ref.Kind, ID: ref.ID, UID: "uid-of-" + ref.ID, Operation: catalog.Operation{State: catalog.StateSucceeded}}
		if err := store(documents).Put(t.Context(), record, object); err != nil {
			t.Fatal(err)
		}
	}
}

// get reads a record.
func get(t *testing.T, s *catalog.Store, ref platform.Ref) *catalog.Record {
	t.Helper()
	record, err := s.Get(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func idsOf(records []*catalog.Record) []string {
	var ids []string
	for _, record := range records {
		ids = append(ids, record.ID)
	}
	return ids
}
