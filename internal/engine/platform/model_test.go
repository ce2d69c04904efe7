// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func TestPipelineEnvironments(t *testing.T) {
	t.Parallel()
	to := func(names ...string) []platform.PromotionTarget {
		var targets []platform.PromotionTarget
		for _, name := range names {
			targets = append(targets, platform.PromotionTarget{Environment: name})
		}
		return targets
	}
	cases := map[string]struct {
		reason string
		paths  []platform.PromotionPath
		want   []string
	}{
		"Empty":    {reason: "An empty pipeline has no environments."},
		"One":      {reason: "A path without targets is one environment.", paths: []platform.PromotionPath{{Source: "dev"}}, want: []string{"dev"}},
		"Chain":    {reason: "A chain is in its order.", paths: []platform.PromotionPath{{Source: "dev", Targets: to("qa")}, {Source: "qa", Targets: to("prod")}}, want: []string{"dev", "qa", "prod"}},
		"Reversed": {reason: "Sources go before targets, however they are declared.", paths: []platform.PromotionPath{{Source: "qa", Targets: to("prod")}, {Source: "dev", Targets: to("qa")}}, want: []string{"dev", "qa", "prod"}},
		"Fan":      {reason: "Targets stay as they are declared.", paths: []platform.PromotionPath{{Source: "dev", Targets: to("us", "eu", "ap")}}, want: []string{"dev", "us", "eu", "ap"}},
		"Roots":    {reason: "Roots stay as they are declared.", paths: []platform.PromotionPath{{Source: "b"}, {Source: "a"}, {Source: "c"}}, want: []string{"b", "a", "c"}},
		"Diamond":  {reason: "An environment with two sources comes once, after both.", paths: []platform.PromotionPath{{Source: "dev", Targets: to("a", "b")}, {Source: "a", Targets: to("prod")}, {Source: "b", Targets: to("prod")}}, want: []string{"dev", "a", "b", "prod"}},
		"Shortcut": {reason: "A shortcut does not move its target forward.", paths: []platform.PromotionPath{{Source: "dev", Targets: to("prod", "qa")}, {Source: "qa", Targets: to("prod")}}, want: []string{"dev", "qa", "prod"}},
		"Cycle":    {reason: "Environments in a circle have no order.", paths: []platform.PromotionPath{{Source: "a", Targets: to("b")}, {Source: "b", Targets: to("a")}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := platform.DeploymentPipeline{PromotionPaths: tc.paths}
			if diff := cmp.Diff(tc.want, p.Environments()); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			for _, environment := range tc.want {
				if !p.Includes(environment) {
					t.Errorf("A pipeline includes its environments, but not %s.", environment)
				}
			}
			if p.Includes("elsewhere") {
				t.Error("A pipeline includes no others.")
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason    string
		got, want any
	}{
		"Track":         {reason: "A deployment is on the main track unless it says otherwise.", got: (&platform.Deployment{}).TrackName(), want: "main"},
		"NamedTrack":    {reason: "A named track is in force.", got: (&platform.Deployment{Track: "v2"}).TrackName(), want: "v2"},
		"Prefix":        {reason: "Hosts name the environment.", got: (&platform.Environment{Name: "dev"}).Prefix(), want: "dev"},
		"OwnPrefix":     {reason: "An environment may have another name in hosts.", got: (&platform.Environment{Name: "dev", DNSPrefix: "d"}).Prefix(), want: "d"},
		"PathPrefix":    {reason: "An endpoint takes every path.", got: (&platform.Endpoint{}).PathPrefix(), want: "/"},
		"OwnPathPrefix": {reason: "A base path is in force.", got: (&platform.Endpoint{BasePath: "/api"}).PathPrefix(), want: "/api"},
		"ContainerPort": {reason: "The container listens on the Service's port.", got: platform.Port{Port: 80}.ContainerPort(), want: int64(80)},
		"TargetPort":    {reason: "The container may listen on another port.", got: platform.Port{Port: 80, TargetPort: new(int64(8080))}.ContainerPort(), want: int64(8080)},
		"Protocol":      {reason: "A port is TCP.", got: platform.Port{}.TransportProtocol(), want: "TCP"},
		"OwnProtocol":   {reason: "A port may be UDP.", got: platform.Port{Protocol: "UDP"}.TransportProtocol(), want: "UDP"},
		"Serves":        {reason: "A web application is reached through a Service.", got: platform.TypeWebApplication.Serves(), want: true},
		"Handles":       {reason: "An event handler is not.", got: platform.TypeEventHandler.Serves(), want: false},
		"Visibility":    {reason: "An event handler's endpoints would be for the project.", got: platform.TypeEventHandler.DefaultVisibility(), want: platform.VisibilityProject},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]platform.Object{
		"DataPlane": validDataPlane(), "Environment": validEnvironment(), "Pipeline": validPipeline(), "Project": validProject(),
		"Component": validComponent(), "Deployment": validDeployment(), "Endpoint": validEndpoint(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			got := platform.New(object.Kind())
			if err := json.Unmarshal(raw, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object, got); diff != "" {
				t.Errorf("A record gives back what was stored: -want +got:\n%s", diff)
			}
		})
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	configuration := validDeployment().Configuration
	cases := map[string]struct {
		reason   string
		artifact platform.DeployableArtifact
		want     string
	}{
		"Image": {
			reason:   "Histories and pins hold releases, so they can never change.",
			artifact: platform.DeployableArtifact{Image: "registry.example.com/shop/cart:1.0.0"},
			want:     "sha256:b5e1df26462f9040c2fc7aa690276bd623f41899be73d5a8f09e4199c0384f43",
		},
		"Everything": {
			reason:   "All of the configuration is part of the release, and stays in its place when the model grows.",
			artifact: platform.DeployableArtifact{Image: "registry.example.com/shop/cart:1.0.0", Configuration: configuration},
			want:     "sha256:de5e638afe709a817f22934db8f28e0e9ffe5b56e9209753c87e68e6f3a5c0f9",
		},
		"Renamed": {
			reason:   "The same content is the same release under every name.",
			artifact: platform.DeployableArtifact{Track: "shop/cart/main", Name: "v1", Image: "registry.example.com/shop/cart:1.0.0", Configuration: configuration},
			want:     "sha256:de5e638afe709a817f22934db8f28e0e9ffe5b56e9209753c87e68e6f3a5c0f9",
		},
		"EmptyMaps": {
			reason:   "An empty map is no content.",
			artifact: platform.DeployableArtifact{Image: "registry.example.com/shop/cart:1.0.0", Configuration: platform.Configuration{Env: map[string]string{}, Args: []string{}}},
			want:     "sha256:b5e1df26462f9040c2fc7aa690276bd623f41899be73d5a8f09e4199c0384f43",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 20 {
				if got := tc.artifact.Release(); got != tc.want {
					t.Fatalf("%s\ngot %s, want %s", tc.reason, got, tc.want)
				}
			}
		})
	}
}

func TestReleaseSeesEveryChange(t *testing.T) {
	t.Parallel()
	base := func() platform.DeployableArtifact {
		return platform.DeployableArtifact{Image: "cart:1", Configuration: validDeployment().Configuration}
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*platform.DeployableArtifact){
		"Nothing":   func(*platform.DeployableArtifact) {},
		"Image":     func(a *platform.DeployableArtifact) { a.Image = "cart:2" },
		"Env":       func(a *platform.DeployableArtifact) { a.Configuration.Env["A_B"] = "x" },
		"EmptyEnv":  func(a *platform.DeployableArtifact) { delete(a.Configuration.Env, "A_B") },
		"Order":     func(a *platform.DeployableArtifact) { a.Configuration.Args = []string{"a", "b"} },
		"Reordered": func(a *platform.DeployableArtifact) { a.Configuration.Args = []string{"b", "a"} },
		"Replicas":  func(a *platform.DeployableArtifact) { a.Configuration.Scaling.Replicas = new(int64(2)) },
		"Probe":     func(a *platform.DeployableArtifact) { a.Configuration.Probes.Readiness.HTTP.Path = "/" },
		"Volume":    func(a *platform.DeployableArtifact) { delete(a.Configuration.Volumes, "tls") },
		"Schedule":  func(a *platform.DeployableArtifact) { a.Configuration.Schedule = &platform.Schedule{Cron: "@daily"} },
	} {
		artifact := base()
		change(&artifact)
		release := artifact.Release()
		if other, ok := seen[release]; ok {
			t.Errorf("%s and %s are different content and one release.", name, other)
		}
		seen[release] = name
	}
}
