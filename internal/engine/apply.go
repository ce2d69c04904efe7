// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/deployment"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// recordGrace is how long the result of an operation may take to be recorded
// after the operation's own time is over.
const recordGrace = 10 * time.Second

// Token is what a resource remembers about its object besides its attributes.
type Token struct {
	// UID tells the object from another one with the same id.
	UID string `json:"uid"`
	// Store tells the store of records from every other.
	Store string `json:"store"`
	// Organization tells whose records they are: several may share a store.
	Organization string `json:"organization,omitempty"`
}

// elsewhere tells whether the token is of other records than those that the
// engine reaches, whose store is identity. A token that says nothing is not.
func (t Token) elsewhere(identity, organization string) bool {
	return (t.Store != "" && t.Store != identity) || (t.Organization != "" && t.Organization != organization)
}

// ApplyRequest asks for an object to be brought about.
type ApplyRequest struct {
	// Object is what is declared.
	Object platform.Object
	// Token is that of the object; nil creates it.
	Token *Token
	// Prior is the object as it was last in force; nil when that is not known.
	Prior platform.Object
	// Timeout is how long it may take, and again to take back what fails; zero is
	// no limit.
	Timeout time.Duration
	// Wait blocks until what was made is ready.
	Wait bool
}

// ApplyResponse says what an apply did.
type ApplyResponse struct {
	// Outputs are what the engine computes of the object.
	Outputs Outputs
	// Token is to be remembered.
	Token Token
	// Warnings are worth telling the user.
	Warnings []platform.Problem
}

// Apply brings an object about. It is idempotent: run again after any failure,
// it goes on from there. With an error the response is not nil when something
// was recorded, and its token must be remembered.
func (e *Engine) Apply(ctx context.Context, request ApplyRequest) (*ApplyResponse, error) {
	store, err := e.store()
	if err != nil {
		return nil, err
	}
	a := &attempt{store: store, object: request.Object}
	response, err := e.attempt(ctx, a, request)
	if err != nil && response != nil {
		var gone bool
		if gone, err = e.failed(ctx, a, request.Timeout, err); gone {
			response = nil
		}
	}
	if response == nil {
		return nil, err
	}
	e.catalog.Applied(platform.RefOf(request.Object))
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordGrace)
	defer cancel()
	identity, unknown := store.Identity(late)
	if unknown != nil {
		// What was brought about stays so: the next read completes the token.
		e.logger.WarnContext(ctx, "cannot identify the store of records", "object", a.record.Ref().String(), "error", unknown)
	}
	response.Token.Store = identity
	response.Warnings = append(response.Warnings, a.warnings...)
	return response, err
}

// attempt tries to bring an object about and notes how far it got. With an error
// the response is not nil when something was recorded.
func (e *Engine) attempt(ctx context.Context, a *attempt, request ApplyRequest) (*ApplyResponse, error) {
	ctx, cancel := within(ctx, request.Timeout)
	defer cancel()
	record, err := e.claim(ctx, a.store, request)
	if err != nil {
		return nil, err
	}
	a.record = record
	if a.before, err = inForce(record, request.Prior); err != nil {
		return nil, err
	}
	former, err := e.former(ctx, record, request.Prior)
	if err != nil {
		return nil, err
	}
	u, changes, err := e.render(ctx, 0, request.Object, record, true)
	if err != nil {
		return nil, err
	}
	a.session = u.session()
	a.session.Remember(former)
	outputs := Outputs{}
	if outputs.Manifests, err = planned(changes); err != nil {
		return nil, err
	}
	u.describe(&outputs)
	record.Adopted = outputs.Adopted
	recorded, err := e.run(ctx, a.store, record, request.Object, u, changes, func(ctx context.Context) (catalog.Observed, error) {
		if err := u.inspect(ctx, &outputs); err != nil {
			return catalog.Observed{}, err
		}
		a.applied = true
		seen, err := e.settle(ctx, u, request.Wait)
		a.settled = err == nil
		if err == nil && outputs.Artifact != nil {
			record.Release = outputs.Release
			if seen.Ready {
				record.Healthy(catalog.Release{Digest: outputs.Release, Artifact: *outputs.Artifact})
			}
		}
		return seen, err
	})
	if !recorded {
		return nil, err
	}
	outputs.Ready, outputs.Status = record.Observed.Ready, record.Observed.Message
	response := &ApplyResponse{Outputs: outputs, Token: Token{UID: record.UID, Organization: e.organization}}
	for _, warning := range u.session().Warnings() {
		response.Warnings = append(response.Warnings, platform.Problem{Title: "Applied with a warning", Detail: warning})
	}
	return response, err
}

