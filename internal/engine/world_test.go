// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

const organization = "acme"

// world is a cluster, the records in it, and a trace of all calls.
type world struct {
	fake      *runtimetest.Fake
	documents *runtimetest.FakeDocuments
	trace     *trace
	// lost are the connections that the provider block does not have.
	lost map[string]bool
}

func newWorld() *world {
	return &world{
		fake: runtimetest.NewFake(), documents: runtimetest.NewFakeDocuments("store-1"), trace: &trace{}, lost: map[string]bool{},
	}
}

// Runtime returns the only cluster for every connection that is not lost.
func (w *world) Runtime(name string) (runtime.Runtime, error) {
	if w.lost[name] {
		return nil, fmt.Errorf("there is no connection %q", name)
	}
	return &tracedRuntime{trace: w.trace, fake: w.fake}, nil
}

// Documents returns the records.
func (w *world) Documents() (runtime.Documents, error) {
	return &tracedDocuments{trace: w.trace, fake: w.documents}, nil
}

// engine returns the engine of a new process.
func (w *world) engine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Organization: organization, ControlPlane: "platform-acme", Clusters: w})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// apply brings objects about, each in a process of its own.
func (w *world) apply(t *testing.T, objects ...platform.Object) []*engine.ApplyResponse {
	t.Helper()
	responses := make([]*engine.ApplyResponse, 0, len(objects))
	for _, object := range objects {
		response, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: object, Wait: true})
		if err != nil {
			t.Fatalf("apply %s: %v", platform.RefOf(object), err)
		}
		responses = append(responses, response)
	}
	return responses
}

// update changes an object whose token is known.
func (w *world) update(t *testing.T, object platform.Object, token engine.Token) *engine.ApplyResponse {
	t.Helper()
	response, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: object, Token: &token, Wait: true})
	if err != nil {
		t.Fatalf("update %s: %v", platform.RefOf(object), err)
	}
	return response
}

// records returns what is stored, by kind/id.
func (w *world) records(t *testing.T) map[string]*catalog.Record {
	t.Helper()
	documents, err := w.documents.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]*catalog.Record{}
	for _, document := range documents {
		record := &catalog.Record{}
		if err := json.Unmarshal(document.Data, record); err != nil {
			t.Fatal(err)
		}
		records[document.Name] = record
	}
	return records
}

// recordView is a record without what differs from run to run.
type recordView struct {
	Spec      string
	Inventory []string
	State     catalog.State
	Observed  catalog.Observed
}

// view is everything that exists, without what differs from run to run.
type view struct {
	Objects map[string]map[string]any
	Records map[string]recordView
}

// view returns what exists.
func (w *world) view(t *testing.T) view {
	t.Helper()
	v := view{Objects: map[string]map[string]any{}, Records: map[string]recordView{}}
	for _, id := range w.fake.IDs() {
		object := w.fake.Object(id)
		if metadata, ok := object["metadata"].(map[string]any); ok {
			delete(metadata, "uid")
			delete(metadata, "resourceVersion")
		}
		v.Objects[id] = object
	}
	for name, record := range w.records(t) {
		seen := recordView{Spec: string(record.Spec), State: record.Operation.State, Observed: record.Observed}
		for _, entry := range record.Inventory {
			seen.Inventory = append(seen.Inventory, entry.Handler+" "+entry.DataPlane+" "+entry.ID)
		}
		slices.Sort(seen.Inventory)
		v.Records[name] = seen
	}
	return v
}

// intact checks what holds whenever no operation is under way: every object is
// in exactly one inventory, under its own UID, and every entry exists.
func (w *world) intact(t *testing.T, when string) {
	t.Helper()
	owners := map[string][]string{}
	for name, record := range w.records(t) {
		for _, entry := range record.Inventory {
			owners[entry.ID] = append(owners[entry.ID], name)
			object := w.fake.Object(entry.ID)
			metadata, _ := object["metadata"].(map[string]any)
			if object == nil || metadata["uid"] != entry.UID {
				t.Errorf("%s: the inventory of %s lists %s with the UID %q, and there is %v.", when, name, entry.ID, entry.UID, metadata["uid"])
			}
		}
	}
	for _, id := range w.fake.IDs() {
		if len(owners[id]) != 1 {
			t.Errorf("%s: %s is in the inventories %v, want exactly one.", when, id, owners[id])
		}
	}
}

// listed checks what holds at any moment, also after a crash: every object is in
// some inventory, so that the next run finds it.
func (w *world) listed(t *testing.T, when string) {
	t.Helper()
	known := map[string]bool{}
	for _, record := range w.records(t) {
		for _, entry := range record.Inventory {
			known[entry.ID] = true
		}
	}
	for _, id := range w.fake.IDs() {
		if !known[id] {
			t.Errorf("%s: %s is in no inventory.", when, id)
		}
	}
}

// same checks that two views are equal.
func same(t *testing.T, when string, want, got view) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: -want +got:\n%s", when, diff)
	}
}

// lab is a data plane with a public gateway.
func lab() *platform.DataPlane {
	return &platform.DataPlane{Name: "lab", Gateways: platform.Gateways{Public: &platform.Gateway{
		Name: "public", Namespace: "gateways", VirtualHost: "apps.example.com",
	}}}
}

func dev() *platform.Environment { return &platform.Environment{Name: "dev", DataPlane: "lab"} }

func pipeline(environments ...string) *platform.DeploymentPipeline {
	p := &platform.DeploymentPipeline{Name: "path"}
	for _, environment := range environments {
		p.PromotionPaths = append(p.PromotionPaths, platform.PromotionPath{Source: environment})
	}
	return p
}

func shop() *platform.Project { return &platform.Project{Name: "shop", DeploymentPipeline: "path"} }

func cart() *platform.Component {
	return &platform.Component{Project: "shop", Name: "cart", Type: platform.TypeService, Image: "cart:1"}
}

func cartInDev() *platform.Deployment {
	return &platform.Deployment{
		Component: "shop/cart", Environment: "dev",
		Configuration: platform.Configuration{
			Env: map[string]string{"MODE": ""}, Ports: map[string]platform.Port{"http": {Port: 80, TargetPort: new(int64(8080))}},
		},
	}
}

func api() *platform.Endpoint {
	return &platform.Endpoint{
		Deployment: "shop/cart/main/dev", Name: "api", Type: "http", Port: "http", BasePath: "/api", Visibility: platform.VisibilityPublic,
	}
}

// story is a small platform, each object after those that it refers to.
func story() []platform.Object {
	return []platform.Object{lab(), dev(), pipeline("dev"), shop(), cart(), cartInDev(), api()}
}

// kindOf names a step of the story.
func kindOf(object platform.Object) string { return string(object.Kind()) }

// sortedKeys returns the keys of a map, for messages and comparisons.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
