// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Diff returns the sorted paths of the leaves in which two JSON trees differ,
// with dots between keys and list positions in brackets.
func Diff(before, after map[string]any) []string {
	var paths []string
	diff("", before, after, &paths)
	slices.Sort(paths)
	return paths
}

func diff(at string, before, after any, paths *[]string) {
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			diffMaps(at, b, a, paths)
			return
		}
	case []any:
		if a, ok := after.([]any); ok && len(a) == len(b) {
			for i := range b {
				diff(fmt.Sprintf("%s[%d]", at, i), b[i], a[i], paths)
			}
			return
		}
	}
	if !reflect.DeepEqual(before, after) {
		*paths = append(*paths, at)
	}
}

func diffMaps(at string, before, after map[string]any, paths *[]string) {
	keys := map[string]any{}
	maps.Copy(keys, before)
	maps.Copy(keys, after)
	for key := range keys {
		child := key
		if at != "" {
			child = at + "." + key
		}
		b, inBefore := before[key]
		a, inAfter := after[key]
		if inBefore != inAfter {
			*paths = append(*paths, child)
			continue
		}
		diff(child, b, a, paths)
	}
}
