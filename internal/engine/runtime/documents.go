// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import "context"

// Document is one stored JSON document.
type Document struct {
	// Name identifies the document; any non-empty string.
	Name string
	// Labels select documents in List. Keys and values are Kubernetes labels.
	Labels map[string]string
	// Data is the content.
	Data []byte
	// Version is the store's version of the content, for preconditions.
	Version string
}

// Documents stores small documents durably beside the infrastructure. It is
// safe for concurrent use. Errors are Statuses: NotFound, Conflict (the
// precondition failed), and those of the connection.
type Documents interface {
	// List returns the documents that carry all the labels, sorted by name.
	// A store that was never written to is empty.
	List(ctx context.Context, labels map[string]string) ([]Document, error)
	// Get returns one document.
	Get(ctx context.Context, name string) (Document, error)
	// Put writes a document: with an empty Version only if there is none of
	// that name, else only over that version. It returns what was stored.
	Put(ctx context.Context, document Document) (Document, error)
	// Delete removes a document; an empty version removes any. Removing an
	// absent document is success.
	Delete(ctx context.Context, name, version string) error
	// Identity returns a value that no other store has, or "" when the store
	// was never written to.
	Identity(ctx context.Context) (string, error)
}
