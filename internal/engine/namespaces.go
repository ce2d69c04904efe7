// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// namespace returns the namespace of a project in an environment, and whether it
// is an existing one.
func (e *Engine) namespace(project *platform.Project, environment string) (name string, existing bool) {
	if name, existing = project.Namespaces[environment]; existing {
		return name, true
	}
	return naming.Namespace(e.organization, project.Name, environment), false
}

// namespacesPath is the attribute that names the existing namespace of an environment.
func namespacesPath(environment string) platform.Path {
	return platform.Path{"namespaces", environment}
}

// checkNamespaces returns what of the surroundings speaks against the existing
// namespaces of a project: objects have the names of components, so a namespace
// belongs to one project in one environment.
func (u *projectUnit) checkNamespaces(ctx context.Context) ([]platform.Problem, error) {
	project := u.context.Project
	var problems []platform.Problem
	for _, environment := range slices.Sorted(maps.Keys(project.Namespaces)) {
		switch {
		case !slices.Contains(u.context.EnvironmentNames, environment):
			problems = append(problems, platform.Problem{
				Path: namespacesPath(environment), Title: "Environment outside the pipeline",
				Detail: fmt.Sprintf("The environment %q is not part of the pipeline %q, which has: %s.",
					environment, u.context.DeploymentPipeline.Name, strings.Join(u.context.EnvironmentNames, ", ")),
			})
		case project.Namespaces[environment] == u.scope.engine.controlPlane:
			problems = append(problems, platform.Problem{
				Path: namespacesPath(environment), Title: "Reserved namespace",
				Detail: fmt.Sprintf("The namespace %q holds the records of the provider; choose another one.", u.scope.engine.controlPlane),
			})
		case project.Namespaces[environment] == naming.Namespace(u.scope.engine.organization, project.Name, environment):
			problems = append(problems, platform.Problem{
				Path: namespacesPath(environment), Title: "Reserved namespace",
				Detail: fmt.Sprintf("The provider itself makes the namespace %q. Leave the environment out of namespaces.", project.Namespaces[environment]),
			})
		}
	}
	if len(problems) > 0 || len(project.Namespaces) == 0 {
		return problems, nil
	}
	return u.sharedNamespaces(ctx)
}

// sharedNamespaces returns which existing namespaces belong to another cell of
// the same cluster.
func (u *projectUnit) sharedNamespaces(ctx context.Context) ([]platform.Problem, error) {
	projects, err := u.scope.engine.catalog.All(ctx, u.scope.variant, platform.KindProject, "")
	if err != nil {
		return nil, err
	}
	environments, err := u.scope.clustersOfEnvironments(ctx)
	if err != nil {
		return nil, err
	}
	var problems []platform.Problem
	for _, cell := range u.context.Cells {
		if !cell.Existing {
			continue
		}
		for _, object := range projects {
			project, ok := object.(*platform.Project)
			if !ok {
				continue
			}
			if project.Name == u.context.Project.Name {
				project = u.context.Project
			}
			if taken := u.takenBy(project, cell, environments); taken != "" {
				problems = append(problems, platform.Problem{
					Path: namespacesPath(cell.Environment.Name), Title: "Namespace in use",
					Detail: fmt.Sprintf("The namespace %q of the data plane %q is that of the project %q in the environment %q. Objects there have the names of components, which would meet: choose another namespace.",
						cell.Namespace, cell.DataPlane.Name, project.Name, taken),
				})
			}
		}
	}
	return problems, nil
}

// takenBy returns the environment in which a project has the namespace of
// another cell, or "".
func (u *projectUnit) takenBy(project *platform.Project, cell dataplane.Cell, clusters map[string]string) string {
	for _, environment := range slices.Sorted(maps.Keys(clusters)) {
		name, existing := u.scope.engine.namespace(project, environment)
		if name != cell.Namespace || clusters[environment] != cell.DataPlane.Cluster {
			continue
		}
		// Of two cells of one project the later one is at fault.
		if project != u.context.Project || !existing || environment < cell.Environment.Name {
			return environment
		}
	}
	return ""
}

// clustersOfEnvironments returns the connection behind each environment.
func (s *scope) clustersOfEnvironments(ctx context.Context) (map[string]string, error) {
	environments, err := s.engine.catalog.All(ctx, s.variant, platform.KindEnvironment, "")
	if err != nil {
		return nil, err
	}
	clusters := map[string]string{}
	for _, object := range environments {
		environment, ok := object.(*platform.Environment)
		if !ok {
			continue
		}
		plane, err := known[*platform.DataPlane](ctx, s, platform.KindDataPlane, environment.DataPlane)
		if err != nil {
			return nil, err
		}
		if plane != nil {
			clusters[environment.Name] = plane.Cluster
		}
	}
	return clusters, nil
}

