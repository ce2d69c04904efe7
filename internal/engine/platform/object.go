// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package platform is the model: plain structs for what a platform team and its
// application teams declare, their ids and their validation. It knows neither
// Terraform nor Kubernetes.
//
// The JSON names of the fields are the attribute names of the Terraform
// resources, so that one generic conversion serves every kind, and the same JSON
// is what a record stores.
package platform

import (
	"strconv"
	"strings"
)

// Kind names a kind of platform object.
type Kind string

// The kinds.
const (
	KindDataPlane          Kind = "data-plane"
	KindEnvironment        Kind = "environment"
	KindDeploymentPipeline Kind = "deployment-pipeline"
	KindProject            Kind = "project"
	KindCell               Kind = "cell"
	KindComponent          Kind = "component"
	KindDeployment         Kind = "deployment"
	KindEndpoint           Kind = "endpoint"
)

// Words returns the kind as people write it.
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "-", " ") }

// Object is a platform object.
type Object interface {
	// Kind returns its kind.
	Kind() Kind
	// ID returns its slash path within the organization, such as
	// shop/cart/main/dev.
	ID() string
	// References returns the objects it names, parents first.
	References() []Reference
	// Validate returns what is wrong with it, in the order of its fields. It
	// looks at the object alone.
	Validate() []Problem
}

// Ref identifies a platform object within its organization.
type Ref struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id"`
}

// String returns kind and id, the subject of every message about an object.
func (r Ref) String() string { return r.Kind.Words() + " " + `"` + r.ID + `"` }

// RefOf returns the reference to an object.
func RefOf(o Object) Ref { return Ref{Kind: o.Kind(), ID: o.ID()} }

// Reference is a Ref and the attribute that holds it.
type Reference struct {
	Ref
	// Path is the attribute.
	Path Path
}

// Path leads to a field: attribute names and map keys as strings, list
// positions as ints.
type Path []any

// String returns the path with dots, for messages.
func (p Path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch step := step.(type) {
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		case int:
			b.WriteString("[" + strconv.Itoa(step) + "]")
		}
	}
	return b.String()
}

// With returns the path extended by steps.
func (p Path) With(steps ...any) Path {
	out := make(Path, 0, len(p)+len(steps))
	return append(append(out, p...), steps...)
}

// Problem is something wrong with a field of an object.
type Problem struct {
	// Path is the field; empty for the object as a whole.
	Path Path
	// Title is a short phrase; Detail says what was found and what to do.
	Title, Detail string
}

// Join makes an id of its parts.
func Join(parts ...string) string { return strings.Join(parts, "/") }

// Split returns the n parts of an id, or false when it has another number of
// parts or an empty one.
func Split(id string, n int) ([]string, bool) {
	parts := strings.Split(id, "/")
	if len(parts) != n {
		return nil, false
	}
	for _, part := range parts {
		if part == "" {
			return nil, false
		}
	}
	return parts, true
}

// ProblemError is an error made of problems, for what only the surroundings of
// an object show to be wrong.
type ProblemError struct {
	Problems []Problem
	// Cause is the failure that showed them; may be nil.
	Cause error
}

// Unwrap returns the cause, or nil.
func (e *ProblemError) Unwrap() error { return e.Cause }

// Error returns the problems, one a line.
func (e *ProblemError) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		lines = append(lines, p.Path.String()+": "+p.Title+": "+p.Detail)
	}
	return strings.Join(lines, "\n")
}
