// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// DeleteRequest asks for an object to be removed.
type DeleteRequest struct {
	Ref platform.Ref
	// Token is that of the object.
	Token Token
	// Force removes containers although they hold objects of others.
	Force bool
}

// Delete removes an object and everything made on its behalf, and blocks until
// it is gone. An absent object is success, and so is one that another object
// has taken the id of: it is left alone. An object with children is refused.
func (e *Engine) Delete(ctx context.Context, request DeleteRequest) ([]platform.Problem, error) {
	store, err := e.store()
	if err != nil {
		return nil, err
	}
	identity, err := store.Identity(ctx)
	if err != nil {
		return nil, err
	}
	if request.Token.elsewhere(identity, e.organization) {
		return nil, wrongStore(request.Ref, e.organization)
	}
	record, err := store.Get(ctx, request.Ref)
	if err != nil {
		return nil, err
	}
	if record == nil || (request.Token.UID != "" && record.UID != request.Token.UID) {
		return nil, nil
	}
	d, err := driverOf(request.Ref.Kind)
	if err != nil {
		return nil, err
	}
	if err := childless(ctx, store, request.Ref, d.children()); err != nil {
		return nil, err
	}
	return e.remove(ctx, store, record, request.Force)
}

// remove removes everything that a record lists, and the record.
func (e *Engine) remove(ctx context.Context, store *catalog.Store, record *catalog.Record, force bool) ([]platform.Problem, error) {
	d, err := driverOf(record.Kind)
	if err != nil {
		return nil, err
	}
	warnings := spare(record)
	s := e.scope(ctx, record.Ref(), 0, record.Inventory)
	if force {
		s.session.ForceDelete()
	}
	if err := d.loose(s).destroy(ctx); err != nil {
		return nil, err
	}
	if err := store.Remove(ctx, record); err != nil {
		return nil, err
	}
	e.catalog.Applied(record.Ref())
	for _, warning := range s.session.Warnings() {
		warnings = append(warnings, platform.Problem{Title: "Deleted with a warning", Detail: warning})
	}
	return warnings, nil
}

// childless refuses an object that others are part of. It asks the storage,
// since another run may have made them.
func childless(ctx context.Context, store *catalog.Store, ref platform.Ref, kinds []platform.Kind) error {
	for _, kind := range kinds {
		records, err := store.Referring(ctx, kind, ref)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			continue
		}
		names := make([]string, 0, len(records))
		for _, record := range records {
			names = append(names, fmt.Sprintf("%q", record.ID))
		}
		what := kind.Words() + "s"
		if kind == platform.KindCell {
			what = "namespaces of projects"
		}
		return runtime.Errorf(runtime.Conflict, "%s has %s and cannot be destroyed before them: %s", ref, what, strings.Join(names, ", "))
	}
	return nil
}
