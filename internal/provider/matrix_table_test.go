// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import "strings"

// row is an attribute and the values that it goes through: none or that of the
// base configuration, each of values, and back.
type row struct {
	// path is the attribute.
	path string
	// case tells two rows of one attribute apart.
	variant string
	// values may be functions of the world.
	values []any
	// shows says which outputs and objects a value shows in, and what there; nil
	// is nowhere but in the record. It names them as in deployment.addresses.http
	// and endpoint.HTTPRoute.spec.hostnames[0].
	shows func(value any) map[string]any
	// given are values that the subject has all the time; along only with a value.
	given, along map[string]any
	// around changes the world besides.
	around func(w *world)
	// deep rows need everything down to an endpoint.
	deep bool
	// stays tells that the cluster keeps the last value on the way back.
	stays bool
	// never says why there is nothing to change.
	never string
	// group names the rows that share a subject, which must not depend on each
	// other; the first one's around holds for all. Without it a row has its own.
	group string
}

func (r row) name() string { return r.path + r.variant }

// anything is a value that differs from the former one.
type anything struct{}

// nothing is the absence of a value.
type nothing struct{}

// at shows the value itself.
func at(places ...string) func(any) map[string]any {
	return func(value any) map[string]any {
		shown := map[string]any{}
		for _, place := range places {
			shown[place] = value
		}
		return shown
	}
}

// somehow shows that something else is there.
func somehow(places ...string) func(any) map[string]any {
	return func(any) map[string]any { return at(places...)(anything{}) }
}

// team shows the label team.
func team(objects ...string) func(any) map[string]any {
	return func(value any) map[string]any {
		shown := map[string]any{}
		labels, _ := value.(map[string]any)
		for _, object := range objects {
			shown[object+".metadata.labels.team"] = labels["team"]
		}
		return shown
	}
}

func list(values ...any) any { return values }

func object(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		out[name] = pairs[i+1]
	}
	return out
}

// kindTable is what differs between kinds.
type kindTable struct {
	kind int
	rows []row
	// identity are the attributes of the id, and another value of each. The last
	// one is changed under create_before_destroy.
	identity []identity
	// owns are the objects made for a subject: what is edited and what is deleted.
	// A kind without objects has a record to be edited, and no object to miss.
	edited, deleted string
	// parent tells that the kind has true children, which keep it from being
	// destroyed.
	parent bool
	// deep tells that the subjects of the other verbs need everything.
	deep bool
}

type identity struct {
	attribute string
	value     func(name string) any
	id        func(name string) string
	// given are values that the subject has besides.
	given map[string]any
}

func constant(value any) func(string) any { return func(string) any { return value } }

func literal(id string) func(string) string {
	return func(name string) string { return strings.ReplaceAll(id, "*", name) }
}

func renamed(id string) identity {
	return identity{"name", func(name string) any { return name + "-new" }, literal(id), nil}
}

// grouped lets rows share a subject.
func grouped(name string, rows ...row) []row {
	for i := range rows {
		rows[i].group = name
	}
	return rows
}

// general are the rows of every kind. labels show in the objects of a kind.
func general(waits bool, labelled ...string) []row {
	rows := []row{
		{path: "display_name", values: []any{"One", "Two"}},
		{path: "description", values: []any{"One", "Two"}},
		{path: "labels", values: []any{object("team", "one"), object("team", "two")}, shows: team(labelled...)},
	}
	for _, verb := range []string{"create", "read", "update", "delete"} {
		rows = append(rows, row{path: "timeouts." + verb, values: []any{"7m", "8m"}})
	}
	rows = grouped("general", rows...)
	if waits {
		rows = append(rows, row{path: "wait_for_rollout", values: []any{false, true}, shows: func(value any) map[string]any {
			if value == false {
				return map[string]any{"deployment.ready": false, "deployment.status": "applied; the rollout was not waited for"}
			}
			return nil
		}})
	}
	return rows
}

