// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// HandedOver returns the fields of an applier that keep their live value when it
// does not send them any more, instead of falling back to a default: the number of
// replicas, which is then left to whoever scales. An autoscaler takes none for
// switched off and would never start one, so that zero is not kept.
func HandedOver(live map[string]any, own *fieldpath.Set, desired map[string]any) *fieldpath.Set {
	out := fieldpath.NewSet()
	replicas := fieldpath.MakePathOrDie("spec", "replicas")
	spec, _ := desired["spec"].(map[string]any)
	running, _, _ := unstructured.NestedInt64(live, "spec", "replicas")
	if spec["replicas"] == nil && running > 0 && own != nil && own.Has(replicas) {
		out.Insert(replicas)
	}
	return out
}

// Disown returns the managed fields that an object is to have so that what the
// manager applied, but for the given fields, belongs to it.
func Disown(object map[string]any, manager string, given *fieldpath.Set) ([]any, error) {
	var out []any
	for _, entry := range entriesOf(object) {
		if one, ok := managerOf(entry); ok && one.applies(manager) {
			narrowed, err := withSet(entry, one.Set.Difference(given))
			if err != nil {
				return nil, err
			}
			entry = narrowed
		}
		out = append(out, entry)
	}
	return out, nil
}
