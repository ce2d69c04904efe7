// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	corev1 "k8s.io/api/core/v1"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Workload renders what runs the component's pods. It is one handler for all
// component types: when the type changes, what the former type had is pruned
// after the new object was accepted.
func Workload(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
	if ctx.Component.Type.Scheduled() {
		return cronJob(ctx)
	}
	return deployment(ctx)
}

// deployment renders the Deployment. Nothing is sent that was not declared, so
// that defaults stay the API server's and other managers may set the rest.
func deployment(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
	template, err := podTemplate(ctx)
	if err != nil {
		return nil, err
	}
	spec := appsv1.DeploymentSpec().
		WithSelector(render.Selector(ctx.Organization, ctx.Deployment, ctx.Adopted)).
		WithTemplate(template)
	if scaling := ctx.DeployableArtifact.Configuration.Scaling; scaling != nil && scaling.Replicas != nil && !scaling.Autoscales() {
		replicas, err := render.Int32(platform.Path{"configuration", "scaling", "replicas"}, *scaling.Replicas)
		if err != nil {
			return nil, err
		}
		spec.WithReplicas(replicas)
	}
	owner := render.DeploymentOwner(ctx)
	return render.One(ctx.DataPlane, appsv1.Deployment(render.WorkloadName(ctx.Component, ctx.DeploymentTrack, ctx.Adopted), ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(spec))
}

// podTemplate renders the pods under the baseline preset: no token of the
// service account, the runtime's seccomp profile, no privilege escalation. Those
// of a workload that was taken over keep their labels and their own settings,
// since anything else would restart them.
func podTemplate(ctx *dataplane.DeploymentContext) (*applyv1.PodTemplateSpecApplyConfiguration, error) {
	configuration := &ctx.DeployableArtifact.Configuration
	volumes, err := podVolumes(configuration.Volumes, ctx.Adopted.FoundOrder().Volumes)
	if err != nil {
		return nil, err
	}
	main, err := container(ctx)
	if err != nil {
		return nil, err
	}
	spec := applyv1.PodSpec().
		WithContainers(main).
		WithVolumes(volumes...)
	template := applyv1.PodTemplateSpec().WithSpec(spec)
	if ctx.Adopted == nil {
		template.WithLabels(render.DeploymentOwner(ctx).PodLabels())
		spec.WithAutomountServiceAccountToken(false).
			WithSecurityContext(applyv1.PodSecurityContext().
				WithSeccompProfile(applyv1.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault)))
	} else {
		template.WithLabels(ctx.Adopted.PodLabels)
	}
	if period := configuration.TerminationGracePeriodSeconds; period != nil {
		spec.WithTerminationGracePeriodSeconds(*period)
	}
	if len(configuration.PodAnnotations) > 0 {
		template.WithAnnotations(configuration.PodAnnotations)
	}
	return template, nil
}
