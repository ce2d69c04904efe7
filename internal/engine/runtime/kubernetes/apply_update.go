// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// createOnly is a resource version that no stored object has: an apply that
// carries it creates, and conflicts with whatever exists.
const createOnly = "1"

// update applies over an object that may be applied over.
func (r *Runtime) update(ctx context.Context, a *application, live object) error {
	options := patchOptions{dryRun: a.request.DryRun, uid: live.uid(), force: a.request.Force}
	out, err := r.patch(ctx, a.target, options)
	if err != nil && !options.force && isFieldConflict(err) {
		live, err = r.decide(ctx, a, live, err)
		if err != nil {
			return err
		}
		options.uid, options.force = live.uid(), true
		out, err = r.patch(ctx, a.target, options)
	}
	if err != nil {
		a.refusal = err
		return r.refused(ctx, a, err)
	}
	a.compare(live, out.live)
	a.finish(out)
	return nil
}

// refused says what the failure of an update means.
func (r *Runtime) refused(ctx context.Context, a *application, err error) error {
	switch runtime.CodeOf(err) {
	case runtime.Conflict, runtime.NotFound:
		if isMissingType(err) {
			return missingKind(a.key)
		}
		if isMissingNamespace(err) {
			return err
		}
		// The object was replaced since it was read.
		return errAgain
	case runtime.InvalidArgument:
		if slices.Contains(pathsOf(err), "metadata.uid") {
			// Likewise, and the new one is there already.
			return errAgain
		}
		return r.immutable(ctx, a, err)
	default:
		return err
	}
}

// decide looks at who owns the fields in conflict. Fields that were edited by
// hand are taken back; those of another applier are its own.
func (r *Runtime) decide(ctx context.Context, a *application, live object, refusal error) (object, error) {
	conflicts := conflictsOf(refusal)
	if !known(live, conflicts) {
		// The owners changed after the object was read.
		fresh, err := r.get(ctx, a.target)
		if err != nil {
			return nil, err
		}
		if fresh == nil || fresh.uid() != live.uid() {
			return nil, errAgain
		}
		live = fresh
	}
	var texts, paths []string
	for _, found := range conflicts {
		if slices.Contains(fields.Owners(live, found.path, metav1.ManagedFieldsOperationApply), found.manager) {
			texts = append(texts, fmt.Sprintf("%s is owned by %q", found.path, found.manager))
			paths = append(paths, found.path)
			continue
		}
		if a.prior != nil && !a.wasSent(found.path) {
			a.response.Warnings = append(a.response.Warnings, fmt.Sprintf("%s: took over %s, which %q had set", a.key, found.path, found.manager))
		}
	}
	if len(texts) > 0 && a.request.Adopt != runtime.AdoptForce {
		return nil, runtime.Errorf(runtime.Conflict, "%s: other appliers own fields of it: %s: force the apply to take them over: %w",
			a.key, strings.Join(texts, "; "), refusal).WithPaths(paths...)
	}
	return live, nil
}

// known reports whether the object's managed fields explain the conflicts.
func known(live object, conflicts []conflict) bool {
	for _, found := range conflicts {
		owners := append(fields.Owners(live, found.path, metav1.ManagedFieldsOperationApply),
			fields.Owners(live, found.path, metav1.ManagedFieldsOperationUpdate)...)
		if !slices.Contains(owners, found.manager) {
			return false
		}
	}
	return true
}

// wasSent reports whether the last apply set the field at a path.
func (a *application) wasSent(path string) bool {
	return fields.Holds(fields.SetOf(a.prior), path)
}

// compare finds out what the update changed.
func (a *application) compare(before, after object) {
	spelling := a.prior
	if spelling == nil {
		spelling = a.desired
	}
	was, is := fields.OwnershipOf(before, a.manager), fields.OwnershipOf(after, a.manager)
	a.response.ChangedPaths = fields.Changed(
		fields.Project(before, spelling, was),
		fields.Project(after, a.desired, is),
	)
	same := was.Own != nil && is.Own != nil && was.Own.Equals(is.Own)
	switch {
	case len(a.response.ChangedPaths) == 0 && (same || before.resourceVersion() == after.resourceVersion()):
		a.response.Action = runtime.ActionNoOp
	default:
		a.response.Action = runtime.ActionUpdate
	}
	if a.lost && a.response.Action == runtime.ActionNoOp {
		a.response.Action = runtime.ActionCreate
		a.response.ChangedPaths = fields.Changed(nil, a.desired)
	}
}

// immutable tells a field that cannot change from one that is plainly invalid:
// an object that the server would accept under another name is valid.
func (r *Runtime) immutable(ctx context.Context, a *application, refusal error) error {
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
	return runtime.Errorf(runtime.ReplaceRequired,
		"%s: %s cannot change in place: the object must be replaced (deleted and created again): %w",
		a.key, strings.Join(paths, ", "), refusal).WithPaths(paths...)
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
