// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package schematest names the attributes of a schema by path, so that a table
// about attributes can be checked against the schema. Only tests use it.
package schematest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Path leads to a value: attribute names, keys of maps and positions of lists.
type Path []any

// Key is a key of a map.
type Key string

// Parse reads a path such as configuration.ports["http"].port or
// promotion_paths[0].source. It panics on anything else: paths stand in tables.
func Parse(text string) Path {
	var path Path
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, `["`):
			key, after, ok := strings.Cut(rest[2:], `"]`)
			if !ok {
				panic("unfinished key in " + text)
			}
			path, rest = append(path, Key(key)), after
		case strings.HasPrefix(rest, "["):
			number, after, _ := strings.Cut(rest[1:], "]")
			index, err := strconv.Atoi(number)
			if err != nil {
				panic("no position in " + text)
			}
			path, rest = append(path, index), after
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			path, rest = append(path, rest[:end]), rest[end:]
		}
	}
	return path
}

// String returns what Parse reads.
func (p Path) String() string {
	var text strings.Builder
	for i, step := range p {
		switch step := step.(type) {
		case Key:
			fmt.Fprintf(&text, "[%q]", string(step))
		case int:
			fmt.Fprintf(&text, "[%d]", step)
		default:
			if i > 0 {
				text.WriteByte('.')
			}
			fmt.Fprint(&text, step)
		}
	}
	return text.String()
}

// Attribute returns the attribute of the schema that the path leads to or into:
// every key and position is [], and one at the end is left out.
func (p Path) Attribute() string {
	var text strings.Builder
	for i, step := range p {
		name, ok := step.(string)
		switch {
		case !ok:
			text.WriteString("[]")
		case i > 0:
			text.WriteString("." + name)
		default:
			text.WriteString(name)
		}
	}
	return strings.TrimSuffix(text.String(), "[]")
}

// FromProtocol returns the path of a diagnostic; "" is none.
func FromProtocol(attribute *tftypes.AttributePath) string {
	var path Path
	for _, step := range attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			path = append(path, string(step))
		case tftypes.ElementKeyString:
			path = append(path, Key(step))
		case tftypes.ElementKeyInt:
			path = append(path, int(step))
		}
	}
	return path.String()
}

// Set puts a value into a tree, in which objects and maps are map[string]any and
// lists []any; what is missing on the way is made. A nil value removes. It
// returns the tree.
func Set(tree any, path Path, value any) any {
	if len(path) == 0 {
		return value
	}
	if index, ok := path[0].(int); ok {
		list, _ := tree.([]any)
		for len(list) <= index {
			list = append(list, map[string]any{})
		}
		list[index] = Set(list[index], path[1:], value)
		return list
	}
	object, ok := tree.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	name := fmt.Sprint(path[0])
	if len(path) == 1 && value == nil {
		delete(object, name)
		return object
	}
	object[name] = Set(object[name], path[1:], value)
	return object
}

// Get returns what a tree holds at a path, or nil.
func Get(tree any, path Path) any {
	for _, step := range path {
		switch at := tree.(type) {
		case map[string]any:
			tree = at[fmt.Sprint(step)]
		case []any:
			index, ok := step.(int)
			if !ok || index >= len(at) {
				return nil
			}
			tree = at[index]
		default:
			return nil
		}
	}
	return tree
}

// Clone returns a deep copy of a tree.
func Clone(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(tree))
		for key, value := range tree {
			out[key] = Clone(value)
		}
		return out
	case []any:
		out := make([]any, len(tree))
		for i, value := range tree {
			out[i] = Clone(value)
		}
		return out
	}
	return tree
}
