// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Equal reports whether two values of the field at path mean the same to the
// API server. The path holds the names of the fields from the root; list
// elements add nothing to it.
func Equal(path []string, a, b any) bool {
	switch typed := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		return ok && equalMaps(path, typed, other)
	case []any:
		other, ok := b.([]any)
		return ok && equalLists(path, typed, other)
	default:
		return equalScalars(path, a, b)
	}
}

func equalMaps(path []string, a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || !Equal(appendPath(path, key), value, other) {
			return false
		}
	}
	return true
}

func equalLists(path []string, a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(path, a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalScalars(path []string, a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			return x == y
		}
	}
	switch {
	case isQuantity(path):
		x, okX := quantity(a)
		y, okY := quantity(b)
		return okX && okY && x.Cmp(y) == 0
	case isIntOrString(path):
		return text(a) == text(b)
	}
	return false
}

func number(value any) (float64, bool) {
	switch typed := value.(type) {
	case int64:
		return float64(typed), true
	case float64:
		return typed, true
	case int:
		return float64(typed), true
	case json.Number:
		out, err := typed.Float64()
		return out, err == nil
	default:
		return 0, false
	}
}

func quantity(value any) (resource.Quantity, bool) {
	switch value.(type) {
	case string, int64, float64, json.Number:
		out, err := resource.ParseQuantity(text(value))
		return out, err == nil
	default:
		return resource.Quantity{}, false
	}
}

func text(value any) string {
	switch typed := value.(type) {
	case string:
		return typed
	case float64:
		return strconv.FormatFloat(typed, 'f', -1, 64)
	default:
		return fmt.Sprint(value)
	}
}

// isFree reports whether the field's content belongs to a user, so that no two
// spellings of it are the same.
func isFree(path []string) bool {
	if len(path) == 0 {
		return true
	}
	if slices.Contains(path, "annotations") || slices.Contains(path, "labels") || slices.Contains(path, "matchLabels") {
		return true
	}
	return path[0] == "data" || path[0] == "stringData" || path[0] == "binaryData"
}

func isQuantity(path []string) bool {
	if isFree(path) {
		return false
	}
	switch path[len(path)-1] {
	case "sizeLimit", "divisor", "averageValue":
		return true
	}
	if len(path) < 2 {
		return false
	}
	switch path[len(path)-2] {
	case "requests", "limits", "hard", "capacity", "overhead", "default", "defaultRequest", "min", "max":
		return true
	case "target":
		return path[len(path)-1] == "value"
	}
	return false
}

func isIntOrString(path []string) bool {
	if isFree(path) {
		return false
	}
	switch path[len(path)-1] {
	case "port", "targetPort", "maxSurge", "maxUnavailable", "minAvailable":
		return true
	}
	return false
}

// appendPath never shares memory with path, which siblings extend too.
func appendPath(path []string, name string) []string {
	return append(slices.Clip(path), name)
}
