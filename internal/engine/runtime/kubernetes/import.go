// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"errors"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Import applies over an object that exists; see runtime.Runtime for the promise.
// One that is as it should be is left untouched.
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
	if t.desired, err = desire(request.PlanResource, t.key, request.Stack); err != nil {
		return err
	}
	if !served {
		return missingKind(t.key)
	}
	// What it is to be like is what it was like before, so that a field that says
	// otherwise has drifted, and a missing label makes it nobody else's.
	a := &application{
		target: t, prior: t.desired, response: &runtime.ApplyResponse{},
		request: &runtime.ApplyRequest{
			PriorResource: request.PlanResource, PlanResource: request.PlanResource, Stack: request.Stack, Adopt: runtime.AdoptIfUnowned,
		},
	}
	for round := range rounds {
		if err := pause(ctx, t.key, round); err != nil {
			return err
		}
		err := r.importOnce(ctx, a)
		if errors.Is(err, errAgain) {
			continue
		}
		response.Resource, response.UID = a.response.Resource, a.response.UID
		return err
	}
	return runtime.Errorf(runtime.Conflict, "%s: others keep changing it: %w", t.key, a.refusal)
}

func (r *Runtime) importOnce(ctx context.Context, a *application) error {
	live, err := r.get(ctx, a.target)
	switch {
	case err != nil:
		return err
	case live == nil || live.terminating():
		return runtime.Errorf(runtime.NotFound, "%s: there is no such object to import", a.key)
	}
	return r.updateLive(ctx, a, live)
}
