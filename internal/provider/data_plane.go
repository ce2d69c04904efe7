// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func dataPlaneKind() *kind {
	return &kind{
		name: "data_plane", kind: platform.KindDataPlane, identity: []string{"name"}, timeout: time.Minute,
		description: "A data plane is a Kubernetes cluster that runs workloads, with the gateways through which they are reached.",
		attributes: described(map[string]schema.Attribute{
			"name":    required("The name, a DNS label without `--`. Changing it replaces the data plane."),
			"cluster": optional("The name of one of the provider's `connections`; by default the provider's `kubernetes` connection."),
			"gateways": optionalObject("The Gateway API Gateways that endpoints attach to, by visibility.", map[string]schema.Attribute{
				"public":       optionalObject("The Gateway of public endpoints.", gatewayAttributes()),
				"organization": optionalObject("The Gateway of endpoints for the organization.", gatewayAttributes()),
			}),
			"network_policy": optional("Who enforces isolation, " + oneOf(platform.NetworkPolicies()) + "; default `kubernetes`: every namespace of a project gets a NetworkPolicy that lets in its own pods only, and endpoints open their port to whom their visibility names."),
		}),
		outputs: map[string]output{
			"server_version": stringOutput("The version that the cluster reports.", func(o engine.Outputs) string { return o.ServerVersion }).afterApply(),
		},
	}
}

func gatewayAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name":         required("The Gateway's name."),
		"namespace":    required("The Gateway's namespace."),
		"listener":     optional("The name of the listener that endpoints attach to unless they name another one; by default every listener that accepts the route."),
		"virtual_host": required("The domain under which endpoints get their hosts, such as `apps.example.com`."),
		"scheme":       optional("The scheme of the addresses of `http` endpoints, " + oneOf(platform.Schemes()) + "; default `https`."),
		"port":         optionalInt("The port of addresses, unless it is the scheme's default. The addresses of `tcp` endpoints need it."),
		"listener_ports": schema.MapAttribute{
			Optional: true, ElementType: types.Int64Type,
			MarkdownDescription: "The ports of other listeners by name, for the addresses of endpoints that name one of them.",
		},
		"peers": optionalObject("Where the gateway's traffic comes from; by default every pod of the Gateway's namespace.", map[string]schema.Attribute{
			"namespaces": optionalStrings("Namespaces of the gateway's pods."),
			"pod_labels": optionalMap("Labels of the gateway's pods."),
			"cidrs":      optionalStrings("Address ranges outside the cluster."),
		}),
	}
}
