// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func TestOverrides(t *testing.T) {
	t.Parallel()
	two, five := int64(2), int64(5)
	base := platform.Configuration{
		Args:      []string{"serve", "-v"},
		Env:       map[string]string{"A": "1", "B": "2"},
		Ports:     map[string]platform.Port{"http": {Port: 80, TargetPort: new(int64(8080))}},
		Resources: &platform.Resources{Requests: &platform.Quantities{CPU: "100m", Memory: "64Mi"}},
		Scaling:   &platform.Scaling{Replicas: &two},
		Schedule:  &platform.Schedule{Cron: "@daily", Disabled: new(true)},
	}
	cases := map[string]struct {
		reason string
		over   *platform.Configuration
		want   func(*platform.Configuration)
	}{
		"None": {
			reason: "Without overrides the configuration stays as it is.",
			want:   func(*platform.Configuration) {},
		},
		"MapsByKey": {
			reason: "Maps are merged by key, and a key's empty value is a value.",
			over:   &platform.Configuration{Env: map[string]string{"B": "", "C": "3"}},
			want:   func(f *platform.Configuration) { f.Env = map[string]string{"A": "1", "B": "", "C": "3"} },
		},
		"ObjectsByField": {
			reason: "Objects are merged by field, at every depth.",
			over:   &platform.Configuration{Resources: &platform.Resources{Requests: &platform.Quantities{Memory: "1Gi"}}},
			want:   func(f *platform.Configuration) { f.Resources.Requests.Memory = "1Gi" },
		},
		"ListsAsAWhole": {
			reason: "Lists are replaced.",
			over:   &platform.Configuration{Args: []string{"migrate"}},
			want:   func(f *platform.Configuration) { f.Args = []string{"migrate"} },
		},
		"Switches": {
			reason: "What is on is switched off, and nothing else of the object has to be said.",
			over:   &platform.Configuration{Schedule: &platform.Schedule{Disabled: new(false)}},
			want:   func(f *platform.Configuration) { f.Schedule = &platform.Schedule{Cron: "@daily", Disabled: new(false)} },
		},
		"Autoscaler": {
			reason: "An autoscaler takes the place of a number of replicas.",
			over:   &platform.Configuration{Scaling: &platform.Scaling{MaxReplicas: &five}},
			want:   func(f *platform.Configuration) { f.Scaling = &platform.Scaling{MaxReplicas: &five} },
		},
		"EmptyScaling": {
			reason: "What says nothing changes nothing.",
			over:   &platform.Configuration{Scaling: &platform.Scaling{}},
			want:   func(*platform.Configuration) {},
		},
		"Scalars": {
			reason: "Single values are replaced.",
			over:   &platform.Configuration{Scaling: &platform.Scaling{Replicas: &five}},
			want:   func(f *platform.Configuration) { f.Scaling = &platform.Scaling{Replicas: &five} },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := base.With(nil)
			if err != nil {
				t.Fatal(err)
			}
			requests := *base.Resources.Requests
			want.Resources = &platform.Resources{Requests: &requests}
			tc.want(&want)
			got, err := base.With(tc.over)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if base.Env["B"] != "2" || base.Resources.Requests.Memory != "64Mi" {
				t.Error("merging changed the configuration it started from")
			}
		})
	}
}

