// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// documentKey is where a ConfigMap holds a record.
const documentKey = "document.json"

// objects returns everything that was made for the tenant, but for what
// Kubernetes made of it, by kind/namespace/name.
func (e *Env) objects(t *testing.T) map[string]Object {
	t.Helper()
	objects := map[string]Object{}
	for _, known := range rendered() {
		for _, item := range e.List(t, known.kind, "", naming.LabelOrganization+"="+e.Organization) {
			if metav1.GetControllerOf(&item) == nil {
				objects[known.kind+"/"+item.GetNamespace()+"/"+item.GetName()] = item
			}
		}
	}
	return objects
}

// recordsOf returns the records among objects, by key.
func recordsOf(t *testing.T, objects map[string]Object) map[string]*catalog.Record {
	t.Helper()
	records := map[string]*catalog.Record{}
	for key, object := range objects {
		text, ok, _ := unstructured.NestedString(object.Object, "data", documentKey)
		if !ok {
			continue
		}
		record := &catalog.Record{}
		if err := json.Unmarshal([]byte(text), record); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		records[key] = record
	}
	return records
}

// Snapshot returns everything that exists for the tenant as text, without what
// differs from tenant to tenant and from run to run: its name and what is
// derived of it, what the API server makes up, and the times.
func (e *Env) Snapshot(t *testing.T) map[string]string {
	t.Helper()
	objects := e.objects(t)
	records := recordsOf(t, objects)
	common := e.anonymous(records)
	snapshot := map[string]string{}
	for key, object := range objects {
		if record := records[key]; record != nil {
			record.UID = "UID"
			for i := range record.Inventory {
				record.Inventory[i].UID = "UID"
			}
			// A key of its own is easier to read than a text in a text.
			object.Object["data"] = record
		}
		simplify(object)
		text, err := json.MarshalIndent(object.Object, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		snapshot[common.Replace(key)] = common.Replace(string(text))
	}
	return snapshot
}

// anonymous replaces the tenant's name and what is derived of it.
func (e *Env) anonymous(records map[string]*catalog.Record) *strings.Replacer {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(records)) {
		kind, id := string(records[key].Kind), records[key].ID
		pairs = append(pairs,
			naming.FieldManager(e.Organization, kind, id), "manager of "+kind+" "+id,
			naming.OwnerHash(e.Organization, kind, id), "hash of "+kind+" "+id)
		if project, environment, ok := strings.Cut(id, "/"); ok && records[key].Kind == platform.KindCell {
			pairs = append(pairs, e.Namespace(project, environment), "namespace of "+id,
				naming.Name(naming.LimitName, e.Organization, project, environment), "policy of "+id)
		}
	}
	return strings.NewReplacer(append(pairs, e.Organization, "ORGANIZATION")...)
}

// simplify removes what differs from run to run.
func simplify(object Object) {
	for _, path := range [][]string{
		{"metadata", "uid"},
		{"metadata", "resourceVersion"},
		{"metadata", "creationTimestamp"},
		{"metadata", "annotations", naming.Domain + "document-write"},
		{"spec", "clusterIP"},
		{"spec", "clusterIPs"},
	} {
		unstructured.RemoveNestedField(object.Object, path...)
	}
	counts := map[string]any{}
	// What an autoscaler has seen depends on when it looked.
	if status, ok := object.Object["status"].(map[string]any); ok && object.GetKind() != "HorizontalPodAutoscaler" {
		for name, value := range status {
			if _, ok := value.(int64); ok && name != "observedGeneration" {
				counts[name] = value
			}
		}
	}
	object.Object["status"] = counts
	fields := map[string]string{}
	for _, entry := range object.GetManagedFields() {
		// A status is up to those who watch the object.
		if entry.Subresource != "status" && entry.FieldsV1 != nil {
			fields[fmt.Sprintf("%s %s %s", entry.Manager, entry.Operation, entry.Subresource)] = entry.FieldsV1.GetRawString()
		}
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "managedFields")
	object.Object["managedFields"] = fields
}

// Intact fails the test unless every object of the tenant is in exactly one
// inventory, under its UID, and every entry of an inventory exists.
func (e *Env) Intact(t *testing.T) {
	t.Helper()
	objects := e.objects(t)
	records := recordsOf(t, objects)
	owners := map[string][]string{}
	for _, record := range records {
		for _, entry := range record.Inventory {
			// The id is group/version:kind:namespace:name.
			key := strings.Join(strings.Split(entry.ID, ":")[1:], "/")
			owners[key] = append(owners[key], record.Ref().String())
			if object, ok := objects[key]; !ok || string(object.GetUID()) != entry.UID {
				t.Errorf("the inventory of %s lists %s with the UID %q, and there is %q", record.Ref(), key, entry.UID, object.GetUID())
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if records[key] == nil && key != "Namespace//"+e.ControlPlane() && len(owners[key]) != 1 {
			t.Errorf("%s is in the inventories of %q, want exactly one", key, owners[key])
		}
	}
}

// Namespaces returns the names of the tenant's namespaces, labelled or not.
func (e *Env) Namespaces(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, item := range e.List(t, "Namespace", "", "") {
		if strings.Contains(item.GetName(), e.Organization) {
			names = append(names, item.GetName())
		}
	}
	slices.Sort(names)
	return names
}
