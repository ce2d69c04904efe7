// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
)

// Object is an object of the cluster, as the API server has it.
type Object = unstructured.Unstructured

// resourceOf returns the resource of a kind that the provider renders, or of
// which others make objects.
func resourceOf(kind string) schema.GroupVersionResource {
	for _, known := range append(rendered(), others()...) {
		if known.kind == kind {
			return known.resource
		}
	}
	panic("unknown kind " + kind)
}

// knownKind is a kind of object and where the API server has it.
type knownKind struct {
	kind     string
	resource schema.GroupVersionResource
}

// rendered are the kinds of which the provider makes objects, and those that
// Kubernetes makes of them.
func rendered() []knownKind {
	return []knownKind{
		{"Namespace", schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		{"ConfigMap", schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}},
		{"Secret", schema.GroupVersionResource{Version: "v1", Resource: "secrets"}},
		{"Service", schema.GroupVersionResource{Version: "v1", Resource: "services"}},
		{"Pod", schema.GroupVersionResource{Version: "v1", Resource: "pods"}},
		{"Deployment", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}},
		{"ReplicaSet", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}},
		{"HorizontalPodAutoscaler", schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}},
		{"CronJob", schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}},
		{"Job", schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}},
		{"NetworkPolicy", schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}},
		{"HTTPRoute", schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"}},
		{"GRPCRoute", schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "grpcroutes"}},
		{"TCPRoute", schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "tcproutes"}},
	}
}

// others are the kinds of which only tests make objects.
func others() []knownKind {
	const rbac = "rbac.authorization.k8s.io"
	return []knownKind{
		{"Gateway", schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}},
		{"ServiceAccount", schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}},
		{"PersistentVolumeClaim", schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}},
		{"Role", schema.GroupVersionResource{Group: rbac, Version: "v1", Resource: "roles"}},
		{"RoleBinding", schema.GroupVersionResource{Group: rbac, Version: "v1", Resource: "rolebindings"}},
		{"ClusterRole", schema.GroupVersionResource{Group: rbac, Version: "v1", Resource: "clusterroles"}},
		{"ClusterRoleBinding", schema.GroupVersionResource{Group: rbac, Version: "v1", Resource: "clusterrolebindings"}},
		{"MutatingWebhookConfiguration", schema.GroupVersionResource{
			Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations",
		}},
		{"APIService", schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}},
	}
}

// Get returns an object, or nil when there is none.
func (e *Env) Get(t *testing.T, kind, namespace, name string) *Object {
	t.Helper()
	found, err := e.dynamic.Resource(resourceOf(kind)).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// List returns the objects of a kind in a namespace; "" is all of them.
func (e *Env) List(t *testing.T, kind, namespace, selector string) []Object {
	t.Helper()
	list, err := e.dynamic.Resource(resourceOf(kind)).Namespace(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// Deployment returns the Deployment of a component in the project shop in dev.
func (e *Env) Deployment(t *testing.T, name string) *appsv1.Deployment {
	t.Helper()
	found := e.Get(t, "Deployment", e.Namespace("shop", "dev"), name)
	if found == nil {
		t.Fatalf("there is no Deployment %s", name)
	}
	deployment := &appsv1.Deployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, deployment); err != nil {
		t.Fatal(err)
	}
	return deployment
}

// Edit changes an object as kubectl edit does: another manager, by Update.
func (e *Env) Edit(t *testing.T, kind, namespace, name string, change func(map[string]any)) {
	t.Helper()
	resource := e.dynamic.Resource(resourceOf(kind)).Namespace(namespace)
	for {
		found, err := resource.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		change(found.Object)
		_, err = resource.Update(t.Context(), found, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			t.Fatal(err)
		}
	}
}

// ApplyAs changes an object as server-side apply by another manager does, by force.
func (e *Env) ApplyAs(t *testing.T, manager string, object map[string]any) {
	t.Helper()
	given := &Object{Object: object}
	_, err := e.dynamic.Resource(resourceOf(given.GetKind())).Namespace(given.GetNamespace()).
		Apply(t.Context(), given.GetName(), given, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		t.Fatal(err)
	}
}

// Create makes an object of somebody else.
func (e *Env) Create(t *testing.T, object map[string]any) *Object {
	t.Helper()
	return e.CreateAs(t, "somebody", object)
}

// CreateAs makes an object as a client that does not apply on the server.
func (e *Env) CreateAs(t *testing.T, manager string, object map[string]any) *Object {
	t.Helper()
	given := &Object{Object: object}
	made, err := e.dynamic.Resource(resourceOf(given.GetKind())).Namespace(given.GetNamespace()).
		Create(t.Context(), given, metav1.CreateOptions{FieldManager: manager})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Await returns an object once it is as wanted.
func (e *Env) Await(t *testing.T, kind, namespace, name string, wanted func(map[string]any) bool) *Object {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	watcher, err := e.dynamic.Resource(resourceOf(kind)).Namespace(namespace).
		Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	for {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				t.Fatalf("the watch of %s %s ended", kind, name)
			}
			if found, ok := event.Object.(*Object); ok && event.Type != watch.Deleted && wanted(found.Object) {
				return found
			}
		case <-ctx.Done():
			t.Fatalf("%s %s is not as wanted", kind, name)
		}
	}
}

// CreateNamespace makes a namespace of somebody else.
func (e *Env) CreateNamespace(t *testing.T, name string) {
	t.Helper()
	e.Create(t, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	t.Cleanup(func() { e.drop(t, "Namespace", "", name) })
}

// CreateGateways makes Gateways like those of the test cluster in a namespace of
// their own.
func (e *Env) CreateGateways(t *testing.T, namespace string, names ...string) {
	t.Helper()
	e.CreateNamespace(t, namespace)
	for _, name := range names {
		e.Create(t, map[string]any{
			"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": map[string]any{"name": name, "namespace": namespace},
			"spec": map[string]any{
				"gatewayClassName": "devcluster",
				"listeners": []any{map[string]any{
					"name": "http", "port": int64(80), "protocol": "HTTP",
					"allowedRoutes": map[string]any{"namespaces": map[string]any{"from": "All"}},
				}},
			},
		})
	}
}

// Delete deletes an object behind the provider's back and waits until it is gone.
func (e *Env) Delete(t *testing.T, kind, namespace, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	resource := e.dynamic.Resource(resourceOf(kind)).Namespace(namespace)
	watcher, err := resource.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if err := resource.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case event, open := <-watcher.ResultChan():
			if !open {
				t.Fatalf("the watch of %s %s ended", kind, name)
			}
			if event.Type == watch.Deleted {
				return
			}
		case <-ctx.Done():
			t.Fatalf("%s %s is still there", kind, name)
		}
	}
}

