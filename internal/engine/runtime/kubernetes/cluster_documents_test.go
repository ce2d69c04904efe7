// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
)

func TestClusterDocumentsKeepWhatOthersAdded(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	namespace := c.namespace(t)
	r, requests := c.runtime(t, kubernetes.Options{Namespace: namespace})
	store := r.Documents()
	document, err := store.Put(t.Context(), runtime.Document{Name: "x", Labels: map[string]string{"kind": "a"}, Data: []byte(`{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"create": 1}, requests.take()); diff != "" {
		t.Errorf("create: -want, +got:\n%s", diff)
	}
	if document, err = store.Put(t.Context(), document); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"update": 1}, requests.take()); diff != "" {
		t.Errorf("replace: -want, +got:\n%s", diff)
	}
	list, err := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace).
		List(t.Context(), metav1.ListOptions{LabelSelector: naming.LabelManagedBy + "=" + naming.ManagedBy})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d ConfigMaps, %v", len(list.Items), err)
	}
	id := runtime.KubernetesID("v1", "ConfigMap", namespace, list.Items[0].GetName())
	c.edit(t, id, "somebody", metav1.ManagedFieldsOperationUpdate, "theirs", "data", "note")
	c.edit(t, id, "somebody", metav1.ManagedFieldsOperationUpdate, "theirs", "metadata", "annotations", "example.dev/note")
	if _, err := store.Put(t.Context(), document); runtime.CodeOf(err) != runtime.Conflict {
		t.Errorf("a write over another version is %v", err)
	}
	if document, err = store.Get(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	document.Data, document.Labels = []byte(`{"a":2}`), map[string]string{"kind": "b"}
	if _, err := store.Put(t.Context(), document); err != nil {
		t.Fatal(err)
	}
	got := c.get(t, id)
	want := map[string]any{"note": "theirs", "document.json": `{"a":2}`}
	if diff := cmp.Diff(want, got.Object["data"]); diff != "" {
		t.Error(diff)
	}
	if got.GetAnnotations()["example.dev/note"] != "theirs" || got.GetLabels()["kind"] != "b" ||
		got.GetLabels()[naming.LabelOrganization] != c.stack.Organization {
		t.Errorf("metadata is %v, %v", got.GetLabels(), got.GetAnnotations())
	}
	// What a person writes into it is read as it is.
	c.edit(t, id, "somebody", metav1.ManagedFieldsOperationUpdate, `{"a":3}`, "data", "document.json")
	if document, err = store.Get(t.Context(), "x"); err != nil || string(document.Data) != `{"a":3}` {
		t.Errorf("read %s, %v", document.Data, err)
	}
}
