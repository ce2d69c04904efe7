// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestAttributePath(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		kind   platform.Kind
		steps  platform.Path
		want   path.Path
	}{
		"Attribute": {reason: "A field is an attribute.", kind: platform.KindDeployment, steps: platform.Path{"image"}, want: path.Root("image")},
		"MapOfObjects": {
			reason: "A key of a map is told from the attributes below it.", kind: platform.KindDeployment,
			steps: platform.Path{"configuration", "ports", "port", "port"},
			want:  path.Root("configuration").AtName("ports").AtMapKey("port").AtName("port"),
		},
		"MapOfStrings": {
			reason: "A map's last step is a key.", kind: platform.KindDeployment,
			steps: platform.Path{"configuration", "env", "configuration"},
			want:  path.Root("configuration").AtName("env").AtMapKey("configuration"),
		},
		"Lists": {
			reason: "Positions of lists of objects lead on to attributes.", kind: platform.KindDeploymentPipeline,
			steps: platform.Path{"promotion_paths", 1, "targets", 0, "environment"},
			want:  path.Root("promotion_paths").AtListIndex(1).AtName("targets").AtListIndex(0).AtName("environment"),
		},
		"ListOfStrings": {
			reason: "A list's last step is a position.", kind: platform.KindDataPlane,
			steps: platform.Path{"gateways", "public", "peers", "cidrs", 2},
			want:  path.Root("gateways").AtName("public").AtName("peers").AtName("cidrs").AtListIndex(2),
		},
		"Beyond": {
			reason: "What the schema does not have does not panic.", kind: platform.KindProject,
			steps: platform.Path{"name", "x", 1, "y"},
			want:  path.Root("name").AtMapKey("x").AtListIndex(1).AtMapKey("y"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := (&kindResource{kind: kindNamed(t, tc.kind)}).schemaType(t.Context())
			if got := attributePath(root, tc.steps); !got.Equal(tc.want) {
				t.Errorf("%s\ngot %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	k := kindNamed(t, platform.KindDeployment)
	root := (&kindResource{kind: k}).schemaType(t.Context())
	at := platform.Path{"configuration", "ports", "http"}
	want := path.Root("configuration").AtName("ports").AtMapKey("http")
	ref := platform.Ref{Kind: platform.KindDeployment, ID: "shop/cart/main/dev"}
	cases := map[string]struct {
		reason string
		err    error
		title  string
		path   path.Path
		// says is part of the detail.
		says string
	}{
		"Problem": {
			reason: "A problem is shown on its attribute.", title: "Bad port", path: want, says: "Use another.",
			err: fmt.Errorf("wrapped: %w", &platform.ProblemError{Problems: []platform.Problem{{Path: at, Title: "Bad port", Detail: "Use another."}}}),
		},
		"WholeObject": {
			reason: "A problem of the whole has no path.", title: "Duplicate", says: "Remove one.",
			err: &platform.ProblemError{Problems: []platform.Problem{{Title: "Duplicate", Detail: "Remove one."}}},
		},
		"Absent": {
			reason: "A missing object is shown on the attribute that names it.", title: `Not found: component "shop/gone"`, path: path.Root("component"), says: "shop/gone",
			err: &catalog.AbsentError{Ref: platform.Ref{Kind: platform.KindComponent, ID: "shop/gone"}, By: ref, Path: platform.Path{"component"}},
		},
		"Deadline": {
			reason: "A deadline names the attribute that moves it.", title: "Timed out", path: path.Root("timeouts").AtName("create"), says: "timeouts.create",
			err: fmt.Errorf("wait: %w", context.DeadlineExceeded),
		},
		"Fields": {
			reason: "Fields of others are taken over by a setting.", title: "Conflict", says: `on_conflict = "force"`,
			err: fmt.Errorf("apply: %w", runtime.Errorf(runtime.Conflict, "data.a is applied by another").WithPaths("data.a")),
		},
		"Rollout": {reason: "A rollout says why.", title: "Rollout failed", says: "the pod crashes", err: runtime.Errorf(runtime.RolloutFailed, "the pod crashes")},
		"Plain":   {reason: "Any other error says what was tried.", title: "Internal error", says: `Cannot create deployment "shop/cart/main/dev": boom`, err: errors.New("boom")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			failure{root: root, verb: "create", ref: ref, timeout: time.Minute}.add(&diags, tc.err)
			if len(diags) != 1 || diags[0].Summary() != tc.title || !strings.Contains(diags[0].Detail(), tc.says) {
				t.Fatalf("%s\ngot %v", tc.reason, diags)
			}
			var got path.Path
			if located, ok := diags[0].(diag.DiagnosticWithPath); ok {
				got = located.Path()
			}
			if !got.Equal(tc.path) {
				t.Errorf("%s\ngot the path %s, want %s", tc.reason, got, tc.path)
			}
		})
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	codes := []runtime.Code{
		runtime.InvalidArgument, runtime.NotFound, runtime.AlreadyExists, runtime.Conflict, runtime.PermissionDenied, runtime.Unauthenticated,
		runtime.Unavailable, runtime.Canceled, runtime.DeadlineExceeded, runtime.ReplaceRequired, runtime.RolloutFailed, runtime.Internal,
	}
	seen := map[string]runtime.Code{}
	for _, code := range codes {
		if other, ok := seen[title(code)]; ok || title(code) == "" {
			t.Errorf("Each kind of failure has a title of its own, got %q for %s and %s.", title(code), code, other)
		}
		seen[title(code)] = code
	}
	if title("NOVELTY") != title(runtime.Internal) {
		t.Error("A failure of a kind that nobody knows is an internal error.")
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	addWarnings(&diags, (&kindResource{kind: kindNamed(t, platform.KindProject)}).schemaType(t.Context()), []platform.Problem{
		{Title: "Whole", Detail: "d"}, {Path: platform.Path{"name"}, Title: "Name", Detail: "d"},
	})
	want := diag.Diagnostics{diag.NewWarningDiagnostic("Whole", "d"), diag.NewAttributeWarningDiagnostic(path.Root("name"), "Name", "d")}
	if diff := cmp.Diff(want, diags); diff != "" {
		t.Errorf("Warnings are shown like problems, and are no errors: -want +got:\n%s", diff)
	}
}

// memory is the private data of a resource.
type memory map[string][]byte

func (m memory) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return m[key], nil }

func (m memory) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	m[key] = value
	return nil
}

func TestToken(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	private := memory{}
	if got := getToken(t.Context(), private, &diags); got != (engine.Token{}) || diags.HasError() {
		t.Errorf("Without a token there is the zero one, got %+v, %v.", got, diags)
	}
	want := engine.Token{UID: "1", Store: "2"}
	diags.Append(setToken(t.Context(), private, want)...)
	if got := getToken(t.Context(), private, &diags); got != want || diags.HasError() {
		t.Errorf("A token is remembered, got %+v, %v.", got, diags)
	}
	private[privateToken] = []byte("{")
	if getToken(t.Context(), private, &diags); !diags.HasError() {
		t.Error("A damaged token is an error.")
	}
}

func TestEngineFrom(t *testing.T) {
	t.Parallel()
	e, err := engine.New(engine.Options{Organization: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		data   any
		want   *engine.Engine
		fails  bool
	}{
		"Engine": {reason: "The engine is what Configure left.", data: e, want: e},
		"Early":  {reason: "Before Configure there is none."},
		"Wrong":  {reason: "Anything else is a bug.", data: "x", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			if got := engineFrom(tc.data, &diags); got != tc.want || diags.HasError() != tc.fails {
				t.Errorf("%s\ngot %v, %v", tc.reason, got, diags)
			}
		})
	}
}
