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
	if ports := ctx.DeployableArtifact.Configuration.Ports; len(ports) > 0 && !ctx.Component.Type.Serves() {
		problems = append(problems, platform.Problem{
			Path: platform.Path{"configuration", "ports"}, Title: "Ports without a Service",
			Detail: fmt.Sprintf("The component %q is of type %s, for which no Service is made, so nothing could reach the ports. "+
				"Remove them, or use another component type.", ctx.Component.ID(), ctx.Component.Type),
		})
	}
	return problems
}
