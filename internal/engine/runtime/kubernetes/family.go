// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import "sync"

// family knows the UIDs of the objects of one channel of a watch.
type family struct {
	mu sync.Mutex
	// members holds true for those that belong, false for those that do not.
	members map[string]bool
}

func newFamily() *family {
	return &family{members: map[string]bool{}}
}

func (f *family) note(uid string, member bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[uid] = member
}

func (f *family) has(uid string) (member, decided bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	member, decided = f.members[uid]
	return member, decided
}

// controls reports whether the controller of a child belongs to the family. The
// events of owners and children come over different watches in any order, so
// that an owner nobody heard of yet is asked for.
func (w *watching) controls(owners *family, isOwner func(object) bool, child object) bool {
	var ref object
	for _, owner := range child.list("metadata", "ownerReferences") {
		if controls, _ := owner["controller"].(bool); controls {
			ref = owner
		}
	}
	if ref == nil {
		return false
	}
	uid := ref.text("uid")
	if member, decided := owners.has(uid); decided {
		return member
	}
	owner, err := w.runtime.getRelated(w.ctx, ref.text("apiVersion"), ref.text("kind"), w.target.key.Namespace, ref.text("name"))
	if err != nil {
		// Most often the child outlives its owner and is of no interest.
		return false
	}
	member := owner.uid() == uid && isOwner(owner)
	if owner.uid() == uid {
		owners.note(uid, member)
	}
	return member
}

// isRoot reports whether an object is the watched one.
func (w *watching) isRoot(candidate object) bool {
	return candidate.text("kind") == w.target.key.Kind && candidate.text("apiVersion") == w.target.key.APIVersion &&
		candidate.name() == w.target.key.Name
}
