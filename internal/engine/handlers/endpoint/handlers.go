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
		dataplane.NewObjects(session, "PublicRoute", visible(platform.VisibilityPublic), route),
		dataplane.NewObjects(session, "OrganizationRoute", visible(platform.VisibilityOrganization), route),
		dataplane.NewObjects(session, "NetworkPolicy", policyRequired, networkPolicy),
	}
}

// visible tells of an endpoint whether it has a visibility.
func visible(visibility platform.Visibility) func(*dataplane.EndpointContext) bool {
	return func(ctx *dataplane.EndpointContext) bool { return ctx.Visibility() == visibility }
}

// routed tells whether the endpoint is reached through a gateway.
func routed(ctx *dataplane.EndpointContext) bool {
	return ctx.Visibility() != platform.VisibilityProject
}

// objectName is unique in the cell: it is hashed over its parts.
func objectName(ctx *dataplane.EndpointContext, more ...string) string {
	parts := []string{ctx.Component.Name, ctx.DeploymentTrack.Name, ctx.Endpoint.Name}
	return naming.Name(naming.LimitName, append(parts, more...)...)
}

// routeSuffix tells the routes of an endpoint apart whose visibility changes:
// the one is made before the other goes.
func routeSuffix(visibility platform.Visibility) []string {
	if visibility == platform.VisibilityPublic {
		return nil
	}
	return []string{string(visibility)}
}

// aim is where traffic for an endpoint arrives, and the ports of Service and
// container behind it.
type aim struct {
	gateway            *platform.Gateway
	service, container int32
}

// target returns the aim of an endpoint that is reached through a gateway, or
// what is wrong with the endpoint.
func target(ctx *dataplane.EndpointContext) (found aim, err error) {
	problems := Check(ctx)
	if found.gateway = ctx.Gateway(); found.gateway == nil && len(problems) == 0 {
		problems = []platform.Problem{noGateway(ctx)}
	}
	if len(problems) > 0 {
		return aim{}, &platform.ProblemError{Problems: problems}
	}
	at := platform.Path{"port"}
	port := ctx.DeployableArtifact.Configuration.Ports[ctx.Endpoint.Port]
	if found.service, err = render.Int32(at, port.Port); err != nil {
		return aim{}, err
	}
	found.container, err = render.Int32(at, port.ContainerPort())
	return found, err
}
