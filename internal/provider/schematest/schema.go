// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package schematest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Attributes returns the configured attributes of every resource by path, those
// inside others too, as a provider tells them through the protocol.
func Attributes(t *testing.T, server tfprotov6.ProviderServer) map[string]map[string]*tfprotov6.SchemaAttribute {
	t.Helper()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	resources := map[string]map[string]*tfprotov6.SchemaAttribute{}
	for name, schema := range resp.ResourceSchemas {
		resources[name] = map[string]*tfprotov6.SchemaAttribute{}
		add(resources[name], "", schema.Block.Attributes)
	}
	return resources
}

func add(found map[string]*tfprotov6.SchemaAttribute, prefix string, attributes []*tfprotov6.SchemaAttribute) {
	for _, attribute := range attributes {
		if !attribute.Optional && !attribute.Required {
			continue
		}
		path := prefix + attribute.Name
		found[path] = attribute
		if nested := attribute.NestedType; nested != nil {
			inside := path + "[]."
			if nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
				inside = path + "."
			}
			add(found, inside, nested.Attributes)
		}
	}
}
