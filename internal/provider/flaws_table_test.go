// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// subject is an object that is right, and what can be wrong with one of its kind.
type subject struct {
	base  platform.Object
	flaws []flaw
}

// bad makes a flaw of each value.
func bad(set, title string, values ...any) []flaw {
	flaws := make([]flaw, 0, len(values))
	for _, value := range values {
		flaws = append(flaws, flaw{set: set, to: value, title: title})
	}
	return flaws
}

// key makes a flaw of each key of a map.
func key(set, title string, value any, keys ...string) []flaw {
	flaws := make([]flaw, 0, len(keys))
	for _, name := range keys {
		flaws = append(flaws, flaw{set: set + `["` + name + `"]`, to: value, title: title})
	}
	return flaws
}

func number64(values ...int64) []any {
	out := make([]any, 0, len(values))
	for _, value := range values {
		out = append(out, value)
	}
	return out
}

func badName() []flaw {
	const set = "name"
	return slices.Concat(
		bad(set, "Invalid name", "", "Shop", "a b", "a_b", "a.b", "1a", "-a", "a-", "a/b", "ä", "a--b", strings.Repeat("a", 64)),
		bad(set, "Reserved name", "default"),
	)
}

func badLabels(set string) []flaw {
	return slices.Concat(
		key(set, "Invalid label key", "x", "", "a b", "-a", "a/b/c", "/a", strings.Repeat("a", 64)),
		key(set, "Reserved label key", "x", "openplatform.dev/owner", "app.kubernetes.io/name", "app.kubernetes.io/managed-by"),
		bad(set+`["key"]`, "Invalid label value", "a b", "-a", "a/b", "ä", strings.Repeat("a", 64)),
	)
}

// common are the flaws of attributes that every kind has.
func common() []flaw {
	flaws := badLabels("labels")
	for _, verb := range []string{"create", "read", "update", "delete"} {
		flaws = append(flaws, bad("timeouts."+verb, "Invalid Attribute Value Time Duration", "soon", "10")...)
	}
	return flaws
}

func badReference(set string, values ...any) []flaw {
	return bad(set, "Invalid reference", append(values, "", "A", "a b", "a//b")...)
}

// flawTables are the subjects by name: one of each kind, and a promoted
// deployment, which has what others have not.
func flawTables() map[string]subject {
	objects := map[platform.Kind]platform.Object{}
	for _, object := range story() {
		objects[object.Kind()] = object
	}
	pipeline := &platform.DeploymentPipeline{Name: "line", PromotionPaths: []platform.PromotionPath{
		{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "staging"}}},
		{Source: "staging", Targets: []platform.PromotionTarget{{Environment: "prod", RequiresApproval: true}}},
	}}
	tables := map[string]subject{
		"data_plane":          {objects[platform.KindDataPlane], dataPlaneFlaws()},
		"environment":         {objects[platform.KindEnvironment], environmentFlaws()},
		"deployment_pipeline": {pipeline, pipelineFlaws()},
		"project":             {objects[platform.KindProject], projectFlaws()},
		"component":           {objects[platform.KindComponent], componentFlaws()},
		"deployment":          {objects[platform.KindDeployment], slices.Concat(deploymentFlaws(), configurationFlaws("configuration"))},
		"endpoint":            {objects[platform.KindEndpoint], endpointFlaws()},
	}
	for name, one := range tables {
		one.flaws = append(one.flaws, common()...)
		tables[name] = one
	}
	maps.Copy(tables, promotedTables())
	return tables
}

func dataPlaneFlaws() []flaw {
	return slices.Concat(
		badName(),
		bad("cluster", "Unknown connection", unknownConnection),
		bad("network_policy", "Unsupported value", "cilium", "None"),
		gatewayFlaws("gateways.public."), gatewayFlaws("gateways.organization."),
	)
}

