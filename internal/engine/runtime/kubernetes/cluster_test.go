// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// counter is a log handler that counts the requests of a runtime by verb.
type counter struct {
	mu    sync.Mutex
	verbs map[string]int
}

func newCounter() *counter { return &counter{verbs: map[string]int{}} }

func (c *counter) Enabled(context.Context, slog.Level) bool { return true }
func (c *counter) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c *counter) WithGroup(string) slog.Handler            { return c }

func (c *counter) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "verb" {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.verbs[attr.Value.String()]++
		}
		return true
	})
	return nil
}

func (c *counter) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.verbs
	c.verbs = map[string]int{}
	return out
}

// cluster is the access of tests to the cluster, past the runtime.
type cluster struct {
	dynamic    dynamic.Interface
	connection kubernetes.Connection
	stack      *runtime.Stack
	other      *runtime.Stack
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	path := runtimetest.Kubeconfig(t)
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	organization := "org-" + rand.String(8)
	return &cluster{
		dynamic:    client,
		connection: kubernetes.Connection{Name: "test", Source: "KUBECONFIG", ConfigPaths: []string{path}},
		stack:      &runtime.Stack{Organization: organization, OwnerKind: "deployment", OwnerID: "shop/cart/dev", DataPlane: "test"},
		other:      &runtime.Stack{Organization: organization, OwnerKind: "deployment", OwnerID: "shop/other/dev", DataPlane: "test"},
	}
}

// runtime returns a runtime that counts its requests.
func (c *cluster) runtime(t *testing.T, options kubernetes.Options) (*kubernetes.Runtime, *counter) {
	t.Helper()
	count := newCounter()
	options.Logger = slog.New(count)
	if options.Organization == "" {
		options.Organization = c.stack.Organization
	}
	out, err := kubernetes.New(c.connection, options)
	if err != nil {
		t.Fatal(err)
	}
	return out, count
}

func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	name := "test-" + rand.String(10)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	namespaces := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	if _, err := namespaces.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// It goes in its own time; nobody waits for it.
		_ = namespaces.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{})
	})
	return name
}

// objects returns the interface for the kind of an ID.
func (c *cluster) objects(t *testing.T, id string) (dynamic.ResourceInterface, runtime.ObjectKey) {
	t.Helper()
	key, err := runtime.ParseKubernetesID(id)
	if err != nil {
		t.Fatal(err)
	}
	gv, err := schema.ParseGroupVersion(key.APIVersion)
	if err != nil {
		t.Fatal(err)
	}
	resource := c.dynamic.Resource(gv.WithResource(plural(key.Kind)))
	if key.Namespace == "" {
		return resource, key
	}
	return resource.Namespace(key.Namespace), key
}

func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "cy"):
		return strings.ToLower(strings.TrimSuffix(kind, "y")) + "ies"
	case strings.HasSuffix(kind, "ss"):
		return strings.ToLower(kind) + "es"
	}
	return strings.ToLower(kind) + "s"
}

func (c *cluster) create(t *testing.T, resource *runtime.Resource) *unstructured.Unstructured {
	t.Helper()
	objects, _ := c.objects(t, resource.ID)
	out, err := objects.Create(t.Context(), asUnstructured(t, resource), metav1.CreateOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func asUnstructured(t *testing.T, resource *runtime.Resource) *unstructured.Unstructured {
	t.Helper()
	encoded, err := json.Marshal(resource.Attributes)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(encoded); err != nil {
		t.Fatal(err)
	}
	return object
}

func (c *cluster) get(t *testing.T, id string) *unstructured.Unstructured {
	t.Helper()
	objects, key := c.objects(t, id)
	out, err := objects.Get(t.Context(), key.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *cluster) edit(t *testing.T, id, manager string, operation metav1.ManagedFieldsOperationType, value any, path ...string) {
	t.Helper()
	objects, key := c.objects(t, id)
	patch := value
	for i := len(path) - 1; i >= 0; i-- {
		patch = map[string]any{path[i]: patch}
	}
	body, ok := patch.(map[string]any)
	if !ok {
		t.Fatal("an edit needs a path")
	}
	kind, force := types.MergePatchType, (*bool)(nil)
	if operation == metav1.ManagedFieldsOperationApply {
		kind, force = types.ApplyPatchType, new(true)
		body["apiVersion"], body["kind"] = key.APIVersion, key.Kind
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := objects.Patch(t.Context(), key.Name, kind, encoded, metav1.PatchOptions{FieldManager: manager, Force: force}); err != nil {
		t.Fatal(err)
	}
}

func TestClusterConformance(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	runtimetest.Run(t, runtimetest.Harness{
		Runtime: func(t *testing.T) runtime.Runtime {
			t.Helper()
			out, _ := c.runtime(t, kubernetes.Options{})
			return out
		},
		Namespace: c.namespace,
		Stack:     c.stack,
		Other:     c.other,
		Foreign: func(t *testing.T, resource *runtime.Resource) {
			t.Helper()
			c.create(t, resource)
		},
		Edit:        c.edit,
		MissingKind: runtime.ObjectKey{APIVersion: "missing.example.dev/v1", Kind: "Nothing"},
		Documents: func(t *testing.T) (runtime.Documents, runtime.Documents) {
			t.Helper()
			options := kubernetes.Options{Namespace: fmt.Sprintf("test-documents-%s", rand.String(10))}
			t.Cleanup(func() {
				namespaces := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
				_ = namespaces.Delete(context.WithoutCancel(t.Context()), options.Namespace, metav1.DeleteOptions{})
			})
			one, _ := c.runtime(t, options)
			two, _ := c.runtime(t, options)
			return one.Documents(), two.Documents()
		},
	})
}

func kubernetesName(name string) string { return strings.ToLower(name) }
