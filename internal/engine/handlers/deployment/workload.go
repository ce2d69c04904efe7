// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	corev1 "k8s.io/api/core/v1"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"
	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// workload renders what runs the component's pods. It is one handler for all
// component types: when the type changes, what the former type had is pruned
// after the new object was accepted.
func workload(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
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
		WithSelector(metav1.LabelSelector().WithMatchLabels(render.PodSelector(ctx.Organization, ctx.Deployment))).
		WithTemplate(template)
	if scaling := ctx.DeployableArtifact.Configuration.Scaling; scaling != nil && scaling.Replicas != nil && !scaling.Autoscales() {
		replicas, err := render.Int32(platform.Path{"configuration", "scaling", "replicas"}, *scaling.Replicas)
		if err != nil {
			return nil, err
		}
		spec.WithReplicas(replicas)
	}
	owner := render.DeploymentOwner(ctx)
	return render.One(ctx.DataPlane, appsv1.Deployment(render.WorkloadName(ctx.Component, ctx.DeploymentTrack), ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(spec))
}

// podTemplate renders the pods under the baseline preset: no token of the
// service account, the runtime's seccomp profile, no privilege escalation.
func podTemplate(ctx *dataplane.DeploymentContext) (*applyv1.PodTemplateSpecApplyConfiguration, error) {
	configuration := &ctx.DeployableArtifact.Configuration
	volumes, err := podVolumes(configuration.Volumes)
	if err != nil {
		return nil, err
	}
	main, err := container(ctx.Component.Name, ctx.ContainerImage, configuration)
	if err != nil {
		return nil, err
	}
	spec := applyv1.PodSpec().
		WithAutomountServiceAccountToken(false).
		WithSecurityContext(applyv1.PodSecurityContext().
			WithSeccompProfile(applyv1.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))).
		WithContainers(main).
		WithVolumes(volumes...)
	if period := configuration.TerminationGracePeriodSeconds; period != nil {
		spec.WithTerminationGracePeriodSeconds(*period)
	}
	template := applyv1.PodTemplateSpec().
		WithLabels(render.DeploymentOwner(ctx).PodLabels()).
		WithSpec(spec)
	if len(configuration.PodAnnotations) > 0 {
		template.WithAnnotations(configuration.PodAnnotations)
	}
	return template, nil
}
