// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
)

const (
	// somebody is the field manager of others.
	somebody = "somebody"
	// neighboursVariable names the namespace of the neighbours.
	neighboursVariable = "PLATFORM_ACCTEST_NEIGHBOURS"
	// neighbour is what their objects are called: like those of the component
	// that most tests have.
	neighbour = "cart"
)

// Foreign is what others have in a namespace: an object of each kind that the
// provider renders, named and labelled as it would, as they were when it was made.
type Foreign struct {
	env             *Env
	namespace, name string
	before          map[string]map[string]any
}

// Foreign makes objects of others in a namespace.
func (e *Env) Foreign(t *testing.T, namespace, name string) *Foreign {
	t.Helper()
	if err := createForeign(t.Context(), e.dynamic, namespace, name); err != nil {
		t.Fatal(err)
	}
	f := e.foreign(t, namespace, name)
	t.Cleanup(f.Release)
	return f
}

func (e *Env) foreign(t *testing.T, namespace, name string) *Foreign {
	t.Helper()
	f := &Foreign{env: e, namespace: namespace, name: name}
	f.before = f.look(t)
	return f
}

// look returns what is there now, also at the end of a test.
func (f *Foreign) look(t *testing.T) map[string]map[string]any {
	t.Helper()
	ctx, cancel := detached()
	defer cancel()
	now := map[string]map[string]any{}
	for _, object := range foreignObjects(f.namespace, f.name) {
		found, err := f.env.dynamic.Resource(resourceOf(object.GetKind())).Namespace(f.namespace).Get(ctx, f.name, metav1.GetOptions{})
		switch {
		case err == nil:
			now[object.GetKind()] = essence(found)
		case !apierrors.IsNotFound(err):
			t.Error(err)
		}
	}
	return now
}

// Check fails the test unless everything is as it was, in every field, label
// and finalizer, but for the status, which is the affair of controllers.
func (f *Foreign) Check(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff(f.before, f.look(t)); diff != "" {
		t.Errorf("what others have in the namespace %s was changed: -before +after:\n%s", f.namespace, diff)
	}
}

// Release lets the objects go with their namespace.
func (f *Foreign) Release() {
	ctx, cancel := detached()
	defer cancel()
	releaseForeign(ctx, f.env.dynamic, f.namespace, f.name)
}

// essence is an object without its status and what its controllers note.
func essence(object *Object) map[string]any {
	out := object.DeepCopy()
	var managers []metav1.ManagedFieldsEntry
	for _, entry := range out.GetManagedFields() {
		if entry.Manager == somebody || entry.Operation == metav1.ManagedFieldsOperationApply {
			managers = append(managers, entry)
		}
	}
	out.SetManagedFields(managers)
	out.SetResourceVersion("")
	unstructured.RemoveNestedField(out.Object, "status")
	unstructured.RemoveNestedField(out.Object, "metadata", "annotations", "deployment.kubernetes.io/revision")
	return out.Object
}

// createForeign makes the objects of others. Their labels say that they belong
// to another organization.
func createForeign(ctx context.Context, client dynamic.Interface, namespace, name string) error {
	for _, object := range foreignObjects(namespace, name) {
		_, err := client.Resource(resourceOf(object.GetKind())).Namespace(namespace).
			Create(ctx, object, metav1.CreateOptions{FieldManager: somebody})
		if err != nil {
			return fmt.Errorf("make a %s of others: %w", object.GetKind(), err)
		}
	}
	return nil
}

func releaseForeign(ctx context.Context, client dynamic.Interface, namespace, name string) {
	for _, object := range foreignObjects(namespace, name) {
		_, _ = client.Resource(resourceOf(object.GetKind())).Namespace(namespace).
			Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	}
}

func foreignObjects(namespace, name string) []*Object {
	metadata := map[string]any{
		"name": name, "namespace": namespace, "finalizers": []string{"example.dev/theirs"},
		"annotations": map[string]string{"example.dev/note": "theirs"},
		"labels":      naming.OwnerLabels("another", "deployment", "shop/cart/main/dev"),
	}
	labels := map[string]string{"app": name}
	pod := map[string]any{
		"metadata": map[string]any{"labels": labels},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": name, "image": "theirs"}}},
	}
	job := map[string]any{"spec": map[string]any{
		"restartPolicy": "Never", "containers": []any{map[string]any{"name": name, "image": "theirs"}},
	}}
	var objects []*Object
	add := func(apiVersion, kind string, fields map[string]any) {
		fields["apiVersion"], fields["kind"], fields["metadata"] = apiVersion, kind, metadata
		// JSON gives all of it the types that the client knows.
		text, _ := json.Marshal(fields)
		object := &Object{}
		if err := object.UnmarshalJSON(text); err != nil {
			panic(err)
		}
		objects = append(objects, object)
	}
	add("v1", "ConfigMap", map[string]any{"data": labels})
	add("v1", "Secret", map[string]any{"stringData": labels})
	add("v1", "ServiceAccount", map[string]any{})
	add("v1", "Service", map[string]any{"spec": map[string]any{"selector": labels, "ports": []any{map[string]any{"port": 80}}}})
	add("apps/v1", "Deployment", map[string]any{"spec": map[string]any{
		"replicas": 0, "selector": map[string]any{"matchLabels": labels}, "template": pod,
	}})
	add("autoscaling/v2", "HorizontalPodAutoscaler", map[string]any{"spec": map[string]any{
		"maxReplicas": 1, "scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
	}})
	add("batch/v1", "CronJob", map[string]any{"spec": map[string]any{
		"schedule": "0 0 1 1 *", "suspend": true, "jobTemplate": map[string]any{"spec": map[string]any{"template": job}},
	}})
	add("networking.k8s.io/v1", "NetworkPolicy", map[string]any{"spec": map[string]any{"podSelector": map[string]any{"matchLabels": labels}}})
	add("gateway.networking.k8s.io/v1", "HTTPRoute", map[string]any{"spec": map[string]any{
		"hostnames": []string{namespace + ".example"}, "parentRefs": []any{map[string]any{"name": "public", "namespace": "gateways"}},
		"rules": []any{map[string]any{"backendRefs": []any{map[string]any{"name": name, "port": 80}}}},
	}})
	return objects
}

// settleNeighbours makes a namespace of others for all the tests of a process,
// each of which checks that it leaves it alone. It returns what removes it.
func settleNeighbours(kubeconfig string) (remove func(), err error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	ctx, cancel := detached()
	defer cancel()
	name := "neighbours-" + rand.String(8)
	namespaces := client.Resource(resourceOf("Namespace"))
	namespace := &Object{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
	if _, err := namespaces.Create(ctx, namespace, metav1.CreateOptions{FieldManager: somebody}); err != nil {
		return nil, fmt.Errorf("make a namespace of others: %w", err)
	}
	remove = func() {
		ctx, cancel := detached()
		defer cancel()
		releaseForeign(ctx, client, name, neighbour)
		_ = namespaces.Delete(ctx, name, metav1.DeleteOptions{})
	}
	err = errors.Join(createForeign(ctx, client, name, neighbour), os.Setenv(neighboursVariable, name))
	return remove, err
}