func gatewayFlaws(gateway string) []flaw {
	return slices.Concat(
		bad(gateway+"name", "Invalid object name", "", "A", "a_b", "a b"),
		bad(gateway+"namespace", "Invalid label", "", "A", "a.b", strings.Repeat("a", 64)),
		bad(gateway+"listener", "Invalid object name", "A", "a b"),
		key(gateway+"listener_ports", "Invalid object name", 80, "A", "a b"),
		bad(gateway+`listener_ports["http"]`, "Invalid port", number64(-1, 0, 65536)...),
		bad(gateway+"virtual_host", "Invalid domain", "", "https://apps.example.com", "apps.example.com:8443", "*.example.com", "apps..com", "Apps.example.com", ".example.com"),
		bad(gateway+"scheme", "Unsupported value", "HTTP", "tcp"),
		bad(gateway+"port", "Invalid port", number64(-1, 0, 65536, math.MaxInt64)...),
		bad(gateway+"port", "Invalid number", 80.5, 1e30),
		bad(gateway+"peers.namespaces[0]", "Invalid label", "", "A", "a.b"),
		key(gateway+"peers.pod_labels", "Invalid label", "x", "", "a b"),
		bad(gateway+`peers.pod_labels["key"]`, "Invalid label", "a b"),
		bad(gateway+"peers.cidrs[0]", "Invalid CIDR", "", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "fd00::/129", "example.com/8"),
	)
}

func environmentFlaws() []flaw {
	return slices.Concat(
		badName(), badReference("data_plane", "a/b"),
		bad("dns_prefix", "Invalid label", "A", "a.b", "-a", strings.Repeat("a", 64)),
	)
}

func projectFlaws() []flaw {
	const dev, reserved, inUse = `namespaces["dev"]`, "Reserved namespace", "Namespace in use"
	return slices.Concat(
		badName(), badReference("deployment_pipeline", "a/b"), badLabels("namespace_labels"),
		bad(dev, "Invalid label", "", "A", "a.b", "a b", strings.Repeat("a", 64)),
		bad(dev, reserved, "kube-system", "kube-public", "platform-acme", naming.Namespace("acme", "shop", "dev")),
		bad(dev, inUse, "taken", naming.Namespace("acme", "tenant", "staging"), naming.Namespace("acme", "shop", "prod")),
		bad(`namespaces["staging"]`, inUse, "taken"),
		bad(`namespaces["qa"]`, "Environment outside the pipeline", "elsewhere"),
		bad(dev, "Environment is in use", "elsewhere"),
		[]flaw{{set: `namespaces["staging"]`, to: "team", title: inUse, given: map[string]any{`namespaces["prod"]`: "team"}}},
	)
}

func pipelineFlaws() []flaw {
	path := func(source string, targets ...any) map[string]any {
		one := map[string]any{"source": source}
		for _, target := range targets {
			list, _ := one["targets"].([]any)
			one["targets"] = append(list, map[string]any{"environment": target})
		}
		return one
	}
	const paths, cycle = "promotion_paths", "Cycle in the pipeline"
	return slices.Concat(
		badName(),
		badReference("promotion_paths[0].source", "a/b"),
		badReference("promotion_paths[0].targets[0].environment", "a/b"),
		bad(paths, "Empty pipeline", []any{}),
		bad(paths, cycle, []any{path("dev", "dev")}, []any{path("dev", "prod"), path("prod", "staging"), path("staging", "dev")}),
		[]flaw{
			{set: paths, to: []any{path("dev", "prod"), path("dev", "staging")}, title: "Duplicate source", at: "promotion_paths[1].source"},
			{set: paths, to: []any{path("dev", "prod", "prod")}, title: "Duplicate target", at: "promotion_paths[0].targets[1].environment"},
		},
	)
}

const badImage = "Invalid image"

func images() []any {
	return []any{"Cart", "registry.example/cart:", "registry.example/cart:a b", "https://registry.example/cart:1", "registry.example/cart@sha256:1", "registry.example//cart", ":1"}
}

func componentFlaws() []flaw {
	return slices.Concat(
		badReference("project", "a/b"), badName(), bad("image", badImage, images()...),
		bad("type", "Missing value", ""), bad("type", "Unsupported value", "Service", "cron"),
	)
}

const nothingToAdopt, legacy = "Nothing to take over", "legacy"

