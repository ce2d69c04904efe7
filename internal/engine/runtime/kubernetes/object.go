// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// object is a Kubernetes object as JSON.
type object map[string]any

func (o object) metadata() map[string]any {
	metadata, _ := o["metadata"].(map[string]any)
	return metadata
}

func (o object) metaString(name string) string {
	value, _ := o.metadata()[name].(string)
	return value
}

func (o object) name() string            { return o.metaString("name") }
func (o object) namespace() string       { return o.metaString("namespace") }
func (o object) uid() string             { return o.metaString("uid") }
func (o object) resourceVersion() string { return o.metaString("resourceVersion") }
func (o object) terminating() bool       { return o.metaString("deletionTimestamp") != "" }

func (o object) label(name string) string {
	labels, _ := o.metadata()["labels"].(map[string]any)
	value, _ := labels[name].(string)
	return value
}

func (o object) annotation(name string) string {
	annotations, _ := o.metadata()["annotations"].(map[string]any)
	value, _ := annotations[name].(string)
	return value
}

// at returns the value at a path of field names, or nil.
func (o object) at(path ...string) any {
	var current any = map[string]any(o)
	for _, name := range path {
		fields, ok := current.(map[string]any)
		if !ok {
			return nil
		}
		current = fields[name]
	}
	return current
}

func (o object) text(path ...string) string {
	value, _ := o.at(path...).(string)
	return value
}

// number returns the integer at a path, or otherwise.
func (o object) number(otherwise int64, path ...string) int64 {
	switch value := o.at(path...).(type) {
	case int64:
		return value
	case float64:
		return int64(value)
	}
	return otherwise
}

// list returns the objects in the list at a path.
func (o object) list(path ...string) []object {
	items, _ := o.at(path...).([]any)
	out := make([]object, 0, len(items))
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			out = append(out, fields)
		}
	}
	return out
}

// controller returns the UID of the object's controller, or "".
func (o object) controller() string {
	for _, owner := range o.list("metadata", "ownerReferences") {
		if controls, _ := owner["controller"].(bool); controls {
			return owner.text("uid")
		}
	}
	return ""
}

func decodeObject(body []byte) (object, error) {
	out, err := fields.Decode(body)
	if err != nil {
		return nil, runtime.Errorf(runtime.Internal, "the API server's answer is not a JSON object: %w", err)
	}
	return out, nil
}

// target is a resource that was checked: what it is, where it lives, whose it is.
type target struct {
	key     runtime.ObjectKey
	mapping mapping
	stack   *runtime.Stack
	manager string
	// desired is nil where only the identity is needed.
	desired object
}

// resolve checks a request and finds the mapping; served is false when the
// server does not know the kind. Nothing of the request is kept.
func (r *Runtime) resolve(ctx context.Context, resource *runtime.Resource, stack *runtime.Stack) (out target, served bool, err error) {
	if err := checkRequest(resource, stack); err != nil {
		return target{}, false, err
	}
	key, err := runtime.ParseKubernetesID(resource.ID)
	if err != nil {
		return target{}, false, err
	}
	if err := ctx.Err(); err != nil {
		return target{}, false, runtime.Errorf(runtime.CodeOf(err), "%s: %w", key, err)
	}
	out = target{key: key, stack: stack, manager: naming.FieldManager(stack.Organization, stack.OwnerKind, stack.OwnerID)}
	out.mapping, served, err = r.mapper.lookup(ctx, key.APIVersion, key.Kind)
	if err != nil || !served {
		return out, false, err
	}
	switch {
	case out.mapping.namespaced && key.Namespace == "":
		return target{}, false, runtime.Errorf(runtime.InvalidArgument, "%s: a %s lives in a namespace, and none is given", key, key.Kind)
	case !out.mapping.namespaced && key.Namespace != "":
		return target{}, false, runtime.Errorf(runtime.InvalidArgument, "%s: a %s lives in no namespace, and %q is given", key, key.Kind, key.Namespace)
	}
	return out, true, nil
}

func checkRequest(resource *runtime.Resource, stack *runtime.Stack) error {
	switch {
	case resource == nil:
		return runtime.Errorf(runtime.InvalidArgument, "the request names no resource")
	case stack == nil:
		return runtime.Errorf(runtime.InvalidArgument, "%s: the request has no stack", resource.ID)
	case resource.Type != "" && resource.Type != runtime.Kubernetes:
		return runtime.Errorf(runtime.InvalidArgument, "%s: a resource of type %s is not for this runtime", resource.ID, resource.Type)
	case stack.Organization == "" || stack.OwnerKind == "" || stack.OwnerID == "":
		return runtime.Errorf(runtime.InvalidArgument, "%s: the stack lacks the organization or the owner", resource.ID)
	}
	return nil
}

