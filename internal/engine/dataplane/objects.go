// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane

import (
	"context"
	"fmt"
	"slices"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Objects implements ResourceHandler, Previewer and Observer from two pure
// functions: whether the resources are needed, and what they look like.
type Objects[T any] struct {
	session  *Session
	name     string
	required func(*T) bool
	render   func(*T) ([]runtime.Resource, error)
}

// NewObjects returns a handler. render must be deterministic: the same context
// gives the same resources in the same order.
func NewObjects[T any](session *Session, name string, required func(*T) bool, render func(*T) ([]runtime.Resource, error)) *Objects[T] {
	return &Objects[T]{session: session, name: name, required: required, render: render}
}

var (
	_ ResourceHandler[struct{}] = (*Objects[struct{}])(nil)
	_ Previewer[struct{}]       = (*Objects[struct{}])(nil)
	_ Observer[struct{}]        = (*Objects[struct{}])(nil)
)

// Name returns the handler's name.
func (o *Objects[T]) Name() string { return o.name }

// IsRequired tells whether the context needs the resources.
func (o *Objects[T]) IsRequired(resourceCtx *T) bool { return o.required(resourceCtx) }

// GetCurrentState returns the inventory of the handler, or nil when nothing was
// ever made. It makes no request: Apply settles what is really there.
func (o *Objects[T]) GetCurrentState(context.Context, *T) (any, error) {
	var state any
	if entries := o.session.entries(o.name); len(entries) > 0 {
		state = entries
	}
	return state, nil
}

// Create applies the rendered resources.
func (o *Objects[T]) Create(ctx context.Context, resourceCtx *T) error {
	_, err := o.apply(ctx, resourceCtx)
	return err
}

// Update applies the rendered resources and deletes those that are not rendered
// any more.
func (o *Objects[T]) Update(ctx context.Context, resourceCtx *T, _ any) error {
	rendered, err := o.apply(ctx, resourceCtx)
	if err != nil {
		return err
	}
	return o.prune(ctx, rendered)
}

// Delete deletes what the inventory lists, last made first.
func (o *Objects[T]) Delete(ctx context.Context, _ *T) error { return o.prune(ctx, nil) }

func (o *Objects[T]) apply(ctx context.Context, resourceCtx *T) ([]runtime.Resource, error) {
	resources, err := o.render(resourceCtx)
	if err != nil {
		return nil, err
	}
	for i := range resources {
		resource := &resources[i]
		rt, err := o.session.Runtime(resource.DataPlane())
		if err != nil {
			return nil, err
		}
		request := &runtime.ApplyRequest{
			PriorResource: o.session.prior(resource), PlanResource: resource, Stack: o.session.Stack(resource.DataPlane()),
			Adopt: o.session.adopts(resource), Force: o.session.policy.Force,
		}
		response, err := runtime.Apply(ctx, rt, request)
		if runtime.CodeOf(err) == runtime.ReplaceRequired {
			response, err = o.replace(ctx, rt, request, err)
		}
		if err != nil {
			return nil, err
		}
		if request.PriorResource == nil && response.Action != runtime.ActionCreate && request.Adopt != "" && request.Adopt != runtime.AdoptNever {
			o.session.takeOver(resource)
		}
		o.session.keep(o.name, resource, response.UID)
		o.session.record(Change{Handler: o.name, Action: response.Action, Resource: resource, Paths: response.ChangedPaths}, response.Warnings)
	}
	return resources, nil
}

// prune deletes the handler's inventory but for the resources to keep.
func (o *Objects[T]) prune(ctx context.Context, keep []runtime.Resource) error {
	for _, entry := range slices.Backward(o.session.entries(o.name)) {
		if slices.ContainsFunc(keep, func(r runtime.Resource) bool { return r.ID == entry.ID && r.DataPlane() == entry.DataPlane }) {
			continue
		}
		rt, err := o.session.Runtime(entry.DataPlane)
		if err != nil {
			return err
		}
		resource := entryResource(entry)
		response, err := runtime.Delete(ctx, rt, &runtime.DeleteRequest{
			Resource: resource, Stack: o.session.Stack(entry.DataPlane), UID: entry.UID, Force: o.session.force,
		})
		if err != nil {
			return err
		}
		o.session.drop(entry)
		o.session.record(Change{Handler: o.name, Action: response.Action, Resource: resource}, response.Warnings)
	}
	return nil
}

// Preview renders and compares with what is there. What was never made is a
// create and costs no request.
func (o *Objects[T]) Preview(ctx context.Context, resourceCtx *T) ([]Change, error) {
	var changes []Change
	var rendered []runtime.Resource
	if o.required(resourceCtx) {
		observations, err := o.Observe(ctx, resourceCtx)
		if err != nil {
			return nil, err
		}
		for _, seen := range observations {
			rendered = append(rendered, *seen.Rendered)
			change := Change{Handler: o.name, Action: runtime.ActionCreate, Resource: seen.Rendered}
			if seen.Live != nil {
				change.Paths = runtime.Diff(seen.Live.Attributes, seen.Rendered.Attributes)
				change.Action = runtime.ActionUpdate
				if len(change.Paths) == 0 {
					change.Action = runtime.ActionNoOp
				}
			}
			changes = append(changes, change)
		}
	}
	for _, entry := range o.session.entries(o.name) {
		if !slices.ContainsFunc(rendered, func(r runtime.Resource) bool { return r.ID == entry.ID && r.DataPlane() == entry.DataPlane }) {
			changes = append(changes, Change{Handler: o.name, Action: runtime.ActionDelete, Resource: entryResource(entry)})
		}
	}
	return changes, nil
}

// Observe reads the rendered resources that the inventory lists; the others are
// absent.
func (o *Objects[T]) Observe(ctx context.Context, resourceCtx *T) ([]Observation, error) {
	if !o.required(resourceCtx) {
		return nil, nil
	}
	resources, err := o.render(resourceCtx)
	if err != nil {
		return nil, err
	}
	entries := o.session.entries(o.name)
	observations := make([]Observation, 0, len(resources))
	for i := range resources {
		observation := Observation{Handler: o.name, Rendered: &resources[i]}
		if slices.ContainsFunc(entries, func(e platform.InventoryEntry) bool {
			return e.ID == resources[i].ID && e.DataPlane == resources[i].DataPlane()
		}) {
			if observation.Live, err = o.read(ctx, &resources[i]); err != nil {
				return nil, err
			}
		}
		observations = append(observations, observation)
	}
	return observations, nil
}

func (o *Objects[T]) read(ctx context.Context, resource *runtime.Resource) (*runtime.Resource, error) {
	if o.session.trust {
		return resource, nil
	}
	rt, err := o.session.Runtime(resource.DataPlane())
	if err != nil {
		return nil, err
	}
	response, err := runtime.Read(ctx, rt, &runtime.ReadRequest{
		PriorResource: resource, Stack: o.session.Stack(resource.DataPlane()), Recorded: true,
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", resource.ID, err)
	}
	return response.Resource, nil
}

func entryResource(entry platform.InventoryEntry) *runtime.Resource {
	return &runtime.Resource{
		ID: entry.ID, Type: runtime.Type(entry.Type),
		Extensions: map[string]any{runtime.ExtensionDataPlane: entry.DataPlane},
	}
}
