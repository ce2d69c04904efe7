// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cell

import (
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// labelProduction marks the namespaces of production environments, for policies
// of the cluster to select.
const labelProduction = naming.Domain + "production"

func namespaceRequired(ctx *dataplane.CellContext) bool { return !ctx.Cell.Existing }

func namespace(ctx *dataplane.CellContext) ([]runtime.Resource, error) {
	owner := render.CellOwner(ctx)
	owner.User = ctx.Project.NamespaceLabels
	labels := owner.Labels()
	if ctx.Cell.Environment.Production {
		labels[labelProduction] = "true"
	}
	return render.One(ctx.Cell.DataPlane, corev1.Namespace(ctx.Cell.Namespace).
		WithLabels(labels).
		WithAnnotations(owner.Annotations()))
}
