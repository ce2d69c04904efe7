// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if string(encoded) == "null" {
		return nil
	}
	out, err := fields.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// live returns an object whose managed fields are those of us and of an editor.
func live(t *testing.T, object, ours, editors string) map[string]any {
	t.Helper()
	out := parse(t, object)
	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{"name": "x"}
		out["metadata"] = metadata
	}
	var entries []any
	for _, entry := range []struct{ manager, operation, set string }{{"us", "Apply", ours}, {"editor", "Update", editors}} {
		if entry.set != "" {
			entries = append(entries, map[string]any{
				"manager": entry.manager, "operation": entry.operation, "apiVersion": out["apiVersion"],
				"fieldsType": "FieldsV1", "fieldsV1": parse(t, entry.set),
			})
		}
	}
	metadata["managedFields"] = entries
	return out
}

func TestProject(t *testing.T) {
	t.Parallel()
	const identity = "apiVersion: v1\nkind: X\n"
	cases := map[string]struct {
		reason  string
		live    string
		ours    string
		editors string
		prior   string
		want    string
	}{
		"own fields only": {
			reason: "what others added is not ours",
			live:   "data: {a: '1', z: other}", ours: "f:data: {f:a: {}}", editors: "f:data: {f:z: {}}",
			prior: "data: {a: '1'}", want: "data: {a: '1'}",
		},
		"our entry without a prior": {
			reason: "the entry alone tells what is ours",
			live:   "data: {a: '1', z: other}", ours: "f:data: {f:a: {}}", want: "data: {a: '1'}",
		},
		"edited field": {
			reason: "an edit takes a field out of our entry, and prior still names it",
			live:   "data: {a: edited}", ours: "f:data: {}", editors: "f:data: {f:a: {}}",
			prior: "data: {a: '1'}", want: "data: {a: edited}",
		},
		"deleted field": {
			reason: "a deletion takes it out of our entry too",
			live:   "data: {b: '1'}", ours: "f:data: {f:b: {}}",
			prior: "data: {a: '1', b: '1'}", want: "data: {b: '1'}",
		},
		"dropped zero": {
			reason: "the server drops a zero that it has no pointer for, and our entry keeps it",
			live:   "spec: {a: 1}", ours: "f:spec: {f:a: {}, f:hostNetwork: {}}",
			prior: "spec: {a: 1, hostNetwork: false}", want: "spec: {a: 1, hostNetwork: false}",
		},
		"quantity": {
			reason: "quantities of one amount are one value",
			live:   "spec: {resources: {limits: {cpu: 500m}}}", ours: "f:spec: {f:resources: {f:limits: {f:cpu: {}}}}",
			prior: "spec: {resources: {limits: {cpu: '0.5'}}}", want: "spec: {resources: {limits: {cpu: '0.5'}}}",
		},
		"no quantity": {
			reason: "the user's own text is not a quantity",
			live:   "data: {limits: 500m}", ours: "f:data: {f:limits: {}}",
			prior: "data: {limits: '0.5'}", want: "data: {limits: 500m}",
		},
		"keyed list": {
			reason: "elements are paired by key, in prior's order, and others' elements are not ours",
			live:   "spec: {containers: [{name: sidecar, image: s}, {name: a, image: x, tty: true}, {name: b, image: q}]}",
			ours:   "f:spec: {f:containers: {'k:{\"name\":\"a\"}': {.: {}, f:name: {}, f:image: {}}, 'k:{\"name\":\"b\"}': {.: {}, f:name: {}, f:image: {}}}}",
			prior:  "spec: {containers: [{name: b, image: q}, {name: a, image: x}]}",
			want:   "spec: {containers: [{name: b, image: q}, {name: a, image: x}]}",
		},
		"keyed list, element of ours that is not in prior": {
			reason: "an apply that was not recorded left it there",
			live:   "spec: {containers: [{name: a, image: x}, {name: b, image: q}]}",
			ours:   "f:spec: {f:containers: {'k:{\"name\":\"a\"}': {.: {}, f:name: {}, f:image: {}}, 'k:{\"name\":\"b\"}': {.: {}, f:name: {}, f:image: {}}}}",
			prior:  "spec: {containers: [{name: a, image: x}]}",
			want:   "spec: {containers: [{name: a, image: x}, {name: b, image: q}]}",
		},
		"keyed list, defaulted key": {
			reason: "a port's protocol is TCP unless it is given",
			live:   "spec: {ports: [{port: 80, protocol: TCP, targetPort: 80}]}",
			ours:   "f:spec: {f:ports: {'k:{\"port\":80,\"protocol\":\"TCP\"}': {.: {}, f:port: {}}}}",
			prior:  "spec: {ports: [{port: 80}]}", want: "spec: {ports: [{port: 80}]}",
		},
		"keyed list without managed fields": {
			reason: "somebody cleared the entries",
			live:   "spec: {containers: [{name: b, image: q}, {name: a, image: x, tty: true}]}",
			prior:  "spec: {containers: [{name: a, image: x}]}", want: "spec: {containers: [{name: a, image: x}]}",
		},
		"atomic list with defaults": {
			reason: "nobody wrote it since our apply, so what it holds more are defaults",
			live:   "spec: {rules: [{weight: 1, name: x, port: {}}]}", ours: "f:spec: {f:rules: {}}",
			prior: "spec: {rules: [{name: x}]}", want: "spec: {rules: [{name: x}]}",
		},
		"atomic list of an editor": {
			reason: "somebody else wrote the whole list",
			live:   "spec: {rules: [{weight: 1, name: x}, {weight: 2, name: y}]}", ours: "f:spec: {}", editors: "f:spec: {f:rules: {}}",
			prior: "spec: {rules: [{name: x}]}", want: "spec: {rules: [{weight: 1, name: x}, {weight: 2, name: y}]}",
		},
		"atomic list after an unrecorded apply": {
			reason: "prior is older than the live value",
			live:   "spec: {rules: [{weight: 1, name: z}]}", ours: "f:spec: {f:rules: {}}",
			prior: "spec: {rules: [{name: x}]}", want: "spec: {rules: [{weight: 1, name: z}]}",
		},
		"atomic map of an editor": {
			reason: "a key that somebody added to a selector counts",
			live:   "spec: {selector: {a: b, c: d}}", ours: "f:spec: {}", editors: "f:spec: {f:selector: {}}",
			prior: "spec: {selector: {a: b}}", want: "spec: {selector: {a: b, c: d}}",
		},
		"empty map with defaults": {
			reason: "an empty struct is filled with defaults that are nobody's",
			live:   "spec: {securityContext: {a: 1}}", ours: "f:spec: {f:securityContext: {}}",
			prior: "spec: {securityContext: {}}", want: "spec: {securityContext: {}}",
		},
		"empty map that an editor filled": {
			reason: "an empty selector selects all, a filled one does not",
			live:   "spec: {podSelector: {matchLabels: {a: b}}}", ours: "f:spec: {}", editors: "f:spec: {f:podSelector: {}}",
			prior: "spec: {podSelector: {}}", want: "spec: {podSelector: {matchLabels: {a: b}}}",
		},
		"empty values": {
			reason: "the server leaves out what is empty",
			live:   "spec: {a: 1}", ours: "f:spec: {f:a: {}}",
			prior: "spec: {a: 1, b: {}, c: []}", want: "spec: {a: 1, b: {}, c: []}",
		},
		"another shape": {
			reason: "the live value is shown as it is",
			live:   "spec: {a: {b: 1}}", ours: "f:spec: {f:a: {f:b: {}}}",
			prior: "spec: {a: 1}", want: "spec: {a: {b: 1}}",
		},
		"set": {
			reason: "finalizers of others are not ours",
			live:   "metadata: {name: x, finalizers: [theirs, ours]}", ours: "f:metadata: {f:finalizers: {'v:\"ours\"': {}}}",
			prior: "metadata: {name: x, finalizers: [ours]}", want: "metadata: {name: x, finalizers: [ours]}",
		},
		"labels": {
			reason: "what the server says about an object is not a field of ours",
			live:   "metadata: {name: x, uid: u, generation: 3, labels: {a: b, c: d}}\nstatus: {a: 1}",
			ours:   "f:metadata: {f:labels: {f:a: {}}}",
			prior:  "metadata: {name: x, labels: {a: b}}", want: "metadata: {name: x, labels: {a: b}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := live(t, identity+tc.live, tc.ours, tc.editors)
			before := fields.Clone(object)
			var prior map[string]any
			if tc.prior != "" {
				prior = parse(t, identity+tc.prior)
			}
			want := parse(t, identity+tc.want)
			if _, ok := want["metadata"]; !ok {
				want["metadata"] = map[string]any{"name": "x"}
			}
			got := fields.Project(object, prior, fields.OwnershipOf(object, "us"))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, object, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the live object changed:\n%s", diff)
			}
		})
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		path   []string
		a, b   any
		want   bool
	}{
		"same":             {"the same is equal", []string{"spec", "x"}, "a", "a", true},
		"numbers":          {"a number is its value", []string{"spec", "x"}, int64(1), 1.0, true},
		"number and text":  {"a text is no number", []string{"spec", "x"}, int64(1), "1", false},
		"memory":           {"units of memory", []string{"spec", "limits", "memory"}, "1Gi", "1024Mi", true},
		"decimal":          {"decimal and binary units differ", []string{"spec", "limits", "memory"}, "1G", "1Gi", false},
		"quantity number":  {"a quantity may be a number", []string{"spec", "requests", "cpu"}, 0.5, "500m", true},
		"size limit":       {"fields that are quantities by name", []string{"spec", "emptyDir", "sizeLimit"}, "1Gi", "1024Mi", true},
		"target value":     {"the value of a metric's target", []string{"spec", "target", "value"}, "1k", "1000", true},
		"no quantity":      {"neither is one", []string{"spec", "limits", "x"}, "a", "b", false},
		"annotation":       {"the user's own text", []string{"metadata", "annotations", "requests", "x"}, "1", "1000m", false},
		"port":             {"a port may be a text", []string{"spec", "ports", "targetPort"}, int64(80), "80", true},
		"other port":       {"another one", []string{"spec", "ports", "targetPort"}, "http", "80", false},
		"maps":             {"maps by their values", []string{"spec", "requests"}, map[string]any{"cpu": "1"}, map[string]any{"cpu": "1000m"}, true},
		"more keys":        {"a key more is a difference", []string{"spec"}, map[string]any{"a": "1"}, map[string]any{"a": "1", "b": "1"}, false},
		"lists":            {"lists by place", []string{"spec", "args"}, []any{"a", "b"}, []any{"b", "a"}, false},
		"map and scalar":   {"two shapes", []string{"spec"}, map[string]any{}, "x", false},
		"bool":             {"bools", []string{"spec", "x"}, true, false, false},
		"data is verbatim": {"of ConfigMaps", []string{"data", "limits", "cpu"}, "1", "1000m", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, got := range []bool{fields.Equal(tc.path, tc.a, tc.b), fields.Equal(tc.path, tc.b, tc.a)} {
				if got != tc.want {
					t.Errorf("%s: got %t, want %t", tc.reason, got, tc.want)
				}
			}
		})
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason        string
		before, after string
		want          []string
	}{
		"nothing":       {"spellings do not differ", "spec: {limits: {cpu: '1'}}", "spec: {limits: {cpu: 1000m}}", []string{}},
		"all kinds":     {"changed, removed and added leaves", "data: {a: '1', b: '1'}", "data: {a: '2', c: '3'}", []string{"data.a", "data.b", "data.c"}},
		"below":         {"leaves of what only one side has", "spec: {a: 1}", "spec: {a: 1, b: {c: 1, d: {e: 1}}}", []string{"spec.b.c", "spec.b.d.e"}},
		"by key":        {"elements by key, whatever their order", "spec: {containers: [{name: a, image: x}, {name: b, image: q}]}", "spec: {containers: [{name: b, image: z}, {name: a, image: x}]}", []string{`spec.containers[name="b"].image`}},
		"element gone":  {"the leaves of the element", "spec: {containers: [{name: a}, {name: b, image: q}]}", "spec: {containers: [{name: a}]}", []string{`spec.containers[name="b"].image`, `spec.containers[name="b"].name`}},
		"by place":      {"elements without a key by place", "spec: {args: [a, b]}", "spec: {args: [a, c]}", []string{"spec.args[1]"}},
		"another count": {"or the whole list", "spec: {args: [a, b]}", "spec: {args: [a]}", []string{"spec.args"}},
		"another shape": {"the field itself", "spec: {a: {b: 1}}", "spec: {a: 1}", []string{"spec.a"}},
		"everything":    {"a new object", "", "data: {a: '1'}", []string{"data.a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, fields.Changed(parse(t, tc.before), parse(t, tc.after))); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestManagers(t *testing.T) {
	t.Parallel()
	object := live(t, "apiVersion: v1\nkind: X\ndata: {a: '1', b: '1'}", "f:data: {f:a: {}}", "f:data: {f:b: {}}")
	if !fields.HasManager(object, "us") || fields.HasManager(object, "editor") || fields.HasManager(object, "nobody") {
		t.Error("only an applier is a manager that has applied")
	}
	if diff := cmp.Diff([]string{"us"}, fields.Owners(object, "data.a", "Apply")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"editor"}, fields.Owners(object, "data.b", "Update")); diff != "" {
		t.Error(diff)
	}
	if got := fields.Owners(object, "data.b", "Apply"); got != nil {
		t.Errorf("owners are %v", got)
	}
	damaged := fields.Clone(object)
	damaged["metadata"] = map[string]any{"managedFields": []any{"x", map[string]any{"manager": "m", "fieldsV1": "x"}}}
	if got := fields.Managers(damaged); len(got) != 0 {
		t.Errorf("managers are %v", got)
	}
	other := fields.Clone(object)
	other["apiVersion"] = "v2"
	if fields.OwnershipOf(other, "us").Own != nil {
		t.Error("the paths of another version are not those of this one")
	}
}

func TestSetOf(t *testing.T) {
	t.Parallel()
	object := parse(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: x, namespace: n, uid: u, labels: {a: b}, finalizers: [f]}
spec:
  selector: {matchLabels: {a: b}}
  empty: {}
  args: [a, b]
  containers: [{name: c, ports: [{containerPort: 80}]}]
status: {a: 1}
`)
	want := []string{
		"metadata.labels.a", `metadata.finalizers[="f"]`, "spec.selector", "spec.empty", "spec.args",
		`spec.containers[name="c"].name`, `spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].containerPort`,
	}
	set := fields.SetOf(object)
	for _, path := range want {
		if !fields.Holds(set, path) {
			t.Errorf("%s is not in the set:\n%s", path, set)
		}
	}
	for _, path := range []string{"metadata.name", "metadata.uid", "status.a", "spec.selector.matchLabels.a", "apiVersion"} {
		if fields.Holds(set, path) {
			t.Errorf("%s is in the set", path)
		}
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	input := map[string]any{"a": 1, "b": int32(2), "c": nil, "d": []string{"x"}, "e": map[string]string{"f": "g"}, "big": int64(9007199254740993)}
	got, err := fields.Normalize(input)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"a": int64(1), "b": int64(2), "d": []any{"x"}, "e": map[string]any{"f": "g"}, "big": int64(9007199254740993),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := fields.Normalize(map[string]any{"a": make(chan int)}); err == nil {
		t.Error("a channel has no JSON")
	}
}