// claim returns the record to write: a new one, the one that an unfinished
// create left behind, or the object's own.
func (e *Engine) claim(ctx context.Context, store *catalog.Store, request ApplyRequest) (*catalog.Record, error) {
	ref := platform.RefOf(request.Object)
	record, err := store.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	switch {
	case request.Token == nil && record == nil:
		return &catalog.Record{Kind: ref.Kind, ID: ref.ID, UID: uuid.NewString()}, nil
	case request.Token == nil && record.Succeeded() && !record.Holds(request.Object):
		return nil, runtime.Errorf(runtime.AlreadyExists,
			"%s exists already and is described otherwise. Import it to manage it here, or choose another name. With create_before_destroy the old object still exists when the new one is made: objects with fixed names cannot be replaced that way", ref)
	case request.Token == nil:
		record.UID = uuid.NewString()
		return record, nil
	case record == nil:
		return nil, runtime.Errorf(runtime.NotFound, "%s was removed by another run after it was read; plan again", ref)
	case record.UID != request.Token.UID:
		return nil, runtime.Errorf(runtime.Conflict, "%s was replaced by another run after it was read; plan again", ref)
	}
	return record, nil
}

// run brings an object about between two writes of its record: the first says
// what may exist from now on, the second what came of it. A crash in between
// leaves a record that tells the next run where to go on. It tells whether
// anything was recorded: an object that fails before anything of it was begun
// leaves the record as it was.
func (e *Engine) run(ctx context.Context, store *catalog.Store, record *catalog.Record, object platform.Object, u unit,
	changes []dataplane.Change, settle func(context.Context) (catalog.Observed, error),
) (recorded bool, err error) {
	u.expect(changes)
	// others is what another run has made of the same object meanwhile.
	var others []platform.InventoryEntry
	if inventory := u.session().Inventory(); len(inventory) > 0 || len(changes) > 0 {
		record.Inventory = inventory
		record.Operation = catalog.Operation{Verb: "apply", State: catalog.StateRunning}
		record.Observed = catalog.Observed{}
		if err := store.Put(ctx, record, object); err != nil {
			return false, err
		}
		recorded, others = true, record.Inventory[len(inventory):]
	}
	u.session().SaveWith(func(ctx context.Context) error {
		record.Inventory = append(u.session().Inventory(), others...)
		return store.Put(ctx, record, object)
	})
	err = u.reconcile(ctx)
	record.Observed = catalog.Observed{}
	if err == nil && settle != nil {
		record.Observed, err = settle(ctx)
	}
	record.Inventory = append(u.session().Inventory(), others...)
	record.Operation = catalog.Operation{Verb: "apply", State: catalog.StateSucceeded}
	if err != nil {
		if !recorded {
			return false, err
		}
		record.Operation.State = catalog.StateFailed
		record.Observed.Message = failureMessage(err)
	}
	// The result is worth recording although the operation's time is over.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordGrace)
	defer cancel()
	switch putErr := store.Put(late, record, object); {
	case putErr == nil:
		recorded = true
	case err == nil:
		err = putErr
	}
	return recorded, err
}

// failureMessage is what the record keeps of a failure: its code, never its
// text, which may quote logs.
func failureMessage(err error) string { return "failed: " + string(runtime.CodeOf(err)) }

// settle waits until what was made is ready.
func (e *Engine) settle(ctx context.Context, u unit, wait bool) (catalog.Observed, error) {
	if !wait {
		return catalog.Observed{Message: "applied; the rollout was not waited for"}, nil
	}
	observed := catalog.Observed{Ready: true, Message: "ready"}
	for _, change := range u.session().Changes() {
		if change.Action == runtime.ActionDelete || change.Resource.Attributes == nil {
			continue
		}
		name := manifestKey(change.Resource)
		rt, err := u.session().Runtime(change.Resource.DataPlane())
		if err != nil {
			return catalog.Observed{}, err
		}
		response, err := runtime.Wait(ctx, rt, &runtime.WaitRequest{
			Resource: change.Resource, Stack: u.session().Stack(change.Resource.DataPlane()),
			Progress: func(line string) { e.logger.InfoContext(ctx, line, "object", name) },
		})
		if err != nil {
			return catalog.Observed{}, err
		}
		if response.Message != "" && change.Handler == deployment.HandlerWorkload {
			observed.Message = response.Message
		}
	}
	return observed, nil
}
