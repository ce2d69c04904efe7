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

// path is everything in which one route differs from another, whatever its kind.
type path struct {
	name, namespace     string
	labels, annotations map[string]string
	parent              *applyv1.ParentReferenceApplyConfiguration
	hosts               []gatewayv1.Hostname
	prefix              string
	service             gatewayv1.ObjectName
	port                int32
}

// builders returns what makes a route of a path, by the endpoint's type. Kinds
// and groups of references are left to the defaults of the API: Gateway and
// Service.
func builders() map[platform.EndpointType]func(path) any {
	return map[platform.EndpointType]func(path) any{
		platform.EndpointHTTP: httpRoute,
		platform.EndpointGRPC: grpcRoute,
		platform.EndpointTCP:  tcpRoute,
	}
}

// route sends what arrives for the endpoint at the gateway of its visibility to
// the deployment's Service.
func route(ctx *dataplane.EndpointContext) ([]runtime.Resource, error) {
	to, err := target(ctx)
	if err != nil {
		return nil, err
	}
	owner := render.EndpointOwner(ctx)
	p := path{
		name: objectName(ctx, routeSuffix(ctx.Visibility())...), namespace: ctx.Cell.Namespace,
		labels: owner.Labels(), annotations: owner.Annotations(),
		parent: parent(to.gateway, ctx.Listener()), prefix: ctx.Endpoint.PathPrefix(),
		service: gatewayv1.ObjectName(render.ServiceName(ctx.Component, ctx.DeploymentTrack, ctx.Adopted)), port: to.service,
	}
	for _, host := range hosts(ctx) {
		p.hosts = append(p.hosts, gatewayv1.Hostname(host))
	}
	return render.One(ctx.DataPlane, builders()[ctx.Endpoint.Type](p))
}

func httpRoute(p path) any {
	return applyv1.HTTPRoute(p.name, p.namespace).WithLabels(p.labels).WithAnnotations(p.annotations).
		WithSpec(applyv1.HTTPRouteSpec().
			WithParentRefs(p.parent).
			WithHostnames(p.hosts...).
			WithRules(applyv1.HTTPRouteRule().
				WithMatches(applyv1.HTTPRouteMatch().WithPath(applyv1.HTTPPathMatch().
					WithType(gatewayv1.PathMatchPathPrefix).
					WithValue(p.prefix))).
				WithBackendRefs(applyv1.HTTPBackendRef().WithName(p.service).WithPort(p.port))))
}

// grpcRoute matches every method: a gRPC client has no path of its own to add.
func grpcRoute(p path) any {
	return applyv1.GRPCRoute(p.name, p.namespace).WithLabels(p.labels).WithAnnotations(p.annotations).
		WithSpec(applyv1.GRPCRouteSpec().
			WithParentRefs(p.parent).
			WithHostnames(p.hosts...).
			WithRules(applyv1.GRPCRouteRule().
				WithBackendRefs(applyv1.GRPCBackendRef().WithName(p.service).WithPort(p.port))))
}

// tcpRoute takes every connection of its listener.
func tcpRoute(p path) any {
	return applyv1.TCPRoute(p.name, p.namespace).WithLabels(p.labels).WithAnnotations(p.annotations).
		WithSpec(applyv1.TCPRouteSpec().
			WithParentRefs(p.parent).
			WithRules(applyv1.TCPRouteRule().
				WithBackendRefs(applyv1.BackendRef().WithName(p.service).WithPort(p.port))))
}

func parent(gateway *platform.Gateway, listener string) *applyv1.ParentReferenceApplyConfiguration {
	reference := applyv1.ParentReference().
		WithName(gatewayv1.ObjectName(gateway.Name)).
		WithNamespace(gatewayv1.Namespace(gateway.Namespace))
	if listener != "" {
		reference.WithSectionName(gatewayv1.SectionName(listener))
	}
	return reference
}
