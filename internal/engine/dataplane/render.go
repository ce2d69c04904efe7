// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Manifest turns a typed apply configuration into a Resource on a data plane.
// Apply configurations are used because a plain API struct would also send empty
// fields, which server-side apply would then own.
func Manifest(dataPlane string, configuration any) (runtime.Resource, error) {
	raw, err := json.Marshal(configuration)
	if err != nil {
		return runtime.Resource{}, fmt.Errorf("render: %w", err)
	}
	var attributes map[string]any
	if err := json.Unmarshal(raw, &attributes); err != nil {
		return runtime.Resource{}, fmt.Errorf("render: %w", err)
	}
	metadata, _ := attributes["metadata"].(map[string]any)
	field := func(from map[string]any, key string) string {
		value, _ := from[key].(string)
		return value
	}
	return runtime.Resource{
		ID: runtime.KubernetesID(field(attributes, "apiVersion"), field(attributes, "kind"),
			field(metadata, "namespace"), field(metadata, "name")),
		Type:       runtime.Kubernetes,
		Attributes: attributes,
		Extensions: map[string]any{runtime.ExtensionDataPlane: dataPlane},
	}, nil
}
