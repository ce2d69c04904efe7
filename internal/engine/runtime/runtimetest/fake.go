// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// Fake is a runtime in memory. It keeps the promises of the interfaces, with
// field ownership by the rules of server-side apply, so that what works on it
// works on a cluster. Everything is ready at once.
//
// The function fields inject faults: one that returns a response answers the
// call, one that returns nil lets it happen. They are set before the first call.
type Fake struct {
	ApplyFunc   func(context.Context, *runtime.ApplyRequest) *runtime.ApplyResponse
	ReadFunc    func(context.Context, *runtime.ReadRequest) *runtime.ReadResponse
	ImportFunc  func(context.Context, *runtime.ImportRequest) *runtime.ImportResponse
	DeleteFunc  func(context.Context, *runtime.DeleteRequest) *runtime.DeleteResponse
	WatchFunc   func(context.Context, *runtime.WatchRequest) *runtime.WatchResponse
	WaitFunc    func(context.Context, *runtime.WaitRequest) *runtime.WaitResponse
	VersionFunc func(context.Context) (string, error)

	// MissingKinds are kinds that the infrastructure does not know, as
	// apiVersion/kind.
	MissingKinds map[string]bool

	mu         sync.Mutex
	calls      map[Verb]int
	objects    map[string]*fakeObject
	namespaces map[string]bool
	serial     int
	// changed is closed, and replaced, with every change.
	changed  chan struct{}
	watchers map[*subscription]bool
}

// Verb names a method of a runtime, for counting.
type Verb string

// The verbs that a Fake counts.
const (
	VerbApply   Verb = "apply"
	VerbDryRun  Verb = "dry-run"
	VerbRead    Verb = "read"
	VerbImport  Verb = "import"
	VerbDelete  Verb = "delete"
	VerbWatch   Verb = "watch"
	VerbWait    Verb = "wait"
	VerbVersion Verb = "version"
)

var (
	_ runtime.Runtime   = (*Fake)(nil)
	_ runtime.Waiter    = (*Fake)(nil)
	_ runtime.Versioner = (*Fake)(nil)
)

// NewFake returns an empty infrastructure that has the given namespaces. Others
// come into being by an Apply of a Namespace.
func NewFake(namespaces ...string) *Fake {
	f := &Fake{
		calls: map[Verb]int{}, objects: map[string]*fakeObject{}, namespaces: map[string]bool{},
		changed: make(chan struct{}), watchers: map[*subscription]bool{},
	}
	f.AddNamespaces(namespaces...)
	return f
}

// AddNamespaces makes namespaces exist that nobody owns.
func (f *Fake) AddNamespaces(names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		f.namespaces[name] = true
	}
}

// Calls returns how often the verb was called, faults included.
func (f *Fake) Calls(verb Verb) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[verb]
}

// ResetCalls starts the counts again.
func (f *Fake) ResetCalls() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.calls)
}

// IDs returns what exists, sorted.
func (f *Fake) IDs() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.objects))
}

// Object returns a copy of what exists under an ID, or nil.
func (f *Fake) Object(id string) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if found, ok := f.objects[id]; ok {
		return found.live()
	}
	return nil
}

// Forget removes an object behind the back of its owner.
func (f *Fake) Forget(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(id)
}

// Version returns a version.
func (f *Fake) Version(ctx context.Context) (string, error) {
	f.count(VerbVersion)
	if f.VersionFunc != nil {
		return f.VersionFunc(ctx)
	}
	return "v1.34.4", ctx.Err()
}

// Wait reports everything that exists as ready.
func (f *Fake) Wait(ctx context.Context, request *runtime.WaitRequest) *runtime.WaitResponse {
	f.count(VerbWait)
	if f.WaitFunc != nil {
		if response := f.WaitFunc(ctx, request); response != nil {
			return response
		}
	}
	response := &runtime.WaitResponse{}
	if request == nil {
		response.Status = runtime.Errorf(runtime.InvalidArgument, "wait: the request is nil")
		return response
	}
	if _, err := f.resolve(ctx, request.Resource, request.Stack); err != nil {
		response.Status = statusOf(err)
		return response
	}
	response.Message = "ready"
	if request.Progress != nil {
		request.Progress("ready")
	}
	return response
}

