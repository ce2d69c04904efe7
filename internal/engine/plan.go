// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// PlanRequest asks what an apply would do.
type PlanRequest struct {
	// Variants are the planned object with two sets of placeholders for its
	// unknown values.
	Variants catalog.Variants
	// Partial tells that the variants differ.
	Partial bool
	// Prior is the object as it was; nil when it is created.
	Prior platform.Object
}

// PlanResponse says what an apply would do.
type PlanResponse struct {
	// Outputs are what the two variants compute; where they differ, the value
	// is not known yet. Nil when nothing is.
	Outputs *[2]Outputs
	// Warnings are worth telling the user.
	Warnings []platform.Problem
	// Unsettled tells that the last operation did not succeed, so the next one
	// has work to do although nothing else changed.
	Unsettled bool
}

// Plan tells what Apply would do and makes the planned object visible to the
// plans of those that refer to it. It writes nothing. Its error is a
// *platform.ProblemError when the object or its surroundings are wrong.
func (e *Engine) Plan(ctx context.Context, request PlanRequest) (*PlanResponse, error) {
	ref := platform.RefOf(request.Variants[0])
	if request.Prior == nil && !e.catalog.Created(ref) {
		return nil, &platform.ProblemError{Problems: []platform.Problem{{
			Title:  "Duplicate " + ref.Kind.Words(),
			Detail: fmt.Sprintf("Two resources of this configuration describe %s. Remove one, or give it another name.", ref),
		}}}
	}
	response := &PlanResponse{}
	record, err := e.planRecord(ctx, ref)
	if err != nil {
		return nil, err
	}
	response.Unsettled = record != nil && !record.Succeeded()
	changes := changed(request, record)
	if changes {
		late := e.catalog.Plan(ref, &request.Variants)
		response.Warnings = append(response.Warnings, lateWarnings(ref, late)...)
	}
	outputs, warning, err := e.planVariants(ctx, request, record, changes)
	if err != nil {
		return nil, err
	}
	response.Outputs = outputs
	if outputs != nil {
		response.Warnings = append(response.Warnings, outputs[0].Warnings...)
	}
	if warning != nil {
		response.Warnings = append(response.Warnings, *warning)
	}
	return response, nil
}

// PlanUnknown notes that an object is planned whose id is known and nothing else.
func (e *Engine) PlanUnknown(ref platform.Ref) { e.catalog.Plan(ref, nil) }

// PlanDelete notes that an object is about to be destroyed.
func (e *Engine) PlanDelete(ref platform.Ref) { e.catalog.PlanDelete(ref) }

// planRecord returns what is stored of an object, or nil.
func (e *Engine) planRecord(ctx context.Context, ref platform.Ref) (record *catalog.Record, err error) {
	if store := e.catalog.Store(); store != nil {
		record, err = store.Get(ctx, ref)
	}
	return record, err
}

// changed tells whether the plan differs from what is stored; only then do
// others see the planned object, in plan and apply alike.
func changed(request PlanRequest, record *catalog.Record) bool {
	switch {
	case request.Partial || request.Prior == nil:
		return true
	case record != nil:
		return !record.Holds(request.Variants[0])
	}
	before, err1 := catalog.Encode(request.Prior)
	after, err2 := catalog.Encode(request.Variants[0])
	return err1 != nil || err2 != nil || !slices.Equal(before, after)
}

func lateWarnings(ref platform.Ref, late []platform.Ref) []platform.Problem {
	if len(late) == 0 {
		return nil
	}
	var names []string
	for _, by := range late {
		if name := by.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return []platform.Problem{{
		Title: "Planned too late",
		Detail: fmt.Sprintf("%s changes, but these were planned before it and saw its former state: %s. Refer to its id attribute instead of writing the id, so that Terraform knows the order.",
			ref, strings.Join(names, ", ")),
	}}
}

// planVariants renders both variants. What cannot be resolved leaves the
// outputs unknown; what does not exist at all is worth a warning, never an
// error: without a reference Terraform plans in any order.
func (e *Engine) planVariants(ctx context.Context, request PlanRequest, record *catalog.Record, changes bool) (*[2]Outputs, *platform.Problem, error) {
	var outputs [2]Outputs
	var failures [2]error
	for variant, object := range request.Variants {
		if variant == 1 && !e.catalog.Partial() {
			outputs[1], failures[1] = outputs[0], failures[0]
			break
		}
		outputs[variant], failures[variant] = e.planOne(ctx, variant, object, record, changes)
	}
	if failures[0] == nil && failures[1] == nil {
		return &outputs, nil, nil
	}
	for _, failure := range failures {
		if failure != nil && !undecided(failure) {
			return nil, nil, failure
		}
	}
	// What differs between the variants, or quotes a placeholder, is not known
	// to be wrong yet.
	if failures[0] == nil || failures[1] == nil || failures[0].Error() != failures[1].Error() {
		return nil, nil, nil
	}
	if problem, ok := errors.AsType[*platform.ProblemError](failures[0]); ok {
		return nil, nil, problem
	}
	if absent, ok := errors.AsType[*catalog.AbsentError](failures[0]); ok {
		return nil, &platform.Problem{
			Path: absent.Path, Title: "Not found: " + absent.Ref.String(),
			Detail: absent.Error() + ". If it is part of this configuration, refer to its id attribute instead of writing the id, so that Terraform plans it first. Otherwise the apply will fail.",
		}, nil
	}
	return nil, nil, nil
}

// undecided tells whether an error is about what is known so far, rather than
// about reading it.
func undecided(err error) bool {
	if _, ok := errors.AsType[*platform.ProblemError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*catalog.UnknownError](err); ok {
		return true
	}
	_, ok := errors.AsType[*catalog.AbsentError](err)
	return ok
}

// planOne renders one variant. What is worth knowing before a change is told once
// everything is known.
func (e *Engine) planOne(ctx context.Context, variant int, object platform.Object, record *catalog.Record, changes bool) (Outputs, error) {
	u, previewed, err := e.render(ctx, variant, object, record, false)
	if err != nil {
		return Outputs{}, err
	}
	outputs := Outputs{}
	if outputs.Manifests, err = planned(previewed); err != nil {
		return Outputs{}, err
	}
	u.describe(&outputs)
	if changes && !e.Offline() && !e.catalog.Partial() {
		outputs.Warnings, err = u.foresee(ctx)
	}
	return outputs, err
}

// render binds an object and previews what its handlers would do.
func (e *Engine) render(ctx context.Context, variant int, object platform.Object, record *catalog.Record, applying bool) (unit, []dataplane.Change, error) {
	ref := platform.RefOf(object)
	d, err := driverOf(ref.Kind)
	if err != nil {
		return nil, nil, err
	}
	var inventory []platform.InventoryEntry
	if record != nil {
		inventory = record.Inventory
	}
	s := e.scope(ctx, ref, variant, inventory)
	s.applying = applying
	u, err := d.bind(ctx, s, object)
	if err != nil {
		return nil, nil, err
	}
	changes, err := u.preview(ctx)
	return u, changes, err
}
