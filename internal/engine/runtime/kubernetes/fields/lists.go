// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// listKeys returns the fields that identify an element of the list at path, or
// nil for a list whose elements are identified by their place. Only the lists
// of kinds that we render are known; others are learnt from managed fields.
func listKeys(path []string, items []any) []string {
	if len(path) == 0 {
		return nil
	}
	switch path[len(path)-1] {
	case "containers", "initContainers", "ephemeralContainers", "volumes", "env", "imagePullSecrets", "listeners", "secrets":
		return present(items, "name")
	case "volumeMounts":
		return present(items, "mountPath")
	case "volumeDevices":
		return present(items, "devicePath")
	case "hostAliases":
		return present(items, "ip")
	case "topologySpreadConstraints":
		return present(items, "topologyKey", "whenUnsatisfiable")
	case "ownerReferences":
		return present(items, "uid")
	case "conditions":
		return present(items, "type")
	case "ports":
		return portKeys(path, items)
	}
	return nil
}

func portKeys(path []string, items []any) []string {
	if slices.Contains(path, "containers") || slices.Contains(path, "initContainers") {
		return present(items, "containerPort")
	}
	// The ports of a Service. Those of a NetworkPolicy lie deeper, those of an
	// EndpointSlice at the root; both are plain lists.
	if len(path) == 2 && path[0] == "spec" {
		return present(items, "port")
	}
	return nil
}

// present returns the keys, with the protocol for ports, if all items have them.
func present(items []any, keys ...string) []string {
	for _, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		for _, key := range keys {
			if _, ok := object[key]; !ok {
				return nil
			}
		}
	}
	if keys[0] == "port" || keys[0] == "containerPort" {
		return append(keys, "protocol")
	}
	return keys
}

// isSetList reports a list of unique scalars that several managers may share.
func isSetList(path []string) bool {
	return len(path) == 2 && path[0] == "metadata" && path[1] == "finalizers"
}

// elementKey returns the managed-fields path element of a list element.
func elementKey(item any, keys []string) (fieldpath.PathElement, bool) {
	object, ok := item.(map[string]any)
	if !ok {
		return fieldpath.PathElement{}, false
	}
	list := make(value.FieldList, 0, len(keys))
	for _, key := range keys {
		field, ok := object[key]
		if !ok {
			if key != "protocol" {
				return fieldpath.PathElement{}, false
			}
			field = "TCP"
		}
		list = append(list, value.Field{Name: key, Value: value.NewValueInterface(field)})
	}
	list.Sort()
	return fieldpath.PathElement{Key: &list}, true
}

// learnKeys finds the key fields of a list in the managed fields below it.
func learnKeys(sets ...*fieldpath.Set) []string {
	for _, set := range sets {
		if set == nil {
			continue
		}
		var found []string
		pick := func(element fieldpath.PathElement) {
			if element.Key == nil || found != nil {
				return
			}
			for _, field := range *element.Key {
				found = append(found, field.Name)
			}
		}
		set.Members.Iterate(pick)
		set.Children.Iterate(pick)
		if found != nil {
			return found
		}
	}
	return nil
}
