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
	if problems := checkUnknown(ctx); len(problems) > 0 {
		return problems
	}
	if !ctx.Component.Type.Serves() {
		return []platform.Problem{{
			Path: platform.Path{"deployment"}, Title: "Deployment without a Service",
			Detail: fmt.Sprintf("The component %q is of type %s, for which no Service is made, so an endpoint cannot lead to it. "+
				"Remove the endpoint, or use another component type.", ctx.Component.ID(), ctx.Component.Type),
		}}
	}
	problems := checkPort(ctx)
	switch {
	case !routed(ctx):
		return append(problems, checkUnrouted(ctx)...)
	case ctx.Gateway() == nil:
		return append(problems, noGateway(ctx))
	}
	return append(problems, checkRoute(ctx)...)
}

// checkUnknown refuses what stands for a value that is not known yet and decides
// about which objects there are.
func checkUnknown(ctx *dataplane.EndpointContext) []platform.Problem {
	var problems []platform.Problem
	for _, value := range []struct {
		attribute, got string
		known          bool
	}{
		{"deployment", string(ctx.Component.Type), ctx.Component.Type.Known()},
		{"type", string(ctx.Endpoint.Type), ctx.Endpoint.Type.Known()},
		{"visibility", string(ctx.Visibility()), slices.Contains(platform.Visibilities(), string(ctx.Visibility()))},
	} {
		if !value.known {
			problems = append(problems, platform.Problem{
				Path: platform.Path{value.attribute}, Title: "Unknown value", Detail: fmt.Sprintf("Nothing can be rendered for %q.", value.got),
			})
		}
	}
	return problems
}

// noGateway says that the data plane lacks the gateway of the visibility.
func noGateway(ctx *dataplane.EndpointContext) platform.Problem {
	return platform.Problem{
		Path: platform.Path{"visibility"}, Title: fmt.Sprintf("No %s gateway", ctx.Visibility()),
		Detail: fmt.Sprintf("The endpoint's visibility is %[1]s, and the data plane %[2]q of the environment %[3]q has no %[1]s gateway. "+
			"Set gateways.%[1]s on the data plane, or the visibility %[4]q on the endpoint.",
			ctx.Visibility(), ctx.DataPlane.Name, ctx.Environment.Name, platform.VisibilityProject),
	}
}

// checkUnrouted refuses what only a route could heed.
func checkUnrouted(ctx *dataplane.EndpointContext) []platform.Problem {
	var problems []platform.Problem
	for _, given := range []struct {
		attribute string
		set       bool
	}{{"hostnames", len(ctx.Endpoint.Hostnames) > 0}, {"listener", ctx.Endpoint.Listener != ""}} {
		if given.set {
			problems = append(problems, platform.Problem{
				Path: platform.Path{given.attribute}, Title: "No route to apply it to",
				Detail: fmt.Sprintf("The endpoint's visibility is %s, so it is reached through no gateway. Remove the attribute, or set another visibility.", ctx.Visibility()),
			})
		}
	}
	return problems
}

func checkRoute(ctx *dataplane.EndpointContext) []platform.Problem {
	var problems []platform.Problem
	if !ctx.Endpoint.Type.HasHosts() && ctx.Listener() == "" {
		problems = append(problems, platform.Problem{
			Path: platform.Path{"listener"}, Title: "Missing listener",
			Detail: fmt.Sprintf("Connections of type %s name no host, so the endpoint needs a listener for itself, and the %s gateway of the data plane %q names none. Set listener to one of the gateway's.",
				ctx.Endpoint.Type, ctx.Visibility(), ctx.DataPlane.Name),
		})
	}
	for i, hostname := range ctx.Endpoint.Hostnames {
		if under, ok := strings.CutSuffix(hostname, "."+ctx.Gateway().VirtualHost); ok && strings.Count(under, ".") == 1 {
			problems = append(problems, platform.Problem{
				Path: platform.Path{"hostnames", i}, Title: "Reserved hostname",
				Detail: fmt.Sprintf("%q may be the host of a component: those are two labels below %s. Use a name with more or fewer labels.",
					hostname, ctx.Gateway().VirtualHost),
			})
		}
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
