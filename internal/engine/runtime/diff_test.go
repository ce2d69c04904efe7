// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	type tree = map[string]any
	cases := map[string]struct {
		reason        string
		before, after tree
		want          []string
	}{
		"BothNil":  {reason: "Nothing does not differ from nothing."},
		"NilEmpty": {reason: "Nothing does not differ from an empty tree.", before: nil, after: tree{}},
		"FromNil":  {reason: "Every key of a new tree is new.", after: tree{"b": "x", "a": int64(1)}, want: []string{"a", "b"}},
		"ToNil":    {reason: "Every key of a removed tree is gone.", before: tree{"a": int64(1)}, want: []string{"a"}},
		"Equal": {
			reason: "Equal trees do not differ.",
			before: tree{"a": tree{"b": []any{int64(1), tree{"c": "x"}}}}, after: tree{"a": tree{"b": []any{int64(1), tree{"c": "x"}}}},
		},
		"Leaf":    {reason: "A leaf is named by the keys that lead to it.", before: tree{"a": tree{"b": "x"}}, after: tree{"a": tree{"b": "y"}}, want: []string{"a.b"}},
		"Added":   {reason: "An added subtree is one difference.", before: tree{"a": tree{}}, after: tree{"a": tree{"b": tree{"c": "x"}}}, want: []string{"a.b"}},
		"Removed": {reason: "A removed subtree is one difference.", before: tree{"a": tree{"b": tree{"c": "x"}}}, after: tree{"a": tree{}}, want: []string{"a.b"}},
		"Item": {
			reason: "Lists of one length differ by position.",
			before: tree{"l": []any{"x", tree{"k": "y"}}}, after: tree{"l": []any{"x", tree{"k": "z"}}}, want: []string{"l[1].k"},
		},
		"Length":  {reason: "Lists of different lengths differ as a whole.", before: tree{"l": []any{"x"}}, after: tree{"l": []any{"x", "y"}}, want: []string{"l"}},
		"Type":    {reason: "Values of different types differ.", before: tree{"a": tree{"b": "x"}}, after: tree{"a": []any{"x"}}, want: []string{"a"}},
		"Null":    {reason: "A null is not the same as a missing key.", before: tree{"a": nil}, after: tree{}, want: []string{"a"}},
		"Sorted":  {reason: "Paths are sorted.", before: tree{"b": "x", "a": "x", "c": "x"}, after: tree{"b": "y", "a": "y", "c": "y"}, want: []string{"a", "b", "c"}},
		"NilTree": {reason: "A nil subtree does not differ from an empty one.", before: tree{"a": tree(nil)}, after: tree{"a": tree{}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, runtime.Diff(tc.before, tc.after)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
