// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"net/http"
	"net/url"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// adopt applies over an object of somebody else. A dry run shows which fields
// become ours; these are first taken out of the others' entries, or a field that
// is not rendered any more one day would stay, because its first author still
// owns it. Cut off in between, the object is not ours yet and is adopted again.
func (r *Runtime) adopt(ctx context.Context, a *application, live object) error {
	if a.request.DryRun {
		return r.update(ctx, a, live)
	}
	trial, before, err := r.submit(ctx, a, live, true)
	if err != nil {
		return err
	}
	entries, err := fields.Claim(before, trial.live, a.manager)
	if err != nil {
		return runtime.Errorf(runtime.Internal, "%s: managed fields: %w", a.key, err)
	}
	claimed, err := r.writeManagers(ctx, a, before, entries)
	if err != nil {
		return err
	}
	out, _, err := r.submit(ctx, a, claimed, false)
	if err != nil {
		return err
	}
	a.compare(before, out.live)
	a.finish(out)
	return nil
}

// writeManagers replaces the managed fields of exactly the live object.
func (r *Runtime) writeManagers(ctx context.Context, a *application, live object, entries []any) (object, error) {
	request := a.call("patch", http.MethodPatch)
	request.content = contentPatch
	request.query = url.Values{"fieldManager": {a.manager}}
	request.body = encode([]any{
		map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		// Another version makes this a conflict.
		map[string]any{"op": "replace", "path": "/metadata/resourceVersion", "value": live.resourceVersion()},
	})
	out, err := r.client.do(ctx, request)
	switch code := runtime.CodeOf(err); {
	case code == runtime.Conflict || code == runtime.NotFound:
		a.refusal = err
		return nil, errAgain
	case err != nil:
		return nil, err
	}
	return decodeObject(out.body)
}
