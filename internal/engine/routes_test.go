// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// bank is another project, whose endpoints have a hostname and a listener.
func bank() []platform.Object {
	deployment := cartInDev()
	deployment.Component = "bank/teller"
	return []platform.Object{
		&platform.Project{Name: "bank", DeploymentPipeline: "path"},
		&platform.Component{Project: "bank", Name: "teller", Type: platform.TypeWebApplication, Image: "teller:1"},
		deployment,
		&platform.Endpoint{
			Deployment: "bank/teller/main/dev", Name: "web", Type: platform.EndpointHTTP, Port: "http", BasePath: "/bank",
			Hostnames: []string{"bank.example.com"},
		},
		&platform.Endpoint{Deployment: "bank/teller/main/dev", Name: "raw", Type: platform.EndpointTCP, Port: "http", Listener: "tcp"},
	}
}

func TestDuplicateRoutes(t *testing.T) {
	t.Parallel()
	const second = "second"
	cases := map[string]struct {
		reason string
		change func(staging *platform.Environment, endpoint *platform.Endpoint)
		want   []string
	}{
		"Deployment": {
			reason: "Two endpoints of a deployment cannot share a path.",
			change: func(_ *platform.Environment, e *platform.Endpoint) { e.Name = second },
			want:   []string{"base_path: Duplicate route"},
		},
		"Path": {
			reason: "Paths tell them apart.",
			change: func(_ *platform.Environment, e *platform.Endpoint) { e.Name, e.BasePath = second, "/second" },
		},
		"Visibility": {
			reason: "One that is not public has no route.",
			change: func(_ *platform.Environment, e *platform.Endpoint) {
				e.Name, e.Visibility = second, platform.VisibilityProject
			},
		},
		"Environment": {
			reason: "Environments have hosts of their own.",
			change: func(_ *platform.Environment, e *platform.Endpoint) { e.Deployment = "shop/cart/main/staging" },
		},
		"Prefix": {
			reason: "Environments of equal DNS prefix share hosts.",
			change: func(s *platform.Environment, e *platform.Endpoint) {
				s.DNSPrefix, e.Deployment = "dev", "shop/cart/main/staging"
			},
			want: []string{"base_path: Duplicate route"},
		},
		"Mixed": {
			reason: "A gateway takes one kind of routes for a host.",
			change: func(_ *platform.Environment, e *platform.Endpoint) {
				e.Name, e.Type, e.BasePath = second, platform.EndpointGRPC, ""
			},
			want: []string{"listener: Duplicate route"},
		},
		"Hostname": {
			reason: "A hostname of another project's endpoint is taken.",
			change: func(_ *platform.Environment, e *platform.Endpoint) {
				e.Name, e.Hostnames = second, []string{"a.example.com", "bank.example.com"}
				e.BasePath = "/bank"
			},
			want: []string{"hostnames: Duplicate route"},
		},
		"OtherHostname": {
			reason: "Another hostname is not.",
			change: func(_ *platform.Environment, e *platform.Endpoint) {
				e.Name, e.Hostnames, e.BasePath = second, []string{"a.example.com"}, "/bank"
			},
		},
		"Listener": {
			reason: "A TCP listener of another project's endpoint is taken.",
			change: func(_ *platform.Environment, e *platform.Endpoint) {
				e.Name, e.Type, e.BasePath, e.Listener = second, platform.EndpointTCP, "", "tcp"
			},
			want: []string{"listener: Duplicate route"},
		},
		"OtherListener": {
			reason: "Another listener is not.",
			change: func(_ *platform.Environment, e *platform.Endpoint) {
				e.Name, e.Type, e.BasePath, e.Listener = second, platform.EndpointTCP, "", "redis"
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			staging := &platform.Environment{Name: "staging", DataPlane: "lab"}
			endpoint, deployment := api(), cartInDev()
			tc.change(staging, endpoint)
			deployment.Environment = "staging"
			w := newWorld()
			w.apply(t, lab(), dev(), staging, pipeline("dev", "staging"), shop(), cart(), cartInDev(), deployment, api())
			w.apply(t, bank()...)
			e := w.engine(t)
			_, err := e.Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(endpoint)})
			var got []string
			if problem, ok := errors.AsType[*platform.ProblemError](err); ok {
				got = titles(problem.Problems)
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			_, err = w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: endpoint})
			if told := err != nil && strings.Contains(err.Error(), "create_before_destroy"); told != (len(tc.want) > 0) {
				t.Errorf("%s\nThe apply names the likely cause, got %v.", tc.reason, err)
			}
			staged := *staging
			staged.Description = "changed"
			if late := plan(t, e, &staged, staging); endpoint.Deployment == cartInDev().ID() && len(late.Warnings) > 0 {
				t.Errorf("%s\nLooking for duplicates depends on nothing, got %v.", tc.reason, titles(late.Warnings))
			}
		})
	}
}
