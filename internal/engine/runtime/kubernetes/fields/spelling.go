// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// covered returns prior if live holds all of it, perhaps with defaults added,
// and else live in prior's spelling.
func covered(path []string, live, prior any) any {
	if covers(path, live, prior) {
		return clone(prior)
	}
	return respell(path, live, prior)
}

// covers reports that live differs from prior at most by additions and by zeros
// that the server left out.
func covers(path []string, live, prior any) bool {
	switch wanted := prior.(type) {
	case map[string]any:
		object, ok := live.(map[string]any)
		return ok && coversMap(path, object, wanted)
	case []any:
		items, ok := live.([]any)
		return ok && coversList(path, items, wanted)
	default:
		return Equal(path, live, prior)
	}
}

func coversMap(path []string, live, prior map[string]any) bool {
	for key, wanted := range prior {
		held, ok := live[key]
		if !ok && isZero(wanted) {
			continue
		}
		if !ok || !covers(appendPath(path, key), held, wanted) {
			return false
		}
	}
	return true
}

func coversList(path []string, live, prior []any) bool {
	if len(live) != len(prior) {
		return false
	}
	for i := range prior {
		if !covers(path, live[i], prior[i]) {
			return false
		}
	}
	return true
}

// respell returns live, with the spelling of prior wherever both mean the same.
func respell(path []string, live, prior any) any {
	if prior == nil {
		return clone(live)
	}
	if Equal(path, live, prior) {
		return clone(prior)
	}
	switch typed := live.(type) {
	case map[string]any:
		wanted, ok := prior.(map[string]any)
		if !ok {
			return clone(live)
		}
		out := make(map[string]any, len(typed))
		for key, value := range typed {
			out[key] = respell(appendPath(path, key), value, wanted[key])
		}
		return out
	case []any:
		wanted, ok := prior.([]any)
		if !ok {
			return clone(live)
		}
		return respellList(path, typed, wanted)
	default:
		return live
	}
}

// respellList pairs elements by what identifies them; only where nothing does,
// by place.
func respellList(path []string, live, prior []any) []any {
	keys := listKeys(path, live)
	if keys == nil {
		keys = present(live, "name")
	}
	out := make([]any, len(live))
	for i, item := range live {
		out[i] = respell(path, item, partner(item, i, prior, keys))
	}
	return out
}

func partner(item any, at int, prior []any, keys []string) any {
	if keys == nil {
		if at < len(prior) {
			return prior[at]
		}
		return nil
	}
	key, ok := elementKey(item, keys)
	if !ok {
		return nil
	}
	found := slices.IndexFunc(prior, func(candidate any) bool {
		element, ok := elementKey(candidate, keys)
		return ok && element.Equals(key)
	})
	if found < 0 {
		return nil
	}
	return prior[found]
}

func valueElement(item any) fieldpath.PathElement {
	element := value.NewValueInterface(item)
	return fieldpath.PathElement{Value: &element}
}
