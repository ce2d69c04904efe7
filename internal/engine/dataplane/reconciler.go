// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane

import (
	"context"
	"fmt"
	"slices"
)

// Reconciler runs a list of handlers over one context.
type Reconciler[T any] struct {
	handlers []ResourceHandler[T]
}

// NewReconciler returns a reconciler that runs the handlers in the given order,
// and in reverse on Delete.
func NewReconciler[T any](handlers ...ResourceHandler[T]) *Reconciler[T] {
	return &Reconciler[T]{handlers: handlers}
}

// Reconcile makes the infrastructure match the context: what is not required is
// deleted, what is absent is created, the rest is updated. It stops at the first
// error; running it again goes on from there.
func (r *Reconciler[T]) Reconcile(ctx context.Context, resourceCtx *T) error {
	for _, handler := range r.handlers {
		if err := reconcile(ctx, handler, resourceCtx); err != nil {
			return fmt.Errorf("%s: %w", handler.Name(), err)
		}
	}
	return nil
}

func reconcile[T any](ctx context.Context, handler ResourceHandler[T], resourceCtx *T) error {
	if !handler.IsRequired(resourceCtx) {
		return handler.Delete(ctx, resourceCtx)
	}
	current, err := handler.GetCurrentState(ctx, resourceCtx)
	if err != nil {
		return err
	}
	if current == nil {
		return handler.Create(ctx, resourceCtx)
	}
	return handler.Update(ctx, resourceCtx, current)
}

// Delete removes everything the handlers own, last handler first. resourceCtx
// may be nil.
func (r *Reconciler[T]) Delete(ctx context.Context, resourceCtx *T) error {
	for _, handler := range slices.Backward(r.handlers) {
		if err := handler.Delete(ctx, resourceCtx); err != nil {
			return fmt.Errorf("%s: %w", handler.Name(), err)
		}
	}
	return nil
}

// Preview returns what Reconcile would do, in order. Nothing is written.
func (r *Reconciler[T]) Preview(ctx context.Context, resourceCtx *T) ([]Change, error) {
	var changes []Change
	for _, handler := range r.handlers {
		previewer, ok := handler.(Previewer[T])
		if !ok {
			continue
		}
		some, err := previewer.Preview(ctx, resourceCtx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", handler.Name(), err)
		}
		changes = append(changes, some...)
	}
	return changes, nil
}

// Observe returns what the handlers' resources look like now. Nothing is written.
func (r *Reconciler[T]) Observe(ctx context.Context, resourceCtx *T) ([]Observation, error) {
	var observations []Observation
	for _, handler := range r.handlers {
		observer, ok := handler.(Observer[T])
		if !ok {
			continue
		}
		some, err := observer.Observe(ctx, resourceCtx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", handler.Name(), err)
		}
		observations = append(observations, some...)
	}
	return observations, nil
}
