// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package render holds what the rendering functions of all kinds share:
// ownership metadata, names, and conversions that report a bad value instead of
// panicking or wrapping around.
package render

import (
	"maps"

	apimetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Owner says whose an object is and where it belongs. An empty position makes
// no label.
type Owner struct {
	Organization string
	Kind         platform.Kind
	ID           string

	// Application is the value of the well-known name label.
	Application string
	Project     string
	Environment string
	Component   string
	Track       string
	Endpoint    string
	// User are the labels that the owning object declares.
	User map[string]string
}

// CellOwner returns the owner of a cell's objects. A cell declares no labels.
func CellOwner(ctx *dataplane.CellContext) Owner {
	cell := platform.Cell{Project: ctx.Project.Name, Environment: ctx.Cell.Environment.Name}
	return Owner{
		Organization: ctx.Organization,
		Kind:         cell.Kind(),
		ID:           cell.ID(),
		Application:  cell.Project,
		Project:      cell.Project,
		Environment:  cell.Environment,
	}
}

// DeploymentOwner returns the owner of a deployment's objects.
func DeploymentOwner(ctx *dataplane.DeploymentContext) Owner {
	return Owner{
		Organization: ctx.Organization,
		Kind:         ctx.Deployment.Kind(),
		ID:           ctx.Deployment.ID(),
		Application:  ctx.Component.Name,
		Project:      ctx.Project.Name,
		Environment:  ctx.Environment.Name,
		Component:    ctx.Component.Name,
		Track:        ctx.DeploymentTrack.Name,
		User:         ctx.Deployment.Labels,
	}
}

// EndpointOwner returns the owner of an endpoint's objects.
func EndpointOwner(ctx *dataplane.EndpointContext) Owner {
	return Owner{
		Organization: ctx.Organization,
		Kind:         ctx.Endpoint.Kind(),
		ID:           ctx.Endpoint.ID(),
		Application:  ctx.Component.Name,
		Project:      ctx.Project.Name,
		Environment:  ctx.Environment.Name,
		Component:    ctx.Component.Name,
		Track:        ctx.DeploymentTrack.Name,
		Endpoint:     ctx.Endpoint.Name,
		User:         ctx.Endpoint.Labels,
	}
}

// Labels returns the labels of an object: those of the platform and the user's,
// which never replace one of ours.
func (o Owner) Labels() map[string]string {
	labels := map[string]string{}
	maps.Copy(labels, o.User)
	maps.Copy(labels, o.PodLabels())
	return labels
}

// PodLabels returns the labels of pods. They hold nothing that an edit of the
// owner can change, because every change of them replaces the pods.
func (o Owner) PodLabels() map[string]string {
	labels := naming.OwnerLabels(o.Organization, string(o.Kind), o.ID)
	for key, value := range map[string]string{
		naming.LabelName:        o.Application,
		naming.LabelProject:     o.Project,
		naming.LabelEnvironment: o.Environment,
		naming.LabelComponent:   o.Component,
		naming.LabelTrack:       o.Track,
		naming.LabelEndpoint:    o.Endpoint,
	} {
		if value != "" {
			labels[key] = value
		}
	}
	return labels
}

// Annotations returns the annotations of an object: the full id, of which the
// labels only hold a hash.
func (o Owner) Annotations() map[string]string {
	return map[string]string{naming.AnnotationOwnerID: o.ID}
}

// PodSelector returns the label that selects the pods of a deployment.
func PodSelector(organization string, deployment *platform.Deployment) map[string]string {
	return naming.Selector(organization, string(deployment.Kind()), deployment.ID())
}

// Selector selects the pods of a deployment: those of a workload that was taken
// over by the labels that it always had.
func Selector(organization string, deployment *platform.Deployment, adopted *platform.Adopted) *metav1.LabelSelectorApplyConfiguration {
	if adopted == nil {
		return metav1.LabelSelector().WithMatchLabels(PodSelector(organization, deployment))
	}
	selector := metav1.LabelSelector().WithMatchLabels(adopted.Selector.Labels)
	for _, one := range adopted.Selector.Requirements {
		selector.WithMatchExpressions(metav1.LabelSelectorRequirement().
			WithKey(one.Key).
			WithOperator(apimetav1.LabelSelectorOperator(one.Operator)).
			WithValues(one.Values...))
	}
	return selector
}

// ServiceName returns the name of a deployment's Service.
func ServiceName(component *platform.Component, track *platform.DeploymentTrack, adopted *platform.Adopted) string {
	if adopted != nil && adopted.Service != "" {
		return adopted.Service
	}
	return WorkloadName(component, track, nil)
}

// WorkloadName returns the name that a component's workload and Service share,
// so that other programs find it under the name of the component. A workload that
// was taken over keeps its own.
func WorkloadName(component *platform.Component, track *platform.DeploymentTrack, adopted *platform.Adopted) string {
	if adopted != nil {
		return adopted.Workload
	}
	limit := naming.LimitLabel
	if component.Type.Scheduled() {
		limit = naming.LimitCronJob
	}
	return naming.Workload(limit, component.Name, track.Name)
}

// noNetworkPolicy is the data plane setting that renders no network policies.
const noNetworkPolicy = "none"

// NetworkPolicies tells whether network policies are rendered on a data plane.
func NetworkPolicies(dataPlane *platform.DataPlane) bool {
	return dataPlane.NetworkPolicy != noNetworkPolicy
}
