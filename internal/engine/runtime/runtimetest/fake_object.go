// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// fakeObject is an object and who owns its fields. Lists are owned as a whole.
type fakeObject struct {
	key     runtime.ObjectKey
	uid     string
	version string
	// body is the object without what identifies it.
	body        map[string]any
	managers    fieldpath.ManagedFields
	terminating bool
}

// sameVersion converts nothing: there is one version of everything.
type sameVersion struct{}

func (sameVersion) Convert(object *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return object, nil
}

func (sameVersion) IsMissingVersionError(error) bool { return false }

func updater() *merge.Updater {
	builder := merge.UpdaterBuilder{Converter: sameVersion{}, ReturnInputOnNoop: true}
	return builder.BuildUpdater()
}

const appliedBy, updatedBy = "/" + string(metav1.ManagedFieldsOperationApply), "/" + string(metav1.ManagedFieldsOperationUpdate)

// live returns a copy of the whole object.
func (o *fakeObject) live() map[string]any {
	out := fields.Clone(o.body)
	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		out["metadata"] = metadata
	}
	out["apiVersion"], out["kind"] = o.key.APIVersion, o.key.Kind
	metadata["name"], metadata["uid"], metadata["resourceVersion"] = o.key.Name, o.uid, o.version
	if o.key.Namespace != "" {
		metadata["namespace"] = o.key.Namespace
	}
	if o.terminating {
		metadata["deletionTimestamp"] = "2000-01-01T00:00:00Z"
	}
	return out
}

// bodyOf returns a copy of an object without what identifies it.
func bodyOf(object map[string]any) map[string]any {
	out := fields.Clone(object)
	delete(out, "apiVersion")
	delete(out, "kind")
	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		return out
	}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "deletionTimestamp", "managedFields"} {
		delete(metadata, name)
	}
	if len(metadata) == 0 {
		delete(out, "metadata")
	}
	return out
}

// write returns the object after an apply or update, without changing it.
func (o *fakeObject) write(desired map[string]any, manager string, apply, force bool) (*fakeObject, error) {
	current, err := typed.DeducedParseableType.FromUnstructured(o.body)
	if err != nil {
		return nil, err
	}
	wanted, err := typed.DeducedParseableType.FromUnstructured(bodyOf(desired))
	if err != nil {
		return nil, err
	}
	managers := maps.Clone(o.managers)
	version := fieldpath.APIVersion(o.key.APIVersion)
	var result *typed.TypedValue
	if apply {
		result, managers, err = updater().Apply(current, wanted, version, managers, manager+appliedBy, force)
	} else {
		result, managers, err = updater().Update(current, wanted, version, managers, manager+updatedBy)
	}
	if err != nil {
		return nil, err
	}
	out := *o
	out.managers = managers
	if object, ok := result.AsValue().Unstructured().(map[string]any); ok {
		out.body = fields.Clone(object)
	}
	return &out, nil
}

// disown returns the object after a manager gave up fields that it applied.
func (o *fakeObject) disown(manager string, given *fieldpath.Set) *fakeObject {
	if given.Empty() {
		return o
	}
	out := *o
	out.managers = maps.Clone(o.managers)
	own := o.managers[manager+appliedBy]
	out.managers[manager+appliedBy] = fieldpath.NewVersionedSet(own.Set().Difference(given), own.APIVersion(), own.Applied())
	return &out
}

// ownership returns what a manager owns.
func (o *fakeObject) ownership(manager string) fields.Ownership {
	out := fields.Ownership{All: fieldpath.NewSet()}
	for name, set := range o.managers {
		out.All = out.All.Union(set.Set())
		if name == manager+appliedBy {
			out.Own = set.Set()
		}
	}
	return out
}

// claim takes what the manager applied out of what the others own, and renames
// client-side appliers, as the adoption of an object does.
func (o *fakeObject) claim(manager string) {
	own := o.managers[manager+appliedBy].Set()
	for name, theirs := range maps.Clone(o.managers) {
		if name == manager+appliedBy {
			continue
		}
		left := theirs.Set().Difference(own)
		delete(o.managers, name)
		if left.Empty() {
			continue
		}
		if former := "former-" + name; fields.IsFormer(strings.TrimSuffix(former, updatedBy)) {
			name = former
		}
		o.managers[name] = fieldpath.NewVersionedSet(left, theirs.APIVersion(), theirs.Applied())
	}
}

