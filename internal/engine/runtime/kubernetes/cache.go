// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// pageSize is how many objects one page of a list holds.
const pageSize = 500

// cache serves reads from one list per kind and organization, taken at first
// use and kept current by our own writes. Objects are kept as the bytes that the
// server sent, which take a tenth of the memory of decoded ones.
type cache struct {
	client *client
	*shelf
}

// shelf holds the lists of one server, whatever its connection is called.
type shelf struct {
	mu    sync.Mutex
	lists map[listKey]*list
	// narrow holds the kinds that may not be listed over all namespaces.
	narrow map[string]bool
}

type listKey struct {
	collection   string
	organization string
	namespace    string
}

type list struct {
	// turn lets one caller load the list, and others wait with their contexts.
	turn chan struct{}

	mu     sync.Mutex
	loaded bool
	// items are the objects by namespace and name; nil marks one that was
	// deleted while the list was being loaded.
	items map[string][]byte
}

func newCache(client *client) *cache {
	return &cache{client: client, shelf: &shelf{lists: map[listKey]*list{}, narrow: map[string]bool{}}}
}

func itemKey(namespace, name string) string { return namespace + "/" + name }

// find returns the object from the list that covers it; known is false when no
// list could tell.
func (c *cache) find(ctx context.Context, t target) (live object, known bool, err error) {
	if t.mapping.namespaced && !isSecret(t.key) && !c.isNarrow(t) {
		live, known, err = c.findIn(ctx, t, "")
		if runtime.CodeOf(err) != runtime.PermissionDenied {
			return live, known, err
		}
		c.mu.Lock()
		c.narrow[t.mapping.groupResource()] = true
		c.mu.Unlock()
	}
	live, known, err = c.findIn(ctx, t, t.key.Namespace)
	if runtime.CodeOf(err) == runtime.PermissionDenied {
		// A right to get single objects may remain.
		return nil, false, nil
	}
	return live, known, err
}

func (c *cache) isNarrow(t target) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.narrow[t.mapping.groupResource()]
}

func (c *cache) findIn(ctx context.Context, t target, namespace string) (object, bool, error) {
	key := listKey{collection: t.mapping.path("", ""), organization: t.stack.Organization, namespace: namespace}
	entry := c.list(key)
	if err := entry.load(ctx, func() (map[string][]byte, bool, error) { return c.fetch(ctx, t, namespace) }); err != nil {
		return nil, false, err
	}
	entry.mu.Lock()
	raw := entry.items[itemKey(t.key.Namespace, t.key.Name)]
	loaded := entry.loaded
	entry.mu.Unlock()
	if raw == nil {
		return nil, loaded, nil
	}
	live, err := decodeObject(raw)
	if err != nil {
		return nil, false, err
	}
	// Elements of a list do not repeat what the list says of all of them.
	live["apiVersion"], live["kind"] = t.key.APIVersion, t.key.Kind
	return live, true, nil
}

func (c *cache) list(key listKey) *list {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.lists[key]
	if !ok {
		entry = &list{turn: make(chan struct{}, 1), items: map[string][]byte{}}
		c.lists[key] = entry
	}
	return entry
}

// load fetches the list unless that was done. What was written meanwhile wins
// over what was fetched.
func (l *list) load(ctx context.Context, fetch func() (map[string][]byte, bool, error)) error {
	if l.isLoaded() {
		return nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return runtime.Errorf(runtime.CodeOf(ctx.Err()), "waiting for a list: %w", ctx.Err())
	}
	if l.isLoaded() {
		return nil
	}
	items, served, err := fetch()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, raw := range items {
		if _, written := l.items[key]; !written {
			l.items[key] = raw
		}
	}
	for key, raw := range l.items {
		if raw == nil {
			delete(l.items, key)
		}
	}
	// A kind that is not served yet may be so later.
	l.loaded = served
	return nil
}

func (l *list) isLoaded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loaded
}

// fetch reads all pages; served is false when the server has no such kind.
func (c *cache) fetch(ctx context.Context, t target, namespace string) (items map[string][]byte, served bool, err error) {
	selector := naming.LabelManagedBy + "=" + naming.ManagedBy + "," + naming.LabelOrganization + "=" + t.stack.Organization
	items = map[string][]byte{}
	subject := t.mapping.groupResource()
	access := "list " + subject + " in all namespaces"
	if namespace != "" {
		access = "list " + subject + " in namespace " + namespace
	}
	err = c.client.pages(ctx, call{
		verb: "list", subject: subject, access: access, method: http.MethodGet,
		path: t.mapping.path(namespace, ""), query: url.Values{"labelSelector": {selector}},
	}, func() { clear(items) }, func(raw json.RawMessage) error {
		var head struct {
			Metadata struct {
				Name      string `json:"name"`
				Namespace string `json:"namespace"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return err
		}
		items[itemKey(head.Metadata.Namespace, head.Metadata.Name)] = raw
		return nil
	})
	if err != nil && isMissingType(err) {
		return nil, false, nil
	}
	return items, true, err
}

// pages makes a paged list and calls each with every element. When the server
// forgets the list between two pages it starts again, after a call of restart.
func (c *client) pages(ctx context.Context, request call, restart func(), each func(json.RawMessage) error) error {
	for next, restarts := "", 0; ; {
		page := request
		page.query = url.Values{"limit": {strconv.Itoa(pageSize)}}
		for name, values := range request.query {
			page.query[name] = values
		}
		if next != "" {
			page.query.Set("continue", next)
		}
		out, err := c.do(ctx, page)
		if next != "" && isExpired(err) && restarts < 3 {
			restart()
			next = ""
			restarts++
			continue
		}
		if err != nil {
			return err
		}
		var body struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(out.body, &body); err != nil {
			return runtime.Errorf(runtime.Internal, "%s: list: %w", request.subject, err)
		}
		for _, item := range body.Items {
			// A copy lets go of the page's buffer.
			if err := each(append(json.RawMessage(nil), item...)); err != nil {
				return runtime.Errorf(runtime.Internal, "%s: list: %w", request.subject, err)
			}
		}
		if next = body.Metadata.Continue; next == "" {
			return nil
		}
	}
}

// store notes an object that we read or wrote.
func (c *cache) store(t target, live object, raw []byte) {
	c.each(t, func(l *list) { l.items[itemKey(live.namespace(), live.name())] = raw })
}

// forget notes that an object is gone.
func (c *cache) forget(t target) {
	c.each(t, func(l *list) {
		if l.loaded {
			delete(l.items, itemKey(t.key.Namespace, t.key.Name))
			return
		}
		l.items[itemKey(t.key.Namespace, t.key.Name)] = nil
	})
}

// each calls update with every list that covers the target. A list that nobody
// asked for yet needs no news.
func (c *cache) each(t target, update func(*list)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, namespace := range []string{"", t.key.Namespace} {
		entry, ok := c.lists[listKey{collection: t.mapping.path("", ""), organization: t.stack.Organization, namespace: namespace}]
		if ok {
			entry.mu.Lock()
			update(entry)
			entry.mu.Unlock()
		}
		if t.key.Namespace == "" {
			return
		}
	}
}
