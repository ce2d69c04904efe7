// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

// flat is a tree as its leaves, by place; values are JSON.
type flat map[string]string

func (f flat) add(place string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, one := range value {
			f.add(place+"."+name, one)
		}
	case []any:
		for i, one := range value {
			f.add(fmt.Sprintf("%s[%d]", place, i), one)
		}
	case reference:
		f.add(place, value.id)
	case nil:
	default:
		raw, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		f[place] = string(raw)
	}
}

func flatten(place string, value any) flat {
	f := flat{}
	f.add(place, value)
	return f
}

// below returns the leaves at a place.
func (f flat) below(place string) flat {
	out := flat{}
	for leaf, value := range f {
		if rest, ok := strings.CutPrefix(leaf, place); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			out[leaf] = value
		}
	}
	return out
}

func (f flat) without(place string) flat {
	out := maps.Clone(f)
	for leaf := range f.below(place) {
		delete(out, leaf)
	}
	return out
}

// view is what can be seen of a world: outputs and manifests, and the objects as
// the API server has them. configured is what the state has of the subject.
type view struct {
	shown, live flat
	configured  any
	// keys are those of the manifests by place; there tells which objects exist.
	keys  map[string]string
	there map[string]bool
}

// cluster are the objects of a tenant, by the key of their manifest.
func cluster(t *testing.T, e *acctest.Env) map[string]acctest.Object {
	t.Helper()
	objects := map[string]acctest.Object{}
	for _, kind := range []string{"Namespace", "Deployment", "HorizontalPodAutoscaler", "CronJob", "Service", "HTTPRoute", "GRPCRoute", "TCPRoute", "NetworkPolicy"} {
		for _, found := range e.List(t, kind, "", "openplatform.dev/organization="+e.Organization) {
			objects[strings.TrimSuffix(kind+"/"+found.GetNamespace(), "/")+"/"+found.GetName()] = found
		}
	}
	return objects
}

// look sees a world. The outputs that tell how an apply went are left out, and
// so is the release, unless a row is about waiting.
func look(w *world, rows []row, state map[string]map[string]any, objects map[string]acctest.Object) (view, error) {
	v := view{shown: flat{}, live: flat{}, configured: state[w.subject.address()], keys: map[string]string{}, there: map[string]bool{}}
	for key := range objects {
		v.there[key] = true
	}
	for kind, name := range kindNames() {
		b := w.of(kind)
		if kind == w.subject.kind {
			b = w.subject
		}
		if b == nil {
			continue
		}
		values := state[b.address()]
		outputs := []string{"addresses", "namespace", "cells", "environments"}
		if slices.ContainsFunc(rows, func(r row) bool { return r.path == "wait_for_rollout" }) {
			outputs = append(outputs, "ready", "status")
		}
		for _, output := range outputs {
			v.shown.add(name+"."+output, values[output])
		}
		manifests, _ := values["manifests"].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(manifests)) {
			text, _ := manifests[key].(string)
			var tree map[string]any
			if err := json.Unmarshal([]byte(text), &tree); err != nil {
				return v, fmt.Errorf("%s of %s: %w", key, b.address(), err)
			}
			object, _, _ := strings.Cut(key, "/")
			v.keys[name+"."+object] = key
			v.shown.add(name+"."+object, tree)
			v.live.add(name+"."+object, objects[key].Object)
		}
	}
	return v, nil
}

// compare returns what is wrong with a view of a world whose attribute has a
// value, when base is the view of one where it has none. others are places that
// other attributes change.
func compare(r row, value any, base, now view, others []string) []string {
	var problems []string
	want, got := maps.Clone(base.shown), maps.Clone(now.shown)
	for _, place := range others {
		want, got = want.without(place), got.without(place)
	}
	wanted := map[string]any{}
	if value != nil && r.shows != nil {
		wanted = r.shows(value)
	}
	for place, one := range wanted {
		switch one.(type) {
		case anything:
			before, after := want.below(place), got.below(place)
			if len(after) == 0 || maps.Equal(before, after) {
				problems = append(problems, place+" is the same as without the value")
			}
			want, got = want.without(place), got.without(place)
		case nothing:
			want = want.without(place)
			if left := now.live.below(place); len(left) > 0 || now.there[base.keys[place]] {
				problems = append(problems, fmt.Sprintf("the cluster still has %s: %v", place, left))
			}
		default:
			leaves := flatten(place, one)
			want = want.without(place)
			maps.Copy(want, leaves)
			for leaf, content := range leaves {
				if ofObject(leaf) && now.live[leaf] != content {
					problems = append(problems, fmt.Sprintf("the cluster has %s = %s, want %s", leaf, now.live[leaf], content))
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		problems = append(problems, fmt.Sprintf("%v: what is shown: -want +got:\n%s", value, diff))
	}
	if value != nil {
		state := flatten(r.path, schematest.Get(now.configured, schematest.Parse(r.path)))
		for leaf, content := range flatten(r.path, value) {
			if state[leaf] != content {
				problems = append(problems, fmt.Sprintf("the state has %s = %s, want %s", leaf, state[leaf], content))
			}
		}
	}
	return problems
}

// back returns what is wrong with the cluster when the attribute had values and
// has none any more.
func back(r row, values []any, base, now view) []string {
	var problems []string
	for _, value := range values {
		if r.shows == nil || value == nil {
			continue
		}
		for place := range r.shows(value) {
			if !ofObject(place) {
				continue
			}
			want := base.live.below(place)
			if r.stays {
				want = flatten(place, r.shows(values[len(values)-1])[place])
			}
			if diff := cmp.Diff(want, now.live.below(place)); diff != "" && strings.Contains(place, ".spec") {
				problems = append(problems, "the cluster without the value again: -before +after:\n"+diff)
			}
		}
	}
	return problems
}

// ofObject tells whether a place is in an object, rather than an output: objects
// have the names of kinds.
func ofObject(place string) bool {
	parts := strings.Split(place, ".")
	return len(parts) > 1 && parts[1] != strings.ToLower(parts[1])
}

// whole returns what the cluster lacks of the manifests of a resource.
func whole(state map[string]any, objects map[string]acctest.Object) []string {
	var problems []string
	manifests, _ := state["manifests"].(map[string]any)
	for key, manifest := range manifests {
		text, _ := manifest.(string)
		var tree any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			problems = append(problems, err.Error())
			continue
		}
		live := flatten(key, objects[key].Object)
		for leaf, content := range flatten(key, tree) {
			if live[leaf] != content {
				problems = append(problems, fmt.Sprintf("the cluster has %s = %s, want %s", leaf, live[leaf], content))
			}
		}
	}
	return problems
}
