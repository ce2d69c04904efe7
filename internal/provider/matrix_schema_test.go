// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

// Every configured attribute is updated in the matrix, or is part of the id, or
// says why it never changes.
func TestMatrixCoversTheSchema(t *testing.T) {
	t.Parallel()
	server, err := acctest.Factories()["platform"]()
	if err != nil {
		t.Fatal(err)
	}
	resources := schematest.Attributes(t, server)
	for _, table := range kindTables([]any{"edge", "inner", "team", "crew"}) {
		name := "platform_" + kindNames()[table.kind]
		attributes := resources[name]
		delete(resources, name)
		covered := map[string]bool{}
		for _, r := range table.rows {
			path := schematest.Parse(r.path).Attribute()
			if attributes[path] == nil {
				t.Errorf("%s has no attribute %s", name, path)
			}
			if (len(r.values) == 0) == (r.never == "") {
				t.Errorf("%s.%s has values, or a reason why it has none", name, r.path)
			}
			covered[path] = true
		}
		for _, one := range table.identity {
			covered[one.attribute] = true
		}
		for path, attribute := range attributes {
			// What holds others changes when one of them does.
			if attribute.NestedType == nil && !covered[path] {
				t.Errorf("the matrix has no cell that updates %s.%s", name, path)
			}
		}
		if table.deleted == "" != (table.edited == "") {
			t.Errorf("%s has objects or has none", name)
		}
		if renders := slices.Contains(computed(t, server, name), "manifests"); renders != (table.edited != "") {
			t.Errorf("%s: a kind with manifests has objects to be edited and to be missed", name)
		}
	}
	for name := range resources {
		t.Errorf("the matrix does not know %s", name)
	}
}

// computed returns the names of a resource's computed attributes.
func computed(t *testing.T, server tfprotov6.ProviderServer, name string) []string {
	t.Helper()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, attribute := range resp.ResourceSchemas[name].Block.Attributes {
		if attribute.Computed {
			names = append(names, attribute.Name)
		}
	}
	return names
}
