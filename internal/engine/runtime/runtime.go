// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import "context"

// Runtime represents one piece of infrastructure, such as a Kubernetes cluster.
// All methods work on one Resource, are safe for concurrent use, never change
// their request, return a non-nil response, and honour the context's deadline.
// A nil Status of a response means success.
type Runtime interface {
	// Apply makes the resource as PlanResource describes it. It is idempotent:
	// a second call with the same plan changes nothing and reports NoOp. It
	// does not wait for the resource to become ready. With DryRun the
	// infrastructure validates the change and nothing is written. A field that
	// is not rendered any more goes back to its default, but for a number of
	// replicas above zero: it stays, and is left to whoever scales. Where the namespace of
	// the resource is missing, the NOT_FOUND names PathNamespace.
	Apply(ctx context.Context, request *ApplyRequest) *ApplyResponse

	// Read returns the live values of the fields that the owner in Stack owns,
	// or with Whole the complete resource, whoever owns it. An absent resource is
	// a nil Resource and success, never an error.
	Read(ctx context.Context, request *ReadRequest) *ReadResponse

	// Import takes an existing resource under management, the owner's own or one
	// that nobody owns, and makes it as PlanResource describes it, so that an
	// Apply of PlanResource right after it is a no-op. It creates nothing: an
	// absent resource is NOT_FOUND, and one of another owner ALREADY_EXISTS.
	Import(ctx context.Context, request *ImportRequest) *ImportResponse

	// Delete removes the resource and blocks until it is gone. Deleting an
	// absent resource is success; a resource that is not owned by Stack, or
	// whose UID is not the expected one, is left alone.
	Delete(ctx context.Context, request *DeleteRequest) *DeleteResponse

	// Watch streams the events of the resource and of what it controls until
	// the context is cancelled or Stop is called. Nothing leaks afterwards.
	Watch(ctx context.Context, request *WatchRequest) *WatchResponse
}

// PathNamespace is the field in which a resource names its namespace.
const PathNamespace = "metadata.namespace"

// Waiter is implemented by runtimes whose resources become ready some time
// after they were applied.
type Waiter interface {
	// Wait blocks until the resource is ready, cannot become ready any more
	// (RolloutFailed, with the reason and the last log lines), or the context
	// ends (DeadlineExceeded or Canceled, with what it was waiting for).
	// Resources without a notion of readiness are ready at once.
	Wait(ctx context.Context, request *WaitRequest) *WaitResponse
}

// Versioner is implemented by runtimes whose infrastructure has a version.
type Versioner interface {
	// Version returns the version that the infrastructure reports, such as v1.34.4.
	Version(ctx context.Context) (string, error)
}

// Adopt says what Apply may do with an existing resource that has no owner or
// another one.
type Adopt string

// What Apply may take over.
const (
	// AdoptNever refuses any existing resource that is not ours.
	AdoptNever Adopt = "never"
	// AdoptIfUnowned takes over a resource that no other owner claims.
	AdoptIfUnowned Adopt = "if_unowned"
	// AdoptForce takes over any resource.
	AdoptForce Adopt = "force"
)

// Action is what was done, or would be done, to a resource.
type Action string

// The actions that a runtime reports.
const (
	ActionNoOp    Action = "no-op"
	ActionCreate  Action = "create"
	ActionUpdate  Action = "update"
	ActionReplace Action = "replace"
	ActionDelete  Action = "delete"
)

// ApplyRequest asks for a resource to be made.
type ApplyRequest struct {
	// PriorResource is the last applied resource; nil when there was none.
	PriorResource *Resource
	// PlanResource is the resource to make.
	PlanResource *Resource
	// Stack says on whose behalf; the field manager and the ownership labels
	// derive from it.
	Stack *Stack
	// DryRun validates and reports, and writes nothing.
	DryRun bool
	// Force takes over fields of others: those of another applier, and those
	// that PriorResource does not have and another writer set. Without it they
	// are a CONFLICT whose paths they are. A field of PriorResource that a
	// writer, not an applier, changed is drift and always taken back.
	Force bool
	// Adopt says what may be taken over; the zero value is AdoptNever. What
	// PlanResource has of an adopted resource belongs to Stack alone from then
	// on; what it does not have is left to whoever set it. AdoptForce takes its
	// fields too.
	Adopt Adopt
	// Replace allows to delete a resource of Stack, to wait until it is gone, and
	// to make it anew when a field cannot change in place. Without it that is
	// REPLACE_REQUIRED. A resource that is only being adopted is never replaced,
	// nor is one whose successor would be refused.
	Replace bool
}

