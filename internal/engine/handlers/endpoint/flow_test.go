// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"maps"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/cell"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/flowtest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// rendered returns the policies of the endpoint and its cell.
func rendered(t *testing.T, ctx *dataplane.EndpointContext) *flowtest.Policies {
	t.Helper()
	all, err := renderAll(ctx)
	if err != nil {
		t.Fatal(err)
	}
	place := &dataplane.CellContext{Organization: ctx.Organization, Project: ctx.Project, Cell: ctx.Cell}
	for _, part := range cell.Parts() {
		if !part.Required(place) {
			continue
		}
		var some []runtime.Resource
		if some, err = part.Render(place); err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	policies, err := flowtest.New(all)
	if err != nil {
		t.Fatal(err)
	}
	return policies
}

// inNamespace returns a pod with the label that every namespace has.
func inNamespace(namespace string, labels map[string]string) flowtest.Pod {
	return flowtest.Pod{
		Namespace: namespace, NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": namespace}, Labels: labels, IP: "10.244.0.9",
	}
}

// cellOf returns a pod in a cell of an organization, with the labels that the
// provider gives to namespaces.
func cellOf(organization string) flowtest.Pod {
	owner := handlertest.Cell()
	owner.Organization = organization
	pod := inNamespace("dp-"+organization+"-bank-dev-00000000", nil)
	maps.Copy(pod.NamespaceLabels, render.CellOwner(owner).Labels())
	return pod
}

func TestFlows(t *testing.T) {
	t.Parallel()
	base := handlertest.Endpoint()
	target := inNamespace(base.Cell.Namespace, render.PodSelector(base.Organization, base.Deployment))
	sibling := inNamespace(base.Cell.Namespace, map[string]string{"app": "other"})
	otherCell := inNamespace("dp-acme-bank-dev-00000000", nil)
	gateway := inNamespace("gateways", map[string]string{"app": "proxy"})
	outside := flowtest.Pod{IP: "10.1.2.3"}
	opened, closed := flowtest.Port{Number: 8080}, flowtest.Port{Number: 9090}

	peers := func(peers platform.Peers) func(*dataplane.EndpointContext) {
		return func(ctx *dataplane.EndpointContext) { ctx.DataPlane.Gateways.Public.Peers = &peers }
	}
	unchanged := func(*dataplane.EndpointContext) {}
	existing := func(ctx *dataplane.EndpointContext) { ctx.Cell.Namespace, ctx.Cell.Existing = "team-shop", true }
	guarded := inNamespace("team-shop", render.DeploymentOwner(handlertest.Deployment()).PodLabels())
	legacy := inNamespace("team-shop", map[string]string{"app": "legacy"})
	private := func(ctx *dataplane.EndpointContext) { ctx.Endpoint.Visibility = platform.VisibilityProject }

	cases := map[string]struct {
		reason   string
		change   func(*dataplane.EndpointContext)
		from, to flowtest.Pod
		port     flowtest.Port
		want     bool
	}{
		"Sibling": {
			reason: "Pods of one cell reach each other on every port.",
			change: private, from: sibling, to: target, port: closed, want: true,
		},
		"OtherCell": {
			reason: "Pods of another cell reach nothing, the port of a public endpoint included.",
			change: unchanged, from: otherCell, to: target, port: opened, want: false,
		},
		"ExistingSibling": {
			reason: "In an existing namespace everything reaches the project's pods.",
			change: existing, from: inNamespace("team-shop", nil), to: guarded, port: closed, want: true,
		},
		"ExistingOutside": {
			reason: "Pods of other namespaces do not reach the project's pods in an existing one.",
			change: existing, from: otherCell, to: guarded, port: closed, want: false,
		},
		"ExistingGateway": {
			reason: "The gateway reaches a public endpoint in an existing namespace.",
			change: existing, from: gateway, to: guarded, port: opened, want: true,
		},
		"ExistingForeign": {
			reason: "Whatever else runs in an existing namespace is reached as before.",
			change: existing, from: otherCell, to: inNamespace("team-shop", map[string]string{"app": "theirs"}), port: closed, want: true,
		},
		"AdoptedSibling": {
			reason: "What was taken over is reached from its own namespace, also when an endpoint opens a port of it.",
			change: adopted, from: inNamespace("team-shop", nil), to: legacy, port: closed, want: true,
		},
		"AdoptedGateway": {
			reason: "The gateway reaches the port of a public endpoint of what was taken over.",
			change: adopted, from: gateway, to: legacy, port: opened, want: true,
		},
		"AdoptedOutside": {
			reason: "Pods of other namespaces do not reach a public endpoint of what was taken over but through the gateway.",
			change: adopted, from: otherCell, to: legacy, port: opened, want: false,
		},
		"AdoptedPrivate": {
			reason: "What was taken over is reached as before as long as it has no endpoint but for the project.",
			change: func(ctx *dataplane.EndpointContext) {
				adopted(ctx)
				private(ctx)
			},
			from: otherCell, to: legacy, port: closed, want: true,
		},
		"Egress": {
			reason: "Pods of a cell reach what lies outside.",
			change: unchanged, from: target, to: outside, port: flowtest.Port{Number: 443}, want: true,
		},
		"DNS": {
			reason: "Pods of a cell reach DNS.",
			change: unchanged, from: target, to: inNamespace("kube-system", nil), port: flowtest.Port{Protocol: "UDP", Number: 53}, want: true,
		},
		"Gateway": {
			reason: "The gateway reaches the container port of a public endpoint.",
			change: unchanged, from: gateway, to: target, port: opened, want: true,
		},
		"GatewayServicePort": {
			reason: "The port of the Service is not the one that is opened: policies see the container's.",
			change: unchanged, from: gateway, to: target, port: flowtest.Port{Number: 80}, want: false,
		},
		"GatewayOtherPort": {
			reason: "The gateway reaches no other port.",
			change: unchanged, from: gateway, to: target, port: closed, want: false,
		},
		"GatewayOtherProtocol": {
			reason: "The gateway does not reach the port over another protocol.",
			change: unchanged, from: gateway, to: target, port: flowtest.Port{Protocol: "UDP", Number: 8080}, want: false,
		},
		"GatewaySibling": {
			reason: "The gateway reaches no other pod of the cell.",
			change: unchanged, from: gateway, to: sibling, port: opened, want: false,
		},
		"GatewayProject": {
			reason: "The gateway does not reach an endpoint for the project.",
			change: private, from: gateway, to: target, port: opened, want: false,
		},
		"OrganizationGateway": {
			reason: "The organization's gateway reaches the container port of an endpoint for the organization.",
			change: organization, from: inNamespace("internal-gateways", nil), to: target, port: opened, want: true,
		},
		"OrganizationPublicGateway": {
			reason: "The public gateway does not reach an endpoint for the organization.",
			change: organization, from: gateway, to: target, port: opened, want: false,
		},
		"OrganizationCell": {
			reason: "Pods of the organization's other cells reach the port.",
			change: organization, from: cellOf("acme"), to: target, port: opened, want: true,
		},
		"OrganizationCellOtherPort": {
			reason: "Pods of the organization's other cells reach no other port.",
			change: organization, from: cellOf("acme"), to: target, port: closed, want: false,
		},
		"OrganizationCellSibling": {
			reason: "Pods of the organization's other cells reach no other pod.",
			change: organization, from: cellOf("acme"), to: sibling, port: opened, want: false,
		},
		"OtherOrganization": {
			reason: "Cells of other organizations stay out.",
			change: organization, from: cellOf("other"), to: target, port: opened, want: false,
		},
		"ControlPlane": {
			reason: "Namespaces of the organization that are no cells stay out.",
			change: organization, from: func() flowtest.Pod {
				pod := inNamespace("platform-acme", nil)
				pod.NamespaceLabels["openplatform.dev/organization"] = "acme"
				return pod
			}(), to: target, port: opened, want: false,
		},
		"PublicCell": {
			reason: "A public endpoint is reached by other cells through the gateway only.",
			change: unchanged, from: cellOf("acme"), to: target, port: opened, want: false,
		},
		"TCP": {
			reason: "The policy of a TCP endpoint is that of any other.",
			change: func(ctx *dataplane.EndpointContext) {
				ctx.Endpoint.Type, ctx.Endpoint.Listener = platform.EndpointTCP, "tcp"
			},
			from: gateway, to: target, port: opened, want: true,
		},
		"NoPolicies": {
			reason: "A data plane without network policies is open.",
			change: func(ctx *dataplane.EndpointContext) { ctx.DataPlane.NetworkPolicy = "none" },
			from:   otherCell, to: target, port: closed, want: true,
		},
		"PeerNamespace": {
			reason: "Named namespaces replace the gateway's as peers.",
			change: peers(platform.Peers{Namespaces: []string{"proxies"}}),
			from:   inNamespace("proxies", nil), to: target, port: opened, want: true,
		},
		"NotPeerNamespace": {
			reason: "The gateway's own namespace is no peer when others are named.",
			change: peers(platform.Peers{Namespaces: []string{"proxies"}}),
			from:   gateway, to: target, port: opened, want: false,
		},
		"PeerPod": {
			reason: "Pod labels alone let in such pods of the gateway's namespace.",
			change: peers(platform.Peers{PodLabels: map[string]string{"app": "proxy"}}),
			from:   gateway, to: target, port: opened, want: true,
		},
		"NotPeerPod": {
			reason: "Other pods of the gateway's namespace stay out.",
			change: peers(platform.Peers{PodLabels: map[string]string{"app": "proxy"}}),
			from:   inNamespace("gateways", map[string]string{"app": "dashboard"}), to: target, port: opened, want: false,
		},
		"PeerPodElsewhere": {
			reason: "Pods of other namespaces stay out, whatever their labels.",
			change: peers(platform.Peers{PodLabels: map[string]string{"app": "proxy"}}),
			from:   inNamespace("dp-acme-bank-dev-00000000", map[string]string{"app": "proxy"}), to: target, port: opened, want: false,
		},
		"PeerBoth": {
			reason: "Namespaces and pod labels restrict each other.",
			change: peers(platform.Peers{Namespaces: []string{"proxies"}, PodLabels: map[string]string{"app": "proxy"}}),
			from:   inNamespace("proxies", map[string]string{"app": "dashboard"}), to: target, port: opened, want: false,
		},
		"PeerRange": {
			reason: "An address of a peer's range is let in.",
			change: peers(platform.Peers{CIDRs: []string{"10.1.0.0/16"}}),
			from:   outside, to: target, port: opened, want: true,
		},
		"PeerRangeOtherPort": {
			reason: "An address of a peer's range reaches the endpoint's port only.",
			change: peers(platform.Peers{CIDRs: []string{"10.1.0.0/16"}}),
			from:   outside, to: target, port: closed, want: false,
		},
		"NotPeerRange": {
			reason: "An address outside the ranges stays out.",
			change: peers(platform.Peers{CIDRs: []string{"10.2.0.0/16"}}),
			from:   outside, to: target, port: opened, want: false,
		},
		"RangeBesides": {
			reason: "Ranges are allowed besides named namespaces.",
			change: peers(platform.Peers{Namespaces: []string{"proxies"}, CIDRs: []string{"10.1.0.0/16"}}),
			from:   outside, to: target, port: opened, want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Endpoint()
			tc.change(ctx)
			got, err := rendered(t, ctx).Allows(tc.from, tc.to, tc.port)
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("%s\nallowed is %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
