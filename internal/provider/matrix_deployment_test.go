// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

const (
	podTemplate   = "deployment.Deployment.spec.template."
	mainContainer = podTemplate + "spec.containers[0]."
	servicePort   = "deployment.Service.spec.ports"
	configured    = "configuration."
	overridden    = "overrides."
)

// deploymentRows are those of a deployment's own attributes, of its
// configuration, and of the same as overrides.
func deploymentRows() []row {
	rows := []row{
		{path: "image", values: []any{"registry.example/shop/cart:2", "registry.example/shop/cart:3"}, shows: at(mainContainer + "image")},
		{path: "on_failure", values: []any{"rollback", "warn"}},
	}
	for _, one := range []string{"workload", "service", "container"} {
		rows = append(rows, row{path: "adopt." + one, never: "what was taken over stays"})
	}
	for _, one := range configurationRows() {
		rows = append(rows, one, override(one))
	}
	return append(rows, promotionRows()...)
}

// override makes a row of a configuration one of overrides.
func override(one row) row {
	rename := func(values map[string]any) map[string]any {
		out := map[string]any{}
		for path, value := range values {
			out[strings.Replace(path, configured, overridden, 1)] = value
		}
		return out
	}
	over := one
	over.path = strings.Replace(one.path, configured, overridden, 1)
	over.along, over.given = rename(one.along), rename(one.given)
	if one.group != "" {
		over.group = overridden + one.group
	}
	if at := overridden + `ports["http"].`; strings.HasPrefix(over.path, at) {
		over.given[at+"port"] = 80
	}
	if one.never != "" {
		return over
	}
	over.around = func(w *world) {
		if one.around != nil {
			one.around(w)
		}
		for path, value := range one.given {
			if value == nil {
				w.subject.set(path, nil)
			}
		}
		promote(w, "prod", nil)
	}
	return over
}

// promote puts a deployment that promotes behind the subject, and makes it the subject.
func promote(w *world, environment string, release any) {
	source := w.subject
	from := map[string]any{"deployment": source.reference()}
	if release != nil {
		from["release"] = release
	}
	target := &block{
		kind: kindDeployment, name: source.name + "-next", id: trackOf(source) + environment,
		attributes: schematest.Clone(source.attributes),
	}
	target.set("configuration", nil)
	target.set("environment", reference{"platform_environment." + environment + ".id", environment})
	target.set("promoted_from", from)
	w.blocks, w.subject = append(w.blocks, target), target
}

// trackOf returns the id of a deployment without its environment.
func trackOf(deployment *block) string {
	return deployment.id[:strings.LastIndex(deployment.id, "/")+1]
}

