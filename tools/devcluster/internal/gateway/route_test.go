// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package gateway

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/cache"
)

// world is what the controller under test finds in its caches.
const world = `
- {kind: gatewayclasses, metadata: {name: ours}, spec: {controllerName: openplatform.dev/devcluster}}
- {kind: gatewayclasses, metadata: {name: theirs}, spec: {controllerName: example.org/other}}
- {kind: gateways, metadata: {name: theirs, namespace: gateways}, spec: {gatewayClassName: theirs}}
- kind: gateways
  metadata: {name: ours, namespace: gateways}
  spec:
    gatewayClassName: ours
    listeners:
    - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
    - {name: same, port: 81, protocol: HTTP, allowedRoutes: {namespaces: {from: Same}}}
    - name: labelled
      port: 82
      protocol: HTTP
      allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: a}}}}
    - {name: grpc, port: 83, protocol: HTTP, allowedRoutes: {namespaces: {from: All}, kinds: [{kind: GRPCRoute}]}}
    - {name: tcp, port: 9000, protocol: TCP, allowedRoutes: {namespaces: {from: All}}}
- {kind: namespaces, metadata: {name: apps}}
- {kind: namespaces, metadata: {name: team-a, labels: {team: a}}}
- {kind: services, metadata: {name: web, namespace: apps}, spec: {ports: [{port: 80}]}}
- {kind: services, metadata: {name: web, namespace: team-a}, spec: {ports: [{port: 80}]}}
- kind: referencegrants
  metadata: {name: grant, namespace: team-a}
  spec:
    from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: apps}]
    to: [{group: "", kind: Service, name: web}]
`

func newTestController(t *testing.T) *Controller {
	t.Helper()
	var objects []map[string]any
	if err := yaml.Unmarshal([]byte(world), &objects); err != nil {
		t.Fatalf("read world: %v", err)
	}
	indexers := map[string]cache.Indexer{}
	c := &Controller{now: time.Now, listers: map[string]cache.GenericLister{}}
	resources := append(routeResources(), "gatewayclasses", "gateways", "namespaces", "services", "referencegrants")
	for _, resource := range resources {
		indexers[resource] = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
		c.listers[resource] = cache.NewGenericLister(indexers[resource], resourceOf(resource).GroupResource())
	}
	for _, object := range objects {
		raw := &unstructured.Unstructured{Object: object}
		if err := indexers[raw.GetKind()].Add(raw); err != nil {
			t.Fatalf("add object: %v", err)
		}
	}
	return c
}

func newRoute(kind, namespace string) route {
	var r route
	r.Kind, r.Namespace, r.Name = kind, namespace, "route"
	return r
}

