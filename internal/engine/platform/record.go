// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

// InventoryEntry is one piece of infrastructure that an object owns. Delete and
// prune act on entries, so they need neither a render nor a complete context.
type InventoryEntry struct {
	// Handler is the name of the handler that made it.
	Handler string `json:"handler"`
	// DataPlane is where it lives.
	DataPlane string `json:"dataPlane,omitempty"`
	// Type and ID are those of the runtime's Resource.
	Type string `json:"type"`
	ID   string `json:"id"`
	// UID is the infrastructure's identity; empty until it was created.
	UID string `json:"uid,omitempty"`
}

// New returns an empty object of a kind, or nil for an unknown one.
func New(kind Kind) Object {
	switch kind {
	case KindDataPlane:
		return &DataPlane{}
	case KindEnvironment:
		return &Environment{}
	case KindDeploymentPipeline:
		return &DeploymentPipeline{}
	case KindProject:
		return &Project{}
	case KindCell:
		return &Cell{}
	case KindComponent:
		return &Component{}
	case KindDeployment:
		return &Deployment{}
	case KindEndpoint:
		return &Endpoint{}
	}
	return nil
}
