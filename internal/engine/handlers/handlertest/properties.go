// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package handlertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Render is a rendering function.
type Render[T any] func(*T) ([]runtime.Resource, error)

// Deterministic fails unless fifty renders of equal contexts give the same bytes.
func Deterministic[T any](t *testing.T, ctx *T, render Render[T]) {
	t.Helper()
	root := tree(t, ctx)
	var first []byte
	for range 50 {
		resources, err := render(decode[T](t, root))
		if err != nil {
			t.Fatal(err)
		}
		got := encode(t, resources)
		if first == nil {
			first = got
		}
		if !bytes.Equal(first, got) {
			t.Fatalf("two renders of one context differ:\n%s\n%s", first, got)
		}
	}
}

// Total renders the context with each of its leaves in turn, and then with all of
// them, replaced by odd values. It fails when the function panics or renders
// what cannot be encoded; an error is a fine answer.
func Total[T any](t *testing.T, ctx *T, render Render[T]) {
	t.Helper()
	odd := map[string][]any{
		"string": {"7001", "", "-", "a/b:c", "\x00", "ünï", "99999999999999999999", string(bytes.Repeat([]byte("x"), 400))},
		"number": {json.Number("0"), json.Number("-1"), json.Number("65536"), json.Number("2147483648"), json.Number("-9223372036854775808")},
	}
	root := tree(t, ctx)
	leaves := paths(root, nil)
	for kind, values := range odd {
		for _, value := range values {
			for _, leaf := range leaves {
				if restore, ok := replace(root, leaf, kind, value); ok {
					try(t, fmt.Sprintf("%v = %q", leaf, value), root, render)
					restore()
				}
			}
			everything := tree(t, ctx)
			for _, leaf := range leaves {
				replace(everything, leaf, kind, value)
			}
			try(t, fmt.Sprintf("every %s = %q", kind, value), everything, render)
		}
	}
}

func try[T any](t *testing.T, what string, root any, render Render[T]) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("rendering with %s panics: %v", what, r)
		}
	}()
	resources, err := render(decode[T](t, root))
	if err == nil {
		encode(t, resources)
	}
}

// tree returns a context as a tree of JSON values.
func tree[T any](t *testing.T, ctx *T) any {
	t.Helper()
	raw, err := json.Marshal(ctx)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		t.Fatal(err)
	}
	return root
}

func decode[T any](t *testing.T, root any) *T {
	t.Helper()
	raw, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	ctx := new(T)
	if err := json.Unmarshal(raw, ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// paths returns the ways to all leaves, as keys and positions.
func paths(node any, at []any) [][]any {
	var found [][]any
	switch node := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			found = append(found, paths(node[key], append(slices.Clone(at), key))...)
		}
	case []any:
		for i, item := range node {
			found = append(found, paths(item, append(slices.Clone(at), i))...)
		}
	case string, json.Number:
		found = append(found, at)
	}
	return found
}

// replace sets the leaf if it is of the kind, and returns how to set it back.
func replace(node any, at []any, kind string, value any) (restore func(), ok bool) {
	var old any
	var set func(any)
	switch step := at[0].(type) {
	case string:
		parent, isMap := node.(map[string]any)
		if !isMap {
			return nil, false
		}
		old, set = parent[step], func(v any) { parent[step] = v }
	case int:
		parent, isList := node.([]any)
		if !isList {
			return nil, false
		}
		old, set = parent[step], func(v any) { parent[step] = v }
	}
	if len(at) > 1 {
		return replace(old, at[1:], kind, value)
	}
	if _, isString := old.(string); isString != (kind == "string") {
		return nil, false
	}
	set(value)
	return func() { set(old) }, true
}
