// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// configurationFlaws are those of a configuration at a path. The subject has one
// port, http, one volume, data, and three probes.
func configurationFlaws(at string) []flaw {
	quantity := []any{"lots", "1 Gi", "0x1", "64MiB"}
	flaws := slices.Concat(
		key(at+".ports", "Invalid port name", map[string]any{"port": 1}, "", "Http", "80", "a--b", "a_b", strings.Repeat("a", 16)),
		bad(at+`.ports["http"].port`, "Invalid port", number64(-1, 0, 65536, math.MaxInt64)...),
		bad(at+`.ports["http"].port`, "Invalid number", 80.5, 1e30),
		bad(at+`.ports["http"].target_port`, "Invalid port", number64(-1, 0, 65536)...),
		bad(at+`.ports["http"].protocol`, "Unsupported value", "tcp", "HTTP"),
		[]flaw{{set: at + `.ports["second"]`, to: map[string]any{"port": 80}, title: "Duplicate port", at: at + `.ports["second"].port`}},
		key(at+".env", "Invalid variable name", "x", "", "1A", "A B", "A=B", "Ä"),
		bad(at+".resources.requests.cpu", "Invalid quantity", "-1"), bad(at+".resources.requests.memory", "Invalid quantity", "-1"),
		bad(at+".resources.requests.cpu", "Request above limit", "0.6"),
		bad(at+".resources.requests.memory", "Request above limit", "65Mi"),
		bad(at+".scaling.replicas", "Value too small", -1), bad(at+".scaling.replicas", "Value too large", math.MaxInt32+1),
		bad(at+".scaling.replicas", "Invalid number", 1.5),
		autoscalerFlaws(at+".scaling", at+".resources"),
		bad(at+".termination_grace_period_seconds", "Value too small", -1),
		key(at+".pod_annotations", "Invalid annotation key", "x", "", "a b", "a/b/c"),
		key(at+".pod_annotations", "Reserved annotation key", "x", "openplatform.dev/owner"),
		volumeFlaws(at+".volumes"),
	)
	for _, list := range []string{"requests", "limits"} {
		flaws = append(flaws, bad(at+".resources."+list+".cpu", "Invalid quantity", quantity...)...)
		flaws = append(flaws, bad(at+".resources."+list+".memory", "Invalid quantity", quantity...)...)
	}
	for _, probe := range []string{"readiness", "liveness", "startup"} {
		flaws = append(flaws, probeFlaws(at+".probes."+probe)...)
	}
	for _, probe := range []string{"liveness", "startup"} {
		flaws = append(flaws, bad(at+".probes."+probe+".success_threshold", "Invalid threshold", 2)...)
	}
	return append(flaws, bad(at+".probes.readiness.termination_grace_period_seconds", "Not for readiness probes", 5)...)
}

// autoscalerFlaws are those of a scaling; the subject requests both resources.
func autoscalerFlaws(at, resources string) []flaw {
	const minimum, maximum = "min_replicas", "max_replicas"
	const cpu, memory = "target_cpu_utilization_percentage", "target_memory_utilization_percentage"
	var flaws []flaw
	for _, attribute := range []string{minimum, maximum, cpu, memory} {
		for value, title := range map[any]string{0: "Value too small", math.MaxInt32 + 1: "Value too large", 1.5: "Invalid number"} {
			if attribute == minimum && title == "Value too large" {
				// It is above the maximum as well.
				continue
			}
			to := map[string]any{maximum: math.MaxInt32, cpu: 80}
			to[attribute] = value
			flaws = append(flaws, flaw{set: at, to: to, title: title, at: at + "." + attribute})
		}
	}
	both := func(name string) []flaw {
		return []flaw{
			{
				set: resources, to: nil, title: "Missing request", at: at + ".target_" + name + "_utilization_percentage",
				given: map[string]any{at: map[string]any{maximum: 5, "target_" + name + "_utilization_percentage": 80}},
			},
			{
				set: resources, to: map[string]any{"requests": map[string]any{name: "0"}}, title: "Missing request", at: at + ".target_" + name + "_utilization_percentage",
				given: map[string]any{at: map[string]any{maximum: 5, "target_" + name + "_utilization_percentage": 80}},
			},
		}
	}
	return slices.Concat(
		flaws, both("cpu"), both("memory"),
		[]flaw{
			{set: at, to: map[string]any{"replicas": 2, maximum: 5, cpu: 80}, title: "Conflicting attributes", at: at + ".replicas"},
			{set: at, to: map[string]any{"replicas": 2, minimum: 1}, title: "Conflicting attributes", at: at + ".replicas"},
			{set: at, to: map[string]any{minimum: 2}, title: "Missing maximum", at: at + "." + maximum},
			{set: at, to: map[string]any{memory: 80}, title: "Missing maximum", at: at + "." + maximum},
			{set: at, to: map[string]any{maximum: 5}, title: "Missing target"},
			{set: at, to: map[string]any{minimum: 6, maximum: 5, cpu: 80}, title: "Minimum above maximum", at: at + "." + minimum},
		},
	)
}

