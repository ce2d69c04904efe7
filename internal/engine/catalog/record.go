// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package catalog holds what is declared: the records of platform objects, in
// durable storage, and over them what a plan is about to change.
package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// SchemaVersion is the version of records that this package writes.
const SchemaVersion = 1

// Record is the stored form of a platform object. Fields that this version does
// not know are kept when it is written back.
type Record struct {
	SchemaVersion int           `json:"schemaVersion"`
	Kind          platform.Kind `json:"kind"`
	ID            string        `json:"id"`
	// UID tells two objects with the same id apart.
	UID string `json:"uid"`
	// Spec is the object as it was declared.
	Spec json.RawMessage `json:"spec"`
	// Inventory is everything that exists or may exist on its behalf.
	Inventory []platform.InventoryEntry `json:"inventory,omitempty"`
	// Operation is the last one; a killed one stays at StateRunning.
	Operation Operation `json:"operation"`
	// Release is the digest of what runs since the last operation that succeeded.
	Release string `json:"release,omitempty"`
	// Releases are those that were healthy here, the latest last, with all it
	// takes to run them again.
	Releases []Release `json:"releases,omitempty"`
	// Adopted is what stays of the objects that a deployment took over.
	Adopted *platform.Adopted `json:"adopted,omitempty"`
	// Observed is what the last operation saw.
	Observed Observed `json:"observed,omitzero"`

	version string
	// holder is the UID that the stored version has.
	holder  string
	unknown map[string]json.RawMessage
}

// Release is what a deployment ran.
type Release struct {
	Digest   string                      `json:"digest"`
	Artifact platform.DeployableArtifact `json:"artifact"`
}

// keptReleases is how many releases a record remembers.
const keptReleases = 20

// Healthy remembers a release that became healthy.
func (r *Record) Healthy(release Release) {
	r.Releases = slices.DeleteFunc(slices.Clone(r.Releases), func(known Release) bool { return known.Digest == release.Digest })
	r.Releases = append(r.Releases, release)
	if extra := len(r.Releases) - keptReleases; extra > 0 {
		r.Releases = r.Releases[extra:]
	}
}

// Find returns a release that was healthy here.
func (r *Record) Find(digest string) (Release, bool) {
	if r == nil {
		return Release{}, false
	}
	for _, release := range r.Releases {
		if release.Digest == digest {
			return release, true
		}
	}
	return Release{}, false
}

// Operation is what last happened to an object.
type Operation struct {
	Verb  string `json:"verb"`
	State State  `json:"state"`
}

// State is how an operation ended.
type State string

// The states of an operation.
const (
	StateRunning   State = "running"
	StateSucceeded State = "succeeded"
	StateFailed    State = "failed"
)

// Observed is the status that an operation left.
type Observed struct {
	Ready   bool   `json:"ready"`
	Message string `json:"message,omitempty"`
}

// Succeeded tells whether the last operation did.
func (r *Record) Succeeded() bool { return r.Operation.State == StateSucceeded }

// Ref identifies the object.
func (r *Record) Ref() platform.Ref { return platform.Ref{Kind: r.Kind, ID: r.ID} }

// Object decodes the spec.
func (r *Record) Object() (platform.Object, error) {
	object := platform.New(r.Kind)
	if object == nil {
		return nil, fmt.Errorf("record %s: kind %q is unknown to this version of the provider", r.Ref(), r.Kind)
	}
	if err := json.Unmarshal(r.Spec, object); err != nil {
		return nil, fmt.Errorf("record %s: decode spec: %w", r.Ref(), err)
	}
	return object, nil
}

// SetObject replaces the spec.
func (r *Record) SetObject(object platform.Object) error {
	spec, err := Encode(object)
	if err != nil {
		return err
	}
	r.Spec = spec
	return nil
}

// Holds tells whether the spec is that of object.
func (r *Record) Holds(object platform.Object) bool {
	spec, err := Encode(object)
	if err != nil {
		return false
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, r.Spec); err != nil {
		return false
	}
	return bytes.Equal(compact.Bytes(), spec)
}

// Encode returns the canonical JSON of an object: keys of maps sorted, absent
// fields left out.
func Encode(object platform.Object) (json.RawMessage, error) {
	spec, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", platform.RefOf(object), err)
	}
	return spec, nil
}

// plainRecord is Record without its methods, for the standard encoding.
type plainRecord Record

// MarshalJSON writes the record's fields over the unknown ones it was read with.
func (r *Record) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal((*plainRecord)(r))
	if err != nil || len(r.unknown) == 0 {
		return raw, err
	}
	var known map[string]json.RawMessage
	if err := json.Unmarshal(raw, &known); err != nil {
		return nil, err
	}
	merged := maps.Clone(r.unknown)
	maps.Copy(merged, known)
	return json.Marshal(merged)
}

// UnmarshalJSON reads a record and keeps the fields it does not know.
func (r *Record) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainRecord)(r)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, known := range []string{"schemaVersion", "kind", "id", "uid", "spec", "inventory", "operation", "observed", "release", "releases", "adopted"} {
		delete(all, known)
	}
	r.unknown = all
	return nil
}
