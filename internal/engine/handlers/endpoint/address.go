// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Host returns the host name under which the endpoint's gateway serves the
// deployment, or "" when there is none. Its first label is hashed, so that no two
// projects can share one.
func Host(ctx *dataplane.EndpointContext) string {
	gateway := ctx.Gateway()
	if gateway == nil {
		return ""
	}
	parts := []string{ctx.Component.Name}
	if track := ctx.DeploymentTrack.Name; track != naming.MainTrack {
		parts = append(parts, track)
	}
	label := naming.Name(naming.LimitLabel, append(parts, ctx.Project.Name)...)
	return strings.Join([]string{label, ctx.Environment.Prefix(), gateway.VirtualHost}, ".")
}

// hosts returns all names that the endpoint's route matches.
func hosts(ctx *dataplane.EndpointContext) []string {
	if !ctx.Endpoint.Type.HasHosts() {
		return nil
	}
	return append([]string{Host(ctx)}, ctx.Endpoint.Hostnames...)
}

// Addresses returns where the endpoint is reached, by visibility. It is empty
// for an endpoint that Check refuses. Through a gateway there is no address where
// nobody says which port the listener has.
func Addresses(ctx *dataplane.EndpointContext) map[string]string {
	addresses := map[string]string{}
	if len(Check(ctx)) > 0 {
		return addresses
	}
	service := fmt.Sprintf("%s.%s.svc:%d", render.ServiceName(ctx.Component, ctx.DeploymentTrack, ctx.Adopted), ctx.Cell.Namespace,
		ctx.DeployableArtifact.Configuration.Ports[ctx.Endpoint.Port].Port)
	addresses[string(platform.VisibilityProject)] = address(ctx.Endpoint, "http", service)
	if gateway := ctx.Gateway(); gateway != nil {
		if authority := authority(ctx, gateway); authority != "" {
			addresses[string(ctx.Visibility())] = address(ctx.Endpoint, scheme(gateway), authority)
		}
	}
	return addresses
}

// address returns what clients of the endpoint's type take: a URL for HTTP,
// without the slash of the root, so that appending a path works; for others
// host:port, since neither gRPC nor TCP has a scheme that every client knows.
func address(endpoint *platform.Endpoint, scheme, authority string) string {
	if !endpoint.Type.HasPaths() {
		return authority
	}
	return scheme + "://" + authority + strings.TrimSuffix(endpoint.PathPrefix(), "/")
}

// authority returns host and port of the endpoint at the gateway, without the
// port where a URL goes without it; "" when the port is not known.
func authority(ctx *dataplane.EndpointContext, gateway *platform.Gateway) string {
	usual := int64(443)
	if scheme(gateway) == "http" {
		usual = 80
	}
	var port int64
	switch listener := ctx.Endpoint.Listener; {
	case listener != "" && listener != gateway.Listener:
		port = gateway.ListenerPorts[listener]
	case gateway.Port != nil:
		port = *gateway.Port
	case ctx.Endpoint.Type.HasHosts():
		port = usual
	}
	switch {
	case port == 0:
		return ""
	case port == usual && ctx.Endpoint.Type.HasPaths():
		return Host(ctx)
	}
	return fmt.Sprintf("%s:%d", Host(ctx), port)
}

func scheme(gateway *platform.Gateway) string {
	if gateway.Scheme != "" {
		return gateway.Scheme
	}
	return platform.Schemes()[0]
}
