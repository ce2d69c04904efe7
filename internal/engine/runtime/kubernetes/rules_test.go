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

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

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
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "kubectl" with subresource "scale" using apps/v1`, Field: ".spec.replicas"},
		{Type: metav1.CauseTypeUnexpectedServerResponse, Message: "other", Field: ".x"},
	}, "conflicts")
	want := []conflict{{"data.a", "kubectl-edit", ""}, {`spec.containers[name="x"].image`, "helm", ""}, {"spec.replicas", "kubectl", "scale"}}
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