// nightly are the values of a deployment of a scheduled task.
func nightly() map[string]any {
	return map[string]any{"component": "shop/nightly", "configuration": map[string]any{"schedule": map[string]any{"cron": "@daily"}}}
}

func deploymentFlaws() []flaw {
	digest := "sha256:" + strings.Repeat("0", 64)
	return slices.Concat(
		badReference("component", "shop", "shop/cart/main"), badReference("environment", "a/b"),
		bad("track", "Invalid label", "V2", "a/b", "a.b"), bad("image", badImage, images()...),
		bad("environment", "Environment outside the pipeline", "qa"),
		bad("on_failure", "Unsupported value", "Keep", "ignore"),
		bad("adopt.workload", "Invalid object name", "", "A", "a b"),
		[]flaw{
			{set: "image", to: nil, title: "Missing image", given: map[string]any{"component": "shop/blank"}},
			{set: "adopt", to: map[string]any{"workload": legacy}, title: "Adoption of a task", given: nightly()},
			{set: "adopt.workload", to: "elsewhere", title: "Adoption of another workload", given: map[string]any{"component": "shop/plain", "track": nil}},
			{set: "adopt.workload", to: "missing", title: nothingToAdopt, given: map[string]any{"track": "v3"}},
			{set: "adopt.service", to: "missing", title: nothingToAdopt, given: map[string]any{"track": "v3", "adopt.workload": legacy}},
			{set: "adopt.service", to: "stray", title: "Service of other pods", given: map[string]any{"track": "v3", "adopt.workload": legacy}},
			{set: "adopt.service", to: "A", title: "Invalid label", given: map[string]any{"track": "v3", "adopt.workload": legacy}},
			{set: "adopt.service", to: legacy, title: "Service without ports", given: map[string]any{"track": "v3", "adopt.workload": legacy, "configuration": map[string]any{}}},
			{set: "adopt.container", to: "missing", title: "Unknown container", given: map[string]any{"track": "v3", "adopt.workload": legacy}},
			{set: "adopt.container", to: "a_b", title: "Invalid label", given: map[string]any{"track": "v3", "adopt.workload": legacy}},
			{set: "component", to: "shop/mailer", title: "Ports without a Service", at: "configuration.ports"},
			{set: "overrides", to: map[string]any{"args": []any{"x"}}, title: "Nothing to override"},
			{set: "approval", to: map[string]any{"release": digest, "by": "ops"}, title: "Nothing to approve"},
		},
	)
}

func manyHosts() []any {
	hosts := make([]any, 0, 16)
	for i := range 16 {
		hosts = append(hosts, fmt.Sprintf("shop-%d.example.org", i))
	}
	return hosts
}

func endpointFlaws() []flaw {
	return slices.Concat(
		badReference("deployment", "shop", "shop/cart", "shop/cart/main/dev/web"), badName(),
		bad("type", "Missing value", ""), bad("type", "Unsupported value", "udp", "HTTP"),
		bad("port", "Invalid port name", "", "80", "Http", "a b", strings.Repeat("a", 16)),
		bad("port", "Unknown port", "admin"), bad("port", "Wrong protocol", "dns"),
		bad("base_path", "Invalid path", "api", "/api/", "//", "/a//b", "/a/../b", "/./a", "/a?b", "/a#b", "/a b", "/%41", "/"+strings.Repeat("a", 1024)),
		bad("base_path", "Duplicate route", "/taken"),
		bad("visibility", "Unsupported value", "world", "Public"),
		bad("hostnames[0]", "Invalid hostname", "", "https://shop.example.com", "shop.example.com:80", "Shop.example.com", "shop..com"),
		bad("hostnames", "Too many hostnames", manyHosts()),
		bad("listener", "Invalid object name", "A", "a b"),
		[]flaw{
			{set: "visibility", to: "public", title: "No public gateway", given: map[string]any{"deployment": "shop/cart/main/bare"}},
			{set: "deployment", to: "shop/mailer/main/dev", title: "Deployment without a Service"},
		},
	)
}
