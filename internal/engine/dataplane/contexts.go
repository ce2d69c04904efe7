// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package dataplane holds what handlers work with: the contexts, in which
// everything is already resolved, the ResourceHandler contract, its generic
// implementation over a runtime, and the Reconciler that runs a list of handlers.
package dataplane

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// ProjectContext is all that the handlers of a project need.
type ProjectContext struct {
	Organization       string
	DeploymentPipeline *platform.DeploymentPipeline
	Project            *platform.Project
	EnvironmentNames   []string
	NamespaceNames     []string
	// Cells are the project's places in its environments, in pipeline order.
	Cells []Cell
}

// Cell is the place of a project in one environment.
type Cell struct {
	Environment *platform.Environment
	DataPlane   *platform.DataPlane
	Namespace   string
	// Existing tells that the namespace is somebody else's: it is neither made
	// nor changed nor removed, and others may run in it too.
	Existing bool
}

// EnvironmentContext is all that the handlers of an environment need.
type EnvironmentContext struct {
	Organization string
	Environment  *platform.Environment
	DataPlane    *platform.DataPlane
}

// CellContext is all that the handlers of one cell need.
type CellContext struct {
	Organization string
	Project      *platform.Project
	Cell         Cell
}

// DeploymentContext is all that the handlers of a deployment need.
type DeploymentContext struct {
	Organization       string
	DeploymentPipeline *platform.DeploymentPipeline
	Project            *platform.Project
	Component          *platform.Component
	// DeploymentTrack is never nil: the main track is implicit.
	DeploymentTrack *platform.DeploymentTrack
	// Build is nil when the artifact is an image.
	Build *platform.Build
	// DeployableArtifact is never nil: an inline image and configuration are an
	// implicit artifact.
	DeployableArtifact  *platform.DeployableArtifact
	Deployment          *platform.Deployment
	Environment         *platform.Environment
	DataPlane           *platform.DataPlane
	ConfigurationGroups []*platform.ConfigurationGroup
	ContainerImage      string
	// Cell is where the deployment runs.
	Cell Cell
	// Promoted is the artifact before overrides, and Release its digest: what goes
	// from stage to stage.
	Promoted *platform.DeployableArtifact
	Release  string
	// Promotion tells where the artifact comes from; nil when it is inline.
	Promotion *Promotion
	// Adopted is what stays of the objects that were taken over; nil when none were.
	Adopted *platform.Adopted
}

// Promotion is where a deployment takes its artifact from.
type Promotion struct {
	// Source is nil when it is gone and a release of the target's own history runs.
	Source *platform.Deployment
	// SourceRelease is what the source runs, or will once the plan is applied.
	SourceRelease string
}

// EndpointContext is all that the handlers of an endpoint need.
type EndpointContext struct {
	Organization       string
	Project            *platform.Project
	DataPlane          *platform.DataPlane
	Component          *platform.Component
	DeploymentTrack    *platform.DeploymentTrack
	DeployableArtifact *platform.DeployableArtifact
	Deployment         *platform.Deployment
	Environment        *platform.Environment
	Endpoint           *platform.Endpoint
	Cell               Cell
	// Adopted is that of the deployment.
	Adopted *platform.Adopted
}

// Visibility returns the visibility in force.
func (c *EndpointContext) Visibility() platform.Visibility {
	if c.Endpoint.Visibility != "" {
		return c.Endpoint.Visibility
	}
	return c.Component.Type.DefaultVisibility()
}

// Gateway returns the gateway through which the endpoint is reached; nil when
// its visibility needs none, or the data plane has none of that visibility.
func (c *EndpointContext) Gateway() *platform.Gateway {
	return c.DataPlane.Gateways.For(c.Visibility())
}

// Listener returns the listener to attach to; empty is every listener that takes
// the route.
func (c *EndpointContext) Listener() string {
	if gateway := c.Gateway(); c.Endpoint.Listener == "" && gateway != nil {
		return gateway.Listener
	}
	return c.Endpoint.Listener
}
