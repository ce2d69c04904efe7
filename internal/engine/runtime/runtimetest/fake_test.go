// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

func TestFakeConformance(t *testing.T) {
	t.Parallel()
	fake := runtimetest.NewFake()
	fake.MissingKinds = map[string]bool{"missing.example.dev/v1/Nothing": true}
	var namespaces atomic.Int64
	runtimetest.Run(t, runtimetest.Harness{
		Runtime: func(*testing.T) runtime.Runtime { return fake },
		Namespace: func(*testing.T) string {
			name := fmt.Sprintf("test-%d", namespaces.Add(1))
			fake.AddNamespaces(name)
			return name
		},
		Stack: &runtime.Stack{Organization: "acme", OwnerKind: "deployment", OwnerID: "shop/cart/dev", DataPlane: "test"},
		Other: &runtime.Stack{Organization: "acme", OwnerKind: "deployment", OwnerID: "shop/other/dev", DataPlane: "test"},
		Foreign: func(t *testing.T, resource *runtime.Resource) {
			t.Helper()
			if err := fake.Put(resource); err != nil {
				t.Fatal(err)
			}
		},
		Edit: func(t *testing.T, id, manager string, operation metav1.ManagedFieldsOperationType, value any, path ...string) {
			t.Helper()
			if err := fake.Edit(id, manager, operation, value, path...); err != nil {
				t.Fatal(err)
			}
		},
		MissingKind: runtime.ObjectKey{APIVersion: "missing.example.dev/v1", Kind: "Nothing"},
		Documents: func(*testing.T) (runtime.Documents, runtime.Documents) {
			store := runtimetest.NewFakeDocuments("identity")
			return store, store
		},
	})
}
