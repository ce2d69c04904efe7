// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	applyv1 "sigs.k8s.io/gateway-api/applyconfiguration/apis/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// publicRoute sends the endpoint's host and path to the deployment's Service.
// Kinds and groups are left to the defaults of the API: Gateway and Service.
func publicRoute(ctx *dataplane.EndpointContext) ([]runtime.Resource, error) {
	port, _, err := target(ctx)
	if err != nil {
		return nil, err
	}
	owner := render.EndpointOwner(ctx)
	rule := applyv1.HTTPRouteRule().
		WithMatches(applyv1.HTTPRouteMatch().WithPath(applyv1.HTTPPathMatch().
			WithType(gatewayv1.PathMatchPathPrefix).
			WithValue(ctx.Endpoint.PathPrefix()))).
		WithBackendRefs(applyv1.HTTPBackendRef().
			WithName(gatewayv1.ObjectName(render.WorkloadName(ctx.Component, ctx.DeploymentTrack))).
			WithPort(port))
	return render.One(ctx.DataPlane, applyv1.HTTPRoute(objectName(ctx), ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(applyv1.HTTPRouteSpec().
			WithParentRefs(parent(ctx.DataPlane.Gateways.Public)).
			WithHostnames(gatewayv1.Hostname(Host(ctx))).
			WithRules(rule)))
}

func parent(gateway *platform.Gateway) *applyv1.ParentReferenceApplyConfiguration {
	reference := applyv1.ParentReference().
		WithName(gatewayv1.ObjectName(gateway.Name)).
		WithNamespace(gatewayv1.Namespace(gateway.Namespace))
	if gateway.Listener != "" {
		reference.WithSectionName(gatewayv1.SectionName(gateway.Listener))
	}
	return reference
}
