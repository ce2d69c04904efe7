// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package render_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestOwnerLabels(t *testing.T) {
	t.Parallel()
	cell, deployment, endpoint := handlertest.Cell(), handlertest.Deployment(), handlertest.Endpoint()
	deployment.Deployment.Labels = map[string]string{"team": "checkout", "openplatform.dev/owner": "forged"}
	cases := map[string]struct {
		reason string
		owner  render.Owner
		want   map[string]string
	}{
		"Cell": {
			reason: "A cell's objects name project and environment, and the project as the application.",
			owner:  render.CellOwner(cell),
			want: map[string]string{
				"app.kubernetes.io/managed-by": "terraform-provider-platform", "app.kubernetes.io/name": "shop",
				"openplatform.dev/organization": "acme", "openplatform.dev/owner-kind": "cell", "openplatform.dev/owner": "4b351aa7571b03ad",
				"openplatform.dev/project": "shop", "openplatform.dev/environment": "dev",
			},
		},
		"Deployment": {
			reason: "A deployment's objects carry its labels, which never replace one of ours.",
			owner:  render.DeploymentOwner(deployment),
			want: map[string]string{
				"app.kubernetes.io/managed-by": "terraform-provider-platform", "app.kubernetes.io/name": "cart",
				"openplatform.dev/organization": "acme", "openplatform.dev/owner-kind": "deployment", "openplatform.dev/owner": "5f92971061e1d31f",
				"openplatform.dev/project": "shop", "openplatform.dev/environment": "dev",
				"openplatform.dev/component": "cart", "openplatform.dev/track": "main", "team": "checkout",
			},
		},
		"Endpoint": {
			reason: "An endpoint's objects name the endpoint besides.",
			owner:  render.EndpointOwner(endpoint),
			want: map[string]string{
				"app.kubernetes.io/managed-by": "terraform-provider-platform", "app.kubernetes.io/name": "cart",
				"openplatform.dev/organization": "acme", "openplatform.dev/owner-kind": "endpoint", "openplatform.dev/owner": "fbcd3880ebe744af",
				"openplatform.dev/project": "shop", "openplatform.dev/environment": "dev",
				"openplatform.dev/component": "cart", "openplatform.dev/track": "main", "openplatform.dev/endpoint": "api",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, tc.owner.Labels()); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := tc.owner.Annotations()["openplatform.dev/owner-id"]; got != tc.owner.ID {
				t.Errorf("The full id is in an annotation, got %q, want %q.", got, tc.owner.ID)
			}
		})
	}
}

func TestPodsCarryTheirSelector(t *testing.T) {
	t.Parallel()
	ctx := handlertest.Deployment()
	labels := render.DeploymentOwner(ctx).PodLabels()
	for key, value := range render.PodSelector(ctx.Organization, ctx.Deployment) {
		if labels[key] != value {
			t.Errorf("A workload must select its own pods: label %s is %q, want %q.", key, labels[key], value)
		}
	}
}

func TestInt32(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		value  int64
		ok     bool
	}{
		"Largest":  {reason: "The largest number fits.", value: math.MaxInt32, ok: true},
		"Smallest": {reason: "The smallest number fits.", value: math.MinInt32, ok: true},
		"Above":    {reason: "A larger number does not wrap around.", value: math.MaxInt32 + 1},
		"Below":    {reason: "A smaller number does not wrap around.", value: math.MinInt32 - 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := render.Int32(platform.Path{"replicas"}, tc.value)
			if tc.ok && (err != nil || int64(got) != tc.value) {
				t.Errorf("%s\ngot %d, %v", tc.reason, got, err)
			}
			if _, refused := errors.AsType[*platform.ProblemError](err); refused == tc.ok {
				t.Errorf("%s\ngot %d, %v", tc.reason, got, err)
			}
		})
	}
}

func TestOne(t *testing.T) {
	t.Parallel()
	if _, err := render.One(&platform.DataPlane{Name: "lab"}, make(chan int)); err == nil {
		t.Error("What cannot be encoded is an error.")
	}
	got, err := render.One(&platform.DataPlane{Name: "lab"}, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "n"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []runtime.Resource{{
		ID: "v1:Namespace::n", Type: runtime.Kubernetes,
		Attributes: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "n"}},
		Extensions: map[string]any{runtime.ExtensionDataPlane: "lab"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("An object is a resource of its data plane: -want +got:\n%s", diff)
	}
}

func TestQuantity(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		value  string
		want   string
		fails  bool
	}{
		"Canonical": {reason: "A quantity has one spelling in manifests, whatever the user's.", value: "0.5", want: "500m"},
		"Binary":    {reason: "A unit is kept.", value: "64Mi", want: "64Mi"},
		"Empty":     {reason: "Nothing is no quantity.", value: "", want: "0", fails: true},
		"Word":      {reason: "A word is no quantity and does not panic.", value: "much", want: "0", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := render.Quantity(platform.Path{"cpu"}, tc.value)
			_, refused := errors.AsType[*platform.ProblemError](err)
			if refused != tc.fails || got.String() != tc.want {
				t.Errorf("%s\ngot %s, %v", tc.reason, got.String(), err)
			}
		})
	}
}
