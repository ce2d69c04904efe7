// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Addresses returns how the deployment's ports are reached from within the
// cluster, by port name. It is empty when no Service is made.
func Addresses(ctx *dataplane.DeploymentContext) map[string]string {
	addresses := map[string]string{}
	if !serviceRequired(ctx) {
		return addresses
	}
	name := render.ServiceName(ctx.Component, ctx.DeploymentTrack, ctx.Adopted)
	for port, spec := range ctx.DeployableArtifact.Configuration.Ports {
		addresses[port] = fmt.Sprintf("%s.%s.svc:%d", name, ctx.Cell.Namespace, spec.Port)
	}
	return addresses
}

func serviceRequired(ctx *dataplane.DeploymentContext) bool {
	return ctx.Component.Type.Serves() && len(ctx.DeployableArtifact.Configuration.Ports) > 0
}

func service(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
	ports, err := servicePorts(ctx.DeployableArtifact.Configuration.Ports)
	if err != nil {
		return nil, err
	}
	owner := render.DeploymentOwner(ctx)
	return render.One(ctx.DataPlane, applyv1.Service(render.ServiceName(ctx.Component, ctx.DeploymentTrack, ctx.Adopted), ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(applyv1.ServiceSpec().
			WithSelector(serviceSelector(ctx)).
			WithPorts(ports...)))
}

// serviceSelector selects the pods by labels alone, as a Service does: those of a
// workload that was taken over without a Service by all that they have.
func serviceSelector(ctx *dataplane.DeploymentContext) map[string]string {
	switch adopted := ctx.Adopted; {
	case adopted == nil:
		return render.PodSelector(ctx.Organization, ctx.Deployment)
	case adopted.Service != "":
		return adopted.ServiceSelector
	case len(adopted.Selector.Requirements) > 0:
		return adopted.PodLabels
	default:
		return adopted.Selector.Labels
	}
}

// servicePorts sends the protocol even where it is the default, because it is
// part of a port's identity in server-side apply.
func servicePorts(ports map[string]platform.Port) ([]*applyv1.ServicePortApplyConfiguration, error) {
	list := make([]*applyv1.ServicePortApplyConfiguration, 0, len(ports))
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		at := platform.Path{"configuration", "ports", name}
		port, err := render.Int32(at.With("port"), ports[name].Port)
		if err != nil {
			return nil, err
		}
		target, err := render.Int32(at.With("target_port"), ports[name].ContainerPort())
		if err != nil {
			return nil, err
		}
		list = append(list, applyv1.ServicePort().
			WithName(name).
			WithPort(port).
			WithTargetPort(intstr.FromInt32(target)).
			WithProtocol(corev1.Protocol(ports[name].TransportProtocol())))
	}
	return list, nil
}