// desire checks the attributes of a resource and returns a copy of them.
func desire(resource *runtime.Resource, key runtime.ObjectKey, stack *runtime.Stack) (object, error) {
	normalized, err := fields.Normalize(resource.Attributes)
	if err != nil {
		return nil, runtime.Errorf(runtime.InvalidArgument, "%s: attributes: %w", key, err)
	}
	out := object(normalized)
	for _, check := range []struct{ field, want, got string }{
		{"apiVersion", key.APIVersion, out.text("apiVersion")},
		{"kind", key.Kind, out.text("kind")},
		{"metadata.name", key.Name, out.name()},
		{"metadata.namespace", key.Namespace, out.namespace()},
	} {
		if check.want != check.got {
			return nil, runtime.Errorf(runtime.InvalidArgument, "%s: %s is %q in the attributes and %q in the id",
				key, check.field, check.got, check.want).WithPaths(check.field)
		}
	}
	for label, want := range naming.OwnerLabels(stack.Organization, stack.OwnerKind, stack.OwnerID) {
		if got := out.label(label); got != want {
			return nil, runtime.Errorf(runtime.InvalidArgument, "%s: label %s is %q, and the owner's is %q", key, label, got, want).
				WithPaths("metadata.labels." + label)
		}
	}
	for _, name := range []string{"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp"} {
		delete(out.metadata(), name)
	}
	delete(out, "status")
	return out, checkSecret(key, out)
}

// checkSecret finds here what the server would refuse quoting the value.
func checkSecret(key runtime.ObjectKey, secret object) error {
	if !isSecret(key) {
		return nil
	}
	for _, part := range []string{"data", "stringData"} {
		data, ok := secret[part].(map[string]any)
		if !ok && secret[part] != nil {
			return runtime.Errorf(runtime.InvalidArgument, "%s: %s is not a map", key, part).WithPaths(part)
		}
		for name, value := range data {
			text, ok := value.(string)
			if !ok {
				return runtime.Errorf(runtime.InvalidArgument, "%s: %s.%s is not a string", key, part, name).WithPaths(part + "." + name)
			}
			if _, err := base64.StdEncoding.DecodeString(text); err != nil && part == "data" {
				return runtime.Errorf(runtime.InvalidArgument, "%s: data.%s is not base64", key, name).WithPaths("data." + name)
			}
		}
	}
	return nil
}

func isSecret(key runtime.ObjectKey) bool {
	return key.APIVersion == "v1" && key.Kind == "Secret"
}

// secretValues are the texts of an object that no message may hold.
func secretValues(key runtime.ObjectKey, desired object) []string {
	if !isSecret(key) {
		return nil
	}
	var out []string
	for _, part := range []string{"data", "stringData"} {
		data, _ := desired[part].(map[string]any)
		for _, value := range data {
			text := fmt.Sprint(value)
			decoded, _ := base64.StdEncoding.DecodeString(text)
			for _, candidate := range []string{text, string(decoded)} {
				if strings.TrimSpace(candidate) != "" {
					out = append(out, candidate)
				}
			}
		}
	}
	return out
}

// sensitivePaths are the fields whose value must not be shown.
func sensitivePaths(key runtime.ObjectKey, desired object) []string {
	if !isSecret(key) {
		return nil
	}
	var out []string
	for _, part := range []string{"data", "stringData"} {
		data, _ := desired[part].(map[string]any)
		for _, name := range sortedKeys(data) {
			out = append(out, part+"."+name)
		}
	}
	return out
}

// complete returns the object as the server holds it, without its bookkeeping.
func (t target) complete(live object) *runtime.Resource {
	attributes := fields.Clone(live)
	if metadata, ok := attributes["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	return t.resource(attributes)
}

func (t target) resource(attributes map[string]any) *runtime.Resource {
	out := &runtime.Resource{
		ID:         runtime.KubernetesID(t.key.APIVersion, t.key.Kind, t.key.Namespace, t.key.Name),
		Type:       runtime.Kubernetes,
		Attributes: attributes,
	}
	if t.stack != nil && t.stack.DataPlane != "" {
		out.Extensions = map[string]any{runtime.ExtensionDataPlane: t.stack.DataPlane}
	}
	return out
}

func encode(value any) []byte {
	// The value came from JSON or consists of strings, so that it always encodes.
	out, _ := json.Marshal(value)
	return out
}
