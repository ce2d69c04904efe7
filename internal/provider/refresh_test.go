// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func emptyList(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, []tftypes.Value{}) }

func emptyMap(typ tftypes.Type) tftypes.Value {
	return tftypes.NewValue(typ, map[string]tftypes.Value{})
}

// nothing is an object all of whose attributes are null.
func nothing(typ tftypes.Type) tftypes.Value {
	attributes := map[string]tftypes.Value{}
	if object, ok := typ.(tftypes.Object); ok {
		for name, attribute := range object.AttributeTypes {
			attributes[name] = tftypes.NewValue(attribute, nil)
		}
	}
	return tftypes.NewValue(typ, attributes)
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	at := tftypes.NewAttributePath().WithAttributeName
	configuration := at("configuration")
	bare := func() *platform.Deployment { return &platform.Deployment{Component: "shop/cart", Environment: "dev"} }
	configured := func(change func(*platform.Configuration)) *platform.Deployment {
		d := bare()
		change(&d.Configuration)
		return d
	}
	cases := map[string]struct {
		reason string
		// state is what the state was made from, spelled otherwise at path.
		state  platform.Object
		path   *tftypes.AttributePath
		spell  func(tftypes.Type) tftypes.Value
		record platform.Object
		// kept tells whether the state's spelling stays.
		kept bool
	}{
		"EmptyMap":      {reason: "An empty map is no map.", state: bare(), path: at("labels"), spell: emptyMap, record: bare(), kept: true},
		"EmptyObject":   {reason: "A configuration without anything is none.", state: bare(), path: configuration, spell: nothing, record: bare(), kept: true},
		"EmptyList":     {reason: "A command without words is none.", state: configured(func(c *platform.Configuration) { c.Args = []string{"a"} }), path: configuration.WithAttributeName("command"), spell: emptyList, record: configured(func(c *platform.Configuration) { c.Args = []string{"a"} }), kept: true},
		"EmptyString":   {reason: "An image that is empty is none.", state: bare(), path: at("image"), spell: func(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, "") }, record: bare(), kept: true},
		"EmptyVariable": {reason: "A variable that is empty is a variable.", state: bare(), record: configured(func(c *platform.Configuration) { c.Env = map[string]string{"MODE": ""} })},
		"ZeroReplicas":  {reason: "No replicas are not the same as no number.", state: bare(), record: configured(func(c *platform.Configuration) { c.Scaling = &platform.Scaling{Replicas: number(0)} })},
		"EmptyNested":   {reason: "An object that is there is not absent.", state: bare(), record: configured(func(c *platform.Configuration) { c.Resources = &platform.Resources{} })},
		"Changed":       {reason: "What another run changed is taken over.", state: configured(func(c *platform.Configuration) { c.Env = map[string]string{"A": "1"} }), record: configured(func(c *platform.Configuration) { c.Env = map[string]string{"A": "2"} })},
		"Removed":       {reason: "What another run removed goes.", state: configured(func(c *platform.Configuration) { c.Args = []string{"a"} }), record: bare()},
		"NoTargets": {
			reason: "That holds inside lists too.",
			state:  &platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{{Source: "dev"}}},
			path:   at("promotion_paths").WithElementKeyInt(0).WithAttributeName("targets"), spell: emptyList, kept: true,
			record: &platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{{Source: "dev"}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := kindNamed(t, tc.record.Kind())
			state := valueOf(t, k, tc.state)
			if tc.path != nil {
				state = with(t, state, tc.path, tc.spell)
			}
			want := valueOf(t, k, tc.record)
			if tc.kept {
				want = state
			}
			got, err := k.refresh(state, tc.record)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(want) {
				diffs, _ := want.Diff(got)
				t.Errorf("%s\nwant and got: %v", tc.reason, diffs)
			}
		})
	}
}

func TestRefreshOfImport(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			got, err := k.refresh(nothing(typeOf(t, k)), full()[k.kind])
			if err != nil {
				t.Fatal(err)
			}
			if want := valueOf(t, k, full()[k.kind]); !got.Equal(want) {
				t.Errorf("An import takes everything that is declared, got %s.", got)
			}
		})
	}
	k := kindNamed(t, platform.KindProject)
	for name, state := range map[string]tftypes.Value{"no object": tftypes.NewValue(tftypes.String, "x"), "another kind": nothing(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.Bool}})} {
		if name == "another kind" {
			state = tftypes.NewValue(state.Type(), map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.Bool, true)})
		}
		if _, err := k.refresh(state, &platform.Project{}); err == nil {
			t.Errorf("A state that is %s is an error.", name)
		}
	}
}
