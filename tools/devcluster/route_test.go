// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func httpRoutes() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"}
}

// testRoute checks that the gateway notices a backend that comes later.
func testRoute(t *testing.T, f fixture) {
	f.createRoute(t, "good", nil, "http")
	f.waitForVerdict(t, "good", "Accepted", "BackendNotFound")
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "good"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
	if _, err := f.client.CoreV1().Services(namespace).Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatalf("create service: %v", err)
	}
	f.waitForVerdict(t, "good", "Accepted", "ResolvedRefs")
}

func testRefusedRoutes(t *testing.T, f fixture) {
	f.createRoute(t, "unwanted", map[string]any{"devcluster.openplatform.dev/route": "refused"}, "http")
	f.waitForVerdict(t, "unwanted", "NotAllowedByListeners", "BackendNotFound")
	f.createRoute(t, "lost", nil, "no-such-listener")
	f.waitForVerdict(t, "lost", "NoMatchingParent", "BackendNotFound")
	f.createRoute(t, "wrong-kind", nil, "tcp")
	f.waitForVerdict(t, "wrong-kind", "NotAllowedByListeners", "BackendNotFound")
}

func (f fixture) createRoute(t *testing.T, name string, annotations map[string]any, section string) {
	t.Helper()
	route := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
		"metadata": map[string]any{"name": name, "annotations": annotations},
		"spec": map[string]any{
			"parentRefs": []any{map[string]any{"name": "public", "namespace": "gateways", "sectionName": section}},
			"rules":      []any{map[string]any{"backendRefs": []any{map[string]any{"name": name, "port": int64(80)}}}},
		},
	}}
	_, err := f.dynamic.Resource(httpRoutes()).Namespace(namespace).
		Apply(t.Context(), name, route, metav1.ApplyOptions{FieldManager: "test"})
	if err != nil {
		t.Fatalf("apply route: %v", err)
	}
}

// waitForVerdict waits until the conditions of the route's only parent have the
// two reasons.
func (f fixture) waitForVerdict(t *testing.T, name, accepted, resolved string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		route, err := f.dynamic.Resource(httpRoutes()).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		var got struct {
			Status struct {
				Parents []struct {
					Conditions []metav1.Condition `json:"conditions"`
				} `json:"parents"`
			} `json:"status"`
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(route.Object, &got); err != nil {
			return err
		}
		reasons := map[string]string{}
		for _, parent := range got.Status.Parents {
			for _, condition := range parent.Conditions {
				reasons[condition.Type] = condition.Reason
			}
		}
		if reasons["Accepted"] != accepted || reasons["ResolvedRefs"] != resolved {
			return fmt.Errorf("reasons are %v", reasons)
		}
		return nil
	})
}

func (f fixture) waitUntilGone(t *testing.T, get func(context.Context) error) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		err := get(ctx)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			return fmt.Errorf("it is still there")
		}
		return err
	})
}
