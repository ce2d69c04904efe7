// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Variants is an object in two versions that differ in the placeholders of its
// unknown values; both are the same when everything is known.
type Variants [2]platform.Object

// Known returns the variants of an object without unknown values.
func Known(object platform.Object) Variants { return Variants{object, object} }

// AbsentError says that an object is neither planned nor stored.
type AbsentError struct {
	// Ref is the missing object, By the one that needs it, Path its attribute.
	Ref, By platform.Ref
	Path    platform.Path
	// Deleted says that the same plan destroys it.
	Deleted bool
}

// Error names the missing object and who needs it.
func (e *AbsentError) Error() string {
	if e.Deleted {
		return fmt.Sprintf("%s, which %s names in %s, is being destroyed", e.Ref, e.By, e.Path)
	}
	return fmt.Sprintf("%s, which %s names in %s, does not exist", e.Ref, e.By, e.Path)
}

// UnknownError says that an object is planned but nothing is known of it yet,
// or that there is no store to look in.
type UnknownError struct{ Ref platform.Ref }

// Error names the object.
func (e *UnknownError) Error() string { return fmt.Sprintf("%s is not known yet", e.Ref) }

// Catalog resolves objects: what a plan is about to change first, then what is
// stored. It belongs to one configured provider and is safe for concurrent use.
type Catalog struct {
	store *Store

	mu      sync.Mutex
	planned map[platform.Ref]*plan
	// early remembers who resolved an object before its own plan was seen.
	early map[platform.Ref][]platform.Ref
	// partial tells that the variants of some planned object differ.
	partial bool
	// created counts the plans of an id that had no prior state.
	created map[platform.Ref]int
}

// plan is what is planned for one object. Without variants it is unknown, or
// destroyed.
type plan struct {
	variants *Variants
	deleted  bool
}

// New returns a catalog over a store; a nil store means that nothing can be
// looked up and everything that is not planned is unknown.
func New(store *Store) *Catalog {
	return &Catalog{
		store: store, planned: map[platform.Ref]*plan{}, early: map[platform.Ref][]platform.Ref{}, created: map[platform.Ref]int{},
	}
}

// Store returns the store, or nil when there is none.
func (c *Catalog) Store() *Store { return c.store }

// Resolve returns an object as one variant of the plan has it. Its error is an
// *AbsentError, an *UnknownError, or that of the store.
func (c *Catalog) Resolve(ctx context.Context, variant int, reference platform.Reference, by platform.Ref) (platform.Object, error) {
	if entry := c.lookup(reference.Ref, by); entry != nil {
		switch {
		case entry.deleted:
			return nil, &AbsentError{Ref: reference.Ref, By: by, Path: reference.Path, Deleted: true}
		case entry.variants == nil:
			return nil, &UnknownError{Ref: reference.Ref}
		}
		return entry.variants[variant], nil
	}
	return c.Stored(ctx, reference, by)
}

// Stored is Resolve past everything that is planned.
func (c *Catalog) Stored(ctx context.Context, reference platform.Reference, by platform.Ref) (platform.Object, error) {
	if c.store == nil {
		return nil, &UnknownError{Ref: reference.Ref}
	}
	record, err := c.store.Get(ctx, reference.Ref)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, &AbsentError{Ref: reference.Ref, By: by, Path: reference.Path}
	}
	return record.Object()
}

// All returns every object of a kind whose id has the prefix, as one variant of
// the plan has it, sorted by id. Objects that are planned but unknown are left
// out. Who asks is not remembered: nothing has to exist, nor to come first.
func (c *Catalog) All(ctx context.Context, variant int, kind platform.Kind, prefix string) ([]platform.Object, error) {
	objects := map[string]platform.Object{}
	if c.store != nil {
		records, err := c.store.Select(ctx, kind, prefix)
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			object, err := record.Object()
			if err != nil {
				return nil, err
			}
			objects[record.ID] = object
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for ref, entry := range c.planned {
		switch {
		case ref.Kind != kind || !strings.HasPrefix(ref.ID, prefix):
		case entry.variants != nil:
			objects[ref.ID] = entry.variants[variant]
		default:
			delete(objects, ref.ID)
		}
	}
	all := make([]platform.Object, 0, len(objects))
	for _, id := range slices.Sorted(maps.Keys(objects)) {
		all = append(all, objects[id])
	}
	return all, nil
}

// lookup returns what is planned for an object; if nothing is, it remembers who asked.
func (c *Catalog) lookup(ref, by platform.Ref) *plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := c.planned[ref]
	if entry == nil {
		c.early[ref] = append(c.early[ref], by)
	}
	return entry
}

// Plan notes that an object is about to become what variants say; nil variants
// mean that nothing is known of it yet. It returns the objects that were
// resolved against the object's former self in the same plan.
func (c *Catalog) Plan(ref platform.Ref, variants *Variants) (late []platform.Ref) {
	return c.note(ref, &plan{variants: variants})
}

// Partial tells whether the variants can differ: some planned object has an
// unknown value.
func (c *Catalog) Partial() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.partial
}

// PlanDelete notes that an object is about to be destroyed.
func (c *Catalog) PlanDelete(ref platform.Ref) { c.note(ref, &plan{deleted: true}) }

func (c *Catalog) note(ref platform.Ref, entry *plan) (late []platform.Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.planned[ref] == nil {
		late = c.early[ref]
	}
	delete(c.early, ref)
	if entry.variants != nil && entry.variants[0] != entry.variants[1] {
		c.partial = true
	}
	// An id that moves to another address is destroyed there and planned here,
	// in any order: what is planned wins.
	if known := c.planned[ref]; known == nil || known.deleted || !entry.deleted {
		c.planned[ref] = entry
	}
	return late
}

// Created counts a plan that creates an id and tells whether it is the first.
func (c *Catalog) Created(ref platform.Ref) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.created[ref]++
	return c.created[ref] == 1
}

// Applied forgets what was planned for an object: from now on the store has it.
func (c *Catalog) Applied(ref platform.Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.planned, ref)
	delete(c.created, ref)
}
