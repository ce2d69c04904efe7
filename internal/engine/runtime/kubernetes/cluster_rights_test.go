// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// restricted returns a connection that may do everything in one namespace.
func (c *cluster) restricted(t *testing.T, namespace string) kubernetes.Connection {
	t.Helper()
	build := func(apiVersion, kind, name string, fields map[string]any) *runtime.Resource {
		fields["apiVersion"], fields["kind"] = apiVersion, kind
		fields["metadata"] = map[string]any{"name": name, "namespace": namespace}
		return &runtime.Resource{ID: runtime.KubernetesID(apiVersion, kind, namespace, name), Attributes: fields}
	}
	account := build("v1", "ServiceAccount", "tenant", map[string]any{})
	c.create(t, account)
	c.create(t, build("rbac.authorization.k8s.io/v1", "RoleBinding", "tenant", map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": "tenant", "namespace": namespace}},
	}))
	accounts, _ := c.objects(t, account.ID)
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": "tenant", "namespace": namespace}, "spec": map[string]any{"audiences": []any{}},
	}}
	answer, err := accounts.Create(t.Context(), request, metav1.CreateOptions{}, "token")
	if err != nil {
		t.Fatal(err)
	}
	token, _, _ := unstructured.NestedString(answer.Object, "status", "token")
	config, err := clientcmd.BuildConfigFromFlags("", runtimetest.Kubeconfig(t))
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.Connection{Name: "tenant", Source: "a test", Host: config.Host, Token: token, ClusterCACertificate: string(config.CAData)}
}

func TestClusterRestrictedRights(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	own, other := c.namespace(t), c.namespace(t)
	c.connection = c.restricted(t, own)
	r, requests := c.runtime(t, kubernetes.Options{})
	var plans []*runtime.Resource
	for _, name := range []string{"a", "b", "c"} {
		plan := runtimetest.ConfigMap(c.stack, own, name, map[string]any{"a": "1"})
		apply(t, r, c.stack, nil, plan)
		plans = append(plans, plan)
	}
	requests.take()
	for _, plan := range plans {
		out, err := runtime.Read(t.Context(), r, &runtime.ReadRequest{PriorResource: plan, Stack: c.stack, Recorded: true})
		if err != nil || out.Resource == nil {
			t.Fatalf("read %v, %v", out.Resource, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"list": 2}, requests.take()); diff != "" {
		t.Errorf("one list is refused, one is of the namespace: -want, +got:\n%s", diff)
	}
	plan := runtimetest.ConfigMap(c.stack, other, "a", map[string]any{"a": "1"})
	_, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PlanResource: plan, Stack: c.stack})
	wantCode(t, err, runtime.PermissionDenied, "patch configmaps in namespace "+other, "tenant", "a test")
	_, err = runtime.Read(t.Context(), r, &runtime.ReadRequest{PriorResource: plan, Stack: c.stack})
	wantCode(t, err, runtime.PermissionDenied, "get configmaps in namespace "+other)
	_, err = runtime.Delete(t.Context(), r, &runtime.DeleteRequest{Resource: plan, Stack: c.stack})
	wantCode(t, err, runtime.PermissionDenied, "get configmaps in namespace "+other)

	c.connection.Token = "wrong"
	stranger, _ := c.runtime(t, kubernetes.Options{})
	_, err = runtime.Apply(t.Context(), stranger, &runtime.ApplyRequest{PlanResource: plan, Stack: c.stack})
	wantCode(t, err, runtime.Unauthenticated, "tenant", "a test")
}
