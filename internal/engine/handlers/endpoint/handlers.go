// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package endpoint renders the ways into a deployment: routes, and the network
// policies that let their traffic through.
package endpoint

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Handlers returns the handlers of an endpoint in order. The policy comes last
// and goes first, so that the port is open only while a route leads to it.
func Handlers(session *dataplane.Session) []dataplane.ResourceHandler[dataplane.EndpointContext] {
	return []dataplane.ResourceHandler[dataplane.EndpointContext]{
		dataplane.NewObjects(session, "PublicRoute", public, publicRoute),
		dataplane.NewObjects(session, "NetworkPolicy", policyRequired, networkPolicy),
	}
}

func public(ctx *dataplane.EndpointContext) bool {
	return ctx.Visibility() == platform.VisibilityPublic
}

// objectName is unique in the cell: it is hashed over its parts.
func objectName(ctx *dataplane.EndpointContext) string {
	return naming.Name(naming.LimitName, ctx.Component.Name, ctx.DeploymentTrack.Name, ctx.Endpoint.Name)
}

// target returns the Service port and the container port behind the endpoint, or
// what is wrong with the endpoint.
func target(ctx *dataplane.EndpointContext) (service, container int32, err error) {
	if problems := Check(ctx); len(problems) > 0 {
		return 0, 0, &platform.ProblemError{Problems: problems}
	}
	at := platform.Path{"port"}
	port := ctx.DeployableArtifact.Configuration.Ports[ctx.Endpoint.Port]
	if service, err = render.Int32(at, port.Port); err != nil {
		return 0, 0, err
	}
	container, err = render.Int32(at, port.ContainerPort())
	return service, container, err
}
