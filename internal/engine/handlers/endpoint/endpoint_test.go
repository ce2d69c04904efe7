// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		change func(*dataplane.EndpointContext)
		want   [][2]string
	}{
		"Public": {
			reason: "A public endpoint on a port of the deployment is fine where there is a gateway.",
			change: everything,
		},
		"ProjectWithoutGateway": {
			reason: "An endpoint for the project needs no gateway.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Visibility = platform.VisibilityProject
				ctx.DataPlane.Gateways.Public = nil
			},
		},
		"UnknownPort": {
			reason: "An endpoint leads to one of the deployment's ports.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Port = "grpc" },
			want:   [][2]string{{"port", "Unknown port"}},
		},
		"NoPorts": {
			reason: "A deployment without ports has no endpoints.",
			change: func(ctx *dataplane.EndpointContext) { ctx.DeployableArtifact.Configuration.Ports = nil },
			want:   [][2]string{{"port", "Unknown port"}},
		},
		"Datagrams": {
			reason: "HTTP does not run over a UDP port.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.DeployableArtifact.Configuration.Ports["http"] = platform.Port{Port: 80, Protocol: "UDP"}
			},
			want: [][2]string{{"port", "Wrong protocol"}},
		},
		"EventHandler": {
			reason: "An event handler has no Service to lead to, whatever else is wrong.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Component.Type = platform.TypeEventHandler
				ctx.DeployableArtifact.Configuration.Ports = nil
			},
			want: [][2]string{{"deployment", "Deployment without a Service"}},
		},
		"NoGateway": {
			reason: "A public endpoint needs a public gateway.",
			change: func(ctx *dataplane.EndpointContext) { ctx.DataPlane.Gateways.Public = nil },
			want:   [][2]string{{"visibility", "No public gateway"}},
		},
		"NoGatewayByDefault": {
			reason: "The default visibility of a web application needs a public gateway too.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Component.Type = platform.TypeWebApplication
				ctx.Endpoint.Visibility = ""
				ctx.DataPlane.Gateways.Public = nil
			},
			want: [][2]string{{"visibility", "No public gateway"}},
		},
		"Several": {
			reason: "All problems are reported at once.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Port = "grpc"
				ctx.DataPlane.Gateways.Public = nil
			},
			want: [][2]string{{"port", "Unknown port"}, {"visibility", "No public gateway"}},
		},
		"NoOrganizationGateway": {
			reason: "The public gateway does not stand for that of the organization.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Visibility = platform.VisibilityOrganization },
			want:   [][2]string{{"visibility", "No organization gateway"}},
		},
		"ScheduledTask": {
			reason: "A scheduled task has no Service to lead to.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Component.Type = platform.TypeScheduledTask },
			want:   [][2]string{{"deployment", "Deployment without a Service"}},
		},
		"NoListener": {
			reason: "A TCP endpoint needs a listener for itself.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Type = platform.EndpointTCP },
			want:   [][2]string{{"listener", "Missing listener"}},
		},
		"Unrouted": {
			reason: "What only a route could heed is refused where there is none.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Visibility = platform.VisibilityProject
				ctx.Endpoint.Hostnames, ctx.Endpoint.Listener = []string{"shop.example.com"}, "https"
			},
			want: [][2]string{{"hostnames", "No route to apply it to"}, {"listener", "No route to apply it to"}},
		},
		"ReservedHostname": {
			reason: "Hosts that components may get are not given away; others below the gateway's domain are.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Hostnames = []string{"shop.apps.example.com", "cart.dev.apps.example.com", "a.b.c.apps.example.com"}
			},
			want: [][2]string{{"hostnames[1]", "Reserved hostname"}},
		},
		"Placeholders": {
			reason: "What decides about the objects and is not known yet is refused, so that nothing is shown as known.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Component.Type, ctx.Endpoint.Type, ctx.Endpoint.Visibility = "7001", "7001", "7001"
			},
			want: [][2]string{{"deployment", "Unknown value"}, {"type", "Unknown value"}, {"visibility", "Unknown value"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Endpoint()
			tc.change(ctx)
			var got [][2]string
			for _, p := range Check(ctx) {
				got = append(got, [2]string{p.Path.String(), p.Title})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			_, err := renderAll(ctx)
			_, refused := errors.AsType[*platform.ProblemError](err)
			if routed(ctx) && refused != (len(tc.want) > 0) {
				t.Errorf("%s\nRendering must refuse what Check refuses, got %v.", tc.reason, err)
			}
		})
	}
}

