// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// Break is a point at which a proxy breaks off: a request, and what is done
// when it comes. Whoever made the request gets no answer.
type Break struct {
	// At is the number of the request, from 1: of all of them, or of the Writes.
	At     int
	Writes bool
	// Late lets the API server carry out the request first: its answer is lost.
	Late bool
	// Do is called once.
	Do func()

	seen int
}

// BreakAt sets the only point at which the proxy breaks off; counting starts
// now. Without one, nil, it breaks off nowhere. It tells whether the point that
// was set before was reached.
func (p *Proxy) BreakAt(point *Break) (reached bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	reached = p.cut != nil && p.cut.seen >= p.cut.At
	p.cut = point
	return reached
}

// Writes tells whether a verb, or "verb resource" as Take counts it, changes something.
func Writes(key string) bool {
	switch verb, _, _ := strings.Cut(key, " "); verb {
	case "create", "update", "patch", "delete":
		return true
	}
	return false
}

// breaks counts a request and tells whether it is the one at which to break off.
func (p *Proxy) breaks(request Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil || (p.cut.Writes && !Writes(request.Verb)) {
		return false
	}
	p.cut.seen++
	return p.cut.seen == p.cut.At
}

// breakOff ends the connection of a request without an answer.
func (p *Proxy) breakOff(forward http.Handler, request Request, r *http.Request) {
	p.mu.Lock()
	point := p.cut
	p.mu.Unlock()
	if point != nil {
		// The answer to a watch has no end that could be lost.
		if point.Late && request.Verb != "watch" {
			forward.ServeHTTP(httptest.NewRecorder(), r)
		}
		point.Do()
	}
	panic(http.ErrAbortHandler)
}
