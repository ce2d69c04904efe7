// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// environmentKind serves environments. An environment renders nothing itself;
// destroying it removes the cells that are left in it.
type environmentKind struct{}

func (environmentKind) children() []platform.Kind { return []platform.Kind{platform.KindDeployment} }

func (k environmentKind) loose(s *scope) unit {
	return &environmentUnit{bound: bound[dataplane.EnvironmentContext]{
		scope: s, reconciler: dataplane.NewReconciler[dataplane.EnvironmentContext](),
	}}
}

func (k environmentKind) bind(ctx context.Context, s *scope, object platform.Object) (unit, error) {
	environment, ok := object.(*platform.Environment)
	if !ok {
		return nil, fmt.Errorf("%s is a %T", s.owner, object)
	}
	plane, err := resolve[*platform.DataPlane](ctx, s, platform.KindDataPlane, environment.DataPlane, "data_plane")
	if err != nil {
		return nil, err
	}
	return &environmentUnit{bound: bound[dataplane.EnvironmentContext]{
		scope: s, reconciler: dataplane.NewReconciler[dataplane.EnvironmentContext](),
		context: &dataplane.EnvironmentContext{Organization: s.engine.organization, Environment: environment, DataPlane: plane},
	}}, nil
}

// environmentUnit is an environment ready for an operation.
type environmentUnit struct {
	bound[dataplane.EnvironmentContext]
}

// reconcile refuses to move the environment to another data plane while cells
// exist: their namespaces would be left behind. It asks the storage, since
// another run may have made them.
func (u *environmentUnit) reconcile(ctx context.Context) error {
	store, err := u.scope.engine.store()
	if err != nil {
		return err
	}
	cells, err := store.Referring(ctx, platform.KindCell, u.scope.owner)
	if err != nil {
		return err
	}
	environment := u.context.Environment
	for _, record := range cells {
		object, err := record.Object()
		if err != nil {
			return err
		}
		cell, ok := object.(*platform.Cell)
		if ok && cell.DataPlane != environment.DataPlane {
			return &platform.ProblemError{Problems: []platform.Problem{{
				Path: platform.Path{"data_plane"}, Title: "Environment is in use",
				Detail: fmt.Sprintf("The project %q has the namespace %s in this environment on the data plane %q. Destroy the project's deployments and the project there before the environment moves to %q.",
					cell.Project, cell.Namespace, cell.DataPlane, environment.DataPlane),
			}}}
		}
	}
	return nil
}

func (u *environmentUnit) destroy(ctx context.Context) error {
	return u.scope.engine.removeCells(ctx, u.scope.owner, false)
}