func TestRenderRefusesPortsOutOfRange(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		port   platform.Port
	}{
		"Port":       {reason: "A Service port that does not fit is refused.", port: platform.Port{Port: 1 << 31, TargetPort: new(int64(80))}},
		"TargetPort": {reason: "A container port that does not fit is refused.", port: platform.Port{Port: 80, TargetPort: new(int64(1 << 31))}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Endpoint()
			ctx.DeployableArtifact.Configuration.Ports["http"] = tc.port
			_, err := route(ctx)
			problem, ok := errors.AsType[*platform.ProblemError](err)
			if !ok || problem.Problems[0].Path.String() != "port" {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	const (
		target  = "cart.dp-acme-shop-dev-677945f8.svc:80"
		service = "http://" + target
		host    = "cart-shop-5bc83d96.dev.apps.example.com"
	)
	// No gateway has the port 0, which stands for none here.
	optional := func(port int64) *int64 {
		if port == 0 {
			return nil
		}
		return &port
	}
	kind := func(kind platform.EndpointType, listener string, port int64) func(*dataplane.EndpointContext) {
		return func(ctx *dataplane.EndpointContext) {
			gateway := ctx.DataPlane.Gateways.Public
			gateway.Listener, gateway.Port, gateway.ListenerPorts = "https", optional(port), map[string]int64{"grpc": 9443, "web": 443}
			ctx.Endpoint.Type, ctx.Endpoint.Listener = kind, listener
		}
	}
	gateway := func(scheme string, port int64) func(*dataplane.EndpointContext) {
		return func(ctx *dataplane.EndpointContext) {
			ctx.DataPlane.Gateways.Public.Scheme = scheme
			ctx.DataPlane.Gateways.Public.Port = optional(port)
		}
	}
	cases := map[string]struct {
		reason string
		change func(*dataplane.EndpointContext)
		want   map[string]string
	}{
		"Defaults": {
			reason: "Public addresses are https unless the gateway says otherwise, and the root path adds nothing.",
			change: func(*dataplane.EndpointContext) {},
			want:   map[string]string{"project": service, "public": "https://" + host},
		},
		"Root": {
			reason: "A base path of a slash is the root path.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.BasePath = "/" },
			want:   map[string]string{"project": service, "public": "https://" + host},
		},
		"BasePath": {
			reason: "Every address includes the base path.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.BasePath = "/api/v1" },
			want:   map[string]string{"project": service + "/api/v1", "public": "https://" + host + "/api/v1"},
		},
		"HTTP": {
			reason: "The gateway decides the scheme.",
			change: gateway("http", 0),
			want:   map[string]string{"project": service, "public": "http://" + host},
		},
		"Port": {
			reason: "A port that is not the scheme's own is part of the address.",
			change: gateway("https", 8443),
			want:   map[string]string{"project": service, "public": "https://" + host + ":8443"},
		},
		"OwnPortOfHTTPS": {
			reason: "The port of https goes without saying.",
			change: gateway("", 443),
			want:   map[string]string{"project": service, "public": "https://" + host},
		},
		"OwnPortOfHTTP": {
			reason: "The port of http goes without saying.",
			change: gateway("http", 80),
			want:   map[string]string{"project": service, "public": "http://" + host},
		},
		"ForeignPortOfHTTP": {
			reason: "The port of https is not that of http.",
			change: gateway("http", 443),
			want:   map[string]string{"project": service, "public": "http://" + host + ":443"},
		},
		"Project": {
			reason: "An endpoint for the project has no public address.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Visibility = platform.VisibilityProject },
			want:   map[string]string{"project": service},
		},
		"Organization": {
			reason: "The organization's gateway has a domain of its own.",
			change: organization,
			want:   map[string]string{"project": service, "organization": "https://cart-shop-5bc83d96.dev.internal.example.com"},
		},
		"GRPC": {
			reason: "gRPC clients take host and port, that of the scheme where none is told.",
			change: kind(platform.EndpointGRPC, "", 0),
			want:   map[string]string{"project": target, "public": host + ":443"},
		},
		"GRPCPort": {
			reason: "The gateway's port is that of its own listener.",
			change: kind(platform.EndpointGRPC, "https", 8443),
			want:   map[string]string{"project": target, "public": host + ":8443"},
		},
		"GRPCListener": {
			reason: "Another listener has the port that the data plane tells.",
			change: kind(platform.EndpointGRPC, "grpc", 8443),
			want:   map[string]string{"project": target, "public": host + ":9443"},
		},
		"UnknownListener": {
			reason: "Where nobody tells the port of a listener there is no address rather than a wrong one.",
			change: kind(platform.EndpointHTTP, "other", 8443),
			want:   map[string]string{"project": service},
		},
		"TCP": {
			reason: "TCP has no usual port.",
			change: kind(platform.EndpointTCP, "https", 0),
			want:   map[string]string{"project": target},
		},
		"TCPPort": {
			reason: "TCP clients take host and port.",
			change: kind(platform.EndpointTCP, "https", 6379),
			want:   map[string]string{"project": target, "public": host + ":6379"},
		},
		"TCPListener": {
			reason: "The port is that of the endpoint's listener, also where it is HTTP's.",
			change: kind(platform.EndpointTCP, "web", 6379),
			want:   map[string]string{"project": target, "public": host + ":443"},
		},
		"Hostnames": {
			reason: "Hostnames are routed besides the host that addresses name.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Hostnames = []string{"shop.example.com"} },
			want:   map[string]string{"project": service, "public": "https://" + host},
		},
		"Refused": {
			reason: "An endpoint that cannot be rendered has no address.",
			change: func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Port = "grpc" },
			want:   map[string]string{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Endpoint()
			tc.change(ctx)
			if diff := cmp.Diff(tc.want, Addresses(ctx)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHostsDoNotCollide(t *testing.T) {
	t.Parallel()
	hosts := map[string]string{}
	for _, parts := range [][3]string{
		{"cart", "main", "shop"},
		{"cart", "v2", "shop"},
		{"cart-shop", "main", "v2"},
		{"cart", "shop", "v2"},
		{"cart-v2", "main", "shop"},
		{"cart", "main", "v2-shop"},
		{"shop", "main", "cart"},
	} {
		ctx := handlertest.Endpoint()
		ctx.Component.Name, ctx.Project.Name = parts[0], parts[2]
		handlertest.Track(ctx.DeploymentTrack, ctx.Deployment, parts[1])
		host := Host(ctx)
		if other, taken := hosts[host]; taken {
			t.Errorf("%v and %s share the host %s", parts, other, host)
		}
		hosts[host] = strings.Join(parts[:], " ")
	}
}

func TestHostWithoutGateway(t *testing.T) {
	t.Parallel()
	ctx := handlertest.Endpoint()
	ctx.DataPlane.Gateways.Public = nil
	if got := Host(ctx); got != "" {
		t.Errorf("Without a gateway there is no host, got %q.", got)
	}
}

func TestHandlers(t *testing.T) {
	t.Parallel()
	handlers := Handlers(nil)
	var got []string
	for _, handler := range handlers {
		got = append(got, handler.Name())
	}
	if diff := cmp.Diff([]string{"PublicRoute", "OrganizationRoute", "NetworkPolicy"}, got); diff != "" {
		t.Errorf("Inventories hold the names, so they never change: -want +got:\n%s", diff)
	}
}
