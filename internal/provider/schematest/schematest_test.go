// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package schematest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

func TestPath(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		path      schematest.Path
		attribute string
	}{
		"name":                              {schematest.Path{"name"}, "name"},
		`labels["example.com/a.b"]`:         {schematest.Path{"labels", schematest.Key("example.com/a.b")}, "labels"},
		`configuration.ports["http"].port`:  {schematest.Path{"configuration", "ports", schematest.Key("http"), "port"}, "configuration.ports[].port"},
		"promotion_paths[1].targets[0].end": {schematest.Path{"promotion_paths", 1, "targets", 0, "end"}, "promotion_paths[].targets[].end"},
	}
	for text, tc := range cases {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			path := schematest.Parse(text)
			if diff := cmp.Diff(tc.path, path); diff != "" {
				t.Errorf("A path is read step by step: -want +got:\n%s", diff)
			}
			if path.String() != text || path.Attribute() != tc.attribute {
				t.Errorf("got %q of the attribute %q", path, path.Attribute())
			}
			tree := schematest.Set(map[string]any{}, path, "x")
			if schematest.Get(schematest.Clone(tree), path) != "x" {
				t.Errorf("What is set at a path is found there, got %v.", tree)
			}
			if schematest.Get(schematest.Set(tree, path, nil), path) != nil {
				t.Errorf("What is removed is gone, got %v.", tree)
			}
		})
	}
}
