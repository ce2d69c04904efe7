// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields

import (
	"encoding/json"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Claim returns the managed fields that live is to have so that what the manager
// applied in a dry run, whose result is applied, belongs to it alone. Others keep
// what else they own. What client-side appliers keep goes by a name of its own, see
// IsFormer: they know no ownership and do not defend it, but without an owner it
// would go with the last field beside it.
func Claim(live, applied map[string]any, manager string) ([]any, error) {
	var out []any
	var claimed *fieldpath.Set
	version, _ := applied["apiVersion"].(string)
	for _, entry := range entriesOf(applied) {
		if one, ok := managerOf(entry); ok && one.applies(manager) && one.APIVersion == version {
			claimed = one.Set
			out = append(out, entry)
		}
	}
	for _, entry := range entriesOf(live) {
		one, ok := managerOf(entry)
		switch {
		case ok && one.applies(manager):
			continue
		case ok && one.Subresource == "" && one.APIVersion == version && claimed != nil:
			left := one.Set.Difference(claimed)
			if left.Empty() {
				continue
			}
			narrowed, err := withSet(entry, left)
			if err != nil {
				return nil, err
			}
			entry = narrowed
		}
		if ok && one.clientSide() {
			entry = named(entry, formerly+one.Name)
		}
		out = append(out, entry)
	}
	return out, nil
}

// formerly begins the name of a client-side applier whose object was claimed.
const formerly = "former-"

// IsFormer tells whether a manager is what is left of a client-side applier:
// whoever claimed the object may take its fields.
func IsFormer(manager string) bool {
	name, ok := strings.CutPrefix(manager, formerly)
	return ok && Manager{Name: name, Operation: metav1.ManagedFieldsOperationUpdate}.clientSide()
}

// applies reports the entry of what the manager applied.
func (m Manager) applies(manager string) bool {
	return m.Name == manager && m.Operation == metav1.ManagedFieldsOperationApply && m.Subresource == ""
}

// clientSide reports the entry of an applier that merges on its own side, or of
// whoever wrote the object before anybody kept such entries.
func (m Manager) clientSide() bool {
	return m.Operation == metav1.ManagedFieldsOperationUpdate && m.Subresource == "" &&
		(m.Name == "kubectl-client-side-apply" || m.Name == "before-first-apply")
}

// withSet returns a copy of an entry that owns other fields.
func withSet(entry any, set *fieldpath.Set) (any, error) {
	encoded, err := set.ToJSON()
	if err != nil {
		return nil, err
	}
	var owned any
	if err := json.Unmarshal(encoded, &owned); err != nil {
		return nil, err
	}
	return replaced(entry, "fieldsV1", owned), nil
}

// named returns a copy of an entry of another manager.
func named(entry any, manager string) any { return replaced(entry, "manager", manager) }

func replaced(entry any, key string, value any) any {
	from, _ := entry.(map[string]any)
	out := maps.Clone(from)
	out[key] = value
	return out
}
