// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"encoding/json"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Normalize returns a deep copy of an object in JSON's own types: int64,
// float64, string, bool, maps and lists. Nulls inside maps are dropped, because
// a field that is sent as null would be owned although it has no value.
func Normalize(object map[string]any) (map[string]any, error) {
	encoded, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("cannot be encoded as JSON: %w", err)
	}
	return Decode(encoded)
}

// Decode parses a JSON object into the types that Normalize gives.
func Decode(encoded []byte) (map[string]any, error) {
	var out map[string]any
	if err := utiljson.Unmarshal(encoded, &out); err != nil {
		return nil, err
	}
	dropNulls(out)
	return out, nil
}

func dropNulls(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for key, child := range typed {
			if child == nil {
				delete(typed, key)
				continue
			}
			dropNulls(child)
		}
	case []any:
		for _, child := range typed {
			dropNulls(child)
		}
	}
}

// clone copies a value that is already in JSON's types.
func clone(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(typed))
		for key, child := range typed {
			out[key] = clone(child)
		}
		return out
	case []any:
		out := make([]any, len(typed))
		for i, child := range typed {
			out[i] = clone(child)
		}
		return out
	default:
		return value
	}
}

// Clone returns a deep copy of an object in JSON's types.
func Clone(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out, _ := clone(object).(map[string]any)
	return out
}

// isEmpty reports a value that the API server may leave out without a change
// of meaning, whatever the field is.
func isEmpty(value any) bool {
	switch typed := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(typed) == 0
	case []any:
		return len(typed) == 0
	default:
		return false
	}
}

// isZero also counts the zero of a scalar, which a field without a pointer loses
// when the server stores it.
func isZero(value any) bool {
	switch typed := value.(type) {
	case string:
		return typed == ""
	case bool:
		return !typed
	case int64:
		return typed == 0
	case float64:
		return typed == 0
	default:
		return isEmpty(value)
	}
}
