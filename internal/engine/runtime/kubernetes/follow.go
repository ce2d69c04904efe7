// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// watchSeconds is how long the server is asked to keep a watch open.
const watchSeconds = "540"

// steadyWatch is how long a watch must have lived for the next one to start
// without a pause.
const steadyWatch = time.Second

// scope selects the objects to follow.
type scope struct {
	mapping   mapping
	namespace string
	labels    string
	fields    string
	// subject says in messages what is followed.
	subject string
}

func (t target) scope() scope {
	return scope{
		mapping: t.mapping, namespace: t.key.Namespace,
		fields: "metadata.name=" + t.key.Name, subject: t.key.String(),
	}
}

// change is news about a followed object. A Bookmark, which has no object, says
// that all that was there has been reported.
type change struct {
	kind   watch.EventType
	object object
}

// follower lists and watches the objects of a scope.
type follower struct {
	client *client
	scope  scope
	// handle gets the changes one by one; true ends the following.
	handle func(change) bool
	// version is where the next watch starts; empty lists first.
	version string
	// known are the objects that were reported and are not gone, by UID.
	known map[string]object
}

// follow reports the objects of a scope until handle returns true, the context
// ends, or the server refuses. With a version it starts with what happened after
// that version. It survives closed watches, expired versions and lost
// connections: after them it lists again and reports the difference.
func (c *client) follow(ctx context.Context, s scope, version string, handle func(change) bool) error {
	f := &follower{client: c, scope: s, handle: handle, version: version, known: map[string]object{}}
	backoff := firstBackoff
	for {
		if err := ctx.Err(); err != nil {
			return runtime.Errorf(runtime.CodeOf(err), "%s: %w", s.subject, err)
		}
		start := time.Now()
		done, err := f.round(ctx)
		if done || err != nil {
			return err
		}
		if time.Since(start) > steadyWatch {
			backoff = firstBackoff
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// round is one list, if needed, and one watch.
func (f *follower) round(ctx context.Context) (done bool, err error) {
	if f.version == "" {
		if done, err := f.list(ctx); done || err != nil {
			return done, err
		}
	}
	return f.watch(ctx)
}

func (f *follower) request(verb string) call {
	access := verb + " " + f.scope.mapping.groupResource()
	if f.scope.namespace != "" {
		access += " in namespace " + f.scope.namespace
	}
	query := url.Values{}
	if f.scope.labels != "" {
		query.Set("labelSelector", f.scope.labels)
	}
	if f.scope.fields != "" {
		query.Set("fieldSelector", f.scope.fields)
	}
	return call{
		verb: verb, subject: f.scope.subject, access: access, method: http.MethodGet,
		path: f.scope.mapping.path(f.scope.namespace, ""), query: query,
	}
}

func (f *follower) list(ctx context.Context) (bool, error) {
	out, err := f.client.do(ctx, f.request("list"))
	if err != nil {
		return false, err
	}
	body, err := decodeObject(out.body)
	if err != nil {
		return false, err
	}
	f.version = body.resourceVersion()
	current := map[string]object{}
	for _, item := range body.list("items") {
		item["apiVersion"], item["kind"] = f.scope.mapping.gvk.GroupVersion().String(), f.scope.mapping.gvk.Kind
		current[item.uid()] = item
		before, ok := f.known[item.uid()]
		switch {
		case !ok:
			if f.report(watch.Added, item) {
				return true, nil
			}
		case before.resourceVersion() != item.resourceVersion():
			if f.report(watch.Modified, item) {
				return true, nil
			}
		}
	}
	for uid, gone := range f.known {
		if _, ok := current[uid]; !ok && f.report(watch.Deleted, gone) {
			return true, nil
		}
	}
	return f.handle(change{kind: watch.Bookmark}), nil
}

func (f *follower) report(kind watch.EventType, item object) bool {
	if kind == watch.Deleted {
		delete(f.known, item.uid())
	} else {
		f.known[item.uid()] = item
	}
	return f.handle(change{kind: kind, object: item})
}

// watch reports changes until the stream ends, which is no error.
func (f *follower) watch(ctx context.Context) (bool, error) {
	request := f.request("watch")
	request.query.Set("watch", "true")
	request.query.Set("allowWatchBookmarks", "true")
	request.query.Set("resourceVersion", f.version)
	request.query.Set("timeoutSeconds", watchSeconds)
	start := time.Now()
	response, err := f.client.send(ctx, request)
	if err != nil {
		return false, f.lost(ctx, request, err)
	}
	defer func() { _ = response.Body.Close() }()
	f.client.log(ctx, request, start, response.StatusCode)
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
		return false, f.lost(ctx, request, statusError(response, body))
	}
	decoder := json.NewDecoder(response.Body)
	for {
		var event struct {
			Type   watch.EventType `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := decoder.Decode(&event); err != nil {
			return false, f.ended(ctx)
		}
		if event.Type == watch.Error {
			// The version is too old, or the server gave up: only a list helps.
			f.version = ""
			return false, nil
		}
		item, err := fields.Decode(event.Object)
		if err != nil {
			f.version = ""
			return false, f.ended(ctx)
		}
		f.version = object(item).resourceVersion()
		if event.Type != watch.Bookmark && f.report(event.Type, item) {
			return true, nil
		}
	}
}

// ended makes the end of a stream an error only if the context ended.
func (f *follower) ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return runtime.Errorf(runtime.CodeOf(err), "%s: %w", f.scope.subject, err)
	}
	return nil
}

// lost decides whether a watch that could not start is worth another attempt.
func (f *follower) lost(ctx context.Context, request call, err error) error {
	if ctx.Err() != nil {
		return f.ended(ctx)
	}
	if isExpired(err) {
		f.version = ""
		return nil
	}
	if isPermanent(err) {
		return f.client.failed(request, err, nil)
	}
	if status := statusOf(err); status != nil {
		switch code := codeOfStatus(status); code {
		case runtime.Unavailable, runtime.Internal:
			return nil
		default:
			return f.client.failed(request, err, nil)
		}
	}
	return nil
}

// isExpired reports a version that the server no longer keeps.
func isExpired(err error) bool {
	return err != nil && (apierrors.IsResourceExpired(err) || apierrors.IsGone(err))
}
