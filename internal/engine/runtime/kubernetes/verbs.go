// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func (t target) call(verb, method string) call {
	access := verb + " " + t.mapping.groupResource()
	if t.key.Namespace != "" {
		access += " in namespace " + t.key.Namespace
	}
	return call{
		verb: verb, subject: t.key.String(), access: access, method: method,
		path: t.mapping.path(t.key.Namespace, t.key.Name), query: url.Values{},
	}
}

// get returns the live object, or nil when there is none or no such kind.
func (r *Runtime) get(ctx context.Context, t target) (object, error) {
	out, err := r.client.do(ctx, t.call("get", http.MethodGet))
	if err != nil {
		if runtime.CodeOf(err) == runtime.NotFound {
			r.cache.forget(t)
			return nil, nil //nolint:nilnil // Absence is no error here, and every caller asks for it.
		}
		return nil, err
	}
	live, err := decodeObject(out.body)
	if err != nil {
		return nil, err
	}
	r.cache.store(t, live, out.body)
	return live, nil
}

// patch options of a server-side apply.
type patchOptions struct {
	force  bool
	dryRun bool
	// resourceVersion and uid are preconditions in the body.
	resourceVersion string
	uid             string
}

// patched is the answer to a server-side apply.
type patched struct {
	live     object
	warnings []string
	repeated bool
}

// patch sends the desired object by server-side apply.
func (r *Runtime) patch(ctx context.Context, t target, options patchOptions) (patched, error) {
	body := withPreconditions(t.desired, options.resourceVersion, options.uid)
	request := t.call("apply", http.MethodPatch)
	request.access = "patch" + request.access[len("apply"):]
	request.content = contentApply
	request.body = encode(body)
	request.secret = secretValues(t.key, t.desired)
	request.query.Set("fieldManager", t.manager)
	request.query.Set("force", strconv.FormatBool(options.force))
	if options.dryRun {
		request.query.Set("dryRun", "All")
	}
	out, err := r.client.do(ctx, request)
	if err != nil {
		return patched{repeated: out.repeated}, err
	}
	live, err := decodeObject(out.body)
	if err != nil {
		return patched{}, err
	}
	if !options.dryRun {
		r.cache.store(t, live, out.body)
	}
	return patched{live: live, warnings: out.warnings, repeated: out.repeated}, nil
}

// withPreconditions returns the object with preconditions in its metadata; the
// object itself stays as it is.
func withPreconditions(desired object, resourceVersion, uid string) object {
	out := make(object, len(desired))
	for key, value := range desired {
		out[key] = value
	}
	metadata := make(map[string]any, len(desired.metadata())+1)
	for key, value := range desired.metadata() {
		metadata[key] = value
	}
	if resourceVersion != "" {
		metadata["resourceVersion"] = resourceVersion
	}
	if uid != "" {
		metadata["uid"] = uid
	}
	out["metadata"] = metadata
	return out
}
