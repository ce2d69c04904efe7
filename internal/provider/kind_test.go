// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func textMap(elements map[string]attr.Value) attr.Value {
	return types.MapValueMust(types.StringType, elements)
}

func TestMerge(t *testing.T) {
	t.Parallel()
	text := func(s string) attr.Value { return types.StringValue(s) }
	manifests := func(m map[string]string) engine.Outputs { return engine.Outputs{Manifests: m} }
	of := func(kind platform.Kind, name string) output { return kindNamed(t, kind).outputs[name] }
	deployment, pipeline := platform.KindDeployment, platform.KindDeploymentPipeline
	cases := map[string]struct {
		reason string
		output output
		a, b   engine.Outputs
		want   attr.Value
	}{
		"SameString":  {reason: "What both agree on is known.", output: of(deployment, "release"), a: engine.Outputs{Release: "x"}, b: engine.Outputs{Release: "x"}, want: text("x")},
		"OtherString": {reason: "What they do not is unknown.", output: of(deployment, "release"), a: engine.Outputs{Release: "x"}, b: engine.Outputs{Release: "y"}, want: types.StringUnknown()},
		"SameBool":    {reason: "A flag that both agree on is known.", output: of(deployment, "ready"), want: types.BoolValue(false)},
		"OtherBool":   {reason: "A flag of which they differ is unknown.", output: of(deployment, "ready"), b: engine.Outputs{Ready: true}, want: types.BoolUnknown()},
		"SameList":    {reason: "An empty list is no null.", output: of(pipeline, "environments"), want: types.ListValueMust(types.StringType, nil)},
		"OtherList":   {reason: "A list that differs is unknown as a whole.", output: of(pipeline, "environments"), a: engine.Outputs{Environments: []string{"a"}}, b: engine.Outputs{Environments: []string{"b"}}, want: types.ListUnknown(types.StringType)},
		"NoMap":       {reason: "An empty map is no null.", output: of(deployment, "manifests"), want: textMap(map[string]attr.Value{})},
		"SameMap":     {reason: "A map that both agree on is known.", output: of(deployment, "manifests"), a: manifests(map[string]string{"a": "1"}), b: manifests(map[string]string{"a": "1"}), want: textMap(map[string]attr.Value{"a": text("1")})},
		"Element":     {reason: "An element that differs is unknown, the others are not.", output: of(deployment, "manifests"), a: manifests(map[string]string{"a": "1", "b": "1"}), b: manifests(map[string]string{"a": "1", "b": "2"}), want: textMap(map[string]attr.Value{"a": text("1"), "b": types.StringUnknown()})},
		"MoreKeys":    {reason: "A map whose keys are not certain is unknown as a whole.", output: of(deployment, "manifests"), a: manifests(map[string]string{"a": "1"}), b: manifests(map[string]string{"a": "1", "b": "1"}), want: types.MapUnknown(types.StringType)},
		"OtherKeys":   {reason: "That holds for as many keys too.", output: of(deployment, "manifests"), a: manifests(map[string]string{"a": "1"}), b: manifests(map[string]string{"b": "1"}), want: types.MapUnknown(types.StringType)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for direction, got := range map[string]attr.Value{"": tc.output.merge(tc.a, tc.b), "reversed ": tc.output.merge(tc.b, tc.a)} {
				if direction == "" && !got.Equal(tc.want) || direction != "" && got.IsUnknown() != tc.want.IsUnknown() {
					t.Errorf("%s\n%sgot %s, want %s", tc.reason, direction, got, tc.want)
				}
			}
		})
	}
}

func TestOutputsHaveTheirType(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		for name, output := range k.outputs {
			want := output.attribute.GetType()
			for _, value := range []attr.Value{output.unknown(), output.value(engine.Outputs{})} {
				if got := value.Type(t.Context()); !got.Equal(want) {
					t.Errorf("%s.%s is a %s, got a %s.", k.typeName(), name, want, got)
				}
			}
			if _, clash := k.attributes[name]; clash {
				t.Errorf("%s.%s is configured or computed, not both.", k.typeName(), name)
			}
		}
		for _, name := range k.identity {
			if _, ok := k.attributes[name]; !ok {
				t.Errorf("%s has no attribute %s to be identified by.", k.typeName(), name)
			}
		}
	}
}
