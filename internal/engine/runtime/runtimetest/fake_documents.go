// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// FakeDocuments is a store of documents in memory. The function fields inject
// faults: one that returns an error answers the call, one that returns nil lets
// it happen. They are set before the first call.
type FakeDocuments struct {
	ListFunc     func(ctx context.Context, labels map[string]string) error
	GetFunc      func(ctx context.Context, name string) error
	PutFunc      func(ctx context.Context, document runtime.Document) error
	DeleteFunc   func(ctx context.Context, name, version string) error
	IdentityFunc func(ctx context.Context) error

	mu       sync.Mutex
	identity string
	serial   int
	held     map[string]runtime.Document
	calls    map[string]int
}

var _ runtime.Documents = (*FakeDocuments)(nil)

// NewFakeDocuments returns a store that was never written to; identity is what
// it answers after the first write.
func NewFakeDocuments(identity string) *FakeDocuments {
	return &FakeDocuments{identity: identity, held: map[string]runtime.Document{}, calls: map[string]int{}}
}

// Calls returns how often the method (List, Get, Put, Delete, Identity) was called.
func (d *FakeDocuments) Calls(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[method]
}

// SetIdentity makes the store another one, such as that of another cluster.
func (d *FakeDocuments) SetIdentity(identity string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.identity = identity
}

// begin counts a call and lets faults answer it.
func (d *FakeDocuments) begin(ctx context.Context, method string, fault func() error) error {
	d.mu.Lock()
	d.calls[method]++
	d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return runtime.Errorf(runtime.CodeOf(err), "documents: %w", err)
	}
	if fault != nil {
		return fault()
	}
	return nil
}

// List returns the documents that carry all the labels, sorted by name.
func (d *FakeDocuments) List(ctx context.Context, labels map[string]string) ([]runtime.Document, error) {
	if err := d.begin(ctx, "List", bind(d.ListFunc, ctx, labels)); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []runtime.Document
	for _, document := range d.held {
		if contains(document.Labels, labels) {
			out = append(out, copied(document))
		}
	}
	slices.SortFunc(out, func(a, b runtime.Document) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Get returns one document.
func (d *FakeDocuments) Get(ctx context.Context, name string) (runtime.Document, error) {
	if err := d.begin(ctx, "Get", bind(d.GetFunc, ctx, name)); err != nil {
		return runtime.Document{}, err
	}
	if name == "" {
		return runtime.Document{}, runtime.Errorf(runtime.InvalidArgument, "a document needs a name")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	document, ok := d.held[name]
	if !ok {
		return runtime.Document{}, runtime.Errorf(runtime.NotFound, "document %q: is not there", name)
	}
	return copied(document), nil
}

// Put writes a document: with an empty Version only if there is none of that
// name, else only over that version.
func (d *FakeDocuments) Put(ctx context.Context, document runtime.Document) (runtime.Document, error) {
	if err := d.begin(ctx, "Put", bind(d.PutFunc, ctx, document)); err != nil {
		return runtime.Document{}, err
	}
	if document.Name == "" {
		return runtime.Document{}, runtime.Errorf(runtime.InvalidArgument, "a document needs a name")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held[document.Name].Version != document.Version {
		return runtime.Document{}, runtime.Errorf(runtime.Conflict, "document %q: was written by somebody else", document.Name)
	}
	d.serial++
	stored := copied(document)
	stored.Version = strconv.Itoa(d.serial)
	d.held[document.Name] = stored
	return copied(stored), nil
}

// Delete removes a document; an empty version removes any.
func (d *FakeDocuments) Delete(ctx context.Context, name, version string) error {
	var fault func() error
	if d.DeleteFunc != nil {
		fault = func() error { return d.DeleteFunc(ctx, name, version) }
	}
	if err := d.begin(ctx, "Delete", fault); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	document, ok := d.held[name]
	if !ok {
		return nil
	}
	if version != "" && version != document.Version {
		return runtime.Errorf(runtime.Conflict, "document %q: was changed by somebody else", name)
	}
	delete(d.held, name)
	return nil
}

// Identity returns the store's identity, or "" before the first write.
func (d *FakeDocuments) Identity(ctx context.Context) (string, error) {
	var fault func() error
	if d.IdentityFunc != nil {
		fault = func() error { return d.IdentityFunc(ctx) }
	}
	if err := d.begin(ctx, "Identity", fault); err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.serial == 0 {
		return "", nil
	}
	return d.identity, nil
}

// bind makes a fault of a function field, if it is set.
func bind[T any](fault func(context.Context, T) error, ctx context.Context, argument T) func() error {
	if fault == nil {
		return nil
	}
	return func() error { return fault(ctx, argument) }
}

func contains(labels, wanted map[string]string) bool {
	for label, value := range wanted {
		if got, ok := labels[label]; !ok || got != value {
			return false
		}
	}
	return true
}

func copied(document runtime.Document) runtime.Document {
	document.Data = bytes.Clone(document.Data)
	document.Labels = maps.Clone(document.Labels)
	return document
}
