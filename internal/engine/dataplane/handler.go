// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane

import (
	"context"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// ResourceHandler owns one kind of external resource for one kind of context.
// All of it is idempotent. Create, Update and Delete block until the
// infrastructure has accepted the change, not until it is ready.
type ResourceHandler[T any] interface {
	// Name returns the name of the external resource in PascalCase. It is
	// stored in inventories, so it never changes.
	Name() string

	// IsRequired tells whether the context needs the resource. What is not
	// required is deleted.
	IsRequired(resourceCtx *T) bool

	// GetCurrentState returns the live state, which Update gets back, or nil
	// when the resource does not exist.
	GetCurrentState(ctx context.Context, resourceCtx *T) (any, error)

	// Create makes the resource.
	Create(ctx context.Context, resourceCtx *T) error

	// Update makes the resource match the context, given what GetCurrentState
	// returned.
	Update(ctx context.Context, resourceCtx *T, currentState any) error

	// Delete removes the resource and blocks until it is gone; an absent one is
	// success. resourceCtx may be nil.
	Delete(ctx context.Context, resourceCtx *T) error
}

// Previewer is implemented by handlers that can say what they would do. Nothing
// is written.
type Previewer[T any] interface {
	Preview(ctx context.Context, resourceCtx *T) ([]Change, error)
}

// Observer is implemented by handlers that can say what their resources look
// like now. Nothing is written.
type Observer[T any] interface {
	Observe(ctx context.Context, resourceCtx *T) ([]Observation, error)
}

// Change is what was done, or would be done, to one resource.
type Change struct {
	// Handler is the name of the handler.
	Handler string
	// Action is what was done or planned.
	Action runtime.Action
	// Resource is what was rendered; for a deletion its ID only.
	Resource *runtime.Resource
	// Paths are the fields that differ.
	Paths []string
}

// Observation is the live state of one resource.
type Observation struct {
	// Handler is the name of the handler.
	Handler string
	// Rendered is what should exist.
	Rendered *runtime.Resource
	// Live is the live values of the owned fields; nil when absent.
	Live *runtime.Resource
}