func volumeFlaws(at string) []flaw {
	scratch := map[string]any{"mount_path": "/second", "empty_dir": map[string]any{}}
	data := at + `["data"]`
	return slices.Concat(
		key(at, "Invalid label", scratch, "", "Data", "a_b", "a.b", strings.Repeat("a", 64)),
		bad(data+".mount_path", "Invalid mount path", "", "data", "/a/", "/a/../b", "/a:b"),
		bad(data+".empty_dir.medium", "Unsupported value", "memory", "HugePages"),
		bad(data+".empty_dir.size_limit", "Invalid quantity", "much", "-1Gi"),
		[]flaw{
			{set: at + `["second"]`, to: map[string]any{"mount_path": "/data", "secret": "tls"}, title: "Duplicate mount path", at: at + `["second"].mount_path`},
			{set: data + ".empty_dir", to: nil, title: "Ambiguous volume", at: data},
			{set: data + ".secret", to: "tls", title: "Ambiguous volume", at: data},
			{set: data, to: map[string]any{"mount_path": "/data", "secret": "A B"}, title: "Invalid object name", at: data + ".secret"},
			{set: data, to: map[string]any{"mount_path": "/data", "config_map": "A B"}, title: "Invalid object name", at: data + ".config_map"},
		},
	)
}

// probeFlaws are those of a probe, which sends a request in the subject.
func probeFlaws(at string) []flaw {
	flaws := slices.Concat(
		bad(at+".http.port", "Unknown port", "", "web", "80.5"), bad(at+".http.port", "Invalid port", "0", "-1", "65536"),
		bad(at+".http.path", "Invalid path", "ready"),
		bad(at+".http.scheme", "Unsupported value", "http", "TCP"),
		key(at+".http.headers", "Invalid header name", "x", "", "X Y", "X:", "Ä"),
	)
	for action, values := range map[string]map[any]string{
		"tcp":  {"web": "Unknown port", "0": "Invalid port", "65536": "Invalid port"},
		"grpc": {0: "Invalid port", -1: "Invalid port", 65536: "Invalid port"},
	} {
		for value, title := range values {
			flaws = append(flaws, flaw{set: at, to: map[string]any{action: map[string]any{"port": value}}, title: title, at: at + "." + action + ".port"})
		}
	}
	for name, minimum := range map[string]int{
		"initial_delay_seconds": 0, "period_seconds": 1, "timeout_seconds": 1, "failure_threshold": 1,
	} {
		flaws = append(flaws, bad(at+"."+name, "Value too small", minimum-1)...)
		flaws = append(flaws, bad(at+"."+name, "Value too large", math.MaxInt32+1)...)
	}
	if strings.HasSuffix(at, "readiness") {
		flaws = append(flaws, bad(at+".success_threshold", "Value too small", 0)...)
	} else {
		flaws = append(flaws, bad(at+".termination_grace_period_seconds", "Value too small", 0)...)
	}
	return append(
		flaws,
		flaw{set: at, to: map[string]any{"exec": map[string]any{"command": []any{}}}, title: "Missing command", at: at + ".exec.command"},
		flaw{set: at, to: map[string]any{"period_seconds": 1}, title: "Ambiguous probe"},
		flaw{set: at + ".tcp", to: map[string]any{"port": "http"}, title: "Ambiguous probe", at: at},
	)
}

