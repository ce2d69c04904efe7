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
			"type":       required("The type, " + oneOf(platform.EndpointTypes()) + "."),
			"port":       required("The name of one of the deployment's `configuration.ports`."),
			"base_path":  optional("The path prefix that is routed; default `/`."),
			"visibility": optional("From where it is reached, " + oneOf(platform.Visibilities()) + "; default `public` for a `web_application` and `project` for every other type. A public endpoint gets an HTTPRoute on the data plane's public gateway."),
		}),
		outputs: map[string]output{
			"addresses":     mapOutput("The addresses by visibility.", func(o engine.Outputs) map[string]string { return o.Addresses }),
			outputManifests: manifestsOutput(),
		},
	}
}
