// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"slices"
	"strconv"
)

// Changed returns the paths of the leaves that differ between two objects,
// sorted, in the notation of PathString. Spellings that mean the same do not differ.
func Changed(before, after map[string]any) []string {
	differ := &differ{paths: map[string]struct{}{}}
	differ.maps("", nil, before, after)
	out := make([]string, 0, len(differ.paths))
	for path := range differ.paths {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

type differ struct {
	paths map[string]struct{}
}

func (d *differ) maps(at string, path []string, before, after map[string]any) {
	for key, old := range before {
		value, ok := after[key]
		if !ok {
			d.whole(join(at, key), appendPath(path, key), old)
			continue
		}
		d.values(join(at, key), appendPath(path, key), old, value)
	}
	for key, value := range after {
		if _, ok := before[key]; !ok {
			d.whole(join(at, key), appendPath(path, key), value)
		}
	}
}

func (d *differ) values(at string, path []string, before, after any) {
	if Equal(path, before, after) {
		return
	}
	switch old := before.(type) {
	case map[string]any:
		if object, ok := after.(map[string]any); ok {
			d.maps(at, path, old, object)
			return
		}
	case []any:
		if list, ok := after.([]any); ok {
			d.lists(at, path, old, list)
			return
		}
	}
	d.paths[at] = struct{}{}
}

func (d *differ) lists(at string, path []string, before, after []any) {
	keys := listKeys(path, slices.Concat(before, after))
	if keys == nil {
		d.plainLists(at, path, before, after)
		return
	}
	for _, old := range before {
		element, ok := elementKey(old, keys)
		if !ok {
			continue
		}
		if item := partner(old, 0, after, keys); item != nil {
			d.values(at+element.String(), path, old, item)
			continue
		}
		d.whole(at+element.String(), path, old)
	}
	for _, item := range after {
		element, ok := elementKey(item, keys)
		if ok && partner(item, 0, before, keys) == nil {
			d.whole(at+element.String(), path, item)
		}
	}
}

func (d *differ) plainLists(at string, path []string, before, after []any) {
	if len(before) != len(after) {
		d.paths[at] = struct{}{}
		return
	}
	for i := range before {
		d.values(at+"["+strconv.Itoa(i)+"]", path, before[i], after[i])
	}
}

// whole notes every leaf of a value that only one side has.
func (d *differ) whole(at string, path []string, value any) {
	switch typed := value.(type) {
	case map[string]any:
		for key, child := range typed {
			d.whole(join(at, key), appendPath(path, key), child)
		}
	case []any:
		if len(typed) > 0 {
			d.paths[at] = struct{}{}
		}
	case nil:
	default:
		d.paths[at] = struct{}{}
	}
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
