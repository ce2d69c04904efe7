// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Manager is one entry of an object's managed fields.
type Manager struct {
	Name        string
	Operation   metav1.ManagedFieldsOperationType
	APIVersion  string
	Subresource string
	// Time is when the entry last changed, as the server wrote it.
	Time string
	// Set holds the owned fields.
	Set *fieldpath.Set
}

// Managers returns the entries of an object's managed fields. An entry that
// cannot be read is left out: it then owns nothing.
func Managers(object map[string]any) []Manager {
	entries := entriesOf(object)
	out := make([]Manager, 0, len(entries))
	for _, entry := range entries {
		if manager, ok := managerOf(entry); ok {
			out = append(out, manager)
		}
	}
	return out
}

// entriesOf returns an object's managed fields as they are.
func entriesOf(object map[string]any) []any {
	metadata, _ := object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	return entries
}

// managerOf reads an entry of the managed fields.
func managerOf(entry any) (Manager, bool) {
	fields, ok := entry.(map[string]any)
	if !ok {
		return Manager{}, false
	}
	manager := Manager{Set: fieldpath.NewSet()}
	manager.Name, _ = fields["manager"].(string)
	operation, _ := fields["operation"].(string)
	manager.Operation = metav1.ManagedFieldsOperationType(operation)
	manager.APIVersion, _ = fields["apiVersion"].(string)
	manager.Subresource, _ = fields["subresource"].(string)
	manager.Time, _ = fields["time"].(string)
	encoded, err := json.Marshal(fields["fieldsV1"])
	if err != nil || manager.Set.FromJSON(bytes.NewReader(encoded)) != nil {
		return Manager{}, false
	}
	return manager, true
}

// Ownership says which fields of an object are ours.
type Ownership struct {
	// Own holds the fields of our entry; nil when there is none.
	Own *fieldpath.Set
	// All holds the fields of all entries: it tells the lists and maps that are
	// owned as a whole from those that are owned by element.
	All *fieldpath.Set
	// Time is when our entry last changed.
	Time string
}

// OwnershipOf returns what the manager owns of the object by apply. Entries of
// another API version count for nothing, since their paths may not be ours.
func OwnershipOf(object map[string]any, manager string) Ownership {
	version, _ := object["apiVersion"].(string)
	out := Ownership{All: fieldpath.NewSet()}
	for _, entry := range Managers(object) {
		if entry.APIVersion != version || entry.Subresource != "" {
			continue
		}
		out.All = out.All.Union(entry.Set)
		if entry.Name == manager && entry.Operation == metav1.ManagedFieldsOperationApply {
			out.Own, out.Time = entry.Set, entry.Time
		}
	}
	return out
}

// HasManager reports whether the manager applied the object.
func HasManager(object map[string]any, manager string) bool {
	return slices.ContainsFunc(Managers(object), func(entry Manager) bool {
		return entry.Name == manager && entry.Operation == metav1.ManagedFieldsOperationApply
	})
}

// Owners returns the managers that own the field at a path in the notation of
// PathString, by the given operation.
func Owners(object map[string]any, path string, operation metav1.ManagedFieldsOperationType) []string {
	var out []string
	for _, entry := range Managers(object) {
		if entry.Operation != operation {
			continue
		}
		if Holds(entry.Set, path) {
			out = append(out, entry.Name)
		}
	}
	return out
}

// Holds reports whether a set holds the field at a path in the notation of
// PathString.
func Holds(set *fieldpath.Set, path string) bool {
	found := false
	// The set's range function does not allow to break.
	set.Iterate(func(owned fieldpath.Path) {
		found = found || PathString(owned) == path
	})
	return found
}

// PathString writes a path as the API server does in its messages, without the
// leading dot: spec.template.spec.containers[name="app"].image.
func PathString(path fieldpath.Path) string {
	return strings.TrimPrefix(path.String(), ".")
}

// SetOf returns the fields that an applier of the object would own, with the
// list keys that are known without the server's schema. What identifies the
// object is not owned.
func SetOf(object map[string]any) *fieldpath.Set {
	out := fieldpath.NewSet()
	for key, child := range object {
		switch key {
		case "apiVersion", "kind", "status":
		case "metadata":
			metadata, _ := child.(map[string]any)
			for name, field := range metadata {
				if isIdentity(name) {
					continue
				}
				insert(out, fieldpath.MakePathOrDie("metadata", name), []string{"metadata", name}, field)
			}
		default:
			insert(out, fieldpath.MakePathOrDie(key), []string{key}, child)
		}
	}
	return out
}

// isIdentity reports the metadata that names an object or that the server sets.
func isIdentity(name string) bool {
	switch name {
	case "name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
		"managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds":
		return true
	}
	return false
}

func insert(set *fieldpath.Set, at fieldpath.Path, names []string, field any) {
	switch typed := field.(type) {
	case map[string]any:
		if len(typed) == 0 || isAtomicMap(names) {
			set.Insert(at.Copy())
		}
		if isAtomicMap(names) {
			return
		}
		for key, child := range typed {
			name := key
			insert(set, append(at.Copy(), fieldpath.PathElement{FieldName: &name}), appendPath(names, key), child)
		}
	case []any:
		insertList(set, at, names, typed)
	default:
		set.Insert(at.Copy())
	}
}

func insertList(set *fieldpath.Set, at fieldpath.Path, names []string, items []any) {
	if isSetList(names) {
		for _, item := range items {
			element := value.NewValueInterface(item)
			set.Insert(append(at.Copy(), fieldpath.PathElement{Value: &element}))
		}
		return
	}
	keys := listKeys(names, items)
	if keys == nil || len(items) == 0 {
		set.Insert(at.Copy())
		return
	}
	for _, item := range items {
		element, ok := elementKey(item, keys)
		if !ok {
			continue
		}
		below := append(at.Copy(), element)
		set.Insert(below)
		insert(set, below, names, item)
	}
}

// isAtomicMap reports the maps of built-in kinds that have one owner as a whole.
func isAtomicMap(names []string) bool {
	switch names[len(names)-1] {
	case "selector", "podSelector", "namespaceSelector", "nodeSelector", "fieldRef", "secretKeyRef",
		"configMapKeyRef", "resourceFieldRef", "labelSelector", "roleRef", "scaleTargetRef":
		return true
	}
	return false
}
