// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"flag"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

var update = flag.Bool("update", false, "rewrite golden files")

// renderAll renders what an endpoint needs, in order.
func renderAll(ctx *dataplane.EndpointContext) ([]runtime.Resource, error) {
	var all []runtime.Resource
	if routed(ctx) {
		some, err := route(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if policyRequired(ctx) {
		some, err := networkPolicy(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func TestGolden(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		change func(*dataplane.EndpointContext)
	}{
		"minimal": {
			reason: "A public endpoint is a route, and a policy that opens its port to the gateway's namespace.",
			change: func(*dataplane.EndpointContext) {},
		},
		"project": {
			reason: "An endpoint for the project needs nothing: the cell is open to its own pods.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Visibility = platform.VisibilityProject },
		},
		"web-application": {
			reason: "The endpoints of a web application are public unless they say otherwise.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Component.Type = platform.TypeWebApplication
				ctx.Endpoint.Visibility = ""
			},
		},
		"everything": {
			reason: "Listener, DNS prefix, base path, labels and all kinds of peers are rendered, in a fixed order.",
			change: everything,
		},
		"named-track": {
			reason: "A named track has a host, a route and a Service of its own.",
			change: func(ctx *dataplane.EndpointContext) {
				handlertest.Track(ctx.DeploymentTrack, ctx.Deployment, "v2")
				ctx.Endpoint.Deployment = ctx.Deployment.ID()
			},
		},
		"adopted": {
			reason: "The endpoint of what was taken over leads to its Service, and its policy selects its pods and keeps them open to their own namespace.",
			change: adopted,
		},
		"no-network-policy": {
			reason: "A data plane without network policies gets the route alone.",
			change: func(ctx *dataplane.EndpointContext) { ctx.DataPlane.NetworkPolicy = "none" },
		},
		"peers-pod-labels": {
			reason: "Pod labels alone select pods of the gateway's namespace.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.DataPlane.Gateways.Public.Peers = &platform.Peers{PodLabels: map[string]string{"app": "proxy"}}
			},
		},
		"peers-cidrs": {
			reason: "Address ranges alone are the only peers: a gateway outside the pod network.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.DataPlane.Gateways.Public.Peers = &platform.Peers{CIDRs: []string{"fd00::/8", "10.0.0.0/8", "10.0.0.0/8"}}
			},
		},
		"peers-empty": {
			reason: "Empty peers mean the gateway's namespace, never everybody.",
			change: func(ctx *dataplane.EndpointContext) { ctx.DataPlane.Gateways.Public.Peers = &platform.Peers{} },
		},
		"organization": {
			reason: "An endpoint for the organization has a route on its gateway, and its port is open to the gateway and to the organization's cells.",
			change: organization,
		},
		"grpc": {
			reason: "A gRPC endpoint is a GRPCRoute of every method, on its own listener.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Type, ctx.Endpoint.Listener = platform.EndpointGRPC, "grpc"
				ctx.Endpoint.Hostnames = []string{"api.example.com"}
			},
		},
		"tcp": {
			reason: "A TCP endpoint is a TCPRoute that takes the whole listener of the gateway.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Type, ctx.DataPlane.Gateways.Public.Listener = platform.EndpointTCP, "tcp"
			},
		},
		"long-names": {
			reason: "Long names are cut and hashed in the host's first label, which has room for 63 characters.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Component.Name = "a" + strings.Repeat("b", 62)
				ctx.Project.Name = "c" + strings.Repeat("d", 62)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Endpoint()
			tc.change(ctx)
			resources, err := renderAll(ctx)
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			handlertest.Golden(t, *update, name, resources)
			handlertest.Deterministic(t, ctx, renderAll)
		})
	}
}

func TestOddValuesNeverPanic(t *testing.T) {
	t.Parallel()
	ctx := handlertest.Endpoint()
	everything(ctx)
	organization(ctx)
	for _, kind := range platform.EndpointTypes() {
		ctx.Endpoint.Type = platform.EndpointType(kind)
		handlertest.Total(t, ctx, renderAll)
	}
}

// adopted makes the endpoint one of a workload that was taken over.
func adopted(ctx *dataplane.EndpointContext) {
	ctx.Cell.Namespace, ctx.Cell.Existing = "team-shop", true
	ctx.Adopted = &platform.Adopted{
		Workload: "legacy", Service: "legacy-svc", Container: "app",
		Selector:  platform.Selector{Labels: map[string]string{"app": "legacy"}},
		PodLabels: map[string]string{"app": "legacy"}, ServiceSelector: map[string]string{"app": "legacy"},
	}
}

// organization makes the endpoint one for the organization.
func organization(ctx *dataplane.EndpointContext) {
	ctx.Endpoint.Visibility = platform.VisibilityOrganization
	ctx.DataPlane.Gateways.Organization = &platform.Gateway{
		Name: "internal", Namespace: "internal-gateways", VirtualHost: "internal.example.com",
	}
}

// everything sets every field that an endpoint's objects depend on.
func everything(ctx *dataplane.EndpointContext) {
	ctx.Environment.DNSPrefix = "d"
	ctx.Endpoint.BasePath = "/api/v1"
	ctx.Endpoint.Hostnames = []string{"shop.example.com", "*.example.org"}
	ctx.Endpoint.Listener = "https"
	ctx.Endpoint.Labels = map[string]string{"team": "checkout", "audience": "partners"}
	ctx.DataPlane.Gateways.Public = &platform.Gateway{
		Name: "edge", Namespace: "gateways", Listener: "web", VirtualHost: "apps.example.com", Scheme: "http", Port: new(int64(8088)),
		ListenerPorts: map[string]int64{"https": 8443},
		Peers: &platform.Peers{
			Namespaces: []string{"proxies-b", "proxies-a", "proxies-b"},
			PodLabels:  map[string]string{"app": "proxy", "tier": "edge"},
			CIDRs:      []string{"10.1.0.0/16"},
		},
	}
}
