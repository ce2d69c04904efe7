// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// ReadRequest asks for an object as it is now.
type ReadRequest struct {
	Ref platform.Ref
	// Token is that of the object; nil reads whatever has the id, for import.
	Token *Token
}

// ReadResponse is an object as it is now.
type ReadResponse struct {
	// Object is what is declared; nil when the last operation did not succeed,
	// so that nobody knows whether it is in force.
	Object platform.Object
	// Outputs are the live ones; nil when the object's context cannot be
	// resolved at the moment.
	Outputs *Outputs
	// Token is to be remembered.
	Token Token
	// Warnings are worth telling the user.
	Warnings []platform.Problem
}

// ErrAbsent says that an object does not exist, in the store where it was made.
var ErrAbsent = errors.New("the object does not exist")

// ErrReplaced says that another object has taken the id.
var ErrReplaced = errors.New("another object with the same id exists")

// Read returns an object as it is now. Its error is ErrAbsent, ErrReplaced, or
// tells why that cannot be said: another store than the token's is never "absent".
func (e *Engine) Read(ctx context.Context, request ReadRequest) (*ReadResponse, error) {
	store, err := e.store()
	if err != nil {
		return nil, err
	}
	identity, err := store.Identity(ctx)
	if err != nil {
		return nil, err
	}
	if request.Token != nil && request.Token.elsewhere(identity, e.organization) {
		return nil, wrongStore(request.Ref, e.organization)
	}
	record, err := store.Get(ctx, request.Ref)
	switch {
	case err != nil:
		return nil, err
	case record == nil:
		return nil, ErrAbsent
	case request.Token != nil && request.Token.UID != "" && request.Token.UID != record.UID:
		return nil, ErrReplaced
	}
	object, err := record.Object()
	if err != nil {
		return nil, err
	}
	response := &ReadResponse{Token: Token{UID: record.UID, Store: identity, Organization: e.organization}}
	if record.Succeeded() || request.Token == nil {
		response.Object = object
	}
	response.Outputs, err = e.look(ctx, record, object)
	if away, ok := errors.AsType[*awayError](err); ok && request.Token != nil {
		response.Warnings = []platform.Problem{{
			Title:  "Data plane not reachable",
			Detail: fmt.Sprintf("%s. What the state knows of %s is kept; what runs there can neither be read nor changed.", away, record.Ref()),
		}}
		return response, nil
	}
	return response, err
}

// awayError says that a data plane does not answer. Others may depend on what is
// recorded of it all the same.
type awayError struct{ err error }

func (e *awayError) Error() string { return e.err.Error() }

func (e *awayError) Unwrap() error { return e.err }

// wrongStore says that the records are not those of the state.
func wrongStore(ref platform.Ref, organization string) error {
	return runtime.Errorf(runtime.InvalidArgument,
		"the records that this provider configuration reaches are not those in which %s was made: wrong cluster or organization? The state is left alone. Check the provider's kubernetes connection, its control_plane_namespace and the organization %q", ref, organization)
}

// look returns the live outputs of an object, or nil when its context cannot be
// resolved, as when what it refers to is gone. It sees what is in force: what is
// planned is for the plan to show, as a difference from that.
func (e *Engine) look(ctx context.Context, record *catalog.Record, object platform.Object) (outputs *Outputs, err error) {
	u, observations, err := e.observe(ctx, record, object)
	switch {
	case err != nil && undecided(err):
		return outputs, nil
	case err != nil:
		return nil, err
	}
	outputs = &Outputs{Ready: record.Observed.Ready, Status: record.Observed.Message}
	if outputs.Manifests, err = observed(observations); err != nil {
		return nil, err
	}
	u.describe(outputs)
	err = u.inspect(ctx, outputs)
	if runtime.CodeOf(err) == runtime.Unavailable {
		return nil, &awayError{err: err}
	}
	return outputs, err
}

// observe binds an object among what is in force and looks at what was made for it.
func (e *Engine) observe(ctx context.Context, record *catalog.Record, object platform.Object) (unit, []dataplane.Observation, error) {
	d, err := driverOf(record.Kind)
	if err != nil {
		return nil, nil, err
	}
	s := e.scope(ctx, record.Ref(), 0, record.Inventory)
	s.stored = true
	u, err := d.bind(ctx, s, object)
	if err != nil {
		return nil, nil, err
	}
	observations, err := u.observe(ctx)
	return u, observations, err
}

// former returns what is rendered of an object as it was; nothing when that
// cannot be said any more.
func (e *Engine) former(ctx context.Context, record *catalog.Record, object platform.Object) ([]runtime.Resource, error) {
	if object == nil || object.ID() != record.ID {
		return nil, nil
	}
	_, observations, err := e.observe(ctx, record, object)
	if err != nil {
		if undecided(err) {
			return nil, nil
		}
		return nil, err
	}
	resources := make([]runtime.Resource, 0, len(observations))
	for _, seen := range observations {
		resources = append(resources, *seen.Rendered)
	}
	return resources, nil
}
