// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// Apply makes the resource as PlanResource describes it.
func (f *Fake) Apply(ctx context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
	verb := VerbApply
	if request != nil && request.DryRun {
		verb = VerbDryRun
	}
	f.count(verb)
	if f.ApplyFunc != nil {
		if response := f.ApplyFunc(ctx, request); response != nil {
			return response
		}
	}
	response := &runtime.ApplyResponse{}
	if err := f.apply(ctx, request, response); err != nil {
		return &runtime.ApplyResponse{Status: statusOf(err)}
	}
	return response
}

func (f *Fake) apply(ctx context.Context, request *runtime.ApplyRequest, response *runtime.ApplyResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "apply: the request is nil")
	}
	s, err := f.resolve(ctx, request.PlanResource, request.Stack)
	if err != nil {
		return err
	}
	desired, err := s.desire(request.PlanResource)
	if err != nil {
		return err
	}
	if !s.served {
		return runtime.Errorf(runtime.NotFound, "%s: there is no kind %s in %s", s.key, s.key.Kind, s.key.APIVersion)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.awaitNoTerminating(ctx, s); err != nil {
		return err
	}
	if !f.namespaceExists(s.key.Namespace) {
		return runtime.Errorf(runtime.NotFound, "%s: namespaces %q not found", s.key, s.key.Namespace).WithPaths(runtime.PathNamespace)
	}
	before := f.objects[s.id]
	if before == nil {
		return f.create(s, desired, request, response)
	}
	return f.update(ctx, s, before, desired, request, response)
}

func (f *Fake) create(s subject, desired map[string]any, request *runtime.ApplyRequest, response *runtime.ApplyResponse) error {
	if err := validate(s.key, nil, desired); err != nil {
		return err
	}
	empty := &fakeObject{key: s.key, body: map[string]any{}, managers: fieldpath.ManagedFields{}}
	made, err := empty.write(desired, s.manager, true, true)
	if err != nil {
		return runtime.Errorf(runtime.Internal, "%s: %w", s.key, err)
	}
	response.Action, response.ChangedPaths = runtime.ActionCreate, fields.Changed(nil, desired)
	if !request.DryRun {
		f.serial++
		made.uid = fmt.Sprintf("uid-%d", f.serial)
		f.put(s.id, made, watch.Added)
		response.UID = made.uid
	}
	response.Resource = s.resource(made.live())
	return nil
}

func (f *Fake) update(ctx context.Context, s subject, before *fakeObject, desired map[string]any, request *runtime.ApplyRequest, response *runtime.ApplyResponse) error {
	adopting := !before.owned(s, request.PriorResource != nil)
	allowed := request.Adopt == runtime.AdoptForce || (request.Adopt == runtime.AdoptIfUnowned && before.unowned())
	if adopting && !allowed {
		return before.foreign()
	}
	prior := desired
	if request.PriorResource != nil {
		var err error
		if prior, err = fields.Normalize(request.PriorResource.Attributes); err != nil {
			return runtime.Errorf(runtime.InvalidArgument, "%s: prior resource: %w", s.key, err)
		}
	}
	err := validate(s.key, before, desired)
	if runtime.CodeOf(err) == runtime.ReplaceRequired && request.Replace && !adopting {
		return f.replace(ctx, s, before, prior, desired, request, response)
	}
	if err != nil {
		return err
	}
	was := before.ownership(s.manager)
	before = before.disown(s.manager, fields.HandedOver(before.live(), was.Own, desired))
	after, err := before.submit(s, prior, desired, request.Force || (adopting && request.Adopt == runtime.AdoptForce))
	if err != nil {
		return err
	}
	if adopting {
		after.claim(s.manager)
	}
	is := after.ownership(s.manager)
	response.ChangedPaths = fields.Changed(fields.Project(before.live(), prior, was), fields.Project(after.live(), desired, is))
	response.Action = runtime.ActionUpdate
	if len(response.ChangedPaths) == 0 && was.Own != nil && was.Own.Equals(is.Own) {
		response.Action, after = runtime.ActionNoOp, before
	} else if !request.DryRun {
		f.put(s.id, after, watch.Modified)
	}
	response.Resource, response.UID = s.resource(after.live()), after.uid
	return nil
}

