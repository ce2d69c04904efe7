// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func componentKind() *kind {
	return &kind{
		name: "component", kind: platform.KindComponent, identity: []string{"project", "name"}, timeout: time.Minute,
		description: "A component is one deployable thing of a project. Its type decides what is rendered for its deployments.",
		attributes: described(map[string]schema.Attribute{
			"project": required("The id of the project. Changing it replaces the component."),
			"name":    required("The name, a DNS label without `--`; other components of the project reach this one by it. Changing it replaces the component."),
			"type": required("The type, " + oneOf(platform.ComponentTypes()) + ". A `service` and a `web_application` get a Deployment and a Service, an `event_handler` a Deployment only, and a `scheduled_task` a CronJob. " +
				"The type can be changed in place: the new objects are made before the old ones go. " +
				"Endpoints of a `web_application` are public unless they say otherwise, all others are reached from the project only."),
			"image": optional("The image of deployments that name none."),
		}),
	}
}
