// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// lateAttempt bounds each attempt after the window of the first contact has
// passed in vain: many objects of one unreachable server then fail soon.
const lateAttempt = 2 * time.Second

// contact knows whether the server ever answered this process.
type contact struct {
	window      time.Duration
	established atomic.Bool

	mu    sync.Mutex
	first time.Time
}

// bound limits the context of an attempt until the server has answered once.
func (c *contact) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.established.Load() {
		return ctx, func() {}
	}
	left := time.Until(c.end())
	if left < lateAttempt {
		left = min(lateAttempt, c.window)
	}
	return context.WithTimeout(ctx, left)
}

// patient reports whether a failed attempt may be repeated.
func (c *contact) patient() bool {
	return c.established.Load() || time.Now().Before(c.end())
}

func (c *contact) end() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first.IsZero() {
		c.first = time.Now()
	}
	return c.first.Add(c.window)
}
