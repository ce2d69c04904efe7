// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// unset returns the path of a field that has its zero value, or "".
func unset(at string, value reflect.Value) string {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return at
		}
		return unset(at, value.Elem())
	case reflect.Struct:
		for i := range value.NumField() {
			if path := unset(at+"."+value.Type().Field(i).Name, value.Field(i)); path != "" {
				return path
			}
		}
		return ""
	case reflect.Slice:
		if value.Len() == 0 {
			return at
		}
		return unset(at+"[0]", value.Index(0))
	case reflect.Map:
		if value.Len() == 0 || value.Type().Elem().Kind() != reflect.Struct {
			return map[bool]string{true: at}[value.Len() == 0]
		}
		return unset(at+"[]", value.MapIndex(value.MapKeys()[0]))
	default:
		if value.IsZero() {
			return at
		}
		return ""
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			objects := map[string]platform.Object{"full": full()[k.kind], "empty": platform.New(k.kind)}
			if path := unset("", reflect.ValueOf(objects["full"])); path != "" {
				t.Fatalf("The object of this test sets every field, but not %s.", path)
			}
			for name, object := range objects {
				got, err := k.decode(valueOf(t, k, object))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(object, got); diff != "" {
					t.Errorf("%s: What is encoded decodes to itself: -want +got:\n%s", name, diff)
				}
			}
		})
	}
}

func TestEveryAttributeIsAField(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			value := valueOf(t, k, full()[k.kind])
			err := tftypes.Walk(value, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) {
				if len(at.Steps()) > 0 {
					name, _ := at.Steps()[0].(tftypes.AttributeName)
					if _, configured := k.attributes[string(name)]; configured && v.IsNull() {
						t.Errorf("Every attribute is a field of the object, but %s is not.", at)
					}
				}
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestUnknownAnywhere(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			value := valueOf(t, k, full()[k.kind])
			var paths []*tftypes.AttributePath
			err := tftypes.Walk(value, func(at *tftypes.AttributePath, _ tftypes.Value) (bool, error) {
				if len(at.Steps()) > 0 {
					paths = append(paths, at)
				}
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range paths {
				name, _ := at.Steps()[0].(tftypes.AttributeName)
				_, configured := k.attributes[string(name)]
				variants, partial, err := k.variants(with(t, value, at, unknown))
				if err != nil {
					t.Errorf("An unknown %s decodes, got %v.", at, err)
					continue
				}
				one, err1 := catalog.Encode(variants[0])
				two, err2 := catalog.Encode(variants[1])
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				if partial != configured || (string(one) != string(two)) != configured || (variants[0] == variants[1]) == configured {
					t.Errorf("What depends on an unknown %s differs between the variants, and nothing else does: got partial %v, %s and %s.", at, partial, one, two)
				}
			}
		})
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.String, "b": tftypes.List{ElementType: tftypes.Number}}}
	cases := map[string]struct {
		reason string
		typ    tftypes.Type
		want   [2]tftypes.Value
	}{
		"String": {reason: "A string passes for a number.", typ: tftypes.String, want: [2]tftypes.Value{tftypes.NewValue(tftypes.String, "7001"), tftypes.NewValue(tftypes.String, "7002")}},
		"Number": {reason: "A number passes for a port.", typ: tftypes.Number, want: [2]tftypes.Value{tftypes.NewValue(tftypes.Number, 7001), tftypes.NewValue(tftypes.Number, 7002)}},
		"Bool":   {reason: "A flag is either.", typ: tftypes.Bool, want: [2]tftypes.Value{tftypes.NewValue(tftypes.Bool, false), tftypes.NewValue(tftypes.Bool, true)}},
		"List": {reason: "A list is empty or not.", typ: tftypes.List{ElementType: tftypes.String}, want: [2]tftypes.Value{
			tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{}),
			tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{tftypes.NewValue(tftypes.String, "7002")}),
		}},
		"Set": {reason: "A set is empty or not.", typ: tftypes.Set{ElementType: tftypes.Bool}, want: [2]tftypes.Value{
			tftypes.NewValue(tftypes.Set{ElementType: tftypes.Bool}, []tftypes.Value{}),
			tftypes.NewValue(tftypes.Set{ElementType: tftypes.Bool}, []tftypes.Value{tftypes.NewValue(tftypes.Bool, true)}),
		}},
		"Map": {reason: "A map is empty or not.", typ: tftypes.Map{ElementType: tftypes.Number}, want: [2]tftypes.Value{
			tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, map[string]tftypes.Value{}),
			tftypes.NewValue(tftypes.Map{ElementType: tftypes.Number}, map[string]tftypes.Value{"unknown": tftypes.NewValue(tftypes.Number, 7002)}),
		}},
		"Object": {reason: "An object is absent or has everything.", typ: object, want: [2]tftypes.Value{
			tftypes.NewValue(object, nil),
			tftypes.NewValue(object, map[string]tftypes.Value{
				"a": tftypes.NewValue(tftypes.String, "7002"),
				"b": tftypes.NewValue(tftypes.List{ElementType: tftypes.Number}, []tftypes.Value{tftypes.NewValue(tftypes.Number, 7002)}),
			}),
		}},
		"Other": {reason: "What no attribute has is null.", typ: tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.String}}, want: [2]tftypes.Value{
			tftypes.NewValue(tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.String}}, nil),
			tftypes.NewValue(tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.String}}, nil),
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for variant, want := range tc.want {
				if got := placeholder(tc.typ, variant); !got.Equal(want) {
					t.Errorf("%s\nvariant %d got %s, want %s", tc.reason, variant, got, want)
				}
			}
		})
	}
}