// CheckGone reports what is left of the tenant but for the empty control-plane
// namespace, which no destroy removes.
func (e *Env) CheckGone(t *testing.T) error {
	t.Helper()
	ctx, cancel := detached()
	defer cancel()
	var left []string
	for _, known := range rendered() {
		list, err := e.dynamic.Resource(known.resource).List(ctx, metav1.ListOptions{LabelSelector: naming.LabelOrganization + "=" + e.Organization})
		if err != nil {
			return fmt.Errorf("list %s: %w", known.resource.Resource, err)
		}
		for _, item := range list.Items {
			if known.kind == "Namespace" && item.GetName() == e.ControlPlane() {
				continue
			}
			left = append(left, known.kind+"/"+item.GetNamespace()+"/"+item.GetName())
		}
	}
	unlabelled, err := e.records(ctx)
	if err != nil {
		return err
	}
	if left = append(left, unlabelled...); len(left) > 0 {
		return fmt.Errorf("left behind: %s", strings.Join(left, ", "))
	}
	return nil
}

// records returns what the control-plane namespace holds besides what
// Kubernetes itself puts there.
func (e *Env) records(ctx context.Context) ([]string, error) {
	var left []string
	for _, kind := range []string{"ConfigMap", "Secret"} {
		list, err := e.dynamic.Resource(resourceOf(kind)).Namespace(e.ControlPlane()).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list records: %w", err)
		}
		for _, item := range list.Items {
			if item.GetName() != "kube-root-ca.crt" && item.GetLabels()[naming.LabelOrganization] == "" {
				left = append(left, kind+"/"+item.GetNamespace()+"/"+item.GetName())
			}
		}
	}
	return left, nil
}

// sweep deletes every namespace of the tenant without waiting: what a failed
// test left behind, and the control-plane namespace.
func (e *Env) sweep(t *testing.T) {
	t.Helper()
	ctx, cancel := detached()
	defer cancel()
	list, err := e.dynamic.Resource(resourceOf("Namespace")).List(ctx, metav1.ListOptions{LabelSelector: naming.LabelOrganization + "=" + e.Organization})
	if err != nil {
		t.Errorf("cannot clean up: %s", err)
		return
	}
	for _, item := range list.Items {
		e.drop(t, "Namespace", "", item.GetName())
	}
	e.drop(t, "Namespace", "", e.ControlPlane())
}

// drop deletes an object without waiting; absent is fine.
func (e *Env) drop(t *testing.T, kind, namespace, name string) {
	t.Helper()
	ctx, cancel := detached()
	defer cancel()
	err := e.dynamic.Resource(resourceOf(kind)).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		t.Error(errors.Join(fmt.Errorf("cannot clean up %s %s", kind, name), err))
	}
}
