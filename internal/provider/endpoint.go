// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func endpointKind() *kind {
	return &kind{
		name: "endpoint", kind: platform.KindEndpoint, identity: []string{"deployment", "name"}, timeout: 5 * time.Minute,
		description: "An endpoint is a way into a deployment.",
		attributes: described(map[string]schema.Attribute{
			"deployment": required("The id of the deployment. Changing it replaces the endpoint."),
			"name":       required("The name, a DNS label without `--`. Changing it replaces the endpoint."),
			"type":       required("The type, " + oneOf(platform.EndpointTypes()) + ". It decides the kind of route: HTTPRoute, GRPCRoute or TCPRoute."),
			"port":       required("The name of one of the deployment's `configuration.ports`."),
			"base_path":  optional("The path prefix that is routed; default `/`. For `http` only."),
			"visibility": optional("From where it is reached, " + oneOf(platform.Visibilities()) + "; default `public` for a `web_application` and `project` for every other type. " +
				"Pods of the project always reach it. With `organization` those of the organization's other projects on the data plane do too, and it gets a route on the data plane's organization gateway. " +
				"With `public` it gets a route on the public gateway."),
			"hostnames": optionalStrings("DNS names that are routed besides the generated host, at most 15; the first label may be `*`. DNS records and certificates are up to you. For `http` and `grpc` with a route only."),
			"listener": optional("The name of the gateway's listener to attach to; default is the gateway's `listener`. A `tcp` endpoint needs a listener for itself. " +
				"`http` and `grpc` endpoints of one component need different ones, because a gateway takes routes of one kind for a host."),
		}),
		outputs: map[string]output{
			"addresses": mapOutput("The addresses by visibility: a URL for `http`, `host:port` for `grpc` and `tcp`. `project` is the address inside the cluster, for every pod that may reach it. "+
				"`organization` and `public` are those through the gateway; they are absent where the data plane does not tell the port of the listener, in `port` or `listener_ports`.", func(o engine.Outputs) map[string]string { return o.Addresses }),
			outputManifests: manifestsOutput(),
		},
	}
}
