// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/deployment"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// What a deployment takes over keeps its names, selector, pod labels and
// container. They are found once, when it is taken over, and from then on its
// record has them, whatever the configuration says and the cluster looks like.

// adopted returns what stays of the objects that a deployment took over or is
// about to take over; nil when there are none.
func (s *scope) adopted(ctx context.Context, d *platform.Deployment, component *platform.Component, cell *dataplane.Cell) (*platform.Adopted, error) {
	if component.Type.Scheduled() {
		return nil, nil //nolint:nilnil // A CronJob takes nothing over.
	}
	record, err := s.engine.planRecord(ctx, platform.RefOf(d))
	if err != nil {
		return nil, err
	}
	switch {
	case record != nil && record.Adopted != nil && s.stored:
		return record.Adopted, nil
	case record != nil && record.Adopted != nil:
		return record.Adopted, keeps(record.Adopted, d)
	case d.Adopt == nil || s.stored:
		return nil, nil //nolint:nilnil // Most deployments take nothing over.
	case s.engine.Offline():
		return nil, &catalog.UnknownError{Ref: platform.RefOf(d)}
	case record != nil && hasWorkload(record):
		return nil, adoptionProblem("workload", "Adoption of another workload", fmt.Sprintf(
			"The deployment %q has a workload of its own already. Remove adopt, or destroy the deployment first.", d.ID()))
	}
	found := deployment.Adoptee{Organization: s.engine.organization, Deployment: d, Namespace: cell.Namespace}
	if found.Workload, err = s.live(ctx, cell.DataPlane.Name, deployment.WorkloadID(cell.Namespace, d.Adopt.Workload)); err != nil {
		return nil, err
	}
	if d.Adopt.Service != "" {
		if found.Service, err = s.live(ctx, cell.DataPlane.Name, deployment.ServiceID(cell.Namespace, d.Adopt.Service)); err != nil {
			return nil, err
		}
	}
	return found.Adopted()
}

// keeps refuses to take over something else than what was taken over.
func keeps(adopted *platform.Adopted, d *platform.Deployment) error {
	attribute := adopted.Differs(d.Adopt)
	if attribute == "" {
		return nil
	}
	return adoptionProblem(attribute, "Adoption of another workload", fmt.Sprintf(
		"The deployment %q has taken over %s, which stays. Name the same again, or remove adopt, which counts only once.", d.ID(), adopted))
}

func adoptionProblem(attribute, title, detail string) error {
	return &platform.ProblemError{Problems: []platform.Problem{{Path: platform.Path{"adopt", attribute}, Title: title, Detail: detail}}}
}

// hasWorkload tells whether the provider made a workload of its own.
func hasWorkload(record *catalog.Record) bool {
	return slices.ContainsFunc(record.Inventory, func(entry platform.InventoryEntry) bool {
		return entry.Handler == deployment.HandlerWorkload && entry.UID != ""
	})
}

// restarts warns of what an adoption changes of the pods, which replaces them.
// The API server is asked, since only it knows the defaults.
func restarts(ctx context.Context, s *scope, c *dataplane.DeploymentContext) ([]platform.Problem, error) {
	if c.Adopted == nil || c.Deployment.Adopt == nil {
		return nil, nil
	}
	record, err := s.engine.planRecord(ctx, s.owner)
	if err != nil || (record != nil && record.Adopted != nil) {
		return nil, err
	}
	before, err := s.live(ctx, c.DataPlane.Name, c.Adopted.Objects[0])
	if err != nil || before == nil {
		return nil, err
	}
	rendered, err := deployment.Workload(c)
	if err != nil {
		return nil, err
	}
	rt, err := s.session.Runtime(c.DataPlane.Name)
	if err != nil {
		return nil, err
	}
	after, err := runtime.Apply(ctx, rt, &runtime.ApplyRequest{
		PlanResource: &rendered[0], Stack: s.session.Stack(c.DataPlane.Name), DryRun: true, Adopt: runtime.AdoptForce,
	})
	if runtime.CodeOf(err) == runtime.PermissionDenied {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	paths := runtime.Diff(podTemplate(before), podTemplate(after.Resource))
	if len(paths) == 0 {
		return nil, nil
	}
	return []platform.Problem{{
		Path: platform.Path{"adopt"}, Title: "Adoption restarts the pods",
		Detail: fmt.Sprintf("The pods of the Deployment %q are replaced, because the configuration says otherwise than what runs: %s. Describe what runs to take it over without a restart.",
			c.Adopted.Workload, strings.Join(paths, ", ")),
	}}, nil
}

// podTemplate returns what a change of which replaces the pods.
func podTemplate(workload *runtime.Resource) map[string]any {
	spec, _ := workload.Attributes["spec"].(map[string]any)
	return map[string]any{"spec": map[string]any{"template": spec["template"]}}
}

// spare takes what was to be taken over out of the inventory of a deployment that
// never succeeded: it is somebody's running workload, not of our making. It
// returns what to tell the user.
func spare(record *catalog.Record) []platform.Problem {
	if record.Adopted == nil || record.Release != "" {
		return nil
	}
	before := len(record.Inventory)
	record.Inventory = slices.DeleteFunc(record.Inventory, func(entry platform.InventoryEntry) bool {
		return slices.Contains(record.Adopted.Objects, entry.ID)
	})
	if len(record.Inventory) == before {
		return nil
	}
	return []platform.Problem{{
		Title:  "Left alone",
		Detail: fmt.Sprintf("%s was left alone: the deployment %q never succeeded since it took it over.", record.Adopted, record.ID),
	}}
}