func scheduleFlaws(at string) []flaw {
	return slices.Concat(
		bad(at+".cron", "Invalid schedule", "daily", "* * * *", "60 * * * *", "@sometimes"),
		bad(at+".cron", "Time zone in the schedule", "TZ=UTC 0 4 * * *"),
		bad(at+".cron", "Schedule that never comes", "0 0 31 2 *"),
		bad(at+".timezone", "Unknown time zone", "Mars", "Local", "UTC+1"),
	)
}

// digests are a release that nobody ran, and what is none.
func digests() (never string, none []any) {
	return "sha256:" + strings.Repeat("0", 64), []any{"latest", "sha256:0", "sha256:" + strings.Repeat("g", 64), strings.Repeat("0", 64)}
}

// promotedTables are deployments that promote: one that follows, and one that
// passes an edge with an approval.
func promotedTables() map[string]subject {
	release := (&platform.DeployableArtifact{Image: "cart:1"}).Release()
	never, none := digests()
	configuration := fullOverrides()
	follows := &platform.Deployment{
		Component: "shop/plain", Environment: "staging", PromotedFrom: &platform.PromotedFrom{Deployment: "shop/plain/main/dev"}, Overrides: &configuration,
	}
	approved := &platform.Deployment{
		Component: "shop/plain", Environment: "prod",
		PromotedFrom: &platform.PromotedFrom{Deployment: "shop/plain/main/staging", Release: release},
		Approval:     &platform.Approval{Release: release, By: "ops"},
	}
	const source = "promoted_from.deployment"
	nightly := &platform.Schedule{Cron: "30 4 * * *", Timezone: "Etc/UTC"}
	return map[string]subject{
		"scheduled": {
			&platform.Deployment{Component: "shop/nightly", Track: "v2", Environment: "dev", Configuration: platform.Configuration{Schedule: nightly}},
			append(scheduleFlaws("configuration.schedule"), bad("configuration.scaling", "Scaling of a task", map[string]any{"replicas": 2})...),
		},
		"rescheduled": {
			&platform.Deployment{
				Component: "shop/nightly", Environment: "staging", PromotedFrom: &platform.PromotedFrom{Deployment: "shop/nightly/main/dev"},
				Overrides: &platform.Configuration{Schedule: nightly},
			},
			scheduleFlaws("overrides.schedule"),
		},
		// Its attributes are spoiled above; here each of them is unknown for once.
		"autoscaled": {base: autoscaled()},
		"promoted": {follows, slices.Concat(
			configurationFlaws("overrides"),
			bad(source, "Invalid reference", "", "shop/plain", "shop/plain/main/dev/web"),
			bad(source, "Another component", "shop/cart/main/dev", "shop/plain/v2/dev"),
			bad(source, "Promotion to itself", "shop/plain/main/staging"),
			bad(source, "Missing promotion edge", "shop/plain/main/bare"),
			bad("promoted_from.release", "Invalid release", none...),
			bad("promoted_from.release", "Unknown release", never),
			bad("image", "Conflicting attributes", "cart:1"),
			bad("configuration", "Conflicting attributes", map[string]any{"args": []any{"x"}}),
		)},
		"approved": {approved, slices.Concat(
			bad("approval.release", "Missing value", ""), bad("approval.release", "Invalid release", none...),
			bad("approval.release", "Approval of another release", never),
			bad("approval.by", "Missing value", ""),
			[]flaw{
				{set: "approval", to: nil, title: "Approval required", at: "promoted_from.release"},
				{set: "promoted_from.release", to: nil, title: "Release must be pinned", at: "promoted_from"},
			},
		)},
	}
}

