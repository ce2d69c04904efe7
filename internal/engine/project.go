// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// projectKind serves projects, which own one cell per environment.
type projectKind struct{}

func (projectKind) children() []platform.Kind { return []platform.Kind{platform.KindComponent} }

func (projectKind) loose(s *scope) unit { return &projectUnit{scope: s} }

// bind resolves the pipeline and a cell for each of its environments, and for
// each environment in which the project still has one.
func (projectKind) bind(ctx context.Context, s *scope, object platform.Object) (unit, error) {
	project, ok := object.(*platform.Project)
	if !ok {
		return nil, fmt.Errorf("%s is a %T", s.owner, object)
	}
	pipeline, err := resolve[*platform.DeploymentPipeline](ctx, s, platform.KindDeploymentPipeline, project.DeploymentPipeline, "deployment_pipeline")
	if err != nil {
		return nil, err
	}
	u := &projectUnit{scope: s, context: &dataplane.ProjectContext{
		Organization: s.engine.organization, DeploymentPipeline: pipeline, Project: project,
	}}
	seen := map[string]bool{}
	for _, environment := range pipeline.Environments() {
		seen[environment] = true
		if err := u.add(ctx, environment); err != nil {
			return nil, err
		}
	}
	left, err := s.engine.cellsOf(ctx, project.Name)
	if err != nil {
		return nil, err
	}
	for _, environment := range left {
		if seen[environment] {
			continue
		}
		// The environment left the pipeline, or is being destroyed with its cell.
		if err := u.add(ctx, environment); err != nil {
			if absent, ok := errors.AsType[*catalog.AbsentError](err); !ok || !absent.Deleted {
				return nil, err
			}
		}
	}
	if s.stored {
		return u, nil
	}
	return u, u.check(ctx)
}

// check returns what of the surroundings speaks against the project.
func (u *projectUnit) check(ctx context.Context) error {
	problems, err := u.checkNamespaces(ctx)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return &platform.ProblemError{Problems: problems}
	}
	if u.scope.applying {
		return u.moved(u.storedIn(ctx))
	}
	return u.moved(u.plannedIn(ctx))
}

// cellsOf returns the environments in which a project has a cell.
func (e *Engine) cellsOf(ctx context.Context, project string) ([]string, error) {
	store := e.catalog.Store()
	if store == nil {
		return nil, nil
	}
	prefix := platform.Join(project, "")
	records, err := store.Select(ctx, platform.KindCell, prefix)
	if err != nil {
		return nil, err
	}
	var environments []string
	for _, record := range records {
		environments = append(environments, strings.TrimPrefix(record.ID, prefix))
	}
	return environments, nil
}

// projectUnit is a project ready for an operation: the units of its cells.
type projectUnit struct {
	scope   *scope
	context *dataplane.ProjectContext
	cells   []projectCell
}

type projectCell struct {
	context *dataplane.CellContext
	unit    *bound[dataplane.CellContext]
	// made tells that a deployment has made the cell, and namespace where.
	made      bool
	namespace string
}

func (u *projectUnit) add(ctx context.Context, environment string) error {
	cell, err := resolveCell(ctx, u.scope, u.context.Project, environment, "deployment_pipeline")
	if err != nil {
		return err
	}
	u.context.EnvironmentNames = append(u.context.EnvironmentNames, cell.Environment.Name)
	u.context.NamespaceNames = append(u.context.NamespaceNames, cell.Namespace)
	u.context.Cells = append(u.context.Cells, *cell)
	cellCtx := &dataplane.CellContext{Organization: u.context.Organization, Project: u.context.Project, Cell: *cell}
	unit, record, err := u.scope.engine.cellUnit(ctx, cellCtx)
	if err != nil {
		return err
	}
	place := projectCell{context: cellCtx, unit: unit, made: record != nil}
	if record != nil {
		object, err := record.Object()
		if err != nil {
			return err
		}
		if known, ok := object.(*platform.Cell); ok {
			place.namespace = known.Namespace
		}
	}
	u.cells = append(u.cells, place)
	return nil
}

// unlessAway looks at a cell. One whose data plane is away is taken to be in
// order: the project is of use on the other data planes all the same, and
// whatever runs in the cell says what is wrong.
func unlessAway[T any](cell projectCell, look func() ([]T, error)) ([]T, error) {
	seen, err := look()
	if runtime.CodeOf(err) != runtime.Unavailable {
		return seen, err
	}
	cell.unit.session().Trust()
	return look()
}

func (u *projectUnit) session() *dataplane.Session { return u.scope.session }

// expect does nothing: what is made belongs to the cells' records.
func (*projectUnit) expect([]dataplane.Change) {}

func (u *projectUnit) preview(ctx context.Context) ([]dataplane.Change, error) {
	var changes []dataplane.Change
	for _, cell := range u.cells {
		some, err := unlessAway(cell, func() ([]dataplane.Change, error) { return cell.unit.preview(ctx) })
		if err != nil {
			return nil, err
		}
		changes = append(changes, some...)
	}
	return changes, nil
}

// observe shows a cell that was never made as it will be made: it is not
// missing, and a project does not change when its first deployment arrives.
func (u *projectUnit) observe(ctx context.Context) ([]dataplane.Observation, error) {
	var observations []dataplane.Observation
	for _, cell := range u.cells {
		some, err := unlessAway(cell, func() ([]dataplane.Observation, error) { return cell.unit.observe(ctx) })
		if err != nil {
			return nil, err
		}
		for i := range some {
			if !cell.made {
				some[i].Live = some[i].Rendered
			}
		}
		observations = append(observations, some...)
	}
	return observations, nil
}

// reconcile brings the cells that exist up to date.
func (u *projectUnit) reconcile(ctx context.Context) error {
	for _, cell := range u.cells {
		if !cell.made {
			continue
		}
		if err := u.scope.engine.makeCell(ctx, cell.context, u.scope.session.Former()); err != nil {
			place := cell.context.Cell
			return missingNamespace(place, namespacesPath(place.Environment.Name), err)
		}
	}
	return nil
}

func (u *projectUnit) destroy(ctx context.Context) error {
	return u.scope.engine.removeCells(ctx, u.scope.owner, u.scope.session.Forced())
}

func (u *projectUnit) describe(outputs *Outputs) {
	outputs.Cells = map[string]string{}
	for _, cell := range u.context.Cells {
		outputs.Cells[cell.Environment.Name] = cell.Namespace
	}
}

func (*projectUnit) inspect(context.Context, *Outputs) error { return nil }
