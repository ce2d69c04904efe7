// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import (
	"context"
	"reflect"
)

// The helpers below call a runtime and return Go errors, so that a lost failure
// is a lint error. They guard against nil responses and typed nils.

// Apply calls r.Apply.
func Apply(ctx context.Context, r Runtime, request *ApplyRequest) (*ApplyResponse, error) {
	response := r.Apply(ctx, request)
	if response == nil {
		return nil, Errorf(Internal, "apply returned no response")
	}
	return response, located(asError(response.Status), func() *Stack { return request.Stack })
}

// Read calls r.Read.
func Read(ctx context.Context, r Runtime, request *ReadRequest) (*ReadResponse, error) {
	response := r.Read(ctx, request)
	if response == nil {
		return nil, Errorf(Internal, "read returned no response")
	}
	return response, located(asError(response.Status), func() *Stack { return request.Stack })
}

// Import calls r.Import.
func Import(ctx context.Context, r Runtime, request *ImportRequest) (*ImportResponse, error) {
	response := r.Import(ctx, request)
	if response == nil {
		return nil, Errorf(Internal, "import returned no response")
	}
	return response, located(asError(response.Status), func() *Stack { return request.Stack })
}

// Delete calls r.Delete.
func Delete(ctx context.Context, r Runtime, request *DeleteRequest) (*DeleteResponse, error) {
	response := r.Delete(ctx, request)
	if response == nil {
		return nil, Errorf(Internal, "delete returned no response")
	}
	return response, located(asError(response.Status), func() *Stack { return request.Stack })
}

// Watch calls r.Watch.
func Watch(ctx context.Context, r Runtime, request *WatchRequest) (*WatchResponse, error) {
	response := r.Watch(ctx, request)
	if response == nil {
		return nil, Errorf(Internal, "watch returned no response")
	}
	return response, located(asError(response.Status), func() *Stack { return request.Stack })
}

// Wait calls r.Wait if r is a Waiter; every other runtime's resources are ready
// when Apply returns.
func Wait(ctx context.Context, r Runtime, request *WaitRequest) (*WaitResponse, error) {
	waiter, ok := r.(Waiter)
	if !ok {
		return &WaitResponse{Message: "applied"}, nil
	}
	response := waiter.Wait(ctx, request)
	if response == nil {
		return nil, Errorf(Internal, "wait returned no response")
	}
	return response, located(asError(response.Status), func() *Stack { return request.Stack })
}

// located names the data plane in an error of its connection, since the name of
// the object does not tell which cluster is meant.
func located(err error, stack func() *Stack) error {
	code := CodeOf(err)
	if code != Unavailable && code != Unauthenticated && code != PermissionDenied {
		return err
	}
	if on := stack(); on != nil && on.DataPlane != "" {
		return Errorf(code, "data plane %q: %w", on.DataPlane, err)
	}
	return err
}

func asError(status Status) error {
	if status == nil {
		return nil
	}
	if v := reflect.ValueOf(status); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return status
}
