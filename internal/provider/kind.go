// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// kind is everything in which one resource differs from another. What they
// share is kindResource.
type kind struct {
	// name is the resource's name without the provider's prefix.
	name string
	// kind is the kind of platform object behind it.
	kind platform.Kind
	// description opens the resource's documentation.
	description string
	// identity are the attributes that make up the id.
	identity []string
	// attributes are the configured ones; their names are the JSON names of the
	// object's fields.
	attributes map[string]schema.Attribute
	// outputs are the computed ones.
	outputs map[string]output
	// timeout is the default for create, update and delete.
	timeout time.Duration
	// waits adds the attribute wait_for_rollout.
	waits bool
	// force tells whether a destroy removes what others made; may be nil.
	force func(object platform.Object) bool
}

func (k *kind) typeName() string { return "platform_" + k.name }

// output is a computed attribute.
type output struct {
	attribute schema.Attribute
	// value picks the attribute's value from what the engine computed.
	value func(engine.Outputs) attr.Value
	// volatile outputs are those that only an apply finds out.
	volatile bool
}

func stringOutput(description string, value func(engine.Outputs) string) output {
	return output{
		attribute: schema.StringAttribute{Computed: true, MarkdownDescription: description},
		value:     func(o engine.Outputs) attr.Value { return types.StringValue(value(o)) },
	}
}

// optionalStringOutput is null when there is no value.
func optionalStringOutput(description string, value func(engine.Outputs) string) output {
	o := stringOutput(description, value)
	o.value = func(outputs engine.Outputs) attr.Value {
		if text := value(outputs); text != "" {
			return types.StringValue(text)
		}
		return types.StringNull()
	}
	return o
}

func boolOutput(description string, value func(engine.Outputs) bool) output {
	return output{
		attribute: schema.BoolAttribute{Computed: true, MarkdownDescription: description},
		value:     func(o engine.Outputs) attr.Value { return types.BoolValue(value(o)) },
	}
}

func mapOutput(description string, value func(engine.Outputs) map[string]string) output {
	return output{
		attribute: schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description},
		value: func(o engine.Outputs) attr.Value {
			elements := map[string]attr.Value{}
			for key, element := range value(o) {
				elements[key] = types.StringValue(element)
			}
			return types.MapValueMust(types.StringType, elements)
		},
	}
}

func listOutput(description string, value func(engine.Outputs) []string) output {
	return output{
		attribute: schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description},
		value: func(o engine.Outputs) attr.Value {
			var elements []attr.Value
			for _, element := range value(o) {
				elements = append(elements, types.StringValue(element))
			}
			return types.ListValueMust(types.StringType, elements)
		},
	}
}

func (o output) afterApply() output {
	o.volatile = true
	return o
}

// outputManifests is the name of the output of every kind that renders objects.
const outputManifests = "manifests"

// manifestsOutput is the output of every kind that renders objects.
func manifestsOutput() output {
	return mapOutput("The Kubernetes objects, as `Kind/namespace/name` to compact JSON of the fields that the provider owns. "+
		"Known at plan, so that a plan shows every change of every object.",
		func(o engine.Outputs) map[string]string { return o.Manifests })
}

// merge returns the value that both variants agree on. A map of equal keys is
// unknown only where its elements differ; everything else that differs is
// unknown as a whole.
func (o output) merge(a, b engine.Outputs) attr.Value {
	first, second := o.value(a), o.value(b)
	if first.Equal(second) {
		return first
	}
	one, ok1 := first.(types.Map)
	two, ok2 := second.(types.Map)
	if !ok1 || !ok2 || len(one.Elements()) != len(two.Elements()) {
		return o.unknown()
	}
	elements := one.Elements()
	for key, element := range two.Elements() {
		mine, ok := elements[key]
		switch {
		case !ok:
			return o.unknown()
		case !mine.Equal(element):
			elements[key] = types.StringUnknown()
		}
	}
	return types.MapValueMust(types.StringType, elements)
}

func (o output) unknown() attr.Value {
	switch o.attribute.GetType().(type) {
	case types.MapType:
		return types.MapUnknown(types.StringType)
	case types.ListType:
		return types.ListUnknown(types.StringType)
	}
	if o.attribute.GetType().Equal(types.BoolType) {
		return types.BoolUnknown()
	}
	return types.StringUnknown()
}