// submit returns the object after an apply, by force if only drift is in the way.
func (o *fakeObject) submit(s subject, prior, desired map[string]any, force bool) (*fakeObject, error) {
	after, err := o.write(desired, s.manager, true, force)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) {
		if paths, texts := conflictsOf(conflicts, fields.SetOf(desired).Difference(fields.SetOf(prior))); len(paths) > 0 {
			return nil, runtime.Errorf(runtime.Conflict, "%s: fields of it belong to others: %s", s.key, strings.Join(texts, "; ")).WithPaths(paths...)
		}
		after, err = o.write(desired, s.manager, true, true)
	}
	if err != nil {
		return nil, runtime.Errorf(runtime.Internal, "%s: %w", s.key, err)
	}
	return after, nil
}

// replace makes the object anew. The lock is held at the call and at the return,
// not while finalizers hold the old one.
func (f *Fake) replace(ctx context.Context, s subject, before *fakeObject, prior, desired map[string]any, request *runtime.ApplyRequest, response *runtime.ApplyResponse) error {
	changed := fields.Changed(fields.Project(before.live(), prior, before.ownership(s.manager)), desired)
	if !request.DryRun {
		if err := f.remove(ctx, s, before); err != nil {
			return err
		}
	}
	if err := f.create(s, desired, request, response); err != nil {
		return err
	}
	response.Action, response.ChangedPaths = runtime.ActionReplace, changed
	response.Warnings = append(response.Warnings, fmt.Sprintf("%s: %s cannot change in place, so the object is replaced", s.key, strings.Join(changed, ", ")))
	return nil
}

// awaitNoTerminating blocks while the object is being deleted. The lock is held
// at the call and at the return, not in between.
func (f *Fake) awaitNoTerminating(ctx context.Context, s subject) error {
	for f.objects[s.id] != nil && f.objects[s.id].terminating {
		held := f.objects[s.id].finalizers()
		if err := f.awaitChange(ctx); err != nil {
			return runtime.Errorf(runtime.CodeOf(err), "%s: is still being deleted: finalizers %v: %w", s.key, held, err)
		}
	}
	return nil
}

func (f *Fake) awaitChange(ctx context.Context) error {
	changed := f.changed
	f.mu.Unlock()
	defer f.mu.Lock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
		return nil
	}
}

// Read returns the live values of the fields that the owner owns.
func (f *Fake) Read(ctx context.Context, request *runtime.ReadRequest) *runtime.ReadResponse {
	f.count(VerbRead)
	if f.ReadFunc != nil {
		if response := f.ReadFunc(ctx, request); response != nil {
			return response
		}
	}
	response := &runtime.ReadResponse{}
	response.Status = statusOf(f.read(ctx, request, response))
	return response
}

func (f *Fake) read(ctx context.Context, request *runtime.ReadRequest, response *runtime.ReadResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "read: the request is nil")
	}
	resource, prior := request.PlanResource, map[string]any(nil)
	if request.PriorResource != nil {
		var err error
		resource = request.PriorResource
		if prior, err = fields.Normalize(resource.Attributes); err != nil {
			return runtime.Errorf(runtime.InvalidArgument, "%s: %w", resource.ID, err)
		}
	}
	s, err := f.resolve(ctx, resource, request.Stack)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.objects[s.id]
	if request.Whole {
		f.whole(s, found, response)
		return nil
	}
	if found == nil || found.terminating || !found.owned(s, request.Recorded) {
		return nil
	}
	live := found.live()
	metadata, _ := live["metadata"].(map[string]any)
	delete(metadata, "uid")
	delete(metadata, "resourceVersion")
	response.UID = found.uid
	response.Resource = s.resource(fields.Project(live, prior, found.ownership(s.manager)))
	return nil
}

// whole answers with all of an object, or with a namespace that nobody owns.
func (f *Fake) whole(s subject, found *fakeObject, response *runtime.ReadResponse) {
	switch {
	case found != nil && !found.terminating:
		response.Resource, response.UID = s.resource(found.live()), found.uid
	case found == nil && s.key.Kind == "Namespace" && f.namespaces[s.key.Name]:
		response.Resource = s.resource((&fakeObject{key: s.key, body: map[string]any{}}).live())
	}
}

