// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

var errBoom = errors.New("boom")

func TestCodeOf(t *testing.T) {
	t.Parallel()
	conflict := runtime.Errorf(runtime.Conflict, "field owned by %s", "somebody")
	cases := map[string]struct {
		reason string
		err    error
		want   runtime.Code
	}{
		"Nil":              {reason: "Success has no code.", err: nil, want: ""},
		"Status":           {reason: "A status knows its code.", err: conflict, want: runtime.Conflict},
		"Wrapped":          {reason: "A wrapped status keeps its code.", err: fmt.Errorf("apply: %w", conflict), want: runtime.Conflict},
		"Joined":           {reason: "A status among joined errors gives the code.", err: errors.Join(errBoom, conflict), want: runtime.Conflict},
		"Canceled":         {reason: "A cancelled context is Canceled.", err: fmt.Errorf("wait: %w", context.Canceled), want: runtime.Canceled},
		"DeadlineExceeded": {reason: "A passed deadline is DeadlineExceeded.", err: context.DeadlineExceeded, want: runtime.DeadlineExceeded},
		"StatusFirst": {
			reason: "The code of a status goes before that of the context error it wraps.",
			err:    runtime.Errorf(runtime.Unavailable, "connect: %w", context.DeadlineExceeded), want: runtime.Unavailable,
		},
		"Other": {reason: "Any other error is Internal.", err: errBoom, want: runtime.Internal},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := runtime.CodeOf(tc.err); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestErrorf(t *testing.T) {
	t.Parallel()
	status := runtime.Errorf(runtime.InvalidArgument, "port %d: %w", 0, errBoom)
	if status.Code() != runtime.InvalidArgument || status.Message() != "port 0: boom" || status.Error() != status.Message() {
		t.Errorf("A status has its code and its message, got %q, %q, %q.", status.Code(), status.Message(), status.Error())
	}
	if !errors.Is(status, errBoom) {
		t.Error("The cause of a status is in its chain.")
	}
	if runtime.Errorf(runtime.Internal, "no cause").Unwrap() != nil {
		t.Error("A status without a cause unwraps to nil.")
	}
	paths := []string{"spec.replicas"}
	located := status.WithPaths(paths...)
	paths[0] = "changed"
	if diff := cmp.Diff([]string{"spec.replicas"}, located.Paths()); diff != "" {
		t.Errorf("A status keeps its own copy of the paths: -want +got:\n%s", diff)
	}
	if len(status.Paths()) != 0 || !errors.Is(located, errBoom) {
		t.Error("Adding paths copies the status and keeps the cause.")
	}
}
