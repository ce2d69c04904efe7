// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import (
	"fmt"
	"strings"
)

// Type names a runtime.
type Type string

// The runtimes.
const (
	Kubernetes Type = "Kubernetes"
	Terraform  Type = "Terraform"
)

// ExtensionDataPlane is the key of Extensions that names the data plane a
// resource lives on.
const ExtensionDataPlane = "dataPlane"

// Resource is one thing in some infrastructure.
type Resource struct {
	// ID identifies the resource within its runtime. For Kubernetes it is
	// apiVersion:kind:namespace:name, the namespace empty for cluster scope;
	// see KubernetesID.
	ID string `json:"id"`
	// Type names the runtime.
	Type Type `json:"type"`
	// Attributes are the rendered fields; for Kubernetes the object's JSON.
	Attributes map[string]any `json:"attributes"`
	// DependsOn lists the IDs that must exist before this one.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Extensions carry what the runtime needs besides the fields.
	Extensions map[string]any `json:"extensions,omitempty"`
}

// DataPlane returns the data plane the resource lives on, or "".
func (r *Resource) DataPlane() string {
	name, _ := r.Extensions[ExtensionDataPlane].(string)
	return name
}

// Stack says on whose behalf a runtime acts.
type Stack struct {
	// Organization is the tenant.
	Organization string
	// OwnerKind and OwnerID identify the platform object that owns the resource.
	OwnerKind string
	OwnerID   string
	// DataPlane is the data plane the resource lives on.
	DataPlane string
}

// ObjectKey is the parsed ID of a Kubernetes resource.
type ObjectKey struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
}

// KubernetesID returns the ID of a Kubernetes object.
func KubernetesID(apiVersion, kind, namespace, name string) string {
	return strings.Join([]string{apiVersion, kind, namespace, name}, ":")
}

// ParseKubernetesID is the inverse of KubernetesID. Its error is an
// INVALID_ARGUMENT Status.
func ParseKubernetesID(id string) (ObjectKey, error) {
	parts := strings.Split(id, ":")
	if len(parts) != 4 || parts[0] == "" || parts[1] == "" || parts[3] == "" {
		return ObjectKey{}, Errorf(InvalidArgument, "resource id %q is not apiVersion:kind:namespace:name", id)
	}
	return ObjectKey{APIVersion: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}, nil
}

// String returns kind/namespace/name, the subject of every message about an object.
func (k ObjectKey) String() string {
	if k.Namespace == "" {
		return fmt.Sprintf("%s/%s", k.Kind, k.Name)
	}
	return fmt.Sprintf("%s/%s/%s", k.Kind, k.Namespace, k.Name)
}
