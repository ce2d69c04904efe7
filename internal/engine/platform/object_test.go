// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	track := validDeployment()
	main := validDeployment()
	main.Track = ""
	cell := &platform.Cell{Project: "shop", Environment: "dev", DataPlane: "lab", Namespace: "anything"}
	type reference struct{ Kind, ID, Path string }
	cases := map[string]struct {
		reason     string
		object     platform.Object
		kind       platform.Kind
		id         string
		references []reference
	}{
		"DataPlane":   {reason: "A data plane stands at the top.", object: validDataPlane(), kind: platform.KindDataPlane, id: "lab"},
		"Environment": {reason: "An environment is on a data plane.", object: validEnvironment(), kind: platform.KindEnvironment, id: "dev", references: []reference{{"data-plane", "lab", "data_plane"}}},
		"Pipeline": {
			reason: "A pipeline refers to each environment where it appears.", object: validPipeline(), kind: platform.KindDeploymentPipeline, id: "default-path",
			references: []reference{
				{"environment", "dev", "promotion_paths[0].source"},
				{"environment", "staging", "promotion_paths[0].targets[0].environment"},
				{"environment", "staging", "promotion_paths[1].source"},
				{"environment", "prod-eu", "promotion_paths[1].targets[0].environment"},
				{"environment", "prod-us", "promotion_paths[1].targets[1].environment"},
			},
		},
		"Project":   {reason: "A project has a pipeline.", object: validProject(), kind: platform.KindProject, id: "shop", references: []reference{{"deployment-pipeline", "default-path", "deployment_pipeline"}}},
		"Component": {reason: "A component is part of a project.", object: validComponent(), kind: platform.KindComponent, id: "shop/cart", references: []reference{{"project", "shop", "project"}}},
		"Deployment": {
			reason: "A deployment is a component on a track in an environment.", object: track, kind: platform.KindDeployment, id: "shop/cart/2/dev",
			references: []reference{{"component", "shop/cart", "component"}, {"environment", "dev", "environment"}},
		},
		"MainTrack": {
			reason: "The main track goes without saying, and is part of the id.", object: main, kind: platform.KindDeployment, id: "shop/cart/main/dev",
			references: []reference{{"component", "shop/cart", "component"}, {"environment", "dev", "environment"}},
		},
		"Endpoint": {reason: "An endpoint is part of a deployment.", object: validEndpoint(), kind: platform.KindEndpoint, id: "shop/cart/main/dev/api", references: []reference{{"deployment", "shop/cart/main/dev", "deployment"}}},
		"Cell": {
			reason: "A cell is a project in an environment.", object: cell, kind: platform.KindCell, id: "shop/dev",
			references: []reference{{"project", "shop", "project"}, {"environment", "dev", "environment"}, {"data-plane", "lab", "data_plane"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := platform.RefOf(tc.object); got != (platform.Ref{Kind: tc.kind, ID: tc.id}) {
				t.Errorf("%s\ngot %s", tc.reason, got)
			}
			var got []reference
			for _, r := range tc.object.References() {
				got = append(got, reference{string(r.Kind), r.ID, r.Path.String()})
			}
			if diff := cmp.Diff(tc.references, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if fresh := platform.New(tc.kind); fresh == nil || fresh.Kind() != tc.kind {
				t.Errorf("New makes an object of each kind, got %v for %s.", fresh, tc.kind)
			}
		})
	}
	if len(cell.Validate()) != 0 {
		t.Error("The engine makes cells, so there is nothing to validate.")
	}
	if platform.New("unknown") != nil {
		t.Error("New makes nothing of an unknown kind.")
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		path   platform.Path
		want   string
	}{
		"Empty":  {reason: "The empty path is the object.", want: ""},
		"Name":   {reason: "A name stands alone.", path: platform.Path{"name"}, want: "name"},
		"Nested": {reason: "Names and keys are joined by dots, positions are in brackets.", path: platform.Path{"a", 0, "b", "c", 1}, want: "a[0].b.c[1]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.path.String(); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPathWithCopies(t *testing.T) {
	t.Parallel()
	base := make(platform.Path, 1, 8)
	base[0] = "a"
	left, right := base.With("b"), base.With("c", 1)
	if base.String() != "a" || left.String() != "a.b" || right.String() != "a.c[1]" {
		t.Errorf("Extending a path changes neither it nor another extension, got %s, %s, %s.", base, left, right)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		id     string
		n      int
		want   []string
	}{
		"One":      {reason: "One part is the id.", id: "lab", n: 1, want: []string{"lab"}},
		"Four":     {reason: "Parts are between slashes.", id: "shop/cart/main/dev", n: 4, want: []string{"shop", "cart", "main", "dev"}},
		"TooFew":   {reason: "A missing part is refused.", id: "shop/cart", n: 4},
		"TooMany":  {reason: "A part too many is refused.", id: "shop/cart/main", n: 2},
		"Empty":    {reason: "An empty id has no part.", id: "", n: 1},
		"Leading":  {reason: "An empty part at the front is refused.", id: "/cart", n: 2},
		"Trailing": {reason: "An empty part at the end is refused.", id: "shop/", n: 2},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := platform.Split(tc.id, tc.n)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != (tc.want != nil) {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if ok && platform.Join(got...) != tc.id {
				t.Errorf("Join is the inverse of Split, got %q.", platform.Join(got...))
			}
		})
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	if got := platform.RefOf(validDeployment()).String(); got != `deployment "shop/cart/2/dev"` {
		t.Errorf("Messages name kind and id, got %s.", got)
	}
	err := error(&platform.ProblemError{Problems: []platform.Problem{
		{Path: platform.Path{"a", 0}, Title: "Bad", Detail: "Do better."}, {Path: platform.Path{"b"}, Title: "Worse", Detail: "Stop."},
	}})
	if got := err.Error(); got != "a[0]: Bad: Do better.\nb: Worse: Stop." {
		t.Errorf("Problems are lines, got %q.", got)
	}
	if problem, ok := errors.AsType[*platform.ProblemError](err); !ok || len(problem.Problems) != 2 {
		t.Error("The problems of an error can be had back.")
	}
}