func TestFromJSONOfWrongType(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		plain  any
		typ    tftypes.Type
	}{
		"List":   {reason: "A list is no string.", plain: []any{"a"}, typ: tftypes.String},
		"Object": {reason: "An object is no string.", plain: map[string]any{}, typ: tftypes.String},
		"Deep":   {reason: "Nor is one inside a list.", plain: []any{map[string]any{}}, typ: tftypes.List{ElementType: tftypes.String}},
		"Map":    {reason: "Nor is one inside a map.", plain: map[string]any{"a": []any{}}, typ: tftypes.Map{ElementType: tftypes.String}},
		"Other":  {reason: "What JSON does not have is an error.", plain: 1.5, typ: tftypes.Number},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := fromJSON(tc.plain, tc.typ); err == nil {
				t.Errorf("%s\ngot %s", tc.reason, got)
			}
		})
	}
}

func TestCertainProblems(t *testing.T) {
	t.Parallel()
	k := kindNamed(t, platform.KindDeployment)
	object, ok := full()[platform.KindDeployment].(*platform.Deployment)
	if !ok {
		t.Fatal("no deployment")
	}
	object.PromotedFrom, object.Overrides, object.Approval = nil, nil, nil
	object.Configuration.Probes, object.Configuration.Scaling = nil, nil
	object.Configuration.Volumes, object.Configuration.TerminationGracePeriodSeconds = nil, nil
	object.Image = "NOT AN IMAGE"
	at := tftypes.NewAttributePath().WithAttributeName
	cases := map[string]struct {
		reason  string
		unknown []*tftypes.AttributePath
		want    []string
	}{
		"Known":   {reason: "What is wrong is reported.", want: []string{"image"}},
		"Unknown": {reason: "What is unknown is not wrong.", unknown: []*tftypes.AttributePath{at("image")}},
		"Beside":  {reason: "What is wrong beside something unknown is reported.", unknown: []*tftypes.AttributePath{at("configuration"), at("component"), at("environment")}, want: []string{"image"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := valueOf(t, k, object)
			for _, path := range tc.unknown {
				value = with(t, value, path, unknown)
			}
			variants, _, err := k.variants(value)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, problem := range certainProblems(variants) {
				got = append(got, problem.Path.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
