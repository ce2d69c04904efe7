// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func deploymentKind() *kind {
	return &kind{
		name: "deployment", kind: platform.KindDeployment, identity: []string{"component", "track", "environment"},
		timeout: 10 * time.Minute, waits: true,
		description: "A deployment is a component running in one environment.",
		attributes: described(map[string]schema.Attribute{
			"component":     required("The id of the component. Changing it replaces the deployment."),
			"track":         optional("The delivery track; default `main`. Changing it replaces the deployment."),
			"environment":   required("The id of the environment, one of the project's pipeline. Changing it replaces the deployment."),
			"image":         optional("The image; default is the component's."),
			"configuration": optionalObject("How the image runs.", configurationAttributes()),
			"promoted_from": optionalObject("Takes image and configuration from a deployment in an environment before this one in the pipeline. "+
				"Use one resource block per stage: instances of one block cannot promote from each other, Terraform sees a cycle.", map[string]schema.Attribute{
				"deployment": required("The id of a deployment of the same component and track."),
				"release":    optional("The release to run, as another deployment's `release` shows it; default follows the source. Where the pipeline requires an approval it must be set."),
			}),
			"overrides": optionalObject("Adapts the promoted configuration: maps are merged by key, objects by attribute, everything else is replaced.", configurationAttributes()),
			"approval": optionalObject("The consent to a release where the pipeline requires one.", map[string]schema.Attribute{
				"release": required("The release that may pass."),
				"by":      required("Who says so; it is kept in the record."),
			}),
			"on_failure": optional("What becomes of a failed apply, " + oneOf(platform.OnFailures()) + "; default `keep`. " +
				"`keep` leaves everything as it is: a failed create is replaced by the next apply, a failed update goes on. " +
				"`rollback` brings back the last release that was healthy, with the other attributes as they were, and waits for it as long again; a failed create is removed without a trace, unless it took over what existed. " +
				"`warn` makes a rollout that does not become ready a warning; `ready` is false and the next apply waits again. What the API server refuses is an error all the same. Without `wait_for_rollout` no rollout fails, so that only `keep` and `rollback` of what is refused are left."),
			"adopt": optionalObject("Takes over a Deployment of the namespace, and the Service before it, that something else made. They keep their names, selectors, pod labels, container and the names of its ports, and their security settings, also when the attribute is removed; everything that is not declared here stays as it is. "+
				"The pods are not restarted unless the configuration says otherwise than what runs, which the plan warns of. What made the objects has to let go of them, and destroying the deployment removes them. "+
				"It counts when the deployment is created; what was taken over cannot be exchanged. Not for a `scheduled_task`.", map[string]schema.Attribute{
				"workload":  required("The name of the Deployment."),
				"service":   optional("The name of the Service; default is a Service of the provider's own where the component has one."),
				"container": optional("The container that `configuration` is about; default is the only one. Others stay as they are."),
			}),
		}),
		outputs: map[string]output{
			"namespace":     stringOutput("The namespace that the deployment runs in.", func(o engine.Outputs) string { return o.Namespace }),
			outputManifests: manifestsOutput(),
			"release":       stringOutput("The digest of image and configuration.", func(o engine.Outputs) string { return o.Release }),
			"promotable_release": optionalStringOutput("The release that the source of `promoted_from` runs; another one than `release` when the source has moved on. Null without `promoted_from`.",
				func(o engine.Outputs) string { return o.PromotableRelease }),
			"addresses": mapOutput("The in-cluster addresses, `host:port` by port name.", func(o engine.Outputs) map[string]string { return o.Addresses }),
			"ready":     boolOutput("Whether the last rollout was seen to become ready.", func(o engine.Outputs) bool { return o.Ready }).afterApply(),
			"status":    stringOutput("How the last rollout ended.", func(o engine.Outputs) string { return o.Status }).afterApply(),
		},
	}
}
