// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// replacement is an object that gives way to a new one.
type replacement struct {
	// immutable are the fields because of which it goes, changed all that differ.
	immutable, changed []string
}

// report says what was done, or would be.
func (r *replacement) report(a *application, tense string) {
	a.response.Action, a.response.ChangedPaths = runtime.ActionReplace, r.changed
	a.response.Warnings = append(a.response.Warnings, fmt.Sprintf(
		"%s: %s cannot change in place, so the object %s replaced: deleted, and created again once it is gone. It is not available in between",
		a.key, strings.Join(r.immutable, ", "), tense))
}

// immutable deals with a refusal that may be about a field that cannot change. It
// tells it from a plainly invalid one: an object that the server would accept
// under another name is valid. The object is replaced only then, so that nothing
// is deleted for a successor that would be refused.
func (r *Runtime) immutable(ctx context.Context, a *application, live object, refusal error) error {
	status, ok := asAPIStatus(refusal)
	if !ok || status.Reason != metav1.StatusReasonInvalid {
		return refusal
	}
	spare := a.target
	spare.key.Name = naming.Name(naming.LimitStatefulSet, "spare", a.key.Name)
	spare.desired = fields.Clone(a.desired)
	spare.desired.metadata()["name"] = spare.key.Name
	_, err := r.patch(ctx, spare, patchOptions{dryRun: true, resourceVersion: createOnly})
	if err != nil && !saysImmutable(status) {
		return refusal
	}
	code := runtime.CodeOf(err)
	if code == runtime.Canceled || code == runtime.DeadlineExceeded {
		return err
	}
	paths := causePaths(status)
	required := func(format string, cause error) error {
		return runtime.Errorf(runtime.ReplaceRequired, "%s: %s cannot change in place: "+format+": %w", a.key, strings.Join(paths, ", "), cause).
			WithPaths(paths...)
	}
	switch {
	case a.adopting:
		return required("an object that is adopted is not replaced, delete it first", refusal)
	case err != nil:
		return required("the object would have to be replaced, but a new one would be refused", err)
	case !a.request.Replace:
		return required("the object must be replaced (deleted and created again)", refusal)
	}
	return r.replace(ctx, a, live, paths)
}

// replace deletes exactly the live object, waits until it is gone, and leaves it
// to the next round to create it.
func (r *Runtime) replace(ctx context.Context, a *application, live object, paths []string) error {
	spelling := a.prior
	if spelling == nil {
		spelling = a.desired
	}
	old := &replacement{
		immutable: paths,
		changed:   fields.Changed(fields.Project(live, spelling, fields.OwnershipOf(live, a.manager)), a.desired),
	}
	if a.request.DryRun {
		old.report(a, "will be")
		a.response.Resource, a.response.UID = a.resource(fields.Clone(a.desired)), ""
		return nil
	}
	err := r.remove(ctx, a.target, live)
	if err != nil && runtime.CodeOf(err) != runtime.Conflict {
		return err
	}
	if err == nil {
		a.replaced = old
	}
	return errAgain
}

// saysImmutable reports a refusal that calls itself one of an unchangeable field.
func saysImmutable(status metav1.Status) bool {
	for _, text := range []string{"immutable", "may not change", "cannot be changed", "updates to"} {
		if strings.Contains(status.Message, text) {
			return true
		}
	}
	return false
}
