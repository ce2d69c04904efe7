// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// Proxy stands between a provider and the API server. It adds the credentials
// of the test, counts requests, and refuses those it is told to refuse.
type Proxy struct {
	// URL is the host for the provider block.
	URL string

	mu     sync.Mutex
	counts map[string]int
	refuse func(Request) int
	cut    *Break
}

// Request is what the proxy tells of a request.
type Request struct {
	// Verb is get, list, watch, create, update, patch or delete.
	Verb string
	// Resource is the plural, with its subresource; Namespace and Name may be empty.
	Resource, Namespace, Name string
}

// Proxy starts a proxy that ends with the test.
func (e *Env) Proxy(t *testing.T) *Proxy {
	t.Helper()
	transport, err := rest.TransportFor(e.config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(e.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{counts: map[string]int{}}
	forward := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// A watch that its client gives up is no failure.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := requestOf(r)
		code := p.note(request)
		if p.breaks(request) {
			p.breakOff(forward, request, r)
		}
		if code != 0 {
			http.Error(w, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":"refused by the test"}`, code), code)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.URL = server.URL
	return p
}

// Refuse lets the proxy answer requests itself: with the status that which
// returns, unless it is 0.
func (p *Proxy) Refuse(which func(Request) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = which
}

// Take returns how often each "verb resource" was asked for since the last call.
func (p *Proxy) Take() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := p.counts
	p.counts = map[string]int{}
	return counts
}

// Counts returns counts as lines, sorted.
func Counts(counts map[string]int) string {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "%6d %s\n", counts[key], key)
	}
	return text.String()
}

func (p *Proxy) note(request Request) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[request.Verb+" "+request.Resource]++
	if p.refuse == nil {
		return 0
	}
	return p.refuse(request)
}

// requestOf reads verb and resource off a request to an API server.
func requestOf(r *http.Request) Request {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return Request{Verb: strings.ToLower(r.Method), Resource: r.URL.Path}
	}
	var request Request
	if parts[0] == "namespaces" && len(parts) > 2 {
		request.Namespace, parts = parts[1], parts[2:]
	}
	request.Resource = parts[0]
	if len(parts) > 1 {
		request.Name = parts[1]
	}
	if len(parts) > 2 {
		request.Resource += "/" + parts[2]
	}
	request.Verb = verbOf(r, request.Name)
	return request
}

func verbOf(r *http.Request, name string) string {
	switch r.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodGet:
		switch watch := r.URL.Query().Get("watch"); {
		case watch == "true" || watch == "1":
			return "watch"
		case name == "":
			return "list"
		}
	}
	return strings.ToLower(r.Method)
}