// ApplyResponse tells what Apply did, or would do.
type ApplyResponse struct {
	// Resource is the resource as the infrastructure now holds it, complete.
	Resource *Resource
	// UID is the infrastructure's identity of the resource.
	UID string
	// Action is what was done, or planned in a dry run.
	Action Action
	// ChangedPaths are the fields that differed, sorted.
	ChangedPaths []string
	// UnknownPaths are fields whose value is decided later.
	UnknownPaths []string
	// SensitivePaths are fields whose value must not be shown.
	SensitivePaths []string
	// Warnings are worth telling the user although the call succeeded.
	Warnings []string
	// Status is nil on success.
	Status Status
}

// ReadRequest asks for the live values of a resource.
type ReadRequest struct {
	// PriorResource is what the last apply rendered; it decides which fields
	// are owned, and their spelling. Nil reads what the manager's own entry lists.
	PriorResource *Resource
	// PlanResource identifies the resource when there is no prior one.
	PlanResource *Resource
	// Stack says whose fields are read.
	Stack *Stack
	// Recorded says that the resource is known to have been made: a miss in a
	// cached list is then confirmed by one direct read.
	Recorded bool
	// Whole reads all of the resource, whoever owns it, past every cached list.
	Whole bool
}

// ReadResponse holds the live values of the owned fields, or all of them where
// the whole resource was asked for.
type ReadResponse struct {
	// Resource is nil when the resource is absent.
	Resource *Resource
	// UID is the infrastructure's identity of the resource.
	UID string
	// Status is nil on success.
	Status Status
}

// ImportRequest asks for an existing resource to be taken over.
type ImportRequest struct {
	// PlanResource is the resource as it will be applied.
	PlanResource *Resource
	// Stack says who takes it over.
	Stack *Stack
}

// ImportResponse holds the imported resource.
type ImportResponse struct {
	// Resource is the resource as the infrastructure holds it.
	Resource *Resource
	// UID is the infrastructure's identity of the resource.
	UID string
	// Status is nil on success.
	Status Status
}

// DeleteRequest asks for a resource to be removed.
type DeleteRequest struct {
	// Resource is the resource to remove; its ID is enough.
	Resource *Resource
	// Stack must own the resource.
	Stack *Stack
	// UID is the identity that was recorded; empty accepts any that Stack owns.
	UID string
	// DryRun reports and removes nothing.
	DryRun bool
	// Force also removes what a container (a namespace) holds of others.
	Force bool
}

// DeleteResponse tells what Delete did.
type DeleteResponse struct {
	// Action is ActionDelete, or ActionNoOp when there was nothing of ours.
	Action Action
	// Warnings are worth telling the user although the call succeeded.
	Warnings []string
	// Status is nil on success.
	Status Status
}

// WatchRequest asks for the events of a resource.
type WatchRequest struct {
	// Resource is the resource to watch.
	Resource *Resource
	// Stack says on whose behalf.
	Stack *Stack
}

// WatchResponse holds the event channels.
type WatchResponse struct {
	// Watchers has one channel for the resource and one for each thing that
	// it controls. Channels are closed once, after Stop or cancellation.
	Watchers *SequentialWatchers
	// Stop ends the watch and blocks until nothing of it runs any more. It
	// may be called more than once and is never nil on success.
	Stop func()
	// Status is nil on success.
	Status Status
}

// WaitRequest asks for a resource to become ready.
type WaitRequest struct {
	// Resource is the resource to wait for.
	Resource *Resource
	// Stack says on whose behalf.
	Stack *Stack
	// Progress is called with one line for each change of what is awaited; may be nil.
	Progress func(line string)
}

// WaitResponse tells how the wait ended.
type WaitResponse struct {
	// Message is the last state seen, in one line.
	Message string
	// Status is nil when the resource is ready.
	Status Status
}
