// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"maps"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// ConfigMap returns a ConfigMap with the labels of its owner.
func ConfigMap(stack *runtime.Stack, namespace, name string, data map[string]any) *runtime.Resource {
	return Object(stack, "v1", "ConfigMap", namespace, name, map[string]any{"data": data})
}

// Deployment returns a Deployment of one container with the labels of its owner.
func Deployment(stack *runtime.Stack, namespace, name string) *runtime.Resource {
	selector := map[string]any{naming.LabelOwner: naming.OwnerHash(stack.Organization, stack.OwnerKind, stack.OwnerID)}
	return Object(stack, "apps/v1", "Deployment", namespace, name, map[string]any{
		"spec": map[string]any{
			"replicas": 1,
			"selector": map[string]any{"matchLabels": selector},
			"template": map[string]any{
				"metadata": map[string]any{"labels": maps.Clone(selector)},
				"spec": map[string]any{
					"containers": []any{map[string]any{
						"name": "main", "image": "registry.example/app:1",
						"env": []any{
							map[string]any{"name": "SECOND", "value": "2"},
							map[string]any{"name": "FIRST", "value": "1"},
						},
						"ports":     []any{map[string]any{"name": "http", "containerPort": 8080}},
						"resources": map[string]any{"requests": map[string]any{"cpu": "0.05", "memory": "0.5Gi"}},
					}},
				},
			},
		},
	})
}

// Object returns an object with the labels of its owner and further fields.
func Object(stack *runtime.Stack, apiVersion, kind, namespace, name string, fields map[string]any) *runtime.Resource {
	labels := map[string]any{}
	for label, value := range naming.OwnerLabels(stack.Organization, stack.OwnerKind, stack.OwnerID) {
		labels[label] = value
	}
	metadata := map[string]any{
		"name": name, "labels": labels,
		"annotations": map[string]any{naming.AnnotationOwnerID: stack.OwnerID},
	}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	attributes := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	maps.Copy(attributes, fields)
	return &runtime.Resource{
		ID:         runtime.KubernetesID(apiVersion, kind, namespace, name),
		Type:       runtime.Kubernetes,
		Attributes: attributes,
		Extensions: map[string]any{runtime.ExtensionDataPlane: stack.DataPlane},
	}
}

// Set changes the field at a path of a resource's attributes; nil removes it.
func Set(resource *runtime.Resource, value any, path ...string) {
	current := resource.Attributes
	for _, name := range path[:len(path)-1] {
		next, ok := current[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			current[name] = next
		}
		current = next
	}
	if value == nil {
		delete(current, path[len(path)-1])
		return
	}
	current[path[len(path)-1]] = value
}

// Get returns the field at a path of a resource's attributes, or nil.
func Get(resource *runtime.Resource, path ...string) any {
	if resource == nil {
		return nil
	}
	var current any = resource.Attributes
	for _, name := range path {
		fields, ok := current.(map[string]any)
		if !ok {
			return nil
		}
		current = fields[name]
	}
	return current
}
