// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane

import (
	"context"
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// replace makes a resource anew that cannot change in place, for the reason that
// required gives.
func (o *Objects[T]) replace(ctx context.Context, rt runtime.Runtime, request *runtime.ApplyRequest, required error) (*runtime.ApplyResponse, error) {
	if !disposable(request.PlanResource) {
		return nil, fmt.Errorf("%w. It may hold data, so it is not replaced: undo the change, or move the data away and delete the object to have it created again", required)
	}
	if err := o.session.renounce(ctx, request.PlanResource); err != nil {
		return nil, err
	}
	again := *request
	again.Replace = true
	return runtime.Apply(ctx, rt, &again)
}

// disposable tells whether nothing is lost with a resource that is made again at
// once. What it does not know may hold data.
func disposable(resource *runtime.Resource) bool {
	key, err := runtime.ParseKubernetesID(resource.ID)
	if err != nil || resource.Type != runtime.Kubernetes {
		return false
	}
	switch key.Kind {
	case "Deployment", "DaemonSet", "ReplicaSet", "CronJob", "Job", "ConfigMap", "Secret", "Service", "ServiceAccount", "Ingress",
		"NetworkPolicy", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Role", "RoleBinding":
		return !strings.Contains(key.APIVersion, ".") || strings.Contains(key.APIVersion, ".k8s.io/")
	}
	return strings.HasPrefix(key.APIVersion, "gateway.networking.k8s.io/") && strings.HasSuffix(key.Kind, "Route")
}
