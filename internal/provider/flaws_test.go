// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

// flaw is a bad value and what is said about it.
type flaw struct {
	// set is the path of the value, in a configuration that is right but for it.
	set string
	to  any
	// title is that of the only error.
	title string
	// at is the attribute that the error is shown on, where it is not set.
	at string
	// given are other values that the configuration has.
	given map[string]any
}

func (f flaw) where() string {
	if f.at != "" {
		return f.at
	}
	return f.set
}

func (f flaw) name() string { return fmt.Sprintf("%s=%v", f.set, f.to) }

// treeOf returns an object as a tree of attributes.
func treeOf(t *testing.T, object platform.Object) map[string]any {
	t.Helper()
	raw, err := catalog.Encode(object)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// configOf returns a tree as a resource's value.
func configOf(t *testing.T, k *kind, tree any) tftypes.Value {
	t.Helper()
	raw, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var plain map[string]any
	if err := decoder.Decode(&plain); err != nil {
		t.Fatal(err)
	}
	typ := typeOf(t, k)
	values := map[string]tftypes.Value{}
	for name, attribute := range typ.AttributeTypes {
		if values[name], err = fromJSON(plain[name], attribute); err != nil {
			t.Fatal(err)
		}
	}
	return tftypes.NewValue(typ, values)
}

// complaint is a diagnostic without its detail.
type complaint struct{ At, Title string }

func complaints(diagnostics []*tfprotov6.Diagnostic, severity tfprotov6.DiagnosticSeverity) []complaint {
	var out []complaint
	for _, d := range diagnostics {
		// The framework says that it cannot read a number, and where it lies in.
		if d.Severity == severity && d.Summary != "Configuration Read Error" {
			out = append(out, complaint{At: schematest.FromProtocol(d.Attribute), Title: d.Summary})
		}
	}
	return out
}

// validate validates a configuration as a CLI does before it plans.
func (p *process) validate(t *testing.T, k *kind, config tftypes.Value) []*tfprotov6.Diagnostic {
	t.Helper()
	resp, err := p.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: k.typeName(), Config: dynamic(t, config)})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

// flawed returns what a plan says of a configuration: what its validation says,
// and when that is content, the plan itself.
func flawed(t *testing.T, c *cloud, k *kind, tree any) []*tfprotov6.Diagnostic {
	t.Helper()
	p := start(t, c)
	config := configOf(t, k, tree)
	if diagnostics := p.validate(t, k, config); len(diagnostics) > 0 {
		return diagnostics
	}
	return p.plan(t, absent(t, k), config).diagnostics
}

// spoil applies a flaw to a tree.
func (f flaw) spoil(tree map[string]any) any {
	spoiled := schematest.Clone(tree)
	for _, at := range slices.Sorted(maps.Keys(f.given)) {
		spoiled = schematest.Set(spoiled, schematest.Parse(at), f.given[at])
	}
	return schematest.Set(spoiled, schematest.Parse(f.set), f.to)
}

// Every bad value is an error on its attribute, before anything is applied.
func TestFlaws(t *testing.T) {
	t.Parallel()
	c := newCloud()
	c.make(t, surroundings()...)
	c.putLegacy(t)
	for name, subject := range flawTables() {
		for _, f := range subject.flaws {
			t.Run(name+"/"+f.name(), func(t *testing.T) {
				t.Parallel()
				k := kindNamed(t, subject.base.Kind())
				got := complaints(flawed(t, c, k, f.spoil(treeOf(t, subject.base))), tfprotov6.DiagnosticSeverityError)
				if want := []complaint{{At: f.where(), Title: f.title}}; !slices.Equal(want, got) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
		t.Run(name+"/right", func(t *testing.T) {
			t.Parallel()
			k := kindNamed(t, subject.base.Kind())
			quiet(t, "what is right but for a flaw is right without it", flawed(t, c, k, treeOf(t, subject.base)))
		})
	}
}

// Whatever is wrong with a value, an unknown one in its place is not wrong yet.
func TestFlawsUnknown(t *testing.T) {
	t.Parallel()
	c := newCloud()
	c.make(t, surroundings()...)
	for name, subject := range flawTables() {
		k := kindNamed(t, subject.base.Kind())
		for attribute := range schematest.Attributes(t, start(t, c).server)[k.typeName()] {
			if strings.Contains(attribute, "[]") || schematest.Get(treeOf(t, subject.base), schematest.Parse(attribute)) == nil {
				continue
			}
			t.Run(name+"/"+attribute, func(t *testing.T) {
				t.Parallel()
				at := tftypes.NewAttributePath()
				for step := range strings.SplitSeq(attribute, ".") {
					at = at.WithAttributeName(step)
				}
				config := with(t, configOf(t, k, treeOf(t, subject.base)), at, unknown)
				p := start(t, c)
				quiet(t, "validate", p.validate(t, k, config))
				for _, d := range p.plan(t, absent(t, k), config).diagnostics {
					if d.Severity == tfprotov6.DiagnosticSeverityError {
						t.Errorf("%s: %s", d.Summary, d.Detail)
					}
				}
			})
		}
	}
}

// Every attribute has a bad value in the table, or a reason why there is none.
func TestFlawsCoverTheSchema(t *testing.T) {
	t.Parallel()
	resources := schematest.Attributes(t, start(t, newCloud()).server)
	covered := map[string]map[string]bool{}
	for _, subject := range flawTables() {
		name := kindNamed(t, subject.base.Kind()).typeName()
		if covered[name] == nil {
			covered[name] = map[string]bool{}
		}
		for _, f := range subject.flaws {
			covered[name][schematest.Parse(f.where()).Attribute()] = true
		}
	}
	for name, attributes := range resources {
		for path, attribute := range attributes {
			// What holds others is wrong where one of them is.
			nested := attribute.NestedType != nil
			reason := anyValueIsFine(path, attribute.Type)
			switch {
			case covered[name][path] && reason != "":
				t.Errorf("%s.%s has a bad value although %s", name, path, reason)
			case !covered[name][path] && reason == "" && !nested:
				t.Errorf("%s.%s has no bad value in the table, and nothing says that every value is fine", name, path)
			}
			delete(covered[name], path)
		}
		for path := range covered[name] {
			t.Errorf("the table knows %s.%s, the schema does not", name, path)
		}
	}
}

// anyValueIsFine says why an attribute cannot be wrong, or nothing.
func anyValueIsFine(path string, typ tftypes.Type) string {
	name := path[strings.LastIndex(path, ".")+1:]
	switch {
	case typ != nil && typ.Is(tftypes.Bool):
		return "both values are fine"
	case name == "display_name" || name == "description":
		return "it is any text"
	case strings.HasSuffix(path, ".args") || path == "configuration.command" || path == "overrides.command":
		return "a program takes any words"
	case strings.HasSuffix(path, "grpc.service"):
		return "a server knows services by any text"
	}
	return ""
}
