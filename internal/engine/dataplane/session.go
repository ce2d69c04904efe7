// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane

import (
	"context"
	"slices"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Session is what the handlers of one operation on one platform object share:
// whose resources they make, where, what was there before, and what they did.
// It is safe for concurrent use.
type Session struct {
	organization string
	owner        platform.Ref
	runtimes     func(dataPlane string) (runtime.Runtime, error)
	policy       Policy
	force        bool
	adopt        []string
	former       []runtime.Resource
	save         func(context.Context) error
	trust        bool

	mu        sync.Mutex
	inventory []platform.InventoryEntry
	changes   []Change
	warnings  []string
	taken     []string
}

// Policy says what an operation may take from others.
type Policy struct {
	// Adopt says which existing objects may be taken over.
	Adopt runtime.Adopt
	// Force takes over fields that others own.
	Force bool
}

// NewSession returns a session that acts for owner on the runtimes of the data
// planes, and takes nothing from others. prior is the inventory that the last
// operation left.
func NewSession(organization string, owner platform.Ref, prior []platform.InventoryEntry,
	runtimes func(dataPlane string) (runtime.Runtime, error),
) *Session {
	return &Session{organization: organization, owner: owner, runtimes: runtimes, inventory: slices.Clone(prior)}
}

// Take sets what the session may take from others.
func (s *Session) Take(policy Policy) { s.policy = policy }

// Remember tells what was rendered when everything was last in force, so that a
// field that was ours is told from one that never was.
func (s *Session) Remember(former []runtime.Resource) { s.former = former }

// Former returns what Remember was told.
func (s *Session) Former() []runtime.Resource { return s.former }

// SaveWith sets how the inventory is stored while handlers are at work.
func (s *Session) SaveWith(save func(context.Context) error) { s.save = save }

// ForceDelete lets deletions remove containers that hold what others made.
func (s *Session) ForceDelete() { s.force = true }

// Forced tells whether ForceDelete was called.
func (s *Session) Forced() bool { return s.force }

// Adopt lets the resources with the given IDs be taken over from whoever owns
// them, until they were made.
func (s *Session) Adopt(ids ...string) { s.adopt = append(s.adopt, ids...) }

// adopts says what may be done with a resource that is there and is not ours.
func (s *Session) adopts(resource *runtime.Resource) runtime.Adopt {
	if slices.Contains(s.adopt, resource.ID) && !s.made(resource) {
		return runtime.AdoptForce
	}
	return s.policy.Adopt
}

// Trust lets observations take what was recorded as being in order, unseen.
func (s *Session) Trust() { s.trust = true }

// Expect adds the resources that are about to be made to the inventory, so that
// it can be stored before they exist. What is gone and will be made again loses
// its UID: the new one has another, and must be found by its owner alone should
// nobody get to record it.
func (s *Session) Expect(changes []Change) {
	for _, change := range changes {
		switch change.Action {
		case runtime.ActionDelete:
		case runtime.ActionCreate, runtime.ActionReplace:
			s.keep(change.Handler, change.Resource, "")
			s.forgetUID(change.Resource)
		case runtime.ActionNoOp, runtime.ActionUpdate:
			s.keep(change.Handler, change.Resource, "")
		}
	}
}

// renounce forgets the UID of a resource that is about to be made anew, and stores
// that: whatever stops the operation, the next one finds the old resource, none,
// or the new one by its owner.
func (s *Session) renounce(ctx context.Context, resource *runtime.Resource) error {
	s.forgetUID(resource)
	if s.save == nil {
		return nil
	}
	return s.save(ctx)
}

func (s *Session) forgetUID(resource *runtime.Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, known := range s.inventory {
		if known.ID == resource.ID && known.DataPlane == resource.DataPlane() {
			s.inventory[i].UID = ""
		}
	}
}

// Inventory returns everything that exists or may exist, in the order in which
// it was made.
func (s *Session) Inventory() []platform.InventoryEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.inventory)
}

// Changes returns what the handlers did.
func (s *Session) Changes() []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.changes)
}

// Warnings returns what is worth telling the user.
func (s *Session) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

// TakenOver returns the IDs of the resources that were there before the owner is
// known to have made them, where such may be taken over.
func (s *Session) TakenOver() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taken)
}

func (s *Session) takeOver(resource *runtime.Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, resource.ID)
}

// Stack returns on whose behalf a runtime acts on a data plane.
func (s *Session) Stack(dataPlane string) *runtime.Stack {
	return &runtime.Stack{
		Organization: s.organization, OwnerKind: string(s.owner.Kind), OwnerID: s.owner.ID, DataPlane: dataPlane,
	}
}

// Runtime returns the runtime of a data plane.
func (s *Session) Runtime(dataPlane string) (runtime.Runtime, error) { return s.runtimes(dataPlane) }

// entries returns the inventory of one handler.
func (s *Session) entries(handler string) []platform.InventoryEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []platform.InventoryEntry
	for _, entry := range s.inventory {
		if entry.Handler == handler {
			entries = append(entries, entry)
		}
	}
	return entries
}

// made tells whether the resource is known to have been made.
func (s *Session) made(resource *runtime.Resource) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.inventory, func(known platform.InventoryEntry) bool {
		return known.ID == resource.ID && known.DataPlane == resource.DataPlane() && known.UID != ""
	})
}

// prior returns the resource as it was last in force; nil when it is not known to
// have been made. What it looked like may be forgotten: then it is the resource
// itself, since trying to create it would be in vain.
func (s *Session) prior(resource *runtime.Resource) *runtime.Resource {
	if !s.made(resource) {
		return nil
	}
	for i := range s.former {
		if s.former[i].ID == resource.ID && s.former[i].DataPlane() == resource.DataPlane() {
			return &s.former[i]
		}
	}
	return resource
}

// keep records a resource; an empty uid keeps the one known.
func (s *Session) keep(handler string, resource *runtime.Resource, uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := platform.InventoryEntry{
		Handler: handler, DataPlane: resource.DataPlane(), Type: string(resource.Type), ID: resource.ID, UID: uid,
	}
	for i, known := range s.inventory {
		if known.ID == entry.ID && known.DataPlane == entry.DataPlane {
			if uid == "" {
				entry.UID = known.UID
			}
			s.inventory[i] = entry
			return
		}
	}
	s.inventory = append(s.inventory, entry)
}

func (s *Session) drop(entry platform.InventoryEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inventory = slices.DeleteFunc(s.inventory, func(known platform.InventoryEntry) bool {
		return known.ID == entry.ID && known.DataPlane == entry.DataPlane
	})
}

func (s *Session) record(change Change, warnings []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, change)
	s.warnings = append(s.warnings, warnings...)
}
