// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package engine is the facade of everything below it: one call per verb, for
// every kind of platform object.
//
// An operation goes one way: the object's context is resolved from the catalog,
// the kind's handlers render it, a runtime makes it real, and the record of the
// object says what happened.
package engine

import (
	"context"
	"fmt"
	"log/slog"

	"golang.org/x/sync/singleflight"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Clusters opens the connections that the engine needs.
type Clusters interface {
	// Runtime returns the runtime of a named connection; "" is the default one.
	// It makes no request. Its error says which connections there are.
	Runtime(name string) (runtime.Runtime, error)
	// Documents returns where records are kept: the default connection.
	Documents() (runtime.Documents, error)
}

// Options configure an engine.
type Options struct {
	// Organization is the tenant, part of every identity.
	Organization string
	// ControlPlane is the namespace that holds the records.
	ControlPlane string
	// Clusters opens connections. Nil means that they are not known yet: the
	// engine then plans offline and refuses everything else.
	Clusters Clusters
	// Policy says what may be taken from others; the zero value is nothing.
	Policy dataplane.Policy
	// Logger gets progress; nil discards it.
	Logger *slog.Logger
}

// Engine plans, applies, reads and deletes platform objects. It belongs to one
// configured provider and is safe for concurrent use.
type Engine struct {
	organization string
	controlPlane string
	clusters     Clusters
	policy       dataplane.Policy
	catalog      *catalog.Catalog
	logger       *slog.Logger
	cells        singleflight.Group
}

// New returns an engine. It makes no request.
func New(options Options) (*Engine, error) {
	e := &Engine{
		organization: options.Organization, controlPlane: options.ControlPlane,
		clusters: options.Clusters, policy: options.Policy, logger: options.Logger,
	}
	if e.logger == nil {
		e.logger = slog.New(slog.DiscardHandler)
	}
	if options.Clusters == nil {
		e.catalog = catalog.New(nil)
		return e, nil
	}
	documents, err := options.Clusters.Documents()
	if err != nil {
		return nil, err
	}
	e.catalog = catalog.New(catalog.NewStore(documents, options.Organization))
	return e, nil
}

// Organization returns the tenant the engine acts for.
func (e *Engine) Organization() string { return e.organization }

// Offline tells whether the connections are not known yet.
func (e *Engine) Offline() bool { return e.clusters == nil }

// store returns the records, or an error when the connections are not known.
func (e *Engine) store() (*catalog.Store, error) {
	if store := e.catalog.Store(); store != nil {
		return store, nil
	}
	return nil, runtime.Errorf(runtime.Unavailable, "the provider configuration is not known yet, so there is no cluster to talk to")
}

// runtimes returns the function that finds the runtime of a data plane.
func (e *Engine) runtimes(ctx context.Context, by platform.Ref) func(string) (runtime.Runtime, error) {
	return func(dataPlane string) (runtime.Runtime, error) {
		if e.clusters == nil {
			_, err := e.store()
			return nil, err
		}
		reference := platform.Reference{Ref: platform.Ref{Kind: platform.KindDataPlane, ID: dataPlane}, Path: platform.Path{"data_plane"}}
		object, err := e.catalog.Resolve(ctx, 0, reference, by)
		if err != nil {
			return nil, err
		}
		plane, ok := object.(*platform.DataPlane)
		if !ok {
			return nil, fmt.Errorf("record of %s holds a %T", reference.Ref, object)
		}
		rt, err := e.clusters.Runtime(plane.Cluster)
		if err != nil {
			return nil, &platform.ProblemError{Problems: []platform.Problem{{
				Path: platform.Path{"cluster"}, Title: "Unknown connection",
				Detail: fmt.Sprintf("The data plane %q names the connection %q: %s", dataPlane, plane.Cluster, err),
			}}}
		}
		return rt, nil
	}
}
