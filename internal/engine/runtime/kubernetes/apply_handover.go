// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// handOver gives up fields that are not rendered any more and are to keep their
// value: an apply removes what its manager owns and does not send. They then
// belong to nobody, so that whoever sets them next meets no conflict, and nothing
// has to be cleared up. Cut off in between, the next apply finds nothing to do.
func (r *Runtime) handOver(ctx context.Context, a *application, live object, given *fieldpath.Set) (object, error) {
	if given.Empty() || a.request.DryRun {
		return live, nil
	}
	entries, err := fields.Disown(live, a.manager, given)
	if err != nil {
		return nil, runtime.Errorf(runtime.Internal, "%s: managed fields: %w", a.key, err)
	}
	return r.writeManagers(ctx, a, live, entries)
}

// keep puts the values of given fields into the answer to a dry run, before which
// nothing was handed over.
func (a *application) keep(given *fieldpath.Set, live, answer object) {
	if !a.request.DryRun {
		return
	}
	given.Iterate(func(path fieldpath.Path) {
		from, to := live, answer
		for _, step := range path[:len(path)-1] {
			from, _ = from[*step.FieldName].(map[string]any)
			to, _ = to[*step.FieldName].(map[string]any)
		}
		if name := *path[len(path)-1].FieldName; to != nil && from != nil {
			to[name] = from[name]
		}
	})
}