func (f *Fake) count(verb Verb) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[verb]++
}

// subject is a checked request.
type subject struct {
	key     runtime.ObjectKey
	id      string
	stack   *runtime.Stack
	manager string
	served  bool
}

func (f *Fake) resolve(ctx context.Context, resource *runtime.Resource, stack *runtime.Stack) (subject, error) {
	switch {
	case resource == nil:
		return subject{}, runtime.Errorf(runtime.InvalidArgument, "the request names no resource")
	case stack == nil || stack.Organization == "" || stack.OwnerKind == "" || stack.OwnerID == "":
		return subject{}, runtime.Errorf(runtime.InvalidArgument, "%s: the request has no complete stack", resource.ID)
	case resource.Type != "" && resource.Type != runtime.Kubernetes:
		return subject{}, runtime.Errorf(runtime.InvalidArgument, "%s: type %s is not for this runtime", resource.ID, resource.Type)
	}
	key, err := runtime.ParseKubernetesID(resource.ID)
	if err != nil {
		return subject{}, err
	}
	if err := ctx.Err(); err != nil {
		return subject{}, runtime.Errorf(runtime.CodeOf(err), "%s: %w", key, err)
	}
	return subject{
		key: key, id: resource.ID, stack: stack,
		manager: naming.FieldManager(stack.Organization, stack.OwnerKind, stack.OwnerID),
		served:  !f.MissingKinds[key.APIVersion+"/"+key.Kind],
	}, nil
}

// desire checks attributes and returns a copy.
func (s subject) desire(resource *runtime.Resource) (map[string]any, error) {
	out, err := fields.Normalize(resource.Attributes)
	if err != nil {
		return nil, runtime.Errorf(runtime.InvalidArgument, "%s: attributes: %w", s.key, err)
	}
	metadata, _ := out["metadata"].(map[string]any)
	for field, pair := range map[string][2]any{
		"apiVersion": {s.key.APIVersion, out["apiVersion"]}, "kind": {s.key.Kind, out["kind"]},
		"metadata.name": {s.key.Name, metadata["name"]},
	} {
		if pair[0] != pair[1] {
			return nil, runtime.Errorf(runtime.InvalidArgument, "%s: %s is %v in the attributes and %q in the id", s.key, field, pair[1], pair[0]).
				WithPaths(field)
		}
	}
	if namespace, _ := metadata["namespace"].(string); namespace != s.key.Namespace {
		return nil, runtime.Errorf(runtime.InvalidArgument, "%s: metadata.namespace is %q", s.key, namespace).WithPaths("metadata.namespace")
	}
	for label, want := range naming.OwnerLabels(s.stack.Organization, s.stack.OwnerKind, s.stack.OwnerID) {
		if got := labelOf(out, label); got != want {
			return nil, runtime.Errorf(runtime.InvalidArgument, "%s: label %s is %q, and the owner's is %q", s.key, label, got, want).
				WithPaths("metadata.labels." + label)
		}
	}
	delete(out, "status")
	return out, nil
}

func (s subject) resource(attributes map[string]any) *runtime.Resource {
	out := &runtime.Resource{ID: s.id, Type: runtime.Kubernetes, Attributes: attributes}
	if s.stack.DataPlane != "" {
		out.Extensions = map[string]any{runtime.ExtensionDataPlane: s.stack.DataPlane}
	}
	return out
}

// namespaceExists holds for objects without a namespace too.
func (f *Fake) namespaceExists(name string) bool {
	return name == "" || f.namespaces[name] || f.objects[runtime.KubernetesID("v1", "Namespace", "", name)] != nil
}

// touch gives an object its next version and wakes who waits for a change.
func (f *Fake) touch(object *fakeObject) {
	f.serial++
	object.version = strconv.Itoa(f.serial)
	close(f.changed)
	f.changed = make(chan struct{})
}

func labelOf(object map[string]any, label string) string {
	metadata, _ := object["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	value, _ := labels[label].(string)
	return value
}

func statusOf(err error) runtime.Status {
	if err == nil {
		return nil
	}
	if status, ok := err.(runtime.Status); ok { //nolint:errorlint // Wrapped statuses do not occur here.
		return status
	}
	return runtime.Errorf(runtime.CodeOf(err), "%w", err)
}
