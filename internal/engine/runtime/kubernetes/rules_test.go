// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

func parse(t *testing.T, text string) object {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := fields.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJudgeDeployment(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		object string
		want   verdict
	}{
		"not seen":      {"numbers of an older generation say nothing", "metadata: {generation: 2}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", verdict{}},
		"no status":     {"the controller has not begun", "metadata: {generation: 1}\nspec: {replicas: 1}", verdict{}},
		"complete":      {"all are new and available", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", verdict{ready: true}},
		"default":       {"one replica unless told", "metadata: {generation: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", verdict{ready: true}},
		"zero":          {"none is complete", "metadata: {generation: 1}\nspec: {replicas: 0}\nstatus: {observedGeneration: 1}", verdict{ready: true}},
		"old ones left": {"an old pod is still there", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 1}", verdict{}},
		"unavailable":   {"the new one is not available", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}", verdict{}},
		"gave up":       {"the controller gave up", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]}", verdict{failed: true}},
		"quota":         {"pods are refused, for now", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate}]}", verdict{failed: true, grace: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeDeployment(parse(t, tc.object))
			got.message, got.key = "", ""
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestJudgeJob(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		object string
		want   verdict
	}{
		"running":   {"it works", "status: {active: 1}", verdict{}},
		"complete":  {"it is done", "status: {conditions: [{type: Complete, status: 'True'}]}", verdict{ready: true}},
		"failed":    {"it gave up", "status: {conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded}]}", verdict{failed: true}},
		"not yet":   {"the condition is not true", "status: {conditions: [{type: Failed, status: 'False'}]}", verdict{}},
		"suspended": {"nothing is to be done", "spec: {suspend: true}", verdict{ready: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeJob(parse(t, tc.object))
			got.message = ""
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestJudgeRoute(t *testing.T) {
	t.Parallel()
	const head = "metadata: {namespace: n, generation: 2}\nspec: {parentRefs: [{name: g, namespace: gw}]}\n"
	parent := func(accepted, resolved, generation string) string {
		return "status: {parents: [{parentRef: {name: g, namespace: gw, kind: Gateway}, conditions: [" +
			"{type: Accepted, status: '" + accepted + "', reason: NotAllowed, observedGeneration: " + generation + "}, " +
			"{type: ResolvedRefs, status: '" + resolved + "', reason: BackendNotFound, observedGeneration: " + generation + "}]}]}"
	}
	cases := map[string]struct {
		reason string
		object string
		want   verdict
		word   string
	}{
		"no answer":      {"nobody cares", head, verdict{}, "no controller answered for the parent gateway gw/g"},
		"accepted":       {"it is in use", head + parent("True", "True", "2"), verdict{ready: true}, "accepted"},
		"older answer":   {"it is about another generation", head + parent("True", "True", "1"), verdict{}, "not decided"},
		"refused":        {"it says no", head + parent("False", "True", "2"), verdict{failed: true, grace: true}, "NotAllowed"},
		"no backend":     {"the backend may come", head + parent("True", "False", "2"), verdict{}, "BackendNotFound"},
		"other parent":   {"the answer is about another gateway", strings.Replace(head, "name: g,", "name: h,", 1) + parent("True", "True", "2"), verdict{}, "gw/h"},
		"no parents":     {"nobody is asked", "metadata: {generation: 1}\nspec: {}", verdict{ready: true}, ""},
		"own namespace":  {"a reference without a namespace", "metadata: {namespace: gw, generation: 2}\nspec: {parentRefs: [{name: g}]}\n" + parent("True", "True", "2"), verdict{ready: true}, ""},
		"other listener": {"the answer is about all listeners", strings.Replace(head, "name: g,", "name: g, sectionName: s,", 1) + parent("True", "True", "2"), verdict{}, "gw/g/s"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeRoute(parse(t, tc.object))
			if !strings.Contains(got.message, tc.word) {
				t.Errorf("message is %q, want %q in it", got.message, tc.word)
			}
			got.message, got.key = "", ""
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestJudgeGateway(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		object string
		want   verdict
	}{
		"silent":     {"metadata: {generation: 1}", verdict{}},
		"programmed": {"metadata: {generation: 1}\nstatus: {conditions: [{type: Programmed, status: 'True', observedGeneration: 1}]}", verdict{ready: true}},
		"older":      {"metadata: {generation: 2}\nstatus: {conditions: [{type: Programmed, status: 'True', observedGeneration: 1}]}", verdict{}},
		"refused":    {"metadata: {generation: 1}\nstatus: {conditions: [{type: Accepted, status: 'False', observedGeneration: 1}]}", verdict{failed: true, grace: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeGateway(parse(t, tc.object))
			got.message, got.key = "", ""
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestTroubleOf(t *testing.T) {
	t.Parallel()
	status := func(text string) string {
		return "metadata: {name: p, uid: u}\nstatus: {containerStatuses: [{name: c, " + text + "}]}"
	}
	cases := map[string]struct {
		reason  string
		pod     string
		found   bool
		grace   bool
		crashed bool
		text    string
	}{
		"running":         {"all is well", status("ready: true, state: {running: {}}"), false, false, false, ""},
		"creating":        {"it is on its way", status("state: {waiting: {reason: ContainerCreating}}"), false, false, false, ""},
		"pull error":      {"a registry may be slow", status("state: {waiting: {reason: ErrImagePull, message: not found}}"), true, true, false, "pod p, container c: ErrImagePull: not found"},
		"pull back-off":   {"the same later", status("state: {waiting: {reason: ImagePullBackOff}}"), true, true, false, "pod p, container c: ImagePullBackOff"},
		"image name":      {"no registry is asked", status("state: {waiting: {reason: InvalidImageName}}"), true, true, false, "pod p, container c: InvalidImageName"},
		"config":          {"a Secret is missing, and may come", status("state: {waiting: {reason: CreateContainerConfigError, message: secret x}}"), true, true, false, "pod p, container c: CreateContainerConfigError: secret x"},
		"crash loop":      {"it ends again and again", status("restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 3, reason: Error}}"), true, false, true, "pod p, container c: CrashLoopBackOff: exit code 3"},
		"out of memory":   {"the reason is told", status("restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}"), true, false, true, "pod p, container c: CrashLoopBackOff: exit code 137 (OOMKilled)"},
		"restarting":      {"it ended twice with an error", status("restartCount: 2, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"), true, false, true, "pod p, container c: Error: exit code 1"},
		"restarted once":  {"once may be bad luck", status("restartCount: 1, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"), false, false, false, ""},
		"recovered":       {"it is ready now", status("restartCount: 5, ready: true, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"), false, false, false, ""},
		"deliberate ends": {"it ends well each time", status("restartCount: 5, state: {running: {}}, lastState: {terminated: {exitCode: 0}}"), false, false, false, ""},
		"being deleted":   {"it does not count any more", "metadata: {name: p, deletionTimestamp: x}\nstatus: {containerStatuses: [{name: c, state: {waiting: {reason: ErrImagePull}}}]}", false, false, false, ""},
		"init container":  {"these count too", "metadata: {name: p}\nstatus: {initContainerStatuses: [{name: i, state: {waiting: {reason: ErrImagePull}}}]}", true, true, false, "pod p, container i: ErrImagePull"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := troubleOf(parse(t, tc.pod))
			if found != tc.found || got.grace != tc.grace || got.crashed != tc.crashed {
				t.Errorf("%s: got %t, %+v", tc.reason, found, got)
			}
			if found && got.String() != tc.text {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.text)
			}
		})
	}
}

func TestRuleFor(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		gvk  schema.GroupVersionKind
		want bool
	}{
		"ConfigMap":       {schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, false},
		"Namespace":       {schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, false},
		"claim":           {schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}, false},
		"Service":         {schema.GroupVersionKind{Version: "v1", Kind: "Service"}, false},
		"Pod":             {schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		"Deployment":      {schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, true},
		"DaemonSet":       {schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"}, true},
		"Job":             {schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}, true},
		"CronJob":         {schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}, false},
		"policy":          {schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, false},
		"autoscaler":      {schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, false},
		"route":           {schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "TCPRoute"}, true},
		"custom resource": {schema.GroupVersionKind{Group: "external-secrets.io", Version: "v1", Kind: "ExternalSecret"}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ruleFor(tc.gvk) != nil; got != tc.want {
				t.Errorf("waits: %t, want %t", got, tc.want)
			}
		})
	}
}

func TestCodeOfStatus(t *testing.T) {
	t.Parallel()
	group := schema.GroupResource{Group: "apps", Resource: "deployments"}
	cases := map[string]struct {
		err  *apierrors.StatusError
		want runtime.Code
	}{
		"not found":      {apierrors.NewNotFound(group, "x"), runtime.NotFound},
		"exists":         {apierrors.NewAlreadyExists(group, "x"), runtime.AlreadyExists},
		"conflict":       {apierrors.NewConflict(group, "x", errors.New("changed")), runtime.Conflict},
		"forbidden":      {apierrors.NewForbidden(group, "x", nil), runtime.PermissionDenied},
		"unauthorized":   {apierrors.NewUnauthorized("no"), runtime.Unauthenticated},
		"bad request":    {apierrors.NewBadRequest("no"), runtime.InvalidArgument},
		"invalid":        {apierrors.NewInvalid(schema.GroupKind{Kind: "X"}, "x", nil), runtime.InvalidArgument},
		"too large":      {apierrors.NewRequestEntityTooLargeError("no"), runtime.InvalidArgument},
		"busy":           {apierrors.NewTooManyRequests("no", 1), runtime.Unavailable},
		"unavailable":    {apierrors.NewServiceUnavailable("no"), runtime.Unavailable},
		"server timeout": {apierrors.NewServerTimeout(group, "get", 1), runtime.Unavailable},
		"internal":       {apierrors.NewInternalError(errors.New("webhook")), runtime.Internal},
		"typed patch": {&apierrors.StatusError{ErrStatus: metav1.Status{
			Code: http.StatusInternalServerError, Message: "failed to create typed patch object (x): .spec.y: field not declared in schema",
		}}, runtime.InvalidArgument},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := codeOfStatus(tc.err); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestConflictsOf(t *testing.T) {
	t.Parallel()
	err := apierrors.NewApplyConflict([]metav1.StatusCause{
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "kubectl-edit" using v1`, Field: ".data.a"},
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "helm"`, Field: `.spec.containers[name="x"].image`},
		{Type: metav1.CauseTypeUnexpectedServerResponse, Message: "other", Field: ".x"},
	}, "conflicts")
	want := []conflict{{"data.a", "kubectl-edit"}, {`spec.containers[name="x"].image`, "helm"}}
	if diff := cmp.Diff(want, conflictsOf(err), cmp.AllowUnexported(conflict{})); diff != "" {
		t.Error(diff)
	}
	for name, other := range map[string]error{"nil": nil, "plain": errors.New("x"), "other": apierrors.NewConflict(schema.GroupResource{}, "x", nil)} {
		if isFieldConflict(other) {
			t.Errorf("%s is none", name)
		}
	}
}

func TestCausePaths(t *testing.T) {
	t.Parallel()
	status := metav1.Status{
		Message: "failed to create typed patch object (n/x; v1, Kind=Service): errors:\n  .spec.nothing: field not declared in schema\n  .spec.ports[port=80].x: expected string",
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "<nil>"}, {Field: "spec.a"}, {Field: "spec.a"}}},
	}
	if diff := cmp.Diff([]string{"spec.a", "spec.nothing", "spec.ports[port=80].x"}, causePaths(status)); diff != "" {
		t.Error(diff)
	}
}

func TestIsForeign(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		kind   string
		object string
		want   bool
	}{
		"ours":            {"of our organization", "ConfigMap", "metadata: {name: x, labels: {app.kubernetes.io/managed-by: terraform-provider-platform, openplatform.dev/organization: acme}}", false},
		"another's":       {"of another organization", "ConfigMap", "metadata: {name: x, labels: {app.kubernetes.io/managed-by: terraform-provider-platform, openplatform.dev/organization: other}}", true},
		"label only":      {"anybody can set a label", "ConfigMap", "metadata: {name: x, labels: {openplatform.dev/organization: acme}}", true},
		"owned":           {"it goes with its owner", "Pod", "metadata: {name: x, ownerReferences: [{uid: u}]}", false},
		"root CA":         {"Kubernetes puts it there", "ConfigMap", "metadata: {name: kube-root-ca.crt}", false},
		"default account": {"Kubernetes puts it there", "ServiceAccount", "metadata: {name: default}", false},
		"other account":   {"somebody made it", "ServiceAccount", "metadata: {name: x}", true},
		"token":           {"it goes with its account", "Secret", "metadata: {name: x, annotations: {kubernetes.io/service-account.name: default}}", false},
		"event":           {"it is only news", "Event", "metadata: {name: x}", false},
		"lease":           {"it means nothing without its holder", "Lease", "metadata: {name: x}", false},
		"claim":           {"it holds data", "PersistentVolumeClaim", "metadata: {name: x}", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := isForeign(parse(t, tc.object), tc.kind, "acme"); got != tc.want {
				t.Errorf("%s: got %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestOwned(t *testing.T) {
	t.Parallel()
	stack := &runtime.Stack{Organization: "acme", OwnerKind: "project", OwnerID: "shop"}
	us := target{stack: stack, manager: naming.FieldManager("acme", "project", "shop")}
	build := func(change func(labels, annotations map[string]any), manager string) object {
		labels, annotations := map[string]any{}, map[string]any{naming.AnnotationOwnerID: "shop"}
		for label, value := range naming.OwnerLabels("acme", "project", "shop") {
			labels[label] = value
		}
		change(labels, annotations)
		return object{"apiVersion": "v1", "metadata": map[string]any{
			"labels": labels, "annotations": annotations,
			"managedFields": []any{map[string]any{
				"manager": manager, "operation": "Apply", "apiVersion": "v1", "fieldsV1": map[string]any{"f:data": map[string]any{}},
			}},
		}}
	}
	nothing := func(_, _ map[string]any) {}
	cases := map[string]struct {
		reason         string
		live           object
		owned, known   bool
		unownedByLabel bool
	}{
		"ours":              {"all labels match", build(nothing, "x"), true, true, false},
		"no annotation":     {"the labels suffice", build(func(_, a map[string]any) { delete(a, naming.AnnotationOwnerID) }, "x"), true, true, false},
		"annotation":        {"the hash in the label is short; the id is exact", build(func(_, a map[string]any) { a[naming.AnnotationOwnerID] = "other" }, "x"), false, false, false},
		"label gone":        {"a recorded object keeps its owner", build(func(l, _ map[string]any) { delete(l, naming.LabelOrganization) }, us.manager), false, true, false},
		"label and manager": {"nothing says that it is ours", build(func(l, _ map[string]any) { delete(l, naming.LabelOrganization) }, "x"), false, false, false},
		"claimed":           {"somebody else says that it is theirs", build(func(l, _ map[string]any) { l[naming.LabelOwner] = "other" }, us.manager), false, false, false},
		"no labels":         {"nobody claims it", build(func(l, _ map[string]any) { clear(l) }, "x"), false, false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := us.owned(tc.live, false); got != tc.owned {
				t.Errorf("%s: owned is %t, want %t", tc.reason, got, tc.owned)
			}
			if got := us.owned(tc.live, true); got != tc.known {
				t.Errorf("%s: owned, if recorded, is %t, want %t", tc.reason, got, tc.known)
			}
			if got := unowned(tc.live); got != tc.unownedByLabel {
				t.Errorf("%s: unowned is %t, want %t", tc.reason, got, tc.unownedByLabel)
			}
		})
	}
}

func TestMapping(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		gvk             schema.GroupVersionKind
		namespace, name string
		want            string
	}{
		"core":      {schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "n", "x", "/api/v1/namespaces/n/configmaps/x"},
		"all":       {schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "", "", "/api/v1/secrets"},
		"cluster":   {schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", "x", "/api/v1/namespaces/x"},
		"group":     {schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, "n", "x", "/apis/networking.k8s.io/v1/namespaces/n/networkpolicies/x"},
		"route":     {schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "TCPRoute"}, "n", "", "/apis/gateway.networking.k8s.io/v1/namespaces/n/tcproutes"},
		"unknown":   {schema.GroupVersionKind{Group: "example.dev", Version: "v1", Kind: "Deployment"}, "n", "x", ""},
		"old":       {schema.GroupVersionKind{Group: "apps", Version: "v1beta1", Kind: "Deployment"}, "n", "x", ""},
		"two of it": {schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, "n", "", "/apis/autoscaling/v2/namespaces/n/horizontalpodautoscalers"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, ok := builtinMapping(tc.gvk)
			if ok != (tc.want != "") {
				t.Fatalf("found is %t", ok)
			}
			if ok && found.path(tc.namespace, tc.name) != tc.want {
				t.Errorf("got %s, want %s", found.path(tc.namespace, tc.name), tc.want)
			}
		})
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		data                 []byte
		plain, binary, parts bool
	}{
		"empty":      {nil, true, false, false},
		"small":      {[]byte(`{"a":1}`), true, false, false},
		"not text":   {[]byte{0xff, 0xfe}, false, true, false},
		"repetitive": {[]byte(strings.Repeat("a", 2<<20)), false, true, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			packed, err := pack(tc.data)
			if err != nil {
				t.Fatal(err)
			}
			if (packed.binary != nil) != tc.binary || (packed.parts != nil) != tc.parts {
				t.Errorf("packed as %d bytes of binary and %d parts", len(packed.binary), len(packed.parts))
			}
			data, err := packed.unpack()
			if err != nil || string(data) != string(tc.data) {
				t.Errorf("unpacked %d bytes, %v", len(data), err)
			}
			packed.digest = "other"
			if _, err := packed.unpack(); err == nil {
				t.Error("a wrong digest was not noticed")
			}
		})
	}
}