// kindTables returns the tables. The first two namespaces are those of more
// Gateways called like those of the test cluster, the others are for projects.
func kindTables(namespaces []any) []kindTable {
	plane, qa := reference{"platform_data_plane.second.id", "second"}, reference{"platform_environment.qa.id", "qa"}
	return []kindTable{
		{
			kind: kindDataPlane, rows: append(general(false), planeRows(namespaces[:2])...), identity: []identity{renamed("*-new")}, parent: true,
		},
		{
			kind: kindEnvironment, identity: []identity{renamed("*-new")}, parent: true,
			rows: append(
				general(false),
				row{path: "data_plane", values: []any{plane, reference{"platform_data_plane.third.id", "third"}}},
				row{path: "production", values: []any{true, false}, deep: true, shows: func(value any) map[string]any {
					const label = "project.Namespace.metadata.labels.openplatform.dev/production"
					if value == true {
						return map[string]any{label: "true"}
					}
					return map[string]any{label: nothing{}}
				}},
				row{path: "dns_prefix", values: []any{"live", "next"}, deep: true, shows: somehow("endpoint.HTTPRoute.spec.hostnames[0]", "endpoint.addresses.public")},
			),
		},
		{
			kind: kindPipeline, identity: []identity{renamed("*-new")}, rows: append(general(false), pipelineRows()...),
		},
		{
			kind: kindProject, identity: []identity{renamed("*-new")}, parent: true, deep: true,
			edited: "Namespace", deleted: "NetworkPolicy",
			rows: append(
				general(false),
				row{path: "deployment_pipeline", values: []any{reference{"platform_deployment_pipeline.duo.id", "duo"}, reference{"platform_deployment_pipeline.trio.id", "trio"}}, shows: somehow("project.cells", "project.Namespace", "project.NetworkPolicy")},
				row{path: `namespaces["dev"]`, values: namespaces[2:], shows: func(value any) map[string]any {
					return map[string]any{"project.cells.dev": value, "project.Namespace": nothing{}, "project.NetworkPolicy": anything{}}
				}},
				row{path: "namespace_labels", values: []any{object("team", "one"), object("team", "two")}, deep: true, shows: team("project.Namespace")},
				row{path: "force_destroy", values: []any{true, false}},
			),
		},
		{
			kind: kindComponent, parent: true, rows: append(general(false), componentRows()...),
			identity: []identity{{"project", constant(reference{"platform_project.other.id", "other"}), literal("other/*"), nil}, renamed("shop/*-new")},
		},
		{
			kind: kindDeployment, edited: "Deployment", deleted: "Service",
			rows: append(general(true, "deployment.Deployment", "deployment.Service"), deploymentRows()...),
			identity: []identity{
				{"component", constant(reference{"platform_component.spare.id", "shop/spare"}), literal("shop/spare/main/qa"), map[string]any{"environment": qa}},
				{"environment", constant(qa), literal("shop/*/main/qa"), nil},
				{"track", constant("v2"), literal("shop/*/v2/dev"), nil},
			},
		},
		{
			kind: kindEndpoint, edited: "HTTPRoute", deleted: "NetworkPolicy",
			rows: append(general(false, "endpoint.HTTPRoute", "endpoint.NetworkPolicy"), endpointRows()...),
			identity: []identity{
				{"deployment", constant(reference{"platform_deployment.spare.id", "shop/spare/main/dev"}), literal("shop/spare/main/dev/*"), nil},
				renamed("shop/*/main/dev/*-new"),
			},
		},
	}
}

func pipelineRows() []row {
	qa, prod := reference{"platform_environment.qa.id", "qa"}, reference{"platform_environment.prod.id", "prod"}
	after := func(value any) map[string]any {
		environment, _ := value.(reference)
		return map[string]any{"deployment_pipeline.environments": list("dev", environment.id)}
	}
	const target = "promotion_paths[0].targets[0]."
	return []row{
		{path: "promotion_paths[0].source", values: []any{qa, prod}, shows: func(value any) map[string]any {
			environment, _ := value.(reference)
			return map[string]any{"deployment_pipeline.environments": list(environment.id)}
		}},
		{path: "promotion_paths[0].targets", values: []any{list(object("environment", qa)), list(object("environment", prod), object("environment", qa))}, shows: somehow("deployment_pipeline.environments")},
		{path: target + "environment", given: map[string]any{target + "environment": reference{"platform_environment.gold.id", "gold"}}, values: []any{prod, qa}, shows: after},
		{path: target + "requires_approval", given: map[string]any{target + "environment": prod}, values: []any{true, false}},
	}
}

func componentRows() []row {
	plain := func(w *world) {
		w.of(kindDeployment).set("configuration.ports", nil)
		w.blocks = w.blocks[:len(w.blocks)-1]
	}
	return []row{
		{path: "image", values: []any{"registry.example/shop/cart:2", "registry.example/shop/cart:3"}, deep: true, shows: at("deployment.Deployment.spec.template.spec.containers[0].image")},
		{
			path: "type", values: []any{"web_application", "service"}, deep: true, around: func(w *world) { w.of(kindEndpoint).set("visibility", nil) },
			shows: func(value any) map[string]any {
				if value == "service" {
					return nil
				}
				return at("endpoint.HTTPRoute", "endpoint.NetworkPolicy", "endpoint.addresses.public")(anything{})
			},
		},
		{path: "type", variant: "=event_handler", values: []any{"event_handler", "web_application"}, deep: true, around: plain},
	}
}
