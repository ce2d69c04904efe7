// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/batch/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// cronJob renders the CronJob of a scheduled task. A run never starts while the
// one before is under way. A pod that fails is not restarted but followed by
// another one, as often as the API server's default allows, so that the logs of
// every attempt can be read. Suspension is sent only while it is declared: it is
// then left to operators, who suspend tasks by hand in an emergency.
func cronJob(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
	schedule := ctx.DeployableArtifact.Configuration.Schedule
	if schedule == nil {
		return nil, render.Problem(platform.Path{"configuration", "schedule"}, "Missing schedule", "A scheduled task runs by a schedule; set configuration.schedule.")
	}
	template, err := podTemplate(ctx)
	if err != nil {
		return nil, err
	}
	template.Spec.WithRestartPolicy(corev1.RestartPolicyNever)
	spec := applyv1.CronJobSpec().
		WithSchedule(schedule.Cron).
		WithConcurrencyPolicy(batchv1.ForbidConcurrent).
		WithJobTemplate(applyv1.JobTemplateSpec().
			WithLabels(render.DeploymentOwner(ctx).PodLabels()).
			WithSpec(applyv1.JobSpec().WithTemplate(template)))
	if schedule.Timezone != "" {
		spec.WithTimeZone(schedule.Timezone)
	}
	if schedule.Disabled != nil && *schedule.Disabled {
		spec.WithSuspend(true)
	}
	owner := render.DeploymentOwner(ctx)
	return render.One(ctx.DataPlane, applyv1.CronJob(render.WorkloadName(ctx.Component, ctx.DeploymentTrack, nil), ctx.Cell.Namespace).
		WithLabels(owner.Labels()).
		WithAnnotations(owner.Annotations()).
		WithSpec(spec))
}
