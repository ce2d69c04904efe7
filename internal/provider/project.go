// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func projectKind() *kind {
	return &kind{
		name: "project", kind: platform.KindProject, identity: []string{"name"}, timeout: 10 * time.Minute,
		description: "A project is a bounded set of components. It has one namespace, its cell, in each environment of its pipeline; the first deployment there makes it, and destroying the project removes it. In an existing namespace only what the provider makes is removed.",
		attributes: described(map[string]schema.Attribute{
			"name":                required("The name, a DNS label without `--`. Changing it replaces the project."),
			"deployment_pipeline": required("The id of the deployment pipeline."),
			"namespaces": optionalMap("Existing namespaces to use, by environment. They are neither made nor changed nor removed, and what others run there is left alone: the cell's network policy selects only the pods that the provider makes. " +
				"A namespace belongs to one project in one environment of a cluster, and can change while the project has no deployments in the environment. " +
				"Its pods reach endpoints of the organization once the namespace has the labels `openplatform.dev/organization` with the organization and `openplatform.dev/owner-kind` with `cell`."),
			"namespace_labels": optionalMap("Labels of the namespaces that the provider makes."),
			"force_destroy":    optionalBool("Lets destroy remove the project's namespaces although they hold objects that the provider did not make. Default `false`."),
		}),
		outputs: map[string]output{
			"cells": mapOutput("The project's namespaces by environment.", func(o engine.Outputs) map[string]string { return o.Cells }),
			outputManifests: mapOutput("The objects of the project's cells, as `Kind/namespace/name` to compact JSON; those of an environment are made with the first deployment there.",
				func(o engine.Outputs) map[string]string { return o.Manifests }),
		},
		force: func(object platform.Object) bool {
			project, ok := object.(*platform.Project)
			return ok && project.ForceDestroy
		},
	}
}
