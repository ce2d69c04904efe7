// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestKubernetesID(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		key    runtime.ObjectKey
		id     string
		text   string
	}{
		"Namespaced": {
			reason: "A namespaced object has all four parts.",
			key:    runtime.ObjectKey{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "cart"},
			id:     "apps/v1:Deployment:shop:cart", text: "Deployment/shop/cart",
		},
		"Cluster": {
			reason: "An object of the cluster has an empty namespace.",
			key:    runtime.ObjectKey{APIVersion: "v1", Kind: "Namespace", Name: "shop"},
			id:     "v1:Namespace::shop", text: "Namespace/shop",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := runtime.KubernetesID(tc.key.APIVersion, tc.key.Kind, tc.key.Namespace, tc.key.Name)
			if id != tc.id {
				t.Errorf("%s\ngot %q, want %q", tc.reason, id, tc.id)
			}
			key, err := runtime.ParseKubernetesID(id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.key, key); diff != "" {
				t.Errorf("Parsing is the inverse: -want +got:\n%s", diff)
			}
			if key.String() != tc.text {
				t.Errorf("Messages name the object %q, got %q.", tc.text, key)
			}
		})
	}
}

func TestParseKubernetesIDRefuses(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "v1", "v1:Service:shop", ":Service:shop:cart", "v1::shop:cart", "v1:Service:shop:", "v1:Service:shop:cart:x"} {
		if _, err := runtime.ParseKubernetesID(id); runtime.CodeOf(err) != runtime.InvalidArgument {
			t.Errorf("%q is no id of an object, got %v.", id, err)
		}
	}
}

func TestDataPlane(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason   string
		resource runtime.Resource
		want     string
	}{
		"Set":       {reason: "The data plane is an extension.", resource: runtime.Resource{Extensions: map[string]any{"dataPlane": "lab"}}, want: "lab"},
		"Missing":   {reason: "A resource without extensions is on no data plane."},
		"WrongType": {reason: "An extension of another type does not panic.", resource: runtime.Resource{Extensions: map[string]any{"dataPlane": 1}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.resource.DataPlane(); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
