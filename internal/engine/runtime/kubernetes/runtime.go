// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const (
	defaultFirstContact = 10 * time.Second
	defaultFailureGrace = 3 * time.Second
)

// Options tune a Runtime.
type Options struct {
	// Organization is put on the ConfigMaps of documents.
	Organization string
	// Namespace holds the documents; it is created at the first write.
	Namespace string
	// UserAgent names the client to the server.
	UserAgent string
	// FirstContact bounds how long the server may take to answer for the first
	// time in this process; zero is 10 seconds.
	FirstContact time.Duration
	// FailureGrace is how long a failure that may pass by itself, such as that of
	// an image pull, is borne with; zero is 3 seconds, negative is none.
	FailureGrace time.Duration
	// Logger takes one DEBUG line per request, never the content of an object; nil
	// discards them.
	Logger *slog.Logger
}

// Runtime applies, reads, deletes and watches objects of one API server. It is
// safe for concurrent use. Its methods fail with UNAVAILABLE if the server does
// not answer the first request of the process in time; once it has answered,
// requests that fail for want of a connection or of the server's capacity are
// repeated until the context ends.
type Runtime struct {
	options Options
	client  *client
	mapper  *mapper
	cache   *cache
	docs    *documentMemory
	types   *namespacedTypes
}

// namespacedTypes remembers what the server can list in a namespace.
type namespacedTypes struct {
	mu    sync.Mutex
	found []mapping
}

var (
	_ runtime.Runtime   = (*Runtime)(nil)
	_ runtime.Waiter    = (*Runtime)(nil)
	_ runtime.Versioner = (*Runtime)(nil)
	_ runtime.Documents = (*documents)(nil)
)

// New returns a Runtime for the connection. It makes no request; an unusable
// connection is an INVALID_ARGUMENT Status.
func New(connection Connection, options Options) (*Runtime, error) {
	if options.FirstContact <= 0 {
		options.FirstContact = defaultFirstContact
	}
	if options.FailureGrace == 0 {
		options.FailureGrace = defaultFailureGrace
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	client, err := newClient(connection, options)
	if err != nil {
		return nil, err
	}
	mapper := newMapper(client)
	return &Runtime{
		options: options,
		client:  client,
		mapper:  mapper,
		cache:   newCache(client),
		docs:    newDocumentMemory(),
		types:   &namespacedTypes{},
	}, nil
}

// As returns a Runtime for a connection of the same hash. It shares everything
// with this one but what messages call the connection.
func (r *Runtime) As(connection Connection) *Runtime {
	client := *r.client
	client.connection = connection
	out := *r
	out.client = &client
	out.mapper = &mapper{client: &client, atlas: r.mapper.atlas}
	out.cache = &cache{client: &client, shelf: r.cache.shelf}
	return &out
}

// Documents returns the store of documents in the namespace of the options.
func (r *Runtime) Documents() runtime.Documents {
	return &documents{client: r.client, options: r.options, memory: r.docs}
}

// Version returns the server's version, such as v1.34.4.
func (r *Runtime) Version(ctx context.Context) (string, error) {
	return r.client.version(ctx)
}

// asStatus keeps a nil error a nil Status.
func asStatus(err error) runtime.Status {
	if err == nil {
		return nil
	}
	if status := runtime.Status(nil); errorAs(err, &status) {
		return status
	}
	return runtime.Errorf(runtime.CodeOf(err), "%w", err)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
