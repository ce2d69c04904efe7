// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// driver knows one kind: how its context is resolved and which handlers serve it.
type driver interface {
	// bind resolves the object's context. Its error is that of the catalog, or
	// a *platform.ProblemError for what the surroundings show to be wrong.
	bind(ctx context.Context, s *scope, object platform.Object) (unit, error)
	// loose returns a unit that can only destroy: what is deleted needs no context.
	loose(s *scope) unit
	// children are the kinds that keep an object of this kind from being deleted.
	children() []platform.Kind
}

// view is one object whose context is resolved. Nothing of it writes.
type view interface {
	preview(ctx context.Context) ([]dataplane.Change, error)
	observe(ctx context.Context) ([]dataplane.Observation, error)
	// describe fills in the outputs that follow from the context.
	describe(outputs *Outputs)
	// inspect fills in the outputs that only the infrastructure knows.
	inspect(ctx context.Context, outputs *Outputs) error
	// foresee returns what is worth knowing before a change.
	foresee(ctx context.Context) ([]platform.Problem, error)
}

// unit is one object ready for an operation.
type unit interface {
	view
	// session is what the operation shares.
	session() *dataplane.Session
	// expect notes what is about to be made, so that it is recorded first.
	expect(changes []dataplane.Change)
	reconcile(ctx context.Context) error
	destroy(ctx context.Context) error
}

// scope is what one operation on one object resolves and acts with.
type scope struct {
	engine  *Engine
	variant int
	owner   platform.Ref
	session *dataplane.Session
	// applying tells that what is planned must be in force by now.
	applying bool
	// stored resolves what is in force instead of what is planned.
	stored bool
}

func (e *Engine) scope(ctx context.Context, owner platform.Ref, variant int, prior []platform.InventoryEntry) *scope {
	session := dataplane.NewSession(e.organization, owner, prior, e.runtimes(ctx, owner))
	session.Take(e.policy)
	return &scope{engine: e, variant: variant, owner: owner, session: session}
}

// resolve finds an object that the scope's owner needs, because of path.
func resolve[T platform.Object](ctx context.Context, s *scope, kind platform.Kind, id string, path ...any) (T, error) {
	var none T
	reference := platform.Reference{Ref: platform.Ref{Kind: kind, ID: id}, Path: path}
	find := func() (platform.Object, error) { return s.engine.catalog.Resolve(ctx, s.variant, reference, s.owner) }
	if s.stored {
		find = func() (platform.Object, error) { return s.engine.catalog.Stored(ctx, reference, s.owner) }
	}
	object, err := find()
	if err != nil {
		return none, err
	}
	typed, ok := object.(T)
	if !ok {
		return none, fmt.Errorf("%s is stored as a %T", reference.Ref, object)
	}
	return typed, nil
}

// kind implements driver from the functions in which kinds differ. O is the
// object, T the context of its handlers.
type kind[O platform.Object, T any] struct {
	resolve  func(ctx context.Context, s *scope, object O) (*T, error)
	check    func(ctx context.Context, s *scope, resourceCtx *T) ([]platform.Problem, error)
	handlers func(s *scope) []dataplane.ResourceHandler[T]
	outputs  func(resourceCtx *T, outputs *Outputs)
	live     func(ctx context.Context, s *scope, resourceCtx *T, outputs *Outputs) error
	foresee  func(ctx context.Context, s *scope, resourceCtx *T) ([]platform.Problem, error)
	explain  func(resourceCtx *T, err error) error
	blockers []platform.Kind
}

func (k kind[O, T]) children() []platform.Kind { return k.blockers }

func (k kind[O, T]) loose(s *scope) unit {
	u := &bound[T]{scope: s, reconciler: dataplane.NewReconciler[T]()}
	if k.handlers != nil {
		u.reconciler = dataplane.NewReconciler(k.handlers(s)...)
	}
	return u
}

func (k kind[O, T]) bind(ctx context.Context, s *scope, object platform.Object) (unit, error) {
	typed, ok := object.(O)
	if !ok {
		return nil, fmt.Errorf("%s is a %T", s.owner, object)
	}
	resourceCtx, err := k.resolve(ctx, s, typed)
	if err != nil {
		return nil, err
	}
	if k.check != nil {
		problems, err := k.check(ctx, s, resourceCtx)
		if err != nil {
			return nil, err
		}
		if len(problems) > 0 {
			return nil, &platform.ProblemError{Problems: problems}
		}
	}
	u := &bound[T]{
		scope: s, context: resourceCtx, reconciler: dataplane.NewReconciler[T](),
		outputs: k.outputs, live: k.live, warns: k.foresee, explain: k.explain,
	}
	if k.handlers != nil {
		u.reconciler = dataplane.NewReconciler(k.handlers(s)...)
	}
	return u, nil
}

// bound is the unit of a kind.
type bound[T any] struct {
	scope      *scope
	context    *T
	reconciler *dataplane.Reconciler[T]
	outputs    func(*T, *Outputs)
	live       func(context.Context, *scope, *T, *Outputs) error
	warns      func(context.Context, *scope, *T) ([]platform.Problem, error)
	explain    func(*T, error) error
}

func (b *bound[T]) session() *dataplane.Session { return b.scope.session }

func (b *bound[T]) expect(changes []dataplane.Change) { b.scope.session.Expect(changes) }

func (b *bound[T]) preview(ctx context.Context) ([]dataplane.Change, error) {
	return b.reconciler.Preview(ctx, b.context)
}

func (b *bound[T]) observe(ctx context.Context) ([]dataplane.Observation, error) {
	return b.reconciler.Observe(ctx, b.context)
}

func (b *bound[T]) reconcile(ctx context.Context) error {
	err := b.reconciler.Reconcile(ctx, b.context)
	if err != nil && b.explain != nil {
		err = b.explain(b.context, err)
	}
	return err
}

func (b *bound[T]) destroy(ctx context.Context) error { return b.reconciler.Delete(ctx, nil) }

func (b *bound[T]) describe(outputs *Outputs) {
	if b.outputs != nil {
		b.outputs(b.context, outputs)
	}
}

func (b *bound[T]) inspect(ctx context.Context, outputs *Outputs) error {
	if b.live == nil {
		return nil
	}
	return b.live(ctx, b.scope, b.context, outputs)
}

func (b *bound[T]) foresee(ctx context.Context) ([]platform.Problem, error) {
	if b.warns == nil {
		return nil, nil
	}
	return b.warns(ctx, b.scope, b.context)
}
