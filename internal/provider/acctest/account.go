// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const rbacGroup = "rbac.authorization.k8s.io"

// Account makes a service account that has the given roles and no others, and
// returns the line of the provider block that uses it. The roles are objects of
// kind ClusterRole, or of kind Role in an existing namespace.
func (e *Env) Account(t *testing.T, name string, roles ...*Object) string {
	t.Helper()
	namespace := e.Organization + "-" + name
	e.CreateNamespace(t, namespace)
	e.Create(t, map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name, "namespace": namespace}})
	subject := map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace}
	for i, role := range roles {
		role = role.DeepCopy()
		// What concerns the whole cluster is named like nothing else.
		role.SetName(fmt.Sprintf("%s-%d", namespace, i))
		e.Create(t, role.Object)
		metadata := map[string]any{"name": role.GetName()}
		if role.GetNamespace() != "" {
			metadata["namespace"] = role.GetNamespace()
		}
		e.Create(t, map[string]any{
			"apiVersion": rbacGroup + "/v1", "kind": role.GetKind() + "Binding", "metadata": metadata, "subjects": []any{subject},
			"roleRef": map[string]any{"apiGroup": rbacGroup, "kind": role.GetKind(), "name": role.GetName()},
		})
		t.Cleanup(func() {
			for _, kind := range []string{role.GetKind() + "Binding", role.GetKind()} {
				e.drop(t, kind, role.GetNamespace(), role.GetName())
			}
		})
	}
	return fmt.Sprintf("kubernetes = {\n    host = %q\n    token = %q\n    cluster_ca_certificate = %q\n  }",
		e.config.Host, e.token(t, namespace, name), string(e.config.CAData))
}

func (e *Env) token(t *testing.T, namespace, name string) string {
	t.Helper()
	request := &Object{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": name, "namespace": namespace}, "spec": map[string]any{"audiences": []any{}},
	}}
	answer, err := e.dynamic.Resource(resourceOf("ServiceAccount")).Namespace(namespace).Create(t.Context(), request, metav1.CreateOptions{}, "token")
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	if err != nil {
		t.Fatal(err)
	}
	return token
}
