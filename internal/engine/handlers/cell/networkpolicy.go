// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cell

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/networking/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// policyName is a name that no other policy of a cell can have: all others end
// in a hash.
const policyName = "default"

func policyRequired(ctx *dataplane.CellContext) bool {
	return render.NetworkPolicies(ctx.Cell.DataPlane)
}

// networkPolicy closes the cell to everything but its own pods; in an existing
// namespace it closes the project's pods to everything from outside of it. It
// leaves egress alone, so that workloads reach DNS and what lies outside.
func networkPolicy(ctx *dataplane.CellContext) ([]runtime.Resource, error) {
	owner := render.CellOwner(ctx)
	ownPods := applyv1.NetworkPolicyPeer().WithPodSelector(metav1.LabelSelector())
	name, guarded := policyName, metav1.LabelSelector()
	if ctx.Cell.Existing {
		// What others run there is not ours to close, nor is the name ours to take.
		name = naming.Name(naming.LimitName, owner.Organization, owner.Project, owner.Environment)
		guarded.WithMatchLabels(map[string]string{
			naming.LabelOrganization: owner.Organization, naming.LabelProject: owner.Project, naming.LabelEnvironment: owner.Environment,
		})
	}
	return render.One(ctx.Cell.DataPlane, applyv1.NetworkPolicy(name, ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(applyv1.NetworkPolicySpec().
			WithPodSelector(guarded).
			WithPolicyTypes(networkingv1.PolicyTypeIngress).
			WithIngress(applyv1.NetworkPolicyIngressRule().WithFrom(ownPods))))
}
