// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package seed

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServed(t *testing.T) {
	t.Parallel()
	list, err := readGatewayAPI()
	if err != nil {
		t.Fatalf("read gateway api: %v", err)
	}
	own, err := readYAML(definitions)
	if err != nil {
		t.Fatalf("read definitions: %v", err)
	}
	got := servedBy(append(list, own...))
	for _, plurals := range got {
		slices.Sort(plurals)
	}
	want := Served{
		"gateway.networking.k8s.io/v1": {
			"backendtlspolicies", "gatewayclasses", "gateways", "grpcroutes", "httproutes", "listenersets",
			"referencegrants", "tcproutes", "tlsroutes", "udproutes",
		},
		"gateway.networking.k8s.io/v1beta1": {"gatewayclasses", "gateways", "httproutes", "referencegrants"},
		"gateway.envoyproxy.io/v1alpha1":    {"backends", "backendtrafficpolicies", "securitypolicies"},
		"external-secrets.io/v1":            {"externalsecrets"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("served resources: -want, +got:\n%s", diff)
	}
}

func TestResourcesOfObjects(t *testing.T) {
	t.Parallel()
	list, err := readYAML(objects)
	if err != nil {
		t.Fatalf("read objects: %v", err)
	}
	var got []string
	for _, object := range list {
		got = append(got, resourceOf(object.GroupVersionKind()).Resource+" "+object.GetName())
	}
	want := []string{
		"storageclasses devcluster", "namespaces gateways", "gatewayclasses devcluster",
		"gateways public", "gateways organization",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
}