// foresee warns of existing namespaces that are not there yet. They may be made
// before they are needed; one that a deployment has used is not asked for again.
func (u *projectUnit) foresee(ctx context.Context) ([]platform.Problem, error) {
	var warnings []platform.Problem
	for _, cell := range u.cells {
		place := cell.context.Cell
		if !place.Existing || cell.namespace == place.Namespace {
			continue
		}
		found, err := u.scope.live(ctx, place.DataPlane.Name, runtime.KubernetesID("v1", "Namespace", "", place.Namespace))
		switch {
		case runtime.CodeOf(err) == runtime.PermissionDenied:
			// Whoever may work in a namespace may not always look at it.
		case err != nil:
			return nil, err
		case found == nil:
			warnings = append(warnings, platform.Problem{
				Path: namespacesPath(place.Environment.Name), Title: "Namespace not found",
				Detail: fmt.Sprintf("The namespace %q is not there on the data plane %q. The provider does not make it: it has to exist before the first deployment in the environment %q. Where the same configuration makes it, let the project refer to it.",
					place.Namespace, place.DataPlane.Name, place.Environment.Name),
			})
		}
	}
	return warnings, nil
}

// live returns all of an object, whoever owns it, or nil.
func (s *scope) live(ctx context.Context, dataPlane, id string) (*runtime.Resource, error) {
	rt, err := s.session.Runtime(dataPlane)
	if err != nil {
		return nil, err
	}
	response, err := runtime.Read(ctx, rt, &runtime.ReadRequest{
		PlanResource: &runtime.Resource{ID: id, Type: runtime.Kubernetes}, Stack: s.session.Stack(dataPlane), Whole: true,
	})
	if err != nil {
		return nil, err
	}
	return response.Resource, nil
}

// moved refuses another namespace for a cell while deployments run in the one
// that it has: they would be left behind. deployments returns those of the environment.
func (u *projectUnit) moved(deployments func(environment string) ([]string, error)) error {
	var problems []platform.Problem
	for _, cell := range u.cells {
		place := cell.context.Cell
		if cell.namespace == "" || cell.namespace == place.Namespace {
			continue
		}
		names, err := deployments(place.Environment.Name)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			continue
		}
		problems = append(problems, platform.Problem{
			Path: namespacesPath(place.Environment.Name), Title: "Environment is in use",
			Detail: fmt.Sprintf("The project's deployments in the environment %q run in the namespace %q: %s. Destroy them before the project moves to the namespace %q there.",
				place.Environment.Name, cell.namespace, strings.Join(names, ", "), place.Namespace),
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return &platform.ProblemError{Problems: problems}
}

// plannedIn returns the project's deployments in an environment as planned.
func (u *projectUnit) plannedIn(ctx context.Context) func(string) ([]string, error) {
	return func(environment string) ([]string, error) {
		objects, err := u.scope.engine.catalog.All(ctx, u.scope.variant, platform.KindDeployment, platform.Join(u.context.Project.Name, ""))
		if err != nil {
			return nil, err
		}
		var names []string
		for _, object := range objects {
			if deployment, ok := object.(*platform.Deployment); ok && deployment.Environment == environment {
				names = append(names, deployment.ID())
			}
		}
		return names, nil
	}
}

// storedIn returns the project's deployments in an environment as the storage has
// them now, since another run may have made them.
func (u *projectUnit) storedIn(ctx context.Context) func(string) ([]string, error) {
	return func(environment string) ([]string, error) {
		store, err := u.scope.engine.store()
		if err != nil {
			return nil, err
		}
		records, err := store.Referring(ctx, platform.KindDeployment, platform.Ref{Kind: platform.KindEnvironment, ID: environment})
		if err != nil {
			return nil, err
		}
		var names []string
		for _, record := range records {
			if strings.HasPrefix(record.ID, platform.Join(u.context.Project.Name, "")) {
				names = append(names, record.ID)
			}
		}
		return names, nil
	}
}

// missingNamespace says of a failure that it is the existing namespace of a cell
// that is not there; at is the attribute that leads to it.
func missingNamespace(cell dataplane.Cell, at platform.Path, err error) error {
	status, ok := errors.AsType[runtime.Status](err)
	if !cell.Existing || !ok || status.Code() != runtime.NotFound || !slices.Contains(status.Paths(), runtime.PathNamespace) {
		return err
	}
	return &platform.ProblemError{Cause: err, Problems: []platform.Problem{{
		Path: at, Title: "Namespace not found",
		Detail: fmt.Sprintf("The project runs in the existing namespace %q in the environment %q, and it is not there on the data plane %q. Create it, or leave the environment out of the project's namespaces so that the provider makes one.",
			cell.Namespace, cell.Environment.Name, cell.DataPlane.Name),
	}}}
}