func TestOverridesOfAutoscaler(t *testing.T) {
	t.Parallel()
	scaling := func(change func(*platform.Scaling)) *platform.Scaling {
		s := &platform.Scaling{MinReplicas: new(int64(2)), MaxReplicas: new(int64(4)), TargetCPUUtilizationPercentage: new(int64(80))}
		change(s)
		return s
	}
	base := platform.Configuration{Scaling: scaling(func(*platform.Scaling) {})}
	cases := map[string]struct {
		reason     string
		over, want *platform.Scaling
	}{
		"Limit": {
			reason: "A limit is one field of the autoscaler.", over: &platform.Scaling{MaxReplicas: new(int64(9))},
			want: scaling(func(s *platform.Scaling) { s.MaxReplicas = new(int64(9)) }),
		},
		"Target": {
			reason: "A target is added to the other one.", over: &platform.Scaling{TargetMemoryUtilizationPercentage: new(int64(60))},
			want: scaling(func(s *platform.Scaling) { s.TargetMemoryUtilizationPercentage = new(int64(60)) }),
		},
		"Replicas": {
			reason: "A number of replicas takes the place of the autoscaler.", over: &platform.Scaling{Replicas: new(int64(1))},
			want: &platform.Scaling{Replicas: new(int64(1))},
		},
		"Both": {
			reason: "Who names both has both, to be told that they conflict.", over: &platform.Scaling{Replicas: new(int64(1)), MaxReplicas: new(int64(9))},
			want: &platform.Scaling{Replicas: new(int64(1)), MaxReplicas: new(int64(9))},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := base.With(&platform.Configuration{Scaling: tc.over})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Scaling); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestValidatePromotion(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("ab", 32)
	cases := map[string]struct {
		reason string
		change func(*platform.Deployment)
		title  string
		path   string
	}{
		"Plain":  {reason: "Naming a source is enough.", change: func(*platform.Deployment) {}},
		"Pinned": {reason: "A release is a digest.", change: func(d *platform.Deployment) { d.PromotedFrom.Release = digest }},
		"NotADigest": {
			reason: "Anything else than a digest pins nothing.",
			change: func(d *platform.Deployment) { d.PromotedFrom.Release = "v1.2.3" },
			title:  "Invalid release", path: "promoted_from.release",
		},
		"Image": {
			reason: "The image comes with the release.",
			change: func(d *platform.Deployment) { d.Image = "app:1" },
			title:  "Conflicting attributes", path: "image",
		},
		"Configuration": {
			reason: "The configuration comes with the release.",
			change: func(d *platform.Deployment) { d.Configuration.Env = map[string]string{"A": "1"} },
			title:  "Conflicting attributes", path: "configuration",
		},
		"OtherComponent": {
			reason: "A release belongs to one component.",
			change: func(d *platform.Deployment) { d.PromotedFrom.Deployment = "shop/web/main/dev" },
			title:  "Another component", path: "promoted_from.deployment",
		},
		"Itself": {
			reason: "A deployment is not its own source.",
			change: func(d *platform.Deployment) { d.PromotedFrom.Deployment = "shop/cart/main/prod" },
			title:  "Promotion to itself", path: "promoted_from.deployment",
		},
		"NotAnID": {
			reason: "The source is named by its id.",
			change: func(d *platform.Deployment) { d.PromotedFrom.Deployment = "dev" },
			title:  "Invalid reference", path: "promoted_from.deployment",
		},
		"OverridesAlone": {
			reason: "Without a promotion there is nothing to override.",
			change: func(d *platform.Deployment) { d.PromotedFrom, d.Overrides = nil, &platform.Configuration{} },
			title:  "Nothing to override", path: "overrides",
		},
		"ApprovalAlone": {
			reason: "Without a promotion there is nothing to approve.",
			change: func(d *platform.Deployment) {
				d.PromotedFrom, d.Approval = nil, &platform.Approval{Release: digest, By: "ops"}
			},
			title: "Nothing to approve", path: "approval",
		},
		"NamelessApproval": {
			reason: "An approval is somebody's.",
			change: func(d *platform.Deployment) { d.Approval = &platform.Approval{Release: digest} },
			title:  "Missing value", path: "approval.by",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &platform.Deployment{
				Component: "shop/cart", Environment: "prod", PromotedFrom: &platform.PromotedFrom{Deployment: "shop/cart/main/dev"},
			}
			tc.change(d)
			problems := d.Validate()
			switch {
			case tc.title == "" && len(problems) > 0:
				t.Errorf("%s\ngot %v", tc.reason, problems)
			case tc.title != "" && (len(problems) != 1 || problems[0].Title != tc.title || problems[0].Path.String() != tc.path):
				t.Errorf("%s\ngot %v, want one %q on %q", tc.reason, problems, tc.title, tc.path)
			}
		})
	}
}

func TestPipelineEdges(t *testing.T) {
	t.Parallel()
	p := platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{
		{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "staging"}, {Environment: "demo"}}},
		{Source: "staging", Targets: []platform.PromotionTarget{{Environment: "prod", RequiresApproval: true}}},
		{Source: "hotfix", Targets: []platform.PromotionTarget{{Environment: "prod"}}},
	}}
	if edge, ok := p.Edge("staging", "prod"); !ok || !edge.RequiresApproval {
		t.Errorf("got %v, %v; want the edge and its approval", edge, ok)
	}
	if _, ok := p.Edge("dev", "prod"); ok {
		t.Error("an edge needs more than a path")
	}
	if diff := cmp.Diff([]string{"staging", "hotfix"}, p.Sources("prod")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
