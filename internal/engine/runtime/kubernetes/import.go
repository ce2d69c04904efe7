// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Import takes an object that the stack already owns under management and
// changes nothing. Absent is NOT_FOUND; an object of somebody else is
// ALREADY_EXISTS, because taking it over is a decision that Apply's Adopt makes.
func (r *Runtime) Import(ctx context.Context, request *runtime.ImportRequest) *runtime.ImportResponse {
	response := &runtime.ImportResponse{}
	response.Status = asStatus(r.imports(ctx, request, response))
	return response
}

func (r *Runtime) imports(ctx context.Context, request *runtime.ImportRequest, response *runtime.ImportResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "import: the request is nil")
	}
	t, served, err := r.resolve(ctx, request.PlanResource, request.Stack)
	if err != nil {
		return err
	}
	if !served {
		return missingKind(t.key)
	}
	live, err := r.get(ctx, t)
	switch {
	case err != nil:
		return err
	case live == nil || live.terminating():
		return runtime.Errorf(runtime.NotFound, "%s: there is no such object to import", t.key)
	case !t.owned(live, true):
		return t.foreign(live)
	}
	response.Resource, response.UID = t.complete(live), live.uid()
	return nil
}
