// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// stages is a world in which dev promotes to staging and staging, with an
// approval, to prod.
func stages(t *testing.T) *world {
	t.Helper()
	w := newWorld()
	path := &platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{
		{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "staging"}}},
		{Source: "staging", Targets: []platform.PromotionTarget{{Environment: "prod", RequiresApproval: true}}},
	}}
	w.apply(t, lab(), dev(), &platform.Environment{Name: "staging", DataPlane: "lab"},
		&platform.Environment{Name: "prod", DataPlane: "lab"}, path, shop(), cart())
	return w
}

// promoted is the cart in an environment, promoted from another one.
func promoted(environment, from string, change ...func(*platform.Deployment)) *platform.Deployment {
	d := &platform.Deployment{
		Component: "shop/cart", Environment: environment,
		PromotedFrom: &platform.PromotedFrom{Deployment: "shop/cart/main/" + from},
	}
	for _, c := range change {
		c(d)
	}
	return d
}

func pinned(release string) func(*platform.Deployment) {
	return func(d *platform.Deployment) { d.PromotedFrom.Release = release }
}

func approved(release string) func(*platform.Deployment) {
	return func(d *platform.Deployment) { d.Approval = &platform.Approval{Release: release, By: "ops"} }
}

// imageInStaging returns the image that runs in staging.
func (w *world) imageInStaging(t *testing.T) string {
	t.Helper()
	for _, id := range w.fake.IDs() {
		object := w.fake.Object(id)
		labels, _ := object["metadata"].(map[string]any)["labels"].(map[string]any)
		if object["kind"] != "Deployment" || labels["openplatform.dev/environment"] != "staging" {
			continue
		}
		template, _ := object["spec"].(map[string]any)["template"].(map[string]any)
		containers, _ := template["spec"].(map[string]any)["containers"].([]any)
		image, _ := containers[0].(map[string]any)["image"].(string)
		return image
	}
	return ""
}

func TestPromotionTakesTheWholeRelease(t *testing.T) {
	t.Parallel()
	w := stages(t)
	source := w.apply(t, cartInDev())[0]
	target := w.apply(t, promoted("staging", "dev", func(d *platform.Deployment) {
		d.Overrides = &platform.Configuration{Env: map[string]string{"MODE": "staging"}}
	}))[0]
	if source.Outputs.Release != target.Outputs.Release {
		t.Errorf("A release keeps its digest on every stage, whatever the overrides: got %s and %s.", source.Outputs.Release, target.Outputs.Release)
	}
	if got := w.imageInStaging(t); got != "cart:1" {
		t.Errorf("The image comes with the release: got %q.", got)
	}
	if diff := cmp.Diff(map[string]string{"http": "cart." + target.Outputs.Namespace + ".svc:80"}, target.Outputs.Addresses); diff != "" {
		t.Errorf("The configuration comes with the release: -want +got:\n%s", diff)
	}
	third := w.apply(t, promoted("prod", "staging", pinned(source.Outputs.Release), approved(source.Outputs.Release)))[0]
	if third.Outputs.Release != source.Outputs.Release {
		t.Errorf("Overrides of a stage do not travel: got %s.", third.Outputs.Release)
	}
	w.intact(t, "after promotion")
}