func configurationRows() []row {
	word := func(values ...any) []any { return values }
	const http, volume = configured + `ports["http"].`, configured + `volumes["data"].`
	scratch := map[string]any{volume + "mount_path": "/base", volume + "empty_dir": object()}
	mounted := func(source string) func(any) map[string]any {
		return func(value any) map[string]any {
			name := map[string]string{"secret": "secretName", "configMap": "name"}[source]
			return map[string]any{
				podTemplate + "spec.volumes":   list(object("name", "data", source, object(name, value))),
				mainContainer + "volumeMounts": list(object("name", "data", "mountPath", "/data")),
			}
		}
	}
	along := map[string]any{volume + "mount_path": "/data"}
	more := func(port int) any {
		return object("http", object("port", 80), "admin", object("port", 9000), "zeta", object("port", port))
	}
	rows := []row{
		{path: configured + "command", group: "container", values: word(list("serve"), list("serve", "--fast")), shows: at(mainContainer + "command")},
		{path: configured + "args", group: "container", values: word(list("--a", "b"), list("--c")), shows: at(mainContainer + "args")},
		{path: configured + "ports", values: word(more(9001), more(9002)), shows: func(value any) map[string]any {
			port := value.(map[string]any)["zeta"].(map[string]any)["port"] //nolint:forcetypeassert // the value is one of the two above
			return map[string]any{
				servicePort + "[2]":         object("name", "zeta", "port", port, "targetPort", port, "protocol", "TCP"),
				mainContainer + "ports[2]":  object("name", "zeta", "containerPort", port, "protocol", "TCP"),
				"deployment.addresses.zeta": anything{},
			}
		}},
		{path: http + "port", given: map[string]any{http + "target_port": 8080}, values: word(81, 82), shows: func(value any) map[string]any {
			return map[string]any{servicePort + "[1].port": value, "deployment.addresses.http": anything{}}
		}},
		{path: http + "target_port", values: word(8080, 8081), shows: at(servicePort+"[1].targetPort", mainContainer+"ports[1].containerPort")},
		{path: http + "protocol", values: word("UDP", "SCTP"), shows: at(servicePort+"[1].protocol", mainContainer+"ports[1].protocol")},
		{path: configured + "env", group: "container", values: word(object("A", "1"), object("A", "2", "B", "3")), shows: func(value any) map[string]any {
			return map[string]any{mainContainer + "env": pairs(value)}
		}},
		{path: configured + "scaling.replicas", given: map[string]any{configured + "scaling": nil}, values: word(2, 3), shows: at("deployment.Deployment.spec.replicas"), stays: true},
		{path: volume + "mount_path", group: "volume", given: scratch, values: word("/data", "/var/data"), shows: at(mainContainer + "volumeMounts[0].mountPath")},
		{path: volume + "read_only", group: "volume", given: scratch, values: word(true, false), shows: func(value any) map[string]any {
			if value == false {
				return nil
			}
			return map[string]any{mainContainer + "volumeMounts[0].readOnly": true}
		}},
		{path: volume + "empty_dir.medium", group: "volume", given: scratch, values: word("Memory"), shows: at(podTemplate + "spec.volumes[0].emptyDir.medium")},
		{path: volume + "empty_dir.size_limit", group: "volume", given: scratch, values: word("1Gi", "2Gi"), shows: at(podTemplate + "spec.volumes[0].emptyDir.sizeLimit")},
		{path: volume + "secret", along: along, values: word("one", "two"), shows: mounted("secret")},
		{path: volume + "config_map", along: along, values: word("one", "two"), shows: mounted("configMap")},
		{path: configured + "pod_annotations", group: "container", values: word(object("example.com/a", "one"), object("example.com/b", "two")), shows: at(podTemplate + "metadata.annotations")},
		{path: configured + "termination_grace_period_seconds", group: "container", values: word(10, 0), shows: at(podTemplate + "spec.terminationGracePeriodSeconds")},
	}
	for _, list := range []string{"requests", "limits"} {
		rows = append(
			rows,
			row{group: "container", path: configured + "resources." + list + ".cpu", values: word("100m", "200m"), shows: at(mainContainer + "resources." + list + ".cpu")},
			row{group: "container", path: configured + "resources." + list + ".memory", values: word("64Mi", "128Mi"), shows: at(mainContainer + "resources." + list + ".memory")},
		)
	}
	return slices.Concat(rows, autoscalerRows(), scheduleRows(), probeRows("readiness"), probeRows("liveness"), probeRows("startup"))
}

// autoscalerRows are those of what decides about the number of replicas.
func autoscalerRows() []row {
	const scaling, autoscaler = configured + "scaling.", "deployment.HorizontalPodAutoscaler"
	const cpu, memory = scaling + "target_cpu_utilization_percentage", scaling + "target_memory_utilization_percentage"
	metric := func(name string, target any) any {
		return object("type", "Resource", "resource", object("name", name, "target", object("type", "Utilization", "averageUtilization", target)))
	}
	// The one with the value beside the other one, in the order of the object.
	metrics := func(of func(value any) any) func(any) map[string]any {
		return func(value any) map[string]any { return map[string]any{autoscaler + ".spec.metrics": of(value)} }
	}
	given := func(more map[string]any) map[string]any {
		out := map[string]any{
			configured + "scaling": nil, configured + "resources.requests.cpu": "100m", configured + "resources.requests.memory": "64Mi",
		}
		maps.Copy(out, more)
		return out
	}
	return []row{
		{path: scaling + "max_replicas", given: given(nil), along: map[string]any{cpu: 80}, values: []any{4, 5}, shows: somehow(autoscaler)},
		{path: scaling + "min_replicas", given: given(map[string]any{scaling + "max_replicas": 4, cpu: 80}), values: []any{1, 2}, shows: at(autoscaler + ".spec.minReplicas")},
		{path: cpu, given: given(map[string]any{scaling + "max_replicas": 4, memory: 70}), values: []any{60, 120}, shows: metrics(func(value any) any {
			return list(metric("cpu", value), metric("memory", 70))
		})},
		{path: memory, given: given(map[string]any{scaling + "max_replicas": 4, cpu: 70}), values: []any{60, 120}, shows: metrics(func(value any) any {
			return list(metric("cpu", 70), metric("memory", value))
		})},
	}
}

// scheduleRows are those of a scheduled task.
func scheduleRows() []row {
	const path, job = configured + "schedule.", "deployment.CronJob.spec."
	rows := grouped("schedule", []row{
		{path: path + "cron", values: []any{"0 5 * * *", "@daily"}, shows: at(job + "schedule")},
		{path: path + "timezone", values: []any{"Europe/Berlin", "UTC"}, shows: at(job + "timeZone")},
		{path: path + "disabled", values: []any{true, false}, shows: func(value any) map[string]any {
			if value == false {
				return nil
			}
			return map[string]any{job + "suspend": true}
		}},
	}...)
	for i := range rows {
		rows[i].around = func(w *world) {
			w.subject.id = strings.Replace(w.subject.id, "/spare/", "/timer/", 1)
			w.subject.set("component", reference{"platform_component.timer.id", "shop/timer"})
			w.subject.set("configuration", object("schedule", object("cron", "0 4 1 1 *")))
		}
	}
	return rows
}

