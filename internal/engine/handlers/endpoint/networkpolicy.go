// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/networking/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func policyRequired(ctx *dataplane.EndpointContext) bool {
	return routed(ctx) && render.NetworkPolicies(ctx.DataPlane)
}

// networkPolicy opens exactly the endpoint's container port, on the deployment's
// pods only, to the gateway, and to the organization's cells where it is for them.
func networkPolicy(ctx *dataplane.EndpointContext) ([]runtime.Resource, error) {
	to, err := target(ctx)
	if err != nil {
		return nil, err
	}
	owner := render.EndpointOwner(ctx)
	protocol := ctx.DeployableArtifact.Configuration.Ports[ctx.Endpoint.Port].TransportProtocol()
	rule := applyv1.NetworkPolicyIngressRule().
		WithFrom(from(ctx, to.gateway)...).
		WithPorts(applyv1.NetworkPolicyPort().
			WithPort(intstr.FromInt32(to.container)).
			WithProtocol(corev1.Protocol(protocol)))
	rules := []*applyv1.NetworkPolicyIngressRuleApplyConfiguration{rule}
	if ctx.Adopted != nil {
		// The cell's policy does not select pods without our labels, so that this
		// one alone would close them to their own cell.
		rules = append(rules, applyv1.NetworkPolicyIngressRule().WithFrom(applyv1.NetworkPolicyPeer().WithPodSelector(metav1.LabelSelector())))
	}
	return render.One(ctx.DataPlane, applyv1.NetworkPolicy(objectName(ctx), ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(applyv1.NetworkPolicySpec().
			WithPodSelector(render.Selector(ctx.Organization, ctx.Deployment, ctx.Adopted)).
			WithPolicyTypes(networkingv1.PolicyTypeIngress).
			WithIngress(rules...)))
}

// from returns whose traffic the endpoint's visibility lets in. A cell is told by
// two labels: the organization has other namespaces, such as that of its records.
func from(ctx *dataplane.EndpointContext, gateway *platform.Gateway) []*applyv1.NetworkPolicyPeerApplyConfiguration {
	list := peers(gateway)
	if ctx.Visibility() == platform.VisibilityOrganization {
		list = append(list, applyv1.NetworkPolicyPeer().WithNamespaceSelector(metav1.LabelSelector().WithMatchLabels(map[string]string{
			naming.LabelOrganization: ctx.Organization, naming.LabelOwnerKind: string(platform.KindCell),
		})))
	}
	return list
}

// peers returns where the gateway's traffic comes from. It is never empty: an
// empty list would let everybody in. Pod labels without namespaces select pods
// of the gateway's namespace; address ranges alone are all there is.
func peers(gateway *platform.Gateway) []*applyv1.NetworkPolicyPeerApplyConfiguration {
	declared := platform.Peers{}
	if gateway.Peers != nil {
		declared = *gateway.Peers
	}
	namespaces := slices.Compact(slices.Sorted(slices.Values(declared.Namespaces)))
	if len(namespaces) == 0 && (len(declared.PodLabels) > 0 || len(declared.CIDRs) == 0) {
		namespaces = []string{gateway.Namespace}
	}
	list := make([]*applyv1.NetworkPolicyPeerApplyConfiguration, 0, len(namespaces)+len(declared.CIDRs))
	for _, namespace := range namespaces {
		peer := applyv1.NetworkPolicyPeer().WithNamespaceSelector(metav1.LabelSelector().
			WithMatchLabels(map[string]string{corev1.LabelMetadataName: namespace}))
		if len(declared.PodLabels) > 0 {
			peer.WithPodSelector(metav1.LabelSelector().WithMatchLabels(declared.PodLabels))
		}
		list = append(list, peer)
	}
	for _, cidr := range slices.Compact(slices.Sorted(slices.Values(declared.CIDRs))) {
		list = append(list, applyv1.NetworkPolicyPeer().WithIPBlock(applyv1.IPBlock().WithCIDR(cidr)))
	}
	return list
}