// owned reports whether the subject owns the object; recorded lets its field
// manager stand in for removed labels.
func (o *fakeObject) owned(s subject, recorded bool) bool {
	missing, claimed := false, false
	for label, want := range naming.OwnerLabels(s.stack.Organization, s.stack.OwnerKind, s.stack.OwnerID) {
		got := labelOf(o.body, label)
		missing = missing || got == ""
		claimed = claimed || (got != "" && got != want)
	}
	_, applied := o.managers[s.manager+appliedBy]
	return !claimed && (!missing || (recorded && applied))
}

// foreign is the Status of an object of somebody else.
func (o *fakeObject) foreign() error {
	enough := runtime.AdoptForce
	if o.unowned() {
		enough = runtime.AdoptIfUnowned
	}
	return runtime.Errorf(runtime.AlreadyExists, "%s: exists already and belongs to %s: import it, let it be adopted (adopt = %q), or choose another name",
		o.key, o.owner(), enough)
}

func (o *fakeObject) unowned() bool { return labelOf(o.body, naming.LabelManagedBy) == "" }

func (o *fakeObject) owner() string {
	metadata, _ := o.body["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if id, _ := annotations[naming.AnnotationOwnerID].(string); id != "" {
		return labelOf(o.body, naming.LabelOwnerKind) + " " + id
	}
	return "nobody we know"
}

func (o *fakeObject) finalizers() []any {
	metadata, _ := o.body["metadata"].(map[string]any)
	finalizers, _ := metadata["finalizers"].([]any)
	return finalizers
}

// conflictsOf returns the conflicts of an apply with other appliers, and those
// about fields that are sent for the first time, as paths and texts; none means
// that only edits are in the way.
func conflictsOf(conflicts merge.Conflicts, added *fieldpath.Set) (paths, texts []string) {
	for _, conflict := range conflicts {
		manager, applied := strings.CutSuffix(conflict.Manager, appliedBy)
		if !applied && (!added.Has(conflict.Path) || fields.IsFormer(strings.TrimSuffix(manager, updatedBy))) {
			continue
		}
		path := fields.PathString(conflict.Path)
		paths = append(paths, path)
		texts = append(texts, path+" belongs to "+strings.TrimSuffix(manager, updatedBy))
	}
	slices.Sort(paths)
	slices.Sort(texts)
	return slices.Compact(paths), texts
}

// validate refuses what a cluster would refuse about ConfigMaps and selectors:
// enough of the server's rules to test how refusals are handled.
func validate(key runtime.ObjectKey, before *fakeObject, desired map[string]any) error {
	if key.Kind == "Deployment" && before != nil {
		return validateSelector(key, before, desired)
	}
	if key.Kind != "ConfigMap" || key.APIVersion != "v1" {
		return nil
	}
	data, _ := desired["data"].(map[string]any)
	valid := regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)
	for name := range data {
		if !valid.MatchString(name) {
			return runtime.Errorf(runtime.InvalidArgument, "%s: data[%s]: Invalid value: a valid config key consists of letters, digits, '-', '_' or '.'",
				key, name).WithPaths("data[" + name + "]")
		}
	}
	if before == nil || before.body["immutable"] != true {
		return nil
	}
	if len(fields.Changed(map[string]any{"data": before.body["data"]}, map[string]any{"data": desired["data"]})) > 0 {
		return runtime.Errorf(runtime.ReplaceRequired, "%s: data cannot change in place: the object must be replaced", key).WithPaths("data")
	}
	return nil
}

func validateSelector(key runtime.ObjectKey, before *fakeObject, desired map[string]any) error {
	old, _ := before.body["spec"].(map[string]any)
	spec, _ := desired["spec"].(map[string]any)
	if len(fields.Changed(map[string]any{"selector": old["selector"]}, map[string]any{"selector": spec["selector"]})) == 0 {
		return nil
	}
	return runtime.Errorf(runtime.ReplaceRequired, "%s: spec.selector cannot change in place: the object must be replaced", key).WithPaths("spec.selector")
}
