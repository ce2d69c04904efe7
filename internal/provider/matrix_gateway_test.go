// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
)

const (
	shownRoute   = "endpoint.HTTPRoute.spec."
	shownPeers   = "endpoint.NetworkPolicy.spec.ingress[0].from"
	shownAddress = "endpoint.addresses."
)

// gatewayNames are the names of the Gateways of the test cluster by visibility.
func gatewayNames() []string { return []string{"public", "organization"} }

func gateway(name string) map[string]any {
	return object("name", name, "namespace", "gateways", "virtual_host", name+".example.com")
}

func planeRows(spaces []any) []row {
	rows := []row{
		{path: "cluster", values: []any{"near", "far"}},
		{path: "gateways", values: []any{object("public", gateway("public")), object()}, given: object("gateways", nil)},
		{path: "network_policy", values: []any{"none", "kubernetes"}, deep: true, shows: func(value any) map[string]any {
			if value == "none" {
				return map[string]any{"endpoint.NetworkPolicy": nothing{}, "project.NetworkPolicy": nothing{}}
			}
			return nil
		}},
	}
	for i, name := range gatewayNames() {
		rows = append(rows, gatewayRows(name, gatewayNames()[1-i], spaces)...)
	}
	return rows
}

// gatewayRows are those of the gateway of a visibility; another is the name of
// the other one.
func gatewayRows(visibility, another string, spaces []any) []row {
	at, path := at, "gateways."+visibility+"."
	address := shownAddress + visibility
	peers := func(selector func(name any) map[string]any) func(any) map[string]any {
		return func(value any) map[string]any {
			if visibility != "public" {
				// The organization's own pods come after them.
				return map[string]any{shownPeers: anything{}}
			}
			var list []any
			names, _ := value.([]any)
			for _, name := range names {
				list = append(list, selector(name))
			}
			return map[string]any{shownPeers: list}
		}
	}
	rows := []row{
		{path: path + "name", values: []any{another}, shows: at(shownRoute + "parentRefs[0].name")},
		{path: path + "namespace", values: spaces, shows: at(shownRoute+"parentRefs[0].namespace", shownPeers+"[0].namespaceSelector.matchLabels.kubernetes.io/metadata.name")},
		{path: path + "listener", values: []any{"http", "grpc"}, shows: at(shownRoute + "parentRefs[0].sectionName")},
		{path: path + "listener_ports", values: []any{object("grpc", 8081), object("grpc", 8082)}, shows: somehow(address)},
		{path: path + "virtual_host", values: []any{"apps.example.net", "apps.example.org"}, shows: somehow(shownRoute+"hostnames[0]", address)},
		{path: path + "scheme", values: []any{"http", "https"}, shows: func(value any) map[string]any {
			if value == "https" {
				return nil
			}
			return map[string]any{address: anything{}}
		}},
		{path: path + "port", values: []any{8443, 9443}, shows: somehow(address)},
		{path: path + "peers.namespaces", values: []any{list("edge"), list("edge", "inner")}, shows: peers(func(name any) map[string]any {
			return object("namespaceSelector", object("matchLabels", object("kubernetes.io/metadata.name", name)))
		})},
		{path: path + "peers.pod_labels", values: []any{object("app", "edge"), object("app", "inner")}, shows: at(shownPeers + "[0].podSelector.matchLabels")},
		{path: path + "peers.cidrs", values: []any{list("10.0.0.0/8"), list("10.0.0.0/8", "fd00::/8")}, shows: peers(func(name any) map[string]any {
			return object("ipBlock", object("cidr", name))
		})},
	}
	for i := range rows {
		named := strings.HasSuffix(rows[i].path, "listener_ports")
		rows[i].deep = true
		rows[i].around = func(w *world) {
			w.subject.set("gateways."+visibility, gateway(visibility))
			w.of(kindEndpoint).set("visibility", visibility)
			if named {
				w.of(kindEndpoint).set("listener", "grpc")
			}
		}
	}
	whole := row{
		path: "gateways." + visibility, values: []any{gateway(visibility), gateway(another)},
		given: map[string]any{"gateways": object()},
	}
	return append(rows, whole)
}

func endpointRows() []row {
	const rule, policy = shownRoute + "rules[0].", "endpoint.NetworkPolicy.spec.ingress[0].ports[0].port"
	routed := func(visibility any) map[string]any {
		return at("endpoint.HTTPRoute", "endpoint.NetworkPolicy", shownAddress+fmt.Sprint(visibility))(anything{})
	}
	return []row{
		{path: "type", values: []any{"grpc"}, shows: func(any) map[string]any {
			return map[string]any{"endpoint.HTTPRoute": nothing{}, "endpoint.GRPCRoute": anything{}, shownAddress + "project": anything{}, shownAddress + "public": anything{}}
		}},
		{path: "type", variant: "=tcp", values: []any{"tcp"}, along: object("listener", "tcp"), shows: func(any) map[string]any {
			return map[string]any{"endpoint.HTTPRoute": nothing{}, "endpoint.TCPRoute": anything{}, shownAddress + "project": anything{}, shownAddress + "public": nothing{}}
		}},
		{path: "port", values: []any{"admin", "http"}, shows: func(value any) map[string]any {
			if value == "http" {
				return nil
			}
			return map[string]any{rule + "backendRefs[0].port": 9000, policy: 9000, shownAddress + "project": anything{}}
		}},
		{path: "base_path", values: []any{"/one", "/two"}, shows: func(value any) map[string]any {
			return map[string]any{rule + "matches[0].path.value": value, shownAddress + "project": anything{}, shownAddress + "public": anything{}}
		}},
		{path: "visibility", values: []any{"public", "organization"}, given: object("visibility", nil), shows: routed},
		{path: "hostnames", values: []any{list("one.example.net"), list("two.example.net", "*.example.org")}, shows: func(value any) map[string]any {
			shown := map[string]any{}
			names, _ := value.([]any)
			for i, name := range names {
				shown[fmt.Sprintf("%shostnames[%d]", shownRoute, i+1)] = name
			}
			return shown
		}},
		{path: "listener", values: []any{"http", "grpc"}, shows: func(value any) map[string]any {
			return map[string]any{shownRoute + "parentRefs[0].sectionName": value, shownAddress + "public": nothing{}}
		}},
	}
}
