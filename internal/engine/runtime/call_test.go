// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime_test

import (
	"context"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// answers is a runtime that gives fixed responses.
type answers struct {
	apply *runtime.ApplyResponse
	read  *runtime.ReadResponse
	imp   *runtime.ImportResponse
	del   *runtime.DeleteResponse
	watch *runtime.WatchResponse
}

func (a answers) Apply(context.Context, *runtime.ApplyRequest) *runtime.ApplyResponse { return a.apply }

func (a answers) Read(context.Context, *runtime.ReadRequest) *runtime.ReadResponse { return a.read }

func (a answers) Import(context.Context, *runtime.ImportRequest) *runtime.ImportResponse {
	return a.imp
}

func (a answers) Delete(context.Context, *runtime.DeleteRequest) *runtime.DeleteResponse {
	return a.del
}

func (a answers) Watch(context.Context, *runtime.WatchRequest) *runtime.WatchResponse { return a.watch }

// waiting is a runtime whose resources become ready.
type waiting struct {
	answers
	wait *runtime.WaitResponse
}

func (w waiting) Wait(context.Context, *runtime.WaitRequest) *runtime.WaitResponse { return w.wait }

// withStatus answers every call with the status.
func withStatus(status runtime.Status) runtime.Runtime {
	return waiting{
		answers: answers{
			apply: &runtime.ApplyResponse{Status: status}, read: &runtime.ReadResponse{Status: status},
			imp: &runtime.ImportResponse{Status: status}, del: &runtime.DeleteResponse{Status: status},
			watch: &runtime.WatchResponse{Status: status},
		},
		wait: &runtime.WaitResponse{Status: status},
	}
}

// calls makes each call and reports whether there was a response, and the error.
func calls() map[string]func(context.Context, runtime.Runtime) (bool, error) {
	return map[string]func(context.Context, runtime.Runtime) (bool, error){
		"Apply": func(ctx context.Context, r runtime.Runtime) (bool, error) {
			response, err := runtime.Apply(ctx, r, &runtime.ApplyRequest{})
			return response != nil, err
		},
		"Read": func(ctx context.Context, r runtime.Runtime) (bool, error) {
			response, err := runtime.Read(ctx, r, &runtime.ReadRequest{})
			return response != nil, err
		},
		"Import": func(ctx context.Context, r runtime.Runtime) (bool, error) {
			response, err := runtime.Import(ctx, r, &runtime.ImportRequest{})
			return response != nil, err
		},
		"Delete": func(ctx context.Context, r runtime.Runtime) (bool, error) {
			response, err := runtime.Delete(ctx, r, &runtime.DeleteRequest{})
			return response != nil, err
		},
		"Watch": func(ctx context.Context, r runtime.Runtime) (bool, error) {
			response, err := runtime.Watch(ctx, r, &runtime.WatchRequest{})
			return response != nil, err
		},
		"Wait": func(ctx context.Context, r runtime.Runtime) (bool, error) {
			response, err := runtime.Wait(ctx, r, &runtime.WaitRequest{})
			return response != nil, err
		},
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	var typedNil *runtime.Error
	cases := map[string]struct {
		reason   string
		runtime  runtime.Runtime
		response bool
		want     runtime.Code
	}{
		"Success":  {reason: "A nil status is success.", runtime: withStatus(nil), response: true},
		"TypedNil": {reason: "A nil pointer in a status is success too.", runtime: withStatus(typedNil), response: true},
		"Failure": {
			reason:  "A status is returned as the error, beside the response.",
			runtime: withStatus(runtime.Errorf(runtime.Conflict, "x")), response: true, want: runtime.Conflict,
		},
		"NoResponse": {reason: "A missing response is an internal error.", runtime: waiting{}, want: runtime.Internal},
	}
	for name, tc := range cases {
		for verb, call := range calls() {
			t.Run(name+"/"+verb, func(t *testing.T) {
				t.Parallel()
				response, err := call(t.Context(), tc.runtime)
				if got := runtime.CodeOf(err); got != tc.want || response != tc.response {
					t.Errorf("%s\ngot response %t and %v", tc.reason, response, err)
				}
			})
		}
	}
}

// The errors of a connection name the data plane that it belongs to.
func TestCallsNameTheDataPlane(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		code   runtime.Code
		stack  *runtime.Stack
		want   string
	}{
		"Unreachable":  {"which cluster is away is the first question", runtime.Unavailable, &runtime.Stack{DataPlane: "west"}, `data plane "west": x`},
		"NotAllowed":   {"whose rights are missing is another", runtime.PermissionDenied, &runtime.Stack{DataPlane: "west"}, `data plane "west": x`},
		"NoDataPlane":  {"there is nothing to name", runtime.Unavailable, &runtime.Stack{}, "x"},
		"NoStack":      {"there is nothing to name", runtime.Unavailable, nil, "x"},
		"OtherFailure": {"the object says it all", runtime.Conflict, &runtime.Stack{DataPlane: "west"}, "x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtime.Apply(t.Context(), withStatus(runtime.Errorf(tc.code, "x")), &runtime.ApplyRequest{Stack: tc.stack})
			if runtime.CodeOf(err) != tc.code || err.Error() != tc.want {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

func TestWaitWithoutWaiter(t *testing.T) {
	t.Parallel()
	response, err := runtime.Wait(t.Context(), answers{}, &runtime.WaitRequest{})
	if err != nil || response == nil || response.Message == "" {
		t.Errorf("A resource of a runtime that cannot wait is ready once applied, got %v, %v.", response, err)
	}
}