func autoscaled() platform.Object {
	configuration := platform.Configuration{Resources: fullConfiguration().Resources, Scaling: fullConfiguration().Scaling}
	configuration.Scaling.Replicas = nil
	return &platform.Deployment{Component: "shop/plain", Track: "v3", Environment: "dev", Configuration: configuration}
}

// fullOverrides is the configuration of the deployment of the story.
func fullOverrides() platform.Configuration {
	for _, object := range story() {
		if deployment, ok := object.(*platform.Deployment); ok {
			return deployment.Configuration
		}
	}
	return platform.Configuration{}
}

// surroundings are what the subjects refer to, and what is in their way.
func surroundings() []platform.Object {
	environment := func(name, plane string) platform.Object { return &platform.Environment{Name: name, DataPlane: plane} }
	component := func(name, image string, typ platform.ComponentType) platform.Object {
		return &platform.Component{Project: "shop", Name: name, Type: typ, Image: image}
	}
	at := func(component, track, environment string, configuration platform.Configuration) platform.Object {
		return &platform.Deployment{Component: component, Track: track, Environment: environment, Configuration: configuration}
	}
	ports := platform.Configuration{Ports: map[string]platform.Port{"http": {Port: 80}, "dns": {Port: 53, Protocol: "UDP"}}}
	objects := story()
	return []platform.Object{
		objects[0], &platform.DataPlane{Name: "bare"},
		environment("dev", "lab"), environment("staging", "lab"), environment("prod", "lab"), environment("qa", "lab"), environment("bare", "bare"),
		&platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{
			{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "staging"}}},
			{Source: "staging", Targets: []platform.PromotionTarget{{Environment: "prod", RequiresApproval: true}}},
			{Source: "bare"},
		}},
		objects[3], &platform.Project{Name: "tenant", DeploymentPipeline: "path", Namespaces: map[string]string{"dev": "taken"}},
		component("cart", "cart:1", platform.TypeService), component("plain", "cart:1", platform.TypeService),
		component("blank", "", platform.TypeService), component("mailer", "mailer:1", platform.TypeEventHandler),
		component("nightly", "task:1", platform.TypeScheduledTask),
		at("shop/nightly", "", "dev", platform.Configuration{Schedule: &platform.Schedule{Cron: "@daily"}}),
		at("shop/cart", "v2", "dev", ports), at("shop/cart", "", "bare", ports), at("shop/mailer", "", "dev", platform.Configuration{}),
		at("shop/plain", "", "dev", platform.Configuration{}),
		&platform.Deployment{Component: "shop/plain", Environment: "bare", Image: "cart:2"},
		&platform.Deployment{Component: "shop/plain", Environment: "staging", PromotedFrom: &platform.PromotedFrom{Deployment: "shop/plain/main/dev"}},
		&platform.Endpoint{Deployment: "shop/cart/v2/dev", Name: "taken", Type: "http", Port: "http", BasePath: "/taken", Visibility: platform.VisibilityPublic},
	}
}

// putLegacy puts what somebody else made into the cell of shop in dev: a
// Deployment, its Service, and a Service of other pods.
func (c *cloud) putLegacy(t *testing.T) {
	t.Helper()
	namespace := naming.Namespace("acme", "shop", "dev")
	put := func(apiVersion, kind, name string, spec map[string]any) {
		err := c.fake.Put(&runtime.Resource{ID: runtime.KubernetesID(apiVersion, kind, namespace, name), Attributes: map[string]any{
			"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace}, "spec": spec,
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	labels := words(legacy)
	put("apps/v1", "Deployment", legacy, map[string]any{
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "image": "legacy:1"}}},
		},
	})
	put("v1", "Service", legacy, map[string]any{"selector": labels, "ports": []any{map[string]any{"port": 80}}})
	put("v1", "Service", "stray", map[string]any{"selector": words("other"), "ports": []any{map[string]any{"port": 80}}})
}
