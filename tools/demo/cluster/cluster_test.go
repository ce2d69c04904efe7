// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// types is a server that serves some types; the fake of client-go lists no
// preferred ones.
type types struct{ *fake.FakeDiscovery }

func (t types) ServerPreferredNamespacedResources() ([]*metav1.APIResourceList, error) {
	return t.Resources, nil
}

// serving returns a cluster with objects that serves some types of the core and
// those named of the Gateway API.
func serving(gateway []string, objects ...*unstructured.Unstructured) cluster {
	lists := []*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "configmaps", Kind: "ConfigMap", Verbs: []string{"list"}},
		{Name: "serviceaccounts", Kind: "ServiceAccount", Verbs: []string{"list"}},
		{Name: "bindings", Kind: "Binding", Verbs: []string{"create"}},
	}}}
	if gateway != nil {
		list := &metav1.APIResourceList{GroupVersion: "gateway.networking.k8s.io/v1"}
		for _, name := range gateway {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: name, Verbs: []string{"list"}})
		}
		lists = append(lists, list)
	}
	kinds := map[schema.GroupVersionResource]string{
		{Version: "v1", Resource: "namespaces"}:                                         "NamespaceList",
		{Version: "v1", Resource: "configmaps"}:                                         "ConfigMapList",
		{Version: "v1", Resource: "serviceaccounts"}:                                    "ServiceAccountList",
		{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}:       "GatewayList",
		{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"}:     "HTTPRouteList",
		{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gatewayclasses"}: "GatewayClassList",
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	for _, given := range objects {
		resource := schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}
		if kind := given.GroupVersionKind(); kind.Kind != "Gateway" {
			// The plural that is guessed is right for all but this one.
			resource, _ = meta.UnsafeGuessKindToResource(kind)
		}
		if err := client.Tracker().Create(resource, given, given.GetNamespace()); err != nil {
			panic(err)
		}
	}
	return cluster{
		objects: client,
		types:   types{&fake.FakeDiscovery{Fake: &clienttesting.Fake{Resources: lists}}},
	}
}

func object(apiVersion, kind, namespace, name string, more map[string]any) *unstructured.Unstructured {
	fields := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"namespace": namespace, "name": name, "uid": "uid-" + name}}
	for key, value := range more {
		fields[key] = value
	}
	return &unstructured.Unstructured{Object: fields}
}

func gatewayFor(listener, from string) *unstructured.Unstructured {
	return object("gateway.networking.k8s.io/v1", "Gateway", "gateways", "public", map[string]any{"spec": map[string]any{"listeners": []any{
		map[string]any{"name": listener, "allowedRoutes": map[string]any{"namespaces": map[string]any{"from": from}}},
	}}})
}

func TestLacks(t *testing.T) {
	t.Parallel()
	both := []string{"gateways", "httproutes"}
	for name, test := range map[string]struct {
		cluster cluster
		want    string
	}{
		"nothing":       {serving(both, gatewayFor("http", "All")), ""},
		"the API":       {serving(nil), "the cluster does not serve the Gateway API (gateways, gateway.networking.k8s.io/v1)"},
		"routes":        {serving([]string{"gateways"}), "the cluster does not serve the Gateway API (httproutes, gateway.networking.k8s.io/v1)"},
		"the gateway":   {serving(both), "the cluster has no Gateway gateways/public"},
		"the listener":  {serving(both, gatewayFor("https", "All")), "the Gateway gateways/public has no listener http"},
		"an open door":  {serving(both, gatewayFor("http", "Same")), "the listener http of the Gateway gateways/public takes no routes of other namespaces"},
		"a chosen door": {serving(both, gatewayFor("http", "Selector")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.cluster.lacks(t.Context(), "gateways", "public", "http")
			if err != nil || got != test.want {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	namespace := object("v1", "Namespace", "", "platform-demo", nil)
	standard := []*unstructured.Unstructured{
		namespace, object("v1", "ConfigMap", "platform-demo", "kube-root-ca.crt", nil), object("v1", "ServiceAccount", "platform-demo", "default", nil),
		object("v1", "ConfigMap", "elsewhere", "record", nil),
	}
	for name, test := range map[string]struct {
		objects []*unstructured.Unstructured
		want    string
		stays   bool
	}{
		"absent":   {nil, "", false},
		"empty":    {standard, "The namespace platform-demo is gone.", false},
		"a record": {append([]*unstructured.Unstructured{object("v1", "ConfigMap", "platform-demo", "record", nil)}, standard...), "The namespace platform-demo stays: it holds ConfigMap/record.", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serving(nil, test.objects...)
			got, err := c.forget(t.Context(), "platform-demo")
			if err != nil || got != test.want {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
			uid, err := c.namespace(t.Context(), "platform-demo")
			if err != nil || (uid != "") != test.stays {
				t.Errorf("afterwards its UID is %q (%v)", uid, err)
			}
		})
	}
}