// pairs returns a map as Kubernetes has it, as a list.
func pairs(value any) any {
	var out []any
	values, _ := value.(map[string]any)
	for _, name := range []string{"A", "B"} {
		if one, ok := values[name]; ok {
			out = append(out, object("name", name, "value", one))
		}
	}
	return out
}

func probeRows(name string) []row {
	path, shown := configured+"probes."+name+".", mainContainer+name+"Probe."
	exec := map[string]any{path + "exec.command": list("true")}
	http := map[string]any{path + "http.port": "http"}
	port := func(place string) func(any) map[string]any {
		return func(value any) map[string]any {
			if value == "8081" {
				value = 8081
			}
			return map[string]any{place: value}
		}
	}
	rows := []row{
		{path: path + "exec.command", values: []any{list("true"), list("test", "-f", "/ready")}, shows: at(shown + "exec.command")},
		{path: path + "http.port", values: []any{"http", "8081"}, shows: port(shown + "httpGet.port")},
		{path: path + "http.path", given: http, values: []any{"/ready", "/"}, shows: at(shown + "httpGet.path")},
		{path: path + "http.scheme", given: http, values: []any{"HTTPS", "HTTP"}, shows: at(shown + "httpGet.scheme")},
		{path: path + "http.headers", given: http, values: []any{object("A", "1"), object("A", "2", "B", "3")}, shows: func(value any) map[string]any {
			return map[string]any{shown + "httpGet.httpHeaders": pairs(value)}
		}},
		{path: path + "tcp.port", values: []any{"http", "8081"}, shows: port(shown + "tcpSocket.port")},
		{path: path + "grpc.port", values: []any{9090, 9091}, shows: at(shown + "grpc.port")},
		{path: path + "grpc.service", given: map[string]any{path + "grpc.port": 9090}, values: []any{"one", "two"}, shows: at(shown + "grpc.service")},
	}
	for attribute, field := range map[string]string{
		"initial_delay_seconds": "initialDelaySeconds", "period_seconds": "periodSeconds", "timeout_seconds": "timeoutSeconds",
		"success_threshold": "successThreshold", "failure_threshold": "failureThreshold",
		"termination_grace_period_seconds": "terminationGracePeriodSeconds",
	} {
		one := row{path: path + attribute, given: exec, values: []any{5, 6}, shows: at(shown + field)}
		switch {
		case attribute == "success_threshold" && name != "readiness":
			// Nothing else is allowed.
			one.values = []any{1}
		case attribute == "termination_grace_period_seconds" && name == "readiness":
			one = row{path: one.path, never: "a readiness probe has none"}
		}
		rows = append(rows, one)
	}
	// The three probes of a container have nothing to do with each other.
	for i := range rows {
		rows[i].group = "probes" + strings.TrimPrefix(rows[i].path, path)
	}
	return rows
}

// promotionRows are those of what a deployment takes from another one.
func promotionRows() []row {
	release := (&platform.DeployableArtifact{Image: acctest.Image, Configuration: platform.Configuration{
		Ports: map[string]platform.Port{"http": {Port: 80}, "admin": {Port: 9000}}, Scaling: &platform.Scaling{Replicas: new(int64)},
	}}).Release()
	other := func(digit string) any { return "sha256:" + strings.Repeat(digit, 64) }
	const approval = "approval."
	approved := func(w *world) {
		promote(w, "gold", release)
		w.subject.set("approval", object("release", release, "by", "ops"))
	}
	const elsewhereImage = "registry.example/shop/cart:2"
	twin := func(w *world) any { return w.blocks[len(w.blocks)-1].reference() }
	elsewhere := func(w *world) {
		twin := *w.subject
		twin.name, twin.id = w.subject.name+"-twin", trackOf(w.subject)+"qa"
		twin.attributes = schematest.Clone(w.subject.attributes)
		twin.set("environment", reference{"platform_environment.qa.id", "qa"})
		twin.set("image", elsewhereImage)
		promote(w, "prod", nil)
		w.blocks = append(w.blocks, &twin)
	}
	return []row{
		{
			path: "promoted_from.deployment", around: elsewhere, values: []any{twin},
			shows: func(any) map[string]any { return map[string]any{mainContainer + "image": elsewhereImage} },
		},
		{path: "promoted_from.release", values: []any{release}, around: func(w *world) { promote(w, "prod", nil) }},
		{path: approval + "release", values: []any{other("1"), other("2")}, around: approved},
		{path: approval + "by", values: []any{"audit", "security"}, around: approved},
	}
}
