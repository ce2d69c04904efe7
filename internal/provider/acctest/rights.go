// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NamespaceAdmin returns a connection, as the provider block has it, that may do
// in one namespace what Kubernetes calls an admin, and nothing elsewhere.
func (e *Env) NamespaceAdmin(t *testing.T, namespace string) string {
	t.Helper()
	const name = "tenant"
	metadata := map[string]any{"name": name, "namespace": namespace}
	create := func(resource schema.GroupVersionResource, object map[string]any, subresources ...string) *Object {
		made, err := e.dynamic.Resource(resource).Namespace(namespace).
			Create(t.Context(), &Object{Object: object}, metav1.CreateOptions{}, subresources...)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	accounts := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	create(accounts, map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
	create(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}, map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace}},
	})
	answer := create(accounts, map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": metadata, "spec": map[string]any{"audiences": []any{}},
	}, "token")
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("{ host = %q, token = %q, cluster_ca_certificate = %q }", e.config.Host, token, e.config.CAData)
}