func TestJudge(t *testing.T) {
	t.Parallel()
	c := newTestController(t)
	refused := newRoute("HTTPRoute", "apps")
	refused.Annotations = map[string]string{AnnotationRoute: routeRefused}
	at := func(name, section string, port int32) parentRef {
		return parentRef{Kind: "Gateway", Namespace: "gateways", Name: name, SectionName: section, Port: port}
	}
	cases := map[string]struct {
		reason    string
		route     route
		parent    parentRef
		want      string
		listeners []string
	}{
		"Accepted":    {"a listener for all takes it", newRoute("HTTPRoute", "apps"), at("ours", "http", 0), reasonAccepted, []string{"http"}},
		"AnyListener": {"without a section all that may do", newRoute("HTTPRoute", "team-a"), at("ours", "", 0), reasonAccepted, []string{"http", "labelled"}},
		"ByPort":      {"the port chooses too", newRoute("GRPCRoute", "apps"), at("ours", "", 83), reasonAccepted, []string{"grpc"}},
		"ByProtocol":  {"the protocol decides about the kind", newRoute("TCPRoute", "apps"), at("ours", "", 0), reasonAccepted, []string{"tcp"}},
		"OwnSpace":    {"a gateway may serve its own namespace only", newRoute("HTTPRoute", "gateways"), at("ours", "same", 0), reasonAccepted, []string{"same"}},
		"OtherSpace":  {"and then refuses others", newRoute("HTTPRoute", "apps"), at("ours", "same", 0), reasonNotAllowed, nil},
		"NoLabel":     {"labels of the namespace count", newRoute("HTTPRoute", "apps"), at("ours", "labelled", 0), reasonNotAllowed, nil},
		"WrongKind":   {"a listener may name the kinds", newRoute("HTTPRoute", "apps"), at("ours", "grpc", 0), reasonNotAllowed, nil},
		"NoListener":  {"a missing listener is no parent", newRoute("HTTPRoute", "apps"), at("ours", "https", 0), reasonNoMatchingParent, nil},
		"NoGateway":   {"a missing gateway is no parent", newRoute("HTTPRoute", "apps"), at("none", "", 0), reasonNoMatchingParent, nil},
		"Refused":     {"a route may ask to be refused", refused, at("ours", "http", 0), reasonNotAllowed, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.judge(tc.route, tc.parent)
			if got.reason != tc.want {
				t.Errorf("%s: got %s (%s), want %s", tc.reason, got.reason, got.message, tc.want)
			}
			if diff := cmp.Diff(tc.listeners, got.listeners); diff != "" {
				t.Errorf("%s: listeners: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestJudgeBackend(t *testing.T) {
	t.Parallel()
	c := newTestController(t)
	service := func(namespace, name string, port int32) backendRef {
		return backendRef{Kind: "Service", Namespace: namespace, Name: name, Port: port}
	}
	cases := map[string]struct {
		reason  string
		kind    string
		backend backendRef
		want    string
	}{
		"Exists":    {"a service of the route's namespace", "HTTPRoute", service("", "web", 80), reasonResolved},
		"Missing":   {"a service that does not exist", "HTTPRoute", service("", "none", 80), reasonBackendNotFound},
		"NoPort":    {"a port that does not exist", "HTTPRoute", service("", "web", 81), reasonBackendNotFound},
		"Granted":   {"another namespace may permit it", "HTTPRoute", service("team-a", "web", 80), reasonResolved},
		"OtherKind": {"for one kind of route", "GRPCRoute", service("team-a", "web", 80), reasonRefNotPermitted},
		"OtherName": {"and one service", "HTTPRoute", service("team-a", "db", 80), reasonRefNotPermitted},
		"Envoy": {
			"backends of Envoy Gateway are taken as they are", "HTTPRoute",
			backendRef{Group: "gateway.envoyproxy.io", Kind: "Backend", Name: "x"},
			reasonResolved,
		},
		"Unknown": {
			"other kinds are not supported", "HTTPRoute",
			backendRef{Group: "example.org", Kind: "Bucket", Name: "x"},
			reasonInvalidKind,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.judgeBackend(newRoute(tc.kind, "apps"), tc.backend); got.reason != tc.want {
				t.Errorf("%s: got %s (%s), want %s", tc.reason, got.reason, got.message, tc.want)
			}
		})
	}
}

// TestOtherControllers checks that the answers of others are kept, and that
// nothing is said about their gateways.
func TestOtherControllers(t *testing.T) {
	t.Parallel()
	c := newTestController(t)
	r := newRoute("HTTPRoute", "apps")
	ours := parentRef{Kind: "Gateway", Namespace: "gateways", Name: "ours", SectionName: "http"}
	theirs := parentRef{Kind: "Gateway", Namespace: "gateways", Name: "theirs"}
	r.Spec.ParentRefs = []parentRef{ours, theirs}
	r.Status.Parents = []parentStatus{{ParentRef: theirs, ControllerName: "example.org/other"}}
	got := map[string]string{}
	for _, entry := range c.parentStatuses(r) {
		got[entry.ParentRef.Name] += entry.ControllerName
	}
	want := map[string]string{"ours": ControllerName, "theirs": "example.org/other"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers: -want, +got:\n%s", diff)
	}
}
