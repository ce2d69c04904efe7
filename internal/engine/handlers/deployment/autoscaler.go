// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	applyv2 "k8s.io/client-go/applyconfigurations/autoscaling/v2"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func autoscalerRequired(ctx *dataplane.DeploymentContext) bool {
	return !ctx.Component.Type.Scheduled() && ctx.DeployableArtifact.Configuration.Scaling.Autoscales()
}

// autoscaler renders what decides how many replicas the Deployment has.
func autoscaler(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
	scaling, at := ctx.DeployableArtifact.Configuration.Scaling, platform.Path{"configuration", "scaling"}
	maximum, err := render.Int32(at.With("max_replicas"), *scaling.MaxReplicas)
	if err != nil {
		return nil, err
	}
	name := render.WorkloadName(ctx.Component, ctx.DeploymentTrack, ctx.Adopted)
	spec := applyv2.HorizontalPodAutoscalerSpec().
		WithScaleTargetRef(applyv2.CrossVersionObjectReference().WithAPIVersion("apps/v1").WithKind("Deployment").WithName(name)).
		WithMaxReplicas(maximum)
	if scaling.MinReplicas != nil {
		minimum, err := render.Int32(at.With("min_replicas"), *scaling.MinReplicas)
		if err != nil {
			return nil, err
		}
		spec.WithMinReplicas(minimum)
	}
	for _, one := range []struct {
		resource  corev1.ResourceName
		attribute string
		target    *int64
	}{
		{corev1.ResourceCPU, "target_cpu_utilization_percentage", scaling.TargetCPUUtilizationPercentage},
		{corev1.ResourceMemory, "target_memory_utilization_percentage", scaling.TargetMemoryUtilizationPercentage},
	} {
		if one.target == nil {
			continue
		}
		target, err := render.Int32(at.With(one.attribute), *one.target)
		if err != nil {
			return nil, err
		}
		spec.WithMetrics(applyv2.MetricSpec().
			WithType(autoscalingv2.ResourceMetricSourceType).
			WithResource(applyv2.ResourceMetricSource().
				WithName(one.resource).
				WithTarget(applyv2.MetricTarget().
					WithType(autoscalingv2.UtilizationMetricType).
					WithAverageUtilization(target))))
	}
	owner := render.DeploymentOwner(ctx)
	return render.One(ctx.DataPlane, applyv2.HorizontalPodAutoscaler(name, ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(spec))
}
