// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// owned reports whether the stack owns the live object. recorded says that the
// caller knows this very object to have been made by the stack: our field
// manager then stands in for labels that somebody removed.
func (t target) owned(live object, recorded bool) bool {
	if t.labelled(live) {
		return true
	}
	return recorded && !t.claimed(live) && fields.HasManager(live, t.manager)
}

// labelled reports whether labels and annotation name the stack as the owner.
func (t target) labelled(live object) bool {
	for label, want := range naming.OwnerLabels(t.stack.Organization, t.stack.OwnerKind, t.stack.OwnerID) {
		if live.label(label) != want {
			return false
		}
	}
	id := live.annotation(naming.AnnotationOwnerID)
	return id == "" || id == t.stack.OwnerID
}

// claimed reports whether labels name another owner of the platform.
func (t target) claimed(live object) bool {
	for label, want := range naming.OwnerLabels(t.stack.Organization, t.stack.OwnerKind, t.stack.OwnerID) {
		if got := live.label(label); got != "" && got != want {
			return true
		}
	}
	return false
}

// unowned reports whether nobody claims the object: no manager by label, no
// controlling object.
func unowned(live object) bool {
	return live.label(naming.LabelManagedBy) == "" && live.label(naming.LabelOwner) == "" &&
		len(live.list("metadata", "ownerReferences")) == 0
}

// ownerOf says in words who owns a live object.
func ownerOf(live object) string {
	if live.label(naming.LabelManagedBy) == naming.ManagedBy {
		id := live.annotation(naming.AnnotationOwnerID)
		if id == "" {
			id = live.label(naming.LabelOwner)
		}
		return fmt.Sprintf("%s %s of organization %s", live.label(naming.LabelOwnerKind), id, live.label(naming.LabelOrganization))
	}
	if manager := live.label(naming.LabelManagedBy); manager != "" {
		return manager
	}
	for _, owner := range live.list("metadata", "ownerReferences") {
		return fmt.Sprintf("%s %s", owner.text("kind"), owner.text("name"))
	}
	var managers []string
	for _, entry := range fields.Managers(live) {
		if entry.Subresource == "" {
			managers = append(managers, entry.Name)
		}
	}
	if len(managers) > 0 {
		return "nobody we know (written by " + strings.Join(managers, ", ") + ")"
	}
	return "nobody we know"
}
