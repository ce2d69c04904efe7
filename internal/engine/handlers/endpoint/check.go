// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Check returns what is wrong with an endpoint in its surroundings.
func Check(ctx *dataplane.EndpointContext) []platform.Problem {
	if !ctx.Component.Type.Serves() {
		return []platform.Problem{{
			Path: platform.Path{"deployment"}, Title: "Deployment without a Service",
			Detail: fmt.Sprintf("The component %q is of type %s, for which no Service is made, so an endpoint cannot lead to it. "+
				"Remove the endpoint, or use another component type.", ctx.Component.ID(), ctx.Component.Type),
		}}
	}
	problems := checkPort(ctx)
	if public(ctx) && ctx.DataPlane.Gateways.Public == nil {
		problems = append(problems, platform.Problem{
			Path: platform.Path{"visibility"}, Title: "No public gateway",
			Detail: fmt.Sprintf("The endpoint's visibility is public, and the data plane %q of the environment %q has no public gateway. "+
				"Set gateways.public on the data plane, or the visibility %q on the endpoint.",
				ctx.DataPlane.Name, ctx.Environment.Name, platform.VisibilityProject),
		})
	}
	return problems
}

func checkPort(ctx *dataplane.EndpointContext) []platform.Problem {
	ports := ctx.DeployableArtifact.Configuration.Ports
	port, ok := ports[ctx.Endpoint.Port]
	switch {
	case len(ports) == 0:
		return []platform.Problem{{
			Path: platform.Path{"port"}, Title: "Unknown port",
			Detail: fmt.Sprintf("The deployment %q declares no ports. Add %q to its configuration's ports.", ctx.Deployment.ID(), ctx.Endpoint.Port),
		}}
	case !ok:
		return []platform.Problem{{
			Path: platform.Path{"port"}, Title: "Unknown port",
			Detail: fmt.Sprintf("%q is not a port of the deployment %q, which has: %s. Use one of these names.",
				ctx.Endpoint.Port, ctx.Deployment.ID(), strings.Join(slices.Sorted(maps.Keys(ports)), ", ")),
		}}
	case port.TransportProtocol() != platform.Protocols()[0]:
		return []platform.Problem{{
			Path: platform.Path{"port"}, Title: "Wrong protocol",
			Detail: fmt.Sprintf("The port %q of the deployment %q is a %s port; an endpoint of type %s needs a %s port.",
				ctx.Endpoint.Port, ctx.Deployment.ID(), port.Protocol, ctx.Endpoint.Type, platform.Protocols()[0]),
		}}
	}
	return nil
}