func TestGuard(t *testing.T) {
	t.Parallel()
	const other = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	cases := map[string]struct {
		reason string
		target func(release string) *platform.Deployment
		title  string
		path   string
	}{
		"Edge": {
			reason: "A release passes along an edge of the pipeline.",
			target: func(string) *platform.Deployment { return promoted("staging", "dev") },
		},
		"SkippedStage": {
			reason: "Skipping a stage is refused.",
			target: func(string) *platform.Deployment { return promoted("prod", "dev") },
			title:  "Missing promotion edge", path: "promoted_from.deployment",
		},
		"UnpinnedApproval": {
			reason: "An approval names one release, so the target cannot follow the source.",
			target: func(string) *platform.Deployment { return promoted("prod", "staging") },
			title:  "Release must be pinned", path: "promoted_from",
		},
		"MissingApproval": {
			reason: "An edge that asks for an approval lets nothing pass without one.",
			target: func(release string) *platform.Deployment { return promoted("prod", "staging", pinned(release)) },
			title:  "Approval required", path: "promoted_from.release",
		},
		"ApprovalOfAnother": {
			reason: "An approval holds for the release that it names only.",
			target: func(release string) *platform.Deployment {
				return promoted("prod", "staging", pinned(release), approved(other))
			},
			title: "Approval of another release", path: "approval.release",
		},
		"Approved": {
			reason: "An approved release passes.",
			target: func(release string) *platform.Deployment {
				return promoted("prod", "staging", pinned(release), approved(release))
			},
		},
		"UnknownRelease": {
			reason: "A release that nobody remembers cannot run.",
			target: func(string) *platform.Deployment { return promoted("staging", "dev", pinned(other)) },
			title:  "Unknown release", path: "promoted_from.release",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := stages(t)
			release := w.apply(t, cartInDev())[0].Outputs.Release
			if name != "Edge" && name != "UnknownRelease" {
				w.apply(t, promoted("staging", "dev"))
			}
			target := tc.target(release)
			_, err := w.engine(t).Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(target)})
			if tc.title == "" {
				if err != nil {
					t.Fatalf("%s\ngot %v", tc.reason, err)
				}
				w.apply(t, target)
				return
			}
			problem, ok := errors.AsType[*platform.ProblemError](err)
			if !ok {
				t.Fatalf("%s\ngot %v, want a problem", tc.reason, err)
			}
			got := problem.Problems[0]
			if got.Title != tc.title || got.Path.String() != tc.path {
				t.Errorf("%s\ngot %q on %q, want %q on %q", tc.reason, got.Title, got.Path, tc.title, tc.path)
			}
		})
	}
}

func TestUnhealthyReleaseGoesNowhere(t *testing.T) {
	t.Parallel()
	w := stages(t)
	token := w.apply(t, cartInDev())[0].Token
	target := w.apply(t, promoted("staging", "dev"))[0].Token
	broken := cartInDev()
	broken.Image = "cart:2"
	w.unready(true)
	if _, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: broken, Token: &token, Wait: true}); err == nil {
		t.Fatal("the source was expected to fail")
	}
	w.unready(false)
	if _, err := w.engine(t).Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(promoted("staging", "dev")), Prior: promoted("staging", "dev")}); err != nil {
		t.Errorf("A plan counts on what it brings to the source itself: got %v.", err)
	}
	_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: promoted("staging", "dev"), Token: &target, Wait: true})
	if problem, ok := errors.AsType[*platform.ProblemError](err); !ok || problem.Problems[0].Title != "Release is not healthy" {
		t.Errorf("At apply the release must be healthy in the source: got %v.", err)
	}
	if got := w.imageInStaging(t); got != "cart:1" {
		t.Errorf("What is refused changes nothing: staging runs %q.", got)
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	w := stages(t)
	source := w.apply(t, cartInDev())[0]
	first := source.Outputs.Release
	target := w.apply(t, promoted("staging", "dev"))[0].Token
	newer := cartInDev()
	newer.Image = "cart:2"
	second := w.update(t, newer, source.Token).Outputs.Release
	after := w.update(t, promoted("staging", "dev"), target).Outputs
	if after.Release != second || w.imageInStaging(t) != "cart:2" {
		t.Fatalf("Without a pin the target follows its source: got %s.", after.Release)
	}
	back := w.update(t, promoted("staging", "dev", pinned(first)), target).Outputs
	if back.Release != first || w.imageInStaging(t) != "cart:1" {
		t.Errorf("A release that was healthy in the target may always return: got %s.", back.Release)
	}
	if back.PromotableRelease != second {
		t.Errorf("A source that has moved on shows as promotable release: got %s, want %s.", back.PromotableRelease, second)
	}
	if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(newer), Token: source.Token}); err != nil {
		t.Fatal(err)
	}
	if again := w.update(t, promoted("staging", "dev", pinned(first)), target).Outputs; again.Release != first {
		t.Errorf("A pinned release of the target's own history needs no source: got %s.", again.Release)
	}
}
