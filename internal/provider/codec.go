// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// The names of an object's configured attributes are the JSON names of its
// fields. So one conversion serves every kind: a Terraform value becomes JSON
// and the JSON an object, and back.

// decode returns the object that the configured attributes of value describe.
// Every value must be known.
func (k *kind) decode(value tftypes.Value) (platform.Object, error) {
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		return nil, fmt.Errorf("decode %s: %w", k.typeName(), err)
	}
	configured := map[string]any{}
	for name := range k.attributes {
		plain, err := toJSON(attributes[name])
		if err != nil {
			return nil, fmt.Errorf("decode %s.%s: %w", k.typeName(), name, err)
		}
		if plain != nil {
			configured[name] = plain
		}
	}
	raw, err := json.Marshal(configured)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", k.typeName(), err)
	}
	object := platform.New(k.kind)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(object); err != nil {
		return nil, fmt.Errorf("decode %s: %w", k.typeName(), err)
	}
	return object, nil
}

// variants decodes value twice, with two sets of placeholders for what is
// unknown. Without unknown values both are the same object.
func (k *kind) variants(value tftypes.Value) (catalog.Variants, bool, error) {
	var variants catalog.Variants
	partial := false
	for i := range variants {
		filled, err := tftypes.Transform(value, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if v.IsKnown() {
				return v, nil
			}
			return placeholder(v.Type(), i), nil
		})
		if err != nil {
			return variants, false, fmt.Errorf("decode %s: %w", k.typeName(), err)
		}
		if variants[i], err = k.decode(filled); err != nil {
			return variants, false, err
		}
		if i == 0 && k.known(value) {
			return catalog.Known(variants[0]), false, nil
		}
		partial = true
	}
	return variants, partial, nil
}

// known tells whether every configured attribute is wholly known.
func (k *kind) known(value tftypes.Value) bool {
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		return false
	}
	for name := range k.attributes {
		if !attributes[name].IsFullyKnown() {
			return false
		}
	}
	return true
}

// placeholder returns a value for an unknown one. Its strings are digits, which
// pass for a quantity, a port and an image alike, so that rendering succeeds.
func placeholder(typ tftypes.Type, variant int) tftypes.Value {
	const base = 7001
	number := base + variant
	switch t := typ.(type) {
	case tftypes.List:
		if variant == 0 {
			return tftypes.NewValue(t, []tftypes.Value{})
		}
		return tftypes.NewValue(t, []tftypes.Value{placeholder(t.ElementType, variant)})
	case tftypes.Set:
		if variant == 0 {
			return tftypes.NewValue(t, []tftypes.Value{})
		}
		return tftypes.NewValue(t, []tftypes.Value{placeholder(t.ElementType, variant)})
	case tftypes.Map:
		if variant == 0 {
			return tftypes.NewValue(t, map[string]tftypes.Value{})
		}
		return tftypes.NewValue(t, map[string]tftypes.Value{"unknown": placeholder(t.ElementType, variant)})
	case tftypes.Object:
		if variant == 0 {
			return tftypes.NewValue(t, nil)
		}
		attributes := map[string]tftypes.Value{}
		for name, attribute := range t.AttributeTypes {
			attributes[name] = placeholder(attribute, variant)
		}
		return tftypes.NewValue(t, attributes)
	}
	switch {
	case typ.Is(tftypes.String):
		return tftypes.NewValue(typ, fmt.Sprint(number))
	case typ.Is(tftypes.Number):
		return tftypes.NewValue(typ, number)
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, variant == 1)
	}
	return tftypes.NewValue(typ, nil)
}

// toJSON turns a known Terraform value into what encoding/json takes. Null
// becomes nil, and null attributes and elements are left out.
func toJSON(value tftypes.Value) (plain any, err error) {
	if value.Type() == nil || value.IsNull() {
		return plain, nil
	}
	switch typ := value.Type(); {
	case typ.Is(tftypes.String):
		var text string
		err = value.As(&text)
		return text, err
	case typ.Is(tftypes.Bool):
		var flag bool
		err = value.As(&flag)
		return flag, err
	case typ.Is(tftypes.Number):
		var number big.Float
		err = value.As(&number)
		return json.Number(number.Text('f', -1)), err
	}
	var elements []tftypes.Value
	if err := value.As(&elements); err == nil {
		return listToJSON(elements)
	}
	var attributes map[string]tftypes.Value
	if err := value.As(&attributes); err != nil {
		return nil, err
	}
	return mapToJSON(attributes)
}

