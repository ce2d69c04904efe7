// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Result is what a command said.
type Result struct {
	// Failed tells that the command did not succeed.
	Failed bool
	// Errors and Warnings are the diagnostics.
	Errors, Warnings []Diagnostic
	// Actions are the planned ones by address.
	Actions map[string]string

	command string
}

// Diagnostic is an error or a warning.
type Diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
	Snippet  *struct {
		Context string `json:"context"`
		Code    string `json:"code"`
	} `json:"snippet"`
}

// String returns the diagnostic with the place that it points at.
func (d Diagnostic) String() string {
	text := d.Severity + ": " + d.Summary
	if d.Address != "" {
		text += " (" + d.Address + ")"
	}
	if d.Snippet != nil {
		text += " at: " + strings.TrimSpace(d.Snippet.Code)
	}
	return text + "\n" + d.Detail
}

// message is a line that a command prints with -json.
type message struct {
	Type       string      `json:"type"`
	Diagnostic *Diagnostic `json:"diagnostic"`
	Change     *struct {
		Resource struct {
			Addr string `json:"addr"`
		} `json:"resource"`
		Action string `json:"action"`
	} `json:"change"`
}

func (r *Result) add(m message) {
	switch {
	case m.Diagnostic != nil && m.Diagnostic.Severity == "error":
		r.Errors = append(r.Errors, *m.Diagnostic)
	case m.Diagnostic != nil && m.Diagnostic.Summary != "Provider development overrides are in effect":
		r.Warnings = append(r.Warnings, *m.Diagnostic)
	case m.Type == "planned_change" && m.Change != nil:
		if r.Actions == nil {
			r.Actions = map[string]string{}
		}
		r.Actions[m.Change.Resource.Addr] = m.Change.Action
	}
}

// Must fails the test unless the command succeeded without a warning.
func (r *Result) Must(t *testing.T) *Result {
	t.Helper()
	if r.Failed || len(r.Warnings) > 0 {
		t.Fatalf("%s:\n%s", r.command, join(append(slices.Clone(r.Errors), r.Warnings...)))
	}
	return r
}

// MustWarn fails the test unless the command succeeded with warnings that match
// the patterns, one each.
func (r *Result) MustWarn(t *testing.T, patterns ...string) *Result {
	t.Helper()
	if r.Failed {
		t.Fatalf("%s:\n%s", r.command, join(r.Errors))
	}
	match(t, r.command, "warning", r.Warnings, patterns)
	return r
}

// MustFail fails the test unless the command failed with errors that match the
// patterns, one each.
func (r *Result) MustFail(t *testing.T, patterns ...string) *Result {
	t.Helper()
	if !r.Failed {
		t.Fatalf("%s succeeded, want an error that matches %q", r.command, patterns)
	}
	match(t, r.command, "error", r.Errors, patterns)
	return r
}

// MustBeEmpty fails the test unless the command succeeded and plans nothing.
func (r *Result) MustBeEmpty(t *testing.T) {
	t.Helper()
	r.Must(t)
	if len(r.Actions) > 0 {
		t.Fatalf("%s is not empty: %v", r.command, r.Actions)
	}
}

func match(t *testing.T, command, severity string, diagnostics []Diagnostic, patterns []string) {
	t.Helper()
	left := slices.Clone(diagnostics)
	for _, pattern := range patterns {
		expression := regexp.MustCompile("(?s)" + pattern)
		at := slices.IndexFunc(left, func(d Diagnostic) bool { return expression.MatchString(d.String()) })
		if at < 0 {
			t.Fatalf("%s: no %s matches %q:\n%s", command, severity, pattern, join(diagnostics))
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		t.Fatalf("%s: unexpected %ss:\n%s", command, severity, join(left))
	}
}

func join(diagnostics []Diagnostic) string {
	var text strings.Builder
	for _, d := range diagnostics {
		fmt.Fprintf(&text, "%s\n", d)
	}
	return text.String()
}

// Plan is a saved plan.
type Plan struct {
	ResourceChanges []struct {
		Address string `json:"address"`
		Change  struct {
			Actions      []string       `json:"actions"`
			Before       map[string]any `json:"before"`
			After        map[string]any `json:"after"`
			AfterUnknown map[string]any `json:"after_unknown"`
		} `json:"change"`
	} `json:"resource_changes"`
}

// After returns the planned attribute of a resource, and what of it is unknown.
func (p *Plan) After(t *testing.T, address, attribute string) (after, unknown any) {
	t.Helper()
	for _, change := range p.ResourceChanges {
		if change.Address == address {
			return change.Change.After[attribute], change.Change.AfterUnknown[attribute]
		}
	}
	t.Fatalf("the plan has no %s", address)
	return nil, nil
}