// Import applies over an object that exists.
func (f *Fake) Import(ctx context.Context, request *runtime.ImportRequest) *runtime.ImportResponse {
	f.count(VerbImport)
	if f.ImportFunc != nil {
		if response := f.ImportFunc(ctx, request); response != nil {
			return response
		}
	}
	response := &runtime.ImportResponse{}
	if request == nil {
		response.Status = runtime.Errorf(runtime.InvalidArgument, "import: the request is nil")
		return response
	}
	response.Status = statusOf(f.imports(ctx, request, response))
	return response
}

func (f *Fake) imports(ctx context.Context, request *runtime.ImportRequest, response *runtime.ImportResponse) error {
	s, err := f.resolve(ctx, request.PlanResource, request.Stack)
	if err != nil {
		return err
	}
	desired, err := s.desire(request.PlanResource)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.objects[s.id]
	if found == nil || found.terminating {
		return runtime.Errorf(runtime.NotFound, "%s: there is no such object to import", s.key)
	}
	applied := &runtime.ApplyResponse{}
	err = f.update(ctx, s, found, desired, &runtime.ApplyRequest{
		PriorResource: request.PlanResource, PlanResource: request.PlanResource, Stack: request.Stack, Adopt: runtime.AdoptIfUnowned,
	}, applied)
	response.Resource, response.UID = applied.Resource, applied.UID
	return err
}

// Delete removes the resource and blocks until it is gone.
func (f *Fake) Delete(ctx context.Context, request *runtime.DeleteRequest) *runtime.DeleteResponse {
	f.count(VerbDelete)
	if f.DeleteFunc != nil {
		if response := f.DeleteFunc(ctx, request); response != nil {
			return response
		}
	}
	response := &runtime.DeleteResponse{Action: runtime.ActionNoOp}
	response.Status = statusOf(f.delete(ctx, request, response))
	return response
}

func (f *Fake) delete(ctx context.Context, request *runtime.DeleteRequest, response *runtime.DeleteResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "delete: the request is nil")
	}
	s, err := f.resolve(ctx, request.Resource, request.Stack)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.objects[s.id]
	if found == nil {
		return nil
	}
	if (request.UID != "" && request.UID != found.uid) || !found.owned(s, request.UID != "") {
		response.Warnings = append(response.Warnings, fmt.Sprintf("%s was left alone: it belongs to %s", s.key, found.owner()))
		return nil
	}
	if held := f.foreignIn(s); len(held) > 0 && !request.Force {
		return runtime.Errorf(runtime.Conflict, "%s: holds objects that were not made here, such as %s", s.key, strings.Join(held, ", "))
	}
	response.Action = runtime.ActionDelete
	if request.DryRun {
		return nil
	}
	return f.remove(ctx, s, found)
}

// remove deletes an object and blocks until it is gone.
func (f *Fake) remove(ctx context.Context, s subject, found *fakeObject) error {
	found.terminating = true
	f.touch(found)
	f.tell(s.id, watch.Modified, found.live())
	for f.objects[s.id] == found && len(found.finalizers()) > 0 {
		if err := f.awaitChange(ctx); err != nil {
			return runtime.Errorf(runtime.CodeOf(err), "%s: is still being deleted: finalizers %v: %w", s.key, found.finalizers(), err)
		}
	}
	if f.objects[s.id] == found {
		f.drop(s.id)
	}
	return nil
}

// foreignIn names the objects of others in the namespace that is to be deleted.
func (f *Fake) foreignIn(s subject) []string {
	if s.key.Kind != "Namespace" || s.key.APIVersion != "v1" {
		return nil
	}
	var out []string
	for _, object := range f.objects {
		if object.key.Namespace == s.key.Name && labelOf(object.body, naming.LabelOrganization) != s.stack.Organization {
			out = append(out, object.key.Kind+"/"+object.key.Name)
		}
	}
	return out
}
