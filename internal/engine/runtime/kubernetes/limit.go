// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"net/http"
	"time"

	"golang.org/x/time/rate"
)

// limited lets requests wait for their turn, each no longer than its context.
type limited struct {
	limiter *rate.Limiter
	next    http.RoundTripper
}

// RoundTrip sends a request in its turn. What gives up waiting has sent nothing.
func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	turn := l.limiter.Reserve()
	timer := time.NewTimer(turn.Delay())
	defer timer.Stop()
	select {
	case <-timer.C:
		return l.next.RoundTrip(request)
	case <-request.Context().Done():
		turn.Cancel()
		return nil, request.Context().Err()
	}
}
