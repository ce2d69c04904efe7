// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import "k8s.io/apimachinery/pkg/watch"

// SequentialWatchers are the event channels of one resource and of what it
// controls, in the order in which they were inserted.
type SequentialWatchers struct {
	// IDs[i] is the resource whose events Watchers[i] carries.
	IDs      []string
	Watchers []<-chan watch.Event
	// TFWatcher carries the events of a Terraform resource.
	TFWatcher <-chan TFEvent
}

// NewWatchers returns an empty set.
func NewWatchers() *SequentialWatchers {
	return &SequentialWatchers{}
}

// Insert appends a channel.
func (w *SequentialWatchers) Insert(id string, watcher <-chan watch.Event) {
	w.IDs = append(w.IDs, id)
	w.Watchers = append(w.Watchers, watcher)
}

// TFEvent is the state of a Terraform resource's operation.
type TFEvent string

// The events of a Terraform operation; the last two end it.
const (
	TFApplying  = TFEvent("Applying")
	TFSucceeded = TFEvent("Succeeded")
	TFFailed    = TFEvent("Failed")
)
