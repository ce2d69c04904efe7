// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

// The kinds, each after those that it is part of.
const (
	kindDataPlane = iota
	kindEnvironment
	kindPipeline
	kindProject
	kindComponent
	kindDeployment
	kindEndpoint
)

// kindNames are the names of the kinds as in the names of the resources.
func kindNames() []string {
	return []string{"data_plane", "environment", "deployment_pipeline", "project", "component", "deployment", "endpoint"}
}

// reference is an expression that is an id.
type reference struct{ expression, id string }

// block is a resource of a configuration.
type block struct {
	kind       int
	name, id   string
	attributes any
	// lines are what is no attribute.
	lines string
}

func (b *block) address() string { return "platform_" + kindNames()[b.kind] + "." + b.name }

func (b *block) reference() reference { return reference{b.address() + ".id", b.id} }

func (b *block) set(path string, value any) {
	b.attributes = schematest.Set(b.attributes, schematest.Parse(path), schematest.Clone(value))
}

func (b *block) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "resource %q %q {\n%s", "platform_"+kindNames()[b.kind], b.name, b.lines)
	attributes, _ := b.attributes.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(&text, "  %s = %s\n", name, expression(attributes[name]))
	}
	return text.String() + "}\n"
}

// expression returns a value as HCL, of which JSON is a part.
func expression(value any) string {
	switch value := value.(type) {
	case reference:
		return value.expression
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, fmt.Sprintf("%q = %s", name, expression(value[name])))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []any:
		var parts []string
		for _, one := range value {
			parts = append(parts, expression(one))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// world is one platform, or the part of one that a subject needs.
type world struct {
	subject *block
	blocks  []*block
}

// of returns the block of a kind, or nil.
func (w *world) of(kind int) *block {
	for _, b := range w.blocks {
		if b.kind == kind {
			return b
		}
	}
	return nil
}

// noReplicas lets a deployment cost little: nothing runs.
const noReplicas = 0

// shared returns what the subjects of all kinds refer to.
func shared() []*block {
	plane := func(name string) *block {
		return &block{kind: kindDataPlane, name: name, id: name, attributes: basePlane(name)}
	}
	main := plane("main")
	main.set("gateways.organization", gateway("organization"))
	environment := func(name string) *block {
		return &block{kind: kindEnvironment, name: name, id: name, attributes: map[string]any{"name": name, "data_plane": main.reference()}}
	}
	dev, qa, prod, gold := environment("dev"), environment("qa"), environment("prod"), environment("gold")
	pipeline := func(name string, paths ...any) *block {
		return &block{kind: kindPipeline, name: name, id: name, attributes: map[string]any{"name": name, "promotion_paths": paths}}
	}
	edge := func(source *block, targets ...any) any {
		path := map[string]any{"source": source.reference()}
		if len(targets) > 0 {
			path["targets"] = targets
		}
		return path
	}
	target := func(b *block) any { return map[string]any{"environment": b.reference()} }
	line := pipeline("line", edge(dev, target(prod), map[string]any{"environment": gold.reference(), "requires_approval": true}), edge(qa, target(prod)))
	project := func(name string, line *block) *block {
		return &block{kind: kindProject, name: name, id: name, attributes: map[string]any{"name": name, "deployment_pipeline": line.reference()}}
	}
	shop := project("shop", line)
	spare := &block{kind: kindComponent, name: "spare", id: "shop/spare", attributes: baseComponent("spare", shop)}
	return []*block{
		main, plane("second"), plane("third"), dev, qa, prod, gold, line,
		pipeline("solo", edge(dev)), pipeline("duo", edge(qa)), pipeline("trio", edge(prod)), shop, project("other", line),
		spare,
		{kind: kindComponent, name: "timer", id: "shop/timer", attributes: object("name", "timer", "project", shop.reference(), "type", "scheduled_task", "image", acctest.Image)},
		{kind: kindDeployment, name: "spare", id: "shop/spare/main/dev", attributes: baseDeployment(spare, dev)},
	}
}

func basePlane(name string) map[string]any {
	return map[string]any{"name": name, "gateways": map[string]any{"public": map[string]any{
		"name": "public", "namespace": "gateways", "virtual_host": name + ".example.com",
	}}}
}

func baseComponent(name string, project *block) map[string]any {
	return map[string]any{"name": name, "project": project.reference(), "type": "service", "image": acctest.Image}
}

func baseDeployment(component, environment *block) map[string]any {
	return deploymentIn(component.reference(), environment.reference())
}

func deploymentIn(component, environment reference) map[string]any {
	return map[string]any{
		"component": component, "environment": environment,
		"configuration": map[string]any{
			"ports":   map[string]any{"http": map[string]any{"port": 80}, "admin": map[string]any{"port": 9000}},
			"scaling": map[string]any{"replicas": noReplicas},
		},
	}
}

// newWorld makes a subject of a kind and what it stands on. A deep one has
// everything that is made for it, down to an endpoint.
func newWorld(kind int, name string, deep bool) *world {
	common := map[string]*block{}
	for _, b := range shared() {
		common[fmt.Sprint(b.kind, b.name)] = b
	}
	have := []*block{
		common[fmt.Sprint(kindDataPlane, "main")], common[fmt.Sprint(kindEnvironment, "dev")],
		common[fmt.Sprint(kindPipeline, "solo")], common[fmt.Sprint(kindProject, "shop")], nil, nil, nil,
	}
	first, last := kind, kind
	if kind > kindComponent {
		first = kindComponent
	}
	if deep {
		last = kindEndpoint
	}
	w := &world{}
	for at := first; at <= last; at++ {
		b := &block{kind: at, name: name, id: name}
		switch at {
		case kindDataPlane:
			b.attributes = basePlane(name)
		case kindEnvironment:
			b.attributes = map[string]any{"name": name, "data_plane": have[kindDataPlane].reference()}
		case kindPipeline:
			b.attributes = map[string]any{"name": name, "promotion_paths": []any{map[string]any{"source": have[kindEnvironment].reference()}}}
		case kindProject:
			b.attributes = map[string]any{"name": name, "deployment_pipeline": have[kindPipeline].reference()}
		case kindComponent:
			b.id, b.attributes = have[kindProject].id+"/"+name, baseComponent(name, have[kindProject])
		case kindDeployment:
			b.id, b.attributes = have[kindComponent].id+"/main/"+have[kindEnvironment].id, baseDeployment(have[kindComponent], have[kindEnvironment])
		case kindEndpoint:
			b.id = have[kindDeployment].id + "/" + name
			b.attributes = map[string]any{"deployment": have[kindDeployment].reference(), "name": name, "type": "http", "port": "http", "visibility": "public"}
		}
		have[at] = b
		w.blocks = append(w.blocks, b)
	}
	w.subject = w.of(kind)
	return w
}

// newTrack is a world of a deployment alone: a track of the component spare. It
// costs less than a component of its own.
func newTrack(name string) *world {
	spare, dev := reference{"platform_component.spare.id", "shop/spare"}, reference{"platform_environment.dev.id", "dev"}
	b := &block{kind: kindDeployment, name: name, id: "shop/spare/" + name + "/dev", attributes: deploymentIn(spare, dev)}
	b.set("track", name)
	return &world{subject: b, blocks: []*block{b}}
}

// connections are further names of the cluster.
func connections(t *testing.T) string {
	t.Helper()
	path := os.Getenv("KUBECONFIG")
	return fmt.Sprintf("  connections = { near = { config_path = %q }, far = { config_path = %q } }", path, path)
}
