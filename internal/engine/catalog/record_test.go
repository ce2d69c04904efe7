// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		text   string
	}{
		"Known": {
			reason: "A record survives.",
			text:   `{"schemaVersion":1,"kind":"component","id":"shop/cart","uid":"1","spec":{"name":"cart"},"inventory":[{"handler":"H","dataPlane":"lab","type":"Kubernetes","id":"a","uid":"2"}],"operation":{"verb":"apply","state":"succeeded"},"observed":{"ready":true,"message":"ready"}}`,
		},
		"Minimal": {
			reason: "What is not set is left out.",
			text:   `{"schemaVersion":1,"kind":"component","id":"shop/cart","uid":"1","spec":{},"operation":{"verb":"","state":""}}`,
		},
		"Unknown": {
			reason: "What a newer provider wrote is kept.",
			text:   `{"schemaVersion":1,"kind":"component","id":"shop/cart","uid":"1","spec":{},"operation":{"verb":"apply","state":"failed"},"later":{"digests":["a",1e3],"big":9007199254740993}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := &catalog.Record{}
			if err := json.Unmarshal([]byte(tc.text), record); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			tree := func(raw []byte) (fields map[string]json.RawMessage) {
				if err := json.Unmarshal(raw, &fields); err != nil {
					t.Fatal(err)
				}
				return fields
			}
			if diff := cmp.Diff(tree([]byte(tc.text)), tree(got)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
	if err := json.Unmarshal([]byte(`[]`), &catalog.Record{}); err == nil {
		t.Error("What is no record is an error.")
	}
}

func TestUnknownFieldsSurviveAWrite(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	rewrite(t, documents, "component/shop/cart", func(fields map[string]json.RawMessage) { fields["later"] = json.RawMessage(`["sha256:1"]`) })
	s := store(documents)
	if err := s.Put(t.Context(), get(t, s, refTo("cart")), component("cart", "cart:2")); err != nil {
		t.Fatal(err)
	}
	rewrite(t, documents, "component/shop/cart", func(fields map[string]json.RawMessage) {
		if string(fields["later"]) != `["sha256:1"]` {
			t.Errorf("A write keeps what it does not know, got %s.", fields["later"])
		}
	})
}

// rewrite changes a stored document as another provider would.
func rewrite(t *testing.T, documents *runtimetest.FakeDocuments, name string, change func(map[string]json.RawMessage)) {
	t.Helper()
	document, err := documents.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document.Data, &fields); err != nil {
		t.Fatal(err)
	}
	change(fields)
	if document.Data, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Put(t.Context(), document); err != nil {
		t.Fatal(err)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		spec   string
		want   bool
	}{
		"Same":    {reason: "The same declaration is held.", spec: `{"project":"shop","name":"cart","type":"service","image":"cart:1"}`, want: true},
		"Spaces":  {reason: "White space does not count.", spec: "{\"project\": \"shop\",\n\"name\":\"cart\",\"type\":\"service\",\"image\":\"cart:1\"}", want: true},
		"Other":   {reason: "Another one is not.", spec: `{"project":"shop","name":"cart","type":"service","image":"cart:2"}`},
		"Damaged": {reason: "What cannot be read holds nothing.", spec: `{`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := &catalog.Record{Kind: platform.KindComponent, Spec: json.RawMessage(tc.spec)}
			if got := record.Holds(component("cart", "cart:1")); got != tc.want {
				t.Errorf("%s\ngot %v", tc.reason, got)
			}
		})
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		record catalog.Record
		want   platform.Object
	}{
		"Known":   {reason: "The spec is decoded by kind.", record: catalog.Record{Kind: platform.KindProject, Spec: json.RawMessage(`{"name":"shop"}`)}, want: &platform.Project{Name: "shop"}},
		"Kind":    {reason: "A kind of a newer provider is an error.", record: catalog.Record{Kind: "novelty", Spec: json.RawMessage(`{}`)}},
		"Damaged": {reason: "A spec that cannot be read is an error.", record: catalog.Record{Kind: platform.KindProject, Spec: json.RawMessage(`[]`)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.record.Object()
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != (tc.want == nil) {
				t.Errorf("%s\ngot error %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"), component("pay", "pay:1"))
	rewrite(t, documents, "component/shop/pay", func(fields map[string]json.RawMessage) { fields["schemaVersion"] = json.RawMessage(`2`) })
	before, err := documents.Get(t.Context(), "component/shop/pay")
	if err != nil {
		t.Fatal(err)
	}
	s := store(documents)
	_, getErr := s.Get(t.Context(), refTo("pay"))
	_, selectErr := s.Select(t.Context(), platform.KindComponent, "")
	_, freshErr := s.Fresh(t.Context(), refTo("pay"))
	_, referringErr := s.Referring(t.Context(), platform.KindComponent, platform.Ref{Kind: platform.KindProject, ID: "shop"})
	for verb, err := range map[string]error{"get": getErr, "select": selectErr, "fresh": freshErr, "referring": referringErr} {
		if err == nil {
			t.Errorf("A record that only a newer provider understands is refused by %s.", verb)
		}
	}
	after, err := documents.Get(t.Context(), "component/shop/pay")
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("It is left alone: %v, -want +got:\n%s", err, diff)
	}
	damaged := runtime.Document{Name: "component/x", Data: []byte("{"), Labels: map[string]string{}}
	if _, err := documents.Put(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fresh(t.Context(), platform.Ref{Kind: platform.KindComponent, ID: "x"}); err == nil {
		t.Error("A record that cannot be read is an error.")
	}
}