func listToJSON(elements []tftypes.Value) (any, error) {
	list := make([]any, 0, len(elements))
	for _, element := range elements {
		plain, err := toJSON(element)
		if err != nil {
			return nil, err
		}
		list = append(list, plain)
	}
	return list, nil
}

func mapToJSON(attributes map[string]tftypes.Value) (any, error) {
	object := make(map[string]any, len(attributes))
	for name, attribute := range attributes {
		plain, err := toJSON(attribute)
		if err != nil {
			return nil, err
		}
		if plain != nil {
			object[name] = plain
		}
	}
	return object, nil
}

// wrongNumbers returns the numbers of a value that no attribute can hold: all
// of them are integers.
func wrongNumbers(value tftypes.Value) []platform.Problem {
	var problems []platform.Problem
	// The walk itself cannot fail: it looks at nothing but known numbers.
	_ = tftypes.Walk(value, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		if !v.IsKnown() || v.IsNull() || !v.Type().Is(tftypes.Number) {
			return true, nil
		}
		var number big.Float
		if err := v.As(&number); err != nil {
			return false, err
		}
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			problems = append(problems, platform.Problem{
				Path: fieldPath(at), Title: "Invalid number", Detail: number.Text('g', -1) + " is not a whole number of at most 64 bits.",
			})
		}
		return true, nil
	})
	return problems
}

// fieldPath turns the path of an attribute into that of a field.
func fieldPath(at *tftypes.AttributePath) platform.Path {
	var path platform.Path
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			path = append(path, string(step))
		case tftypes.ElementKeyString:
			path = append(path, string(step))
		case tftypes.ElementKeyInt:
			path = append(path, int(step))
		}
	}
	return path
}

// encode returns the configured attributes of an object as Terraform values of
// the schema's types.
func (k *kind) encode(object platform.Object, typ tftypes.Object) (map[string]tftypes.Value, error) {
	raw, err := catalog.Encode(object)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var plain map[string]any
	if err := decoder.Decode(&plain); err != nil {
		return nil, fmt.Errorf("encode %s: %w", k.typeName(), err)
	}
	values := map[string]tftypes.Value{}
	for name := range k.attributes {
		if values[name], err = fromJSON(plain[name], typ.AttributeTypes[name]); err != nil {
			return nil, fmt.Errorf("encode %s.%s: %w", k.typeName(), name, err)
		}
	}
	return values, nil
}

// fromJSON turns decoded JSON into a Terraform value of a type; what is absent
// becomes null.
func fromJSON(plain any, typ tftypes.Type) (tftypes.Value, error) {
	switch plain := plain.(type) {
	case nil:
		return tftypes.NewValue(typ, nil), nil
	case string, bool:
		return tftypes.NewValue(typ, plain), nil
	case json.Number:
		number, ok := new(big.Float).SetString(plain.String())
		if !ok {
			return tftypes.Value{}, fmt.Errorf("%q is not a number", plain)
		}
		return tftypes.NewValue(typ, number), nil
	case []any:
		return listFromJSON(plain, typ)
	case map[string]any:
		return mapFromJSON(plain, typ)
	}
	return tftypes.Value{}, fmt.Errorf("no value of %s from a %T", typ, plain)
}

func listFromJSON(plain []any, typ tftypes.Type) (tftypes.Value, error) {
	list, ok := typ.(tftypes.List)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("no value of %s from a list", typ)
	}
	elements := make([]tftypes.Value, 0, len(plain))
	for _, element := range plain {
		value, err := fromJSON(element, list.ElementType)
		if err != nil {
			return tftypes.Value{}, err
		}
		elements = append(elements, value)
	}
	return tftypes.NewValue(typ, elements), nil
}

func mapFromJSON(plain map[string]any, typ tftypes.Type) (tftypes.Value, error) {
	values := map[string]tftypes.Value{}
	var err error
	switch t := typ.(type) {
	case tftypes.Map:
		for key, element := range plain {
			if values[key], err = fromJSON(element, t.ElementType); err != nil {
				return tftypes.Value{}, err
			}
		}
	case tftypes.Object:
		for name, attribute := range t.AttributeTypes {
			if values[name], err = fromJSON(plain[name], attribute); err != nil {
				return tftypes.Value{}, err
			}
		}
	default:
		return tftypes.Value{}, fmt.Errorf("no value of %s from an object", typ)
	}
	return tftypes.NewValue(typ, values), nil
}
