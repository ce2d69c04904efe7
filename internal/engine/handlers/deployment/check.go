// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Check returns what is wrong with a deployment in its surroundings.
func Check(ctx *dataplane.DeploymentContext) []platform.Problem {
	var problems []platform.Problem
	if pipeline := ctx.DeploymentPipeline; pipeline != nil && !pipeline.Includes(ctx.Environment.Name) {
		problems = append(problems, platform.Problem{
			Path: platform.Path{"environment"}, Title: "Environment outside the pipeline",
			Detail: fmt.Sprintf("The environment %q is not part of the pipeline %q of the project %q, which has: %s. "+
				"Add it to the pipeline's promotion_paths or deploy to one of these.",
				ctx.Environment.Name, pipeline.Name, ctx.Project.Name, strings.Join(pipeline.Environments(), ", ")),
		})
	}
	if ctx.ContainerImage == "" {
		problems = append(problems, platform.Problem{
			Path: platform.Path{"image"}, Title: "Missing image",
			Detail: fmt.Sprintf("Neither the deployment nor the component %q names an image. Set image on one of them.", ctx.Component.ID()),
		})
	}
	// What is wrong with a promoted configuration can be put right in overrides.
	at := platform.Path{"configuration"}
	if ctx.Deployment.PromotedFrom != nil {
		at = platform.Path{"overrides"}
	}
	problems = append(problems, checkAdoption(ctx)...)
	return append(problems, checkType(at, ctx.Component, &ctx.DeployableArtifact.Configuration)...)
}

// checkAdoption returns what cannot be taken over by a component of this type.
func checkAdoption(ctx *dataplane.DeploymentContext) []platform.Problem {
	adopt := ctx.Deployment.Adopt
	switch {
	case adopt == nil:
	case ctx.Component.Type.Scheduled():
		return []platform.Problem{{
			Path: platform.Path{"adopt"}, Title: "Adoption of a task",
			Detail: fmt.Sprintf("The component %q is of type %s, which is a CronJob; a Deployment can be taken over by the other types.", ctx.Component.ID(), ctx.Component.Type),
		}}
	case adopt.Service != "" && !serviceRequired(ctx):
		return []platform.Problem{{
			Path: platform.Path{"adopt", "service"}, Title: "Service without ports",
			Detail: fmt.Sprintf("The component %q has no Service here: it needs a type that has one, and configuration.ports. Remove the attribute, or declare the ports of the Service.", ctx.Component.ID()),
		}}
	}
	return nil
}

// checkType returns what of the configuration the component's type has no use
// for, so that nothing that is declared is ignored, and what it lacks.
func checkType(at platform.Path, component *platform.Component, configuration *platform.Configuration) []platform.Problem {
	if !component.Type.Known() {
		return []platform.Problem{{
			Path: platform.Path{"component"}, Title: "Unknown component type",
			Detail: fmt.Sprintf("The component %q is of type %q, of which nothing can be rendered.", component.ID(), component.Type),
		}}
	}
	serves, scheduled := component.Type.Serves(), component.Type.Scheduled()
	var problems []platform.Problem
	for _, rule := range []struct {
		broken              bool
		path                platform.Path
		title, reason, todo string
	}{
		{
			len(configuration.Ports) > 0 && !serves,
			platform.Path{"ports"},
			"Ports without a Service",
			"for which no Service is made, so nothing could reach the ports", "Remove them, or use another component type",
		},
		{
			configuration.Scaling != nil && scheduled,
			platform.Path{"scaling"},
			"Scaling of a task",
			"of which one pod runs at a time", "Remove the attribute",
		},
		{
			configuration.Probes != nil && configuration.Probes.Readiness != nil && scheduled,
			platform.Path{"probes", "readiness"},
			"Readiness of a task",
			"to which no traffic is sent, so nobody asks whether it is ready", "Remove the probe",
		},
		{
			configuration.Schedule == nil && scheduled,
			platform.Path{"schedule"},
			"Missing schedule",
			"which runs by a schedule", "Set configuration.schedule",
		},
		{
			configuration.Schedule != nil && !scheduled,
			platform.Path{"schedule"},
			"Schedule without a task",
			"which runs all the time", fmt.Sprintf("Remove the attribute, or use the component type %s", platform.TypeScheduledTask),
		},
	} {
		if rule.broken {
			problems = append(problems, platform.Problem{
				Path: at.With(rule.path...), Title: rule.title,
				Detail: fmt.Sprintf("The component %q is of type %s, %s. %s.", component.ID(), component.Type, rule.reason, rule.todo),
			})
		}
	}
	return problems
}
