// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"errors"
	"time"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// rounds bounds how often a verb starts again because the object appeared or
// vanished between two requests.
const rounds = 10

// errAgain says that the object changed its existence under an Apply.
var errAgain = errors.New("the object appeared or vanished meanwhile")

// Apply creates or updates the object by server-side apply of exactly the
// rendered fields; see runtime.Runtime for the promise. A create is one request.
// An update is two: a read for the owner check and for what changed, and the
// apply; a third one takes back fields that somebody edited by hand, or hands over
// those that are left to others from now on. Adoption and replacement take more.
func (r *Runtime) Apply(ctx context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
	response := &runtime.ApplyResponse{}
	response.Status = asStatus(r.apply(ctx, request, response))
	if response.Status != nil {
		response.Resource, response.Action = nil, ""
	}
	return response
}

// application is an Apply under way.
type application struct {
	target
	request  *runtime.ApplyRequest
	response *runtime.ApplyResponse
	prior    map[string]any
	// lost says that a create of ours may have succeeded without our knowing.
	lost bool
	// adopting says that the live object is not the stack's yet.
	adopting bool
	// replaced is the object that was deleted to be made anew, if one was.
	replaced *replacement
	// refusal is the last reason to start another round.
	refusal error
}

func (r *Runtime) apply(ctx context.Context, request *runtime.ApplyRequest, response *runtime.ApplyResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "apply: the request is nil")
	}
	t, served, err := r.resolve(ctx, request.PlanResource, request.Stack)
	if err != nil {
		return err
	}
	if err := checkAdopt(t.key, request.Adopt); err != nil {
		return err
	}
	if t.desired, err = desire(request.PlanResource, t.key, request.Stack); err != nil {
		return err
	}
	if !served {
		return missingKind(t.key)
	}
	a := &application{target: t, request: request, response: response}
	if request.PriorResource != nil && request.PriorResource.ID == request.PlanResource.ID {
		if a.prior, err = priorOf(request.PriorResource, t.key); err != nil {
			return err
		}
	}
	response.SensitivePaths = sensitivePaths(t.key, t.desired)
	return r.converge(ctx, a)
}

func checkAdopt(key runtime.ObjectKey, adopt runtime.Adopt) error {
	switch adopt {
	case "", runtime.AdoptNever, runtime.AdoptIfUnowned, runtime.AdoptForce:
		return nil
	}
	return runtime.Errorf(runtime.InvalidArgument, "%s: adopt %q is unknown", key, adopt)
}

// converge creates or updates until one of them finds the object as expected.
func (r *Runtime) converge(ctx context.Context, a *application) error {
	create := a.prior == nil
	for round := range rounds {
		if err := pause(ctx, a.key, round); err != nil {
			return err
		}
		var err error
		if create {
			err = r.create(ctx, a)
		} else {
			err = r.updateExisting(ctx, a)
		}
		if !errors.Is(err, errAgain) {
			return err
		}
		// An object that is being adopted was there, in another version.
		create = !create && !a.adopting
	}
	return runtime.Errorf(runtime.Conflict, "%s: others keep changing it: %w", a.key, a.refusal)
}

// pause waits before a further round: longer, the more there were.
func pause(ctx context.Context, key runtime.ObjectKey, round int) error {
	if round < 2 {
		// The first two are the ordinary ones: a create that finds the object, and
		// the update that follows it.
		return nil
	}
	select {
	case <-ctx.Done():
		return runtime.Errorf(runtime.CodeOf(ctx.Err()), "%s: %w", key, ctx.Err())
	case <-time.After(time.Duration(round) * 20 * time.Millisecond):
		return nil
	}
}

// create makes the object only if there is none.
func (r *Runtime) create(ctx context.Context, a *application) error {
	out, err := r.patch(ctx, a.target, patchOptions{dryRun: a.request.DryRun, resourceVersion: createOnly})
	a.lost = a.lost || out.repeated
	switch {
	case err == nil:
		a.made()
		a.finish(out)
		return nil
	case isTerminatingNamespace(err) && !a.request.DryRun:
		if err := r.awaitNamespace(ctx, a.target); err != nil {
			return err
		}
		return r.create(ctx, a)
	case isMissingType(err):
		return missingKind(a.key)
	case runtime.CodeOf(err) == runtime.Conflict || runtime.CodeOf(err) == runtime.AlreadyExists:
		// Hardly anything but existence conflicts with a create: what exists decides.
		a.refusal = err
		return errAgain
	}
	return err
}

// updateExisting applies over the live object, if it is ours or may be adopted.
func (r *Runtime) updateExisting(ctx context.Context, a *application) error {
	a.adopting = false
	live, err := r.get(ctx, a.target)
	if err != nil {
		return err
	}
	if live == nil {
		return errAgain
	}
	return r.updateLive(ctx, a, live)
}

func (r *Runtime) updateLive(ctx context.Context, a *application, live object) error {
	if err := a.admit(live); err != nil {
		return err
	}
	if live.terminating() {
		if a.request.DryRun {
			a.response.Action = runtime.ActionCreate
			a.response.Warnings = append(a.response.Warnings, "the object is being deleted and will be created anew")
			a.response.Resource, a.response.UID = a.resource(fields.Clone(a.desired)), ""
			return nil
		}
		if err := r.awaitGone(ctx, a.target, live, live.uid()); err != nil {
			return err
		}
		return errAgain
	}
	if a.adopting {
		return r.adopt(ctx, a, live)
	}
	return r.update(ctx, a, live)
}

// admit decides whether the live object may be applied over.
func (a *application) admit(live object) error {
	a.adopting = !a.owned(live, a.prior != nil)
	switch {
	case !a.adopting, a.request.Adopt == runtime.AdoptForce:
		return nil
	case a.request.Adopt == runtime.AdoptIfUnowned && unowned(live):
		return nil
	}
	return a.foreign(live)
}

// foreign is the Status of an object of somebody else.
func (t target) foreign(live object) error {
	enough := runtime.AdoptForce
	if unowned(live) {
		enough = runtime.AdoptIfUnowned
	}
	return runtime.Errorf(runtime.AlreadyExists,
		"%s: exists already and belongs to %s: import it, let it be adopted (adopt = %q), or choose another name", t.key, ownerOf(live), enough)
}

// made notes that the object was created, in the place of another if one was
// deleted for that.
func (a *application) made() {
	a.response.Action, a.response.ChangedPaths = runtime.ActionCreate, fields.Changed(nil, a.desired)
	if a.replaced != nil {
		a.replaced.report(a, "was")
	}
}

// finish completes the response from the server's answer.
func (a *application) finish(out patched) {
	a.response.Resource = a.complete(out.live)
	a.response.UID = out.live.uid()
	if a.request.DryRun && a.response.Action == runtime.ActionCreate {
		// The server makes up a UID for a dry run.
		a.response.UID = ""
	}
	a.response.Warnings = append(a.response.Warnings, out.warnings...)
}
