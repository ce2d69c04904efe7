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

// Host returns the host name under which the public gateway serves the
// deployment, or "" when the data plane has none. Its first label is hashed, so
// that no two projects can share one.
func Host(ctx *dataplane.EndpointContext) string {
	gateway := ctx.DataPlane.Gateways.Public
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

// Addresses returns where the endpoint is reached, by visibility. It is empty
// for an endpoint that Check refuses.
func Addresses(ctx *dataplane.EndpointContext) map[string]string {
	addresses := map[string]string{}
	if len(Check(ctx)) > 0 {
		return addresses
	}
	// Without the slash of the root, so that appending a path to any address works.
	path := strings.TrimSuffix(ctx.Endpoint.PathPrefix(), "/")
	addresses[string(platform.VisibilityProject)] = fmt.Sprintf("http://%s.%s.svc:%d%s",
		render.WorkloadName(ctx.Component, ctx.DeploymentTrack), ctx.Cell.Namespace,
		ctx.DeployableArtifact.Configuration.Ports[ctx.Endpoint.Port].Port, path)
	if public(ctx) {
		addresses[string(platform.VisibilityPublic)] = publicOrigin(ctx) + path
	}
	return addresses
}

// publicOrigin returns scheme, host and, where it is not the scheme's own, port.
func publicOrigin(ctx *dataplane.EndpointContext) string {
	gateway := ctx.DataPlane.Gateways.Public
	scheme := gateway.Scheme
	if scheme == "" {
		scheme = platform.Schemes()[0]
	}
	origin := scheme + "://" + Host(ctx)
	if gateway.Port != 0 && gateway.Port != defaultPort(scheme) {
		origin += fmt.Sprintf(":%d", gateway.Port)
	}
	return origin
}

func defaultPort(scheme string) int64 {
	if scheme == "http" {
		return 80
	}
	return 443
}
