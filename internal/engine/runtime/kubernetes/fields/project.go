// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Project returns the live values of the fields that are ours: those that prior
// holds and those that our entry of the managed fields lists. A value that means
// the same as prior's keeps prior's spelling, and lists keep prior's order; what
// the server defaulted inside a field that is ours is left out. A field of prior
// that someone removed is missing from the result. prior may be nil.
func Project(live, prior map[string]any, owned Ownership) map[string]any {
	own, all := node{set: owned.Own}, node{set: owned.All}
	out := projectMap(nil, live, prior, own, all, skipRoot)
	for _, key := range []string{"apiVersion", "kind"} {
		if value, ok := live[key]; ok {
			out[key] = value
		}
	}
	liveMetadata, _ := live["metadata"].(map[string]any)
	priorMetadata, _ := prior["metadata"].(map[string]any)
	metadata := projectMap([]string{"metadata"}, liveMetadata, priorMetadata,
		own.field("metadata"), all.field("metadata"), isIdentity)
	for _, key := range []string{"name", "namespace"} {
		if value, ok := liveMetadata[key]; ok {
			metadata[key] = value
		}
	}
	out["metadata"] = metadata
	return out
}

func skipRoot(key string) bool {
	return key == "apiVersion" || key == "kind" || key == "metadata" || key == "status"
}

// node is a place in a tree of owned fields.
type node struct {
	// set holds what is owned below the place; nil when nothing is.
	set *fieldpath.Set
	// member is true when the place itself is owned.
	member bool
}

func (n node) field(name string) node {
	return n.child(fieldpath.PathElement{FieldName: &name})
}

func (n node) child(element fieldpath.PathElement) node {
	if n.set == nil {
		return node{}
	}
	below, _ := n.set.Children.Get(element)
	return node{set: below, member: n.set.Members.Has(element)}
}

func (n node) exists() bool { return n.member || !n.bare() }

// bare reports that nothing is owned below the place.
func (n node) bare() bool { return n.set == nil || n.set.Empty() }

// leaf reports that the place is owned as a whole.
func (n node) leaf() bool { return n.member && n.bare() }

func projectMap(path []string, live, prior map[string]any, own, all node, skip func(string) bool) map[string]any {
	out := map[string]any{}
	for key, value := range live {
		if skip != nil && skip(key) {
			continue
		}
		wanted, known := prior[key]
		below := own.field(key)
		if known || below.exists() {
			out[key] = projectValue(appendPath(path, key), value, wanted, below, all.field(key))
		}
	}
	for key, wanted := range prior {
		if _, ok := live[key]; ok || (skip != nil && skip(key)) {
			continue
		}
		if dropped(wanted, own.field(key), own) {
			out[key] = clone(wanted)
		}
	}
	return out
}

// dropped reports that the server, and not another writer, left out a wanted
// field: a writer that removes a field takes it out of our entry too.
func dropped(wanted any, below, own node) bool {
	if isEmpty(wanted) || below.exists() {
		return true
	}
	return own.set == nil && isZero(wanted)
}

func projectValue(path []string, live, prior any, own, all node) any {
	switch typed := live.(type) {
	case map[string]any:
		return projectObject(path, typed, prior, own, all)
	case []any:
		return projectList(path, typed, prior, own, all)
	default:
		return respell(path, live, prior)
	}
}

func projectObject(path []string, live map[string]any, prior any, own, all node) any {
	wanted, ok := prior.(map[string]any)
	switch {
	case prior != nil && !ok:
		return clone(live)
	case prior == nil && own.bare():
		return clone(live)
	case own.leaf() && all.bare() && ok:
		// Nobody wrote the map since our apply: what else it holds are defaults.
		return covered(path, live, wanted)
	case !own.exists() && all.leaf() && ok:
		// Somebody else now owns the whole map.
		return respell(path, live, wanted)
	}
	return projectMap(path, live, wanted, own, all, nil)
}

func projectList(path []string, live []any, prior any, own, all node) any {
	wanted, ok := prior.([]any)
	if prior != nil && !ok {
		return clone(live)
	}
	if isSetList(path) || hasValues(all.set) {
		return projectSet(live, wanted, own)
	}
	keys := learnKeys(own.set, all.set)
	if keys == nil && !own.leaf() && !all.leaf() {
		keys = listKeys(path, live)
	}
	switch {
	case keys != nil:
		return projectKeyed(path, live, wanted, keys, own, all)
	case prior == nil:
		return clone(live)
	case own.leaf() && all.bare():
		return covered(path, live, wanted)
	}
	return respell(path, live, wanted)
}

func hasValues(set *fieldpath.Set) bool {
	if set == nil {
		return false
	}
	found := false
	set.Members.Iterate(func(element fieldpath.PathElement) { found = found || element.Value != nil })
	return found
}

// projectSet keeps the wanted values that are there, then ours that are not wanted.
func projectSet(live, prior []any, own node) any {
	out := []any{}
	for _, value := range prior {
		if slices.Contains(live, value) {
			out = append(out, value)
		}
	}
	for _, value := range live {
		if !slices.Contains(out, value) && own.child(valueElement(value)).exists() {
			out = append(out, value)
		}
	}
	return out
}

// projectKeyed pairs elements by key, in prior's order; further elements of ours follow.
func projectKeyed(path []string, live, prior []any, keys []string, own, all node) any {
	out := []any{}
	used := make([]bool, len(live))
	for _, wanted := range prior {
		key, ok := elementKey(wanted, keys)
		if !ok {
			continue
		}
		at := slices.IndexFunc(live, func(item any) bool {
			element, ok := elementKey(item, keys)
			return ok && element.Equals(key)
		})
		if at < 0 || used[at] {
			continue
		}
		used[at] = true
		out = append(out, projectValue(path, live[at], wanted, own.child(key), all.child(key)))
	}
	for i, item := range live {
		key, ok := elementKey(item, keys)
		if !ok || used[i] || !own.child(key).exists() {
			continue
		}
		out = append(out, projectValue(path, item, nil, own.child(key), all.child(key)))
	}
	return out
}
