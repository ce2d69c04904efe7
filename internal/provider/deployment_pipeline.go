// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func deploymentPipelineKind() *kind {
	return &kind{
		name: "deployment_pipeline", kind: platform.KindDeploymentPipeline, identity: []string{"name"}, timeout: time.Minute,
		description: "A deployment pipeline says through which environments a release goes. A project deploys to the environments of its pipeline only.",
		attributes: described(map[string]schema.Attribute{
			"name": required("The name, a DNS label without `--`. Changing it replaces the pipeline."),
			"promotion_paths": schema.ListNestedAttribute{
				Required: true, MarkdownDescription: "The edges of the pipeline, which must not form a cycle. A single environment is a path without targets.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"source": required("The id of the environment that a release comes from."),
					"targets": schema.ListNestedAttribute{
						Optional: true, MarkdownDescription: "Where it may go from there.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"environment":       required("The id of the environment that a release goes to."),
							"requires_approval": optionalBool("Lets only releases pass that the deployment's `approval` names. Default `false`."),
						}},
					},
				}},
			},
		}),
		outputs: map[string]output{
			"environments": listOutput("The environments, each before those that it promotes to.", func(o engine.Outputs) []string { return o.Environments }),
		},
	}
}
