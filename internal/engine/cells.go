// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/cell"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// A cell is the namespace of a project in an environment and its default
// policy. It has a record of its own, because it outlives each deployment in it:
// the first deployment makes it, the project changes it, project or environment
// remove it.

// cellUnit returns the unit of a cell and its record, which is nil when the cell
// was never made.
func (e *Engine) cellUnit(ctx context.Context, resourceCtx *dataplane.CellContext) (*bound[dataplane.CellContext], *catalog.Record, error) {
	ref := platform.Ref{Kind: platform.KindCell, ID: platform.Join(resourceCtx.Project.Name, resourceCtx.Cell.Environment.Name)}
	var record *catalog.Record
	var inventory []platform.InventoryEntry
	if store := e.catalog.Store(); store != nil {
		var err error
		if record, err = store.Get(ctx, ref); err != nil {
			return nil, nil, err
		}
		if record != nil {
			inventory = record.Inventory
		}
	}
	s := e.scope(ctx, ref, 0, inventory)
	return &bound[dataplane.CellContext]{
		scope: s, context: resourceCtx, reconciler: dataplane.NewReconciler(cell.Handlers(s.session)...),
	}, record, nil
}

// makeCell creates a cell or brings it up to date. former is what was rendered of
// it before, if that is known. Concurrent calls for one cell share one run.
func (e *Engine) makeCell(ctx context.Context, resourceCtx *dataplane.CellContext, former []runtime.Resource) error {
	id := platform.Join(resourceCtx.Project.Name, resourceCtx.Cell.Environment.Name)
	run := func() (any, error) { return nil, e.makeCellOnce(ctx, resourceCtx, former) }
	_, err, shared := e.cells.Do(id, run)
	if code := runtime.CodeOf(err); shared && ctx.Err() == nil && (code == runtime.Canceled || code == runtime.DeadlineExceeded) {
		// The time of the call that made the run was over, not that of this one.
		_, err, _ = e.cells.Do(id, run)
	}
	return err
}

func (e *Engine) makeCellOnce(ctx context.Context, resourceCtx *dataplane.CellContext, former []runtime.Resource) error {
	err := e.writeCell(ctx, resourceCtx, former)
	if runtime.CodeOf(err) != runtime.Conflict {
		return err
	}
	// Another run makes the same cell: go on from what it wrote.
	store, err := e.store()
	if err != nil {
		return err
	}
	ref := platform.Ref{Kind: platform.KindCell, ID: platform.Join(resourceCtx.Project.Name, resourceCtx.Cell.Environment.Name)}
	if _, err := store.Fresh(ctx, ref); err != nil {
		return err
	}
	return e.writeCell(ctx, resourceCtx, former)
}

func (e *Engine) writeCell(ctx context.Context, resourceCtx *dataplane.CellContext, former []runtime.Resource) error {
	store, err := e.store()
	if err != nil {
		return err
	}
	u, record, err := e.cellUnit(ctx, resourceCtx)
	if err != nil {
		return err
	}
	object := &platform.Cell{
		Project: resourceCtx.Project.Name, Environment: resourceCtx.Cell.Environment.Name,
		DataPlane: resourceCtx.Cell.DataPlane.Name, Namespace: resourceCtx.Cell.Namespace,
	}
	if record == nil {
		record = &catalog.Record{Kind: platform.KindCell, ID: object.ID(), UID: uuid.NewString()}
	}
	u.session().Remember(former)
	changes, err := u.preview(ctx)
	if err != nil {
		return err
	}
	_, err = e.run(ctx, store, record, object, u, changes, nil)
	return err
}

// removeCell deletes a cell's namespace and its record. A namespace that holds
// objects of others is refused unless force is set.
func (e *Engine) removeCell(ctx context.Context, record *catalog.Record, force bool) error {
	store, err := e.store()
	if err != nil {
		return err
	}
	s := e.scope(ctx, record.Ref(), 0, record.Inventory)
	if force {
		s.session.ForceDelete()
	}
	if err := dataplane.NewReconciler(cell.Handlers(s.session)...).Delete(ctx, nil); err != nil {
		return err
	}
	return store.Remove(ctx, record)
}

// removeCells deletes the cells that refer to an object.
func (e *Engine) removeCells(ctx context.Context, of platform.Ref, force bool) error {
	store, err := e.store()
	if err != nil {
		return err
	}
	records, err := store.Referring(ctx, platform.KindCell, of)
	if err != nil {
		return err
	}
	// A namespace takes seconds to go; several go at the same time. One that
	// cannot go keeps none of the others.
	var group errgroup.Group
	for _, record := range records {
		group.Go(func() error { return e.removeCell(ctx, record, force) })
	}
	return group.Wait()
}

// cellHandler makes the cell of a deployment if it is missing. It changes and
// deletes nothing: that is the project's business.
type cellHandler struct {
	engine *Engine
}

var _ dataplane.ResourceHandler[dataplane.DeploymentContext] = (*cellHandler)(nil)

// Name returns Cell.
func (*cellHandler) Name() string { return "Cell" }

// IsRequired is always true.
func (*cellHandler) IsRequired(*dataplane.DeploymentContext) bool { return true }

// GetCurrentState returns the cell's record, or nil when the cell was not made,
// not completely, or lost something since.
func (h *cellHandler) GetCurrentState(ctx context.Context, c *dataplane.DeploymentContext) (any, error) {
	var current any
	u, record, err := h.engine.cellUnit(ctx, cellContext(c))
	if err != nil || record == nil || !record.Succeeded() {
		return current, err
	}
	changes, err := u.preview(ctx)
	lost := slices.ContainsFunc(changes, func(change dataplane.Change) bool { return change.Action == runtime.ActionCreate })
	if err == nil && !lost {
		current = record
	}
	return current, err
}

// Create makes the cell.
func (h *cellHandler) Create(ctx context.Context, c *dataplane.DeploymentContext) error {
	return h.engine.makeCell(ctx, cellContext(c), nil)
}

// Update leaves the cell to its project.
func (*cellHandler) Update(context.Context, *dataplane.DeploymentContext, any) error { return nil }

// Delete leaves the cell to its project.
func (*cellHandler) Delete(context.Context, *dataplane.DeploymentContext) error { return nil }

func cellContext(c *dataplane.DeploymentContext) *dataplane.CellContext {
	return &dataplane.CellContext{Organization: c.Organization, Project: c.Project, Cell: c.Cell}
}
