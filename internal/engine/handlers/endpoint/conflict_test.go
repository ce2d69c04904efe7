// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func TestConflict(t *testing.T) {
	t.Parallel()
	type context = dataplane.EndpointContext
	typed := func(kind platform.EndpointType, listener string) func(*context) {
		return func(ctx *context) { ctx.Endpoint.Type, ctx.Endpoint.Listener = kind, listener }
	}
	named := func(component string, hostnames ...string) func(*context) {
		return func(ctx *context) { ctx.Component.Name, ctx.Endpoint.Hostnames = component, hostnames }
	}
	all := func(changes ...func(*context)) func(*context) {
		return func(ctx *context) {
			for _, change := range changes {
				change(ctx)
			}
		}
	}
	same := func(*context) {}
	path := func(ctx *context) { ctx.Endpoint.BasePath = "/other" }
	inside := func(virtualHost, gateway string) func(*context) {
		return func(ctx *context) {
			organization(ctx)
			ctx.DataPlane.Gateways.Organization.VirtualHost = virtualHost
			ctx.DataPlane.Gateways.Organization.Namespace, ctx.DataPlane.Gateways.Organization.Name = "gateways", gateway
		}
	}
	farAway := func(ctx *context) { ctx.DataPlane.Name, ctx.DataPlane.Cluster = "live", "live" }

	cases := map[string]struct {
		reason       string
		mine, theirs func(*context)
		want         string
	}{
		"Path":      {reason: "One host and path leads to one endpoint.", mine: same, theirs: same, want: "base_path"},
		"OtherPath": {reason: "Paths tell them apart.", mine: same, theirs: path},
		"Project":   {reason: "Without a route there is no conflict.", mine: same, theirs: func(ctx *context) { ctx.Endpoint.Visibility = platform.VisibilityProject }},
		"OtherHost": {reason: "Components have hosts of their own.", mine: same, theirs: named("other")},
		"Hostname": {
			reason: "A hostname and path leads to one endpoint.",
			mine:   named("cart", "a.example.com", "b.example.com"), theirs: named("other", "b.example.com"), want: "hostnames",
		},
		"HostnameAndPath": {
			reason: "Paths tell the endpoints of a hostname apart.",
			mine:   named("cart", "a.example.com"), theirs: all(named("other", "a.example.com"), path),
		},
		"Listener": {
			reason: "Different listeners have different ports.",
			mine:   typed(platform.EndpointHTTP, "http"), theirs: typed(platform.EndpointHTTP, "https"),
		},
		"GRPC": {
			reason: "Nothing tells two gRPC endpoints of a host apart.",
			mine:   typed(platform.EndpointGRPC, ""), theirs: typed(platform.EndpointGRPC, ""), want: "listener",
		},
		"Mixed": {
			reason: "A gateway takes either HTTP or gRPC routes of a host.",
			mine:   all(typed(platform.EndpointGRPC, ""), path), theirs: typed(platform.EndpointHTTP, "http"), want: "listener",
		},
		"MixedListeners": {
			reason: "HTTP and gRPC have a listener each.",
			mine:   typed(platform.EndpointGRPC, "grpc"), theirs: typed(platform.EndpointHTTP, "http"),
		},
		"TCP": {
			reason: "A TCP listener leads to one endpoint, whosoever it is.",
			mine:   typed(platform.EndpointTCP, "tcp"), theirs: all(named("other"), typed(platform.EndpointTCP, "tcp")), want: "listener",
		},
		"TCPListeners": {
			reason: "TCP endpoints have a listener each.",
			mine:   typed(platform.EndpointTCP, "tcp"), theirs: typed(platform.EndpointTCP, "redis"),
		},
		"TCPAndHTTP": {
			reason: "A listener for both does not exist; the gateway says so.",
			mine:   typed(platform.EndpointTCP, "tcp"), theirs: typed(platform.EndpointHTTP, "tcp"),
		},
		"TCPElsewhere": {
			reason: "A gateway of the same name in another cluster is another one.",
			mine:   typed(platform.EndpointTCP, "tcp"), theirs: all(typed(platform.EndpointTCP, "tcp"), farAway),
		},
		"OtherCluster": {
			reason: "A host in another cluster is the same address.",
			mine:   same, theirs: farAway, want: "base_path",
		},
		"OtherGateway": {
			reason: "Inside and outside, one name may lead to different gateways.",
			mine:   same, theirs: inside("apps.example.com", "internal"),
		},
		"SharedGateway": {
			reason: "A gateway may serve both visibilities.",
			mine:   same, theirs: inside("apps.example.com", "public"), want: "base_path",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine, theirs := handlertest.Endpoint(), handlertest.Endpoint()
			theirs.Endpoint.Name = "second"
			tc.mine(mine)
			tc.theirs(theirs)
			for _, pair := range [][2]*context{{mine, theirs}, {theirs, mine}} {
				var got, want []string
				for _, problem := range Conflict(pair[0], pair[1]) {
					got = append(got, problem.Path.String())
				}
				if tc.want != "" {
					want = []string{tc.want}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestEveryTypeHasARoute(t *testing.T) {
	t.Parallel()
	var types []string
	for kind := range builders() {
		types = append(types, string(kind))
	}
	slices.Sort(types)
	if diff := cmp.Diff(slices.Sorted(slices.Values(platform.EndpointTypes())), types); diff != "" {
		t.Errorf("Each endpoint type has a kind of route: -want +got:\n%s", diff)
	}
}
