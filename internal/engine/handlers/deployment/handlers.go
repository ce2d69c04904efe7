// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package deployment renders a component that runs in one environment: its
// workload, what scales it, and the Service before it.
package deployment

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
)

// HandlerWorkload is the name of the handler of what runs the pods.
const HandlerWorkload = "Workload"

// Handlers returns the handlers of a deployment in order. cell makes sure that
// the deployment's cell exists; it comes first, and last on destroy. An
// autoscaler comes before the workload: it is gone when a number of replicas is
// set, so that it cannot change the number once more.
func Handlers(session *dataplane.Session, cell dataplane.ResourceHandler[dataplane.DeploymentContext]) []dataplane.ResourceHandler[dataplane.DeploymentContext] {
	return []dataplane.ResourceHandler[dataplane.DeploymentContext]{
		cell,
		dataplane.NewObjects(session, "HorizontalPodAutoscaler", autoscalerRequired, autoscaler),
		dataplane.NewObjects(session, HandlerWorkload, always, Workload),
		dataplane.NewObjects(session, "Service", serviceRequired, service),
	}
}

func always(*dataplane.DeploymentContext) bool { return true }
