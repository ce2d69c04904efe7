// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// createOnly is a resource version that no stored object has: an apply that
// carries it creates, and conflicts with whatever exists.
const createOnly = "1"

// update applies over an object that may be applied over.
func (r *Runtime) update(ctx context.Context, a *application, live object) error {
	before := live
	given := fields.HandedOver(live, fields.OwnershipOf(live, a.manager).Own, a.desired)
	live, err := r.handOver(ctx, a, live, given)
	if err != nil {
		return err
	}
	out, live, err := r.submit(ctx, a, live, a.request.DryRun)
	if err != nil {
		return err
	}
	if out.live == nil {
		// It would be replaced.
		return nil
	}
	if given.Empty() {
		before = live
	}
	a.keep(given, before, out.live)
	a.compare(before, out.live)
	a.finish(out)
	return nil
}

// submit sends the object, by force if that is what its conflicts ask for, and
// returns the object that it was sent over.
func (r *Runtime) submit(ctx context.Context, a *application, live object, dryRun bool) (patched, object, error) {
	options := patchOptions{dryRun: dryRun, uid: live.uid(), force: a.request.Force}
	out, err := r.patch(ctx, a.target, options)
	if err != nil && !options.force && isFieldConflict(err) {
		live, err = r.decide(ctx, a, live, err)
		if err != nil {
			return patched{}, nil, err
		}
		options.uid, options.force = live.uid(), true
		out, err = r.patch(ctx, a.target, options)
	}
	if err != nil {
		a.refusal = err
		return patched{}, nil, r.refused(ctx, a, live, err)
	}
	return out, live, nil
}

// refused says what the failure of an update means.
func (r *Runtime) refused(ctx context.Context, a *application, live object, err error) error {
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
		return r.immutable(ctx, a, live, err)
	default:
		return err
	}
}

// decide looks at who owns the fields in conflict. Fields of ours that were
// edited by hand are taken back; those of another applier, and those that we
// never set, are others' own.
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
	if a.adopting && a.request.Adopt == runtime.AdoptForce {
		return live, nil
	}
	var texts, paths []string
	for _, found := range conflicts {
		text := "was set by"
		switch {
		case found.manager == a.manager, fields.IsFormer(found.manager):
			// What admission adds to an apply is written in the applier's name, and
			// what was adopted with an object is nobody else's.
			continue
		case slices.Contains(fields.Owners(live, found.path, metav1.ManagedFieldsOperationApply), found.manager):
			text = "is applied by"
		case found.subresource != "" || !a.isNew(found.path):
			continue
		}
		texts = append(texts, fmt.Sprintf("%s %s %q", found.path, text, found.manager))
		paths = append(paths, found.path)
	}
	if len(texts) > 0 {
		return nil, runtime.Errorf(runtime.Conflict, "%s: fields of it belong to others: %s", a.key, strings.Join(texts, "; ")).WithPaths(paths...)
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

// isNew reports a field that the last apply is known not to have set. A path that
// only the server's schema can tell is in neither set.
func (a *application) isNew(path string) bool {
	return a.prior != nil && fields.Holds(fields.SetOf(a.desired).Difference(fields.SetOf(a.prior)), path)
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
		a.made()
	}
}
