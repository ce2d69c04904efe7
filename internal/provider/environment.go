// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func environmentKind() *kind {
	return &kind{
		name: "environment", kind: platform.KindEnvironment, identity: []string{"name"}, timeout: 5 * time.Minute,
		description: "An environment is a stage, such as dev or prod, on one data plane.",
		attributes: described(map[string]schema.Attribute{
			"name":       required("The name, a DNS label without `--`. Changing it replaces the environment."),
			"data_plane": required("The id of the data plane. It cannot change while projects have namespaces in the environment."),
			"production": optionalBool("Marks the namespaces of the environment with the label `openplatform.dev/production`."),
			"dns_prefix": optional("The part of endpoint hosts that names the environment; default is the name."),
		}),
	}
}
