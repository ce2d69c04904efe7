// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package reconcile

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLoop checks that a key comes back after an error, and when it asks to.
func TestLoop(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 3)
	count := 0
	loop := NewLoop(func(_ context.Context, key string) (time.Duration, error) {
		calls <- key
		count++ // Calls for one key never overlap.
		switch count {
		case 1:
			return 0, errors.New("boom")
		case 2:
			return time.Millisecond, nil
		default:
			return 0, nil
		}
	})
	loop.Add("key")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { loop.Run(ctx, 2); close(done) }()

	got := []string{<-calls, <-calls, <-calls}
	cancel()
	<-done
	if diff := cmp.Diff([]string{"key", "key", "key"}, got); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
	if count != 3 {
		t.Errorf("calls: got %d, want 3", count)
	}
}
