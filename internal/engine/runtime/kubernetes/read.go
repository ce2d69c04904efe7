// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// Read returns the live values of the fields that the stack owns. It is served
// from the list of the kind, a whole object by a request of its own; see
// runtime.Runtime for the promise. An object that is being deleted, or unless the
// whole of it is asked for is not the stack's, reads as absent.
func (r *Runtime) Read(ctx context.Context, request *runtime.ReadRequest) *runtime.ReadResponse {
	response := &runtime.ReadResponse{}
	response.Status = asStatus(r.read(ctx, request, response))
	return response
}

func (r *Runtime) read(ctx context.Context, request *runtime.ReadRequest, response *runtime.ReadResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "read: the request is nil")
	}
	resource := request.PriorResource
	if resource == nil {
		resource = request.PlanResource
	}
	t, served, err := r.resolve(ctx, resource, request.Stack)
	if err != nil || !served {
		return err
	}
	if request.Whole {
		live, err := r.get(ctx, t)
		if err == nil && live != nil && !live.terminating() {
			response.Resource, response.UID = t.complete(live), live.uid()
		}
		return err
	}
	prior, err := priorOf(request.PriorResource, t.key)
	if err != nil {
		return err
	}
	live, err := r.find(ctx, t, request.Recorded)
	if err != nil {
		return err
	}
	if live == nil || live.terminating() || !t.owned(live, request.Recorded) {
		return nil
	}
	response.UID = live.uid()
	response.Resource = t.resource(fields.Project(live, prior, fields.OwnershipOf(live, t.manager)))
	return nil
}

// find looks into the list of the kind. A recorded object that is not there is
// read once by itself, since its labels may be gone.
func (r *Runtime) find(ctx context.Context, t target, recorded bool) (object, error) {
	live, known, err := r.cache.find(ctx, t)
	if err != nil || live != nil {
		return live, err
	}
	if known && !recorded {
		return nil, nil //nolint:nilnil // Absence is no error here, and the caller asks for it.
	}
	return r.get(ctx, t)
}

// priorOf returns a copy of what was last applied, or nil when that is unknown.
func priorOf(resource *runtime.Resource, key runtime.ObjectKey) (map[string]any, error) {
	if resource == nil || resource.Attributes == nil {
		return nil, nil //nolint:nilnil // No prior resource is an ordinary case.
	}
	prior, err := fields.Normalize(resource.Attributes)
	if err != nil {
		return nil, runtime.Errorf(runtime.InvalidArgument, "%s: attributes of the prior resource: %w", key, err)
	}
	delete(prior, "status")
	return prior, nil
}
