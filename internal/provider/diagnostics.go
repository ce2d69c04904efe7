// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// addProblems adds problems on the attributes they are about.
func addProblems(diags *diag.Diagnostics, root attr.Type, problems []platform.Problem) {
	for _, problem := range problems {
		if len(problem.Path) == 0 {
			diags.AddError(problem.Title, problem.Detail)
			continue
		}
		diags.AddAttributeError(attributePath(root, problem.Path), problem.Title, located(problem))
	}
}

// addWarnings is addProblems for warnings.
func addWarnings(diags *diag.Diagnostics, root attr.Type, warnings []platform.Problem) {
	for _, warning := range warnings {
		if len(warning.Path) == 0 {
			diags.AddWarning(warning.Title, warning.Detail)
			continue
		}
		diags.AddAttributeWarning(attributePath(root, warning.Path), warning.Title, located(warning))
	}
}

// located returns the detail of a problem. Where an attribute is inside another one
// Terraform shows the resource only, so that the text has to say which it is.
func located(problem platform.Problem) string {
	if len(problem.Path) == 1 {
		return problem.Detail
	}
	return problem.Path.String() + ": " + problem.Detail
}

// attributePath turns the path of a field into that of an attribute, which
// tells the keys of a map from the names of attributes.
func attributePath(root attr.Type, steps platform.Path) path.Path {
	result := path.Empty()
	current := root
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			result = result.AtListIndex(step)
			current = elementType(current)
		case string:
			if object, ok := current.(attr.TypeWithAttributeTypes); ok {
				result = result.AtName(step)
				current = object.AttributeTypes()[step]
				continue
			}
			result = result.AtMapKey(step)
			current = elementType(current)
		}
	}
	return result
}

func elementType(t attr.Type) attr.Type {
	if collection, ok := t.(attr.TypeWithElementType); ok {
		return collection.ElementType()
	}
	return nil
}

// failure is what is known about the operation that failed.
type failure struct {
	root attr.Type
	verb string
	ref  platform.Ref
	// timeout is the time that the user may set; a plan has none.
	timeout time.Duration
}

// add turns an error of the engine into diagnostics: on the attributes at
// fault where it names some, else with a title that says what kind of failure it is.
func (f failure) add(diags *diag.Diagnostics, err error) {
	if problem, ok := errors.AsType[*platform.ProblemError](err); ok {
		addProblems(diags, f.root, problem.Problems)
		return
	}
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		addProblems(diags, f.root, []platform.Problem{{
			Path: absent.Path, Title: "Not found: " + absent.Ref.String(),
			Detail: absent.Error() + ". Create it first, or refer to its id attribute so that Terraform does.",
		}})
		return
	}
	detail := fmt.Sprintf("Cannot %s %s: %s", f.verb, f.ref, err)
	code := runtime.CodeOf(err)
	switch status, ok := errors.AsType[runtime.Status](err); {
	case code == runtime.DeadlineExceeded && f.timeout > 0:
		detail += fmt.Sprintf("\n\nThe time for this operation, %s, is over. Raise timeouts.%s if it needs longer.", f.timeout, f.verb)
		diags.AddAttributeError(path.Root(attributeTimeouts).AtName(f.verb), title(code), detail)
		return
	case ok && code == runtime.Conflict && len(status.Paths()) > 0:
		detail += "\n\nSet on_conflict = \"force\" in the provider block to take these fields over, or leave them out of the configuration."
	}
	diags.AddError(title(code), detail)
}

func title(code runtime.Code) string {
	switch code {
	case runtime.InvalidArgument:
		return "Invalid request"
	case runtime.NotFound:
		return "Not found"
	case runtime.AlreadyExists:
		return "Already exists"
	case runtime.Conflict:
		return "Conflict"
	case runtime.PermissionDenied:
		return "Permission denied"
	case runtime.Unauthenticated:
		return "Not authenticated"
	case runtime.Unavailable:
		return "Cluster not reachable"
	case runtime.Canceled:
		return "Interrupted"
	case runtime.DeadlineExceeded:
		return "Timed out"
	case runtime.ReplaceRequired:
		return "Immutable field"
	case runtime.RolloutFailed:
		return "Rollout failed"
	case runtime.Internal:
		return "Internal error"
	}
	return "Internal error"
}
