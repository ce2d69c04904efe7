// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// described attributes are those of both kinds of schema.
type describedAttribute interface {
	GetMarkdownDescription() string
	GetDescription() string
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			var resp resource.SchemaResponse
			newResource(k)().Schema(ctx, resource.SchemaRequest{}, &resp)
			if diags := resp.Schema.ValidateImplementation(ctx); diags.HasError() {
				t.Fatal(diags)
			}
			if resp.Schema.MarkdownDescription == "" {
				t.Error("the resource has no description")
			}
			for name, attribute := range resp.Schema.Attributes {
				checkDescribed(t, name, attribute)
			}
		})
	}
	t.Run("provider", func(t *testing.T) {
		t.Parallel()
		s := providerSchema()
		if diags := s.ValidateImplementation(ctx); diags.HasError() {
			t.Fatal(diags)
		}
		if s.MarkdownDescription == "" {
			t.Error("the provider has no description")
		}
		for name, attribute := range s.Attributes {
			checkDescribed(t, name, attribute)
		}
	})
}

// checkDescribed fails the test if an attribute or one inside it lacks a
// description that is a sentence.
func checkDescribed(t *testing.T, at string, attribute describedAttribute) {
	t.Helper()
	text := attribute.GetMarkdownDescription() + attribute.GetDescription()
	if !strings.HasSuffix(text, ".") {
		t.Errorf("%s is described as %q", at, text)
	}
	for name, nested := range nestedOf(attribute) {
		checkDescribed(t, at+"."+name, nested)
	}
}

func nestedOf(attribute any) map[string]describedAttribute {
	nested := map[string]describedAttribute{}
	switch a := attribute.(type) {
	case schema.SingleNestedAttribute:
		for name, one := range a.Attributes {
			nested[name] = one
		}
	case schema.MapNestedAttribute:
		for name, one := range a.NestedObject.Attributes {
			nested[name] = one
		}
	case schema.ListNestedAttribute:
		for name, one := range a.NestedObject.Attributes {
			nested[name] = one
		}
	case providerschema.SingleNestedAttribute:
		for name, one := range a.Attributes {
			nested[name] = one
		}
	case providerschema.MapNestedAttribute:
		for name, one := range a.NestedObject.Attributes {
			nested[name] = one
		}
	}
	return nested
}

// The schema and the model say the same: each attribute has a field of its name
// and type, and each field an attribute.
func TestSchemaMatchesModel(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			fromSchema, fromModel := map[string]string{}, map[string]string{}
			for name, attribute := range k.attributes {
				schemaPaths(t, name, attribute.GetType(), fromSchema)
			}
			modelPaths(t, "", reflect.TypeOf(platform.New(k.kind)).Elem(), fromModel)
			if diff := cmp.Diff(fromModel, fromSchema); diff != "" {
				t.Errorf("-model +schema:\n%s", diff)
			}
			for name := range k.outputs {
				if _, ok := k.attributes[name]; ok {
					t.Errorf("%s is both configured and computed", name)
				}
			}
			for _, name := range k.identity {
				if _, ok := k.attributes[name]; !ok {
					t.Errorf("the id is made of %s, which is no attribute", name)
				}
			}
		})
	}
}

func schemaPaths(t *testing.T, at string, typ attr.Type, paths map[string]string) {
	t.Helper()
	switch typ := typ.(type) {
	case basetypes.StringTypable:
		paths[at] = "string"
	case basetypes.BoolTypable:
		paths[at] = "bool"
	case basetypes.Int64Typable:
		paths[at] = "int"
	case basetypes.ListType:
		schemaPaths(t, at+"[]", typ.ElemType, paths)
	case basetypes.MapType:
		schemaPaths(t, at+"{}", typ.ElemType, paths)
	case basetypes.ObjectType:
		paths[at] = "object"
		for name, attribute := range typ.AttrTypes {
			schemaPaths(t, strings.TrimPrefix(at+"."+name, "."), attribute, paths)
		}
	default:
		t.Errorf("%s has the type %s, which the model has not", at, typ)
	}
}

func modelPaths(t *testing.T, at string, typ reflect.Type, paths map[string]string) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer:
		modelPaths(t, at, typ.Elem(), paths)
	case reflect.String:
		paths[at] = "string"
	case reflect.Bool:
		paths[at] = "bool"
	case reflect.Int64:
		paths[at] = "int"
	case reflect.Slice:
		modelPaths(t, at+"[]", typ.Elem(), paths)
	case reflect.Map:
		modelPaths(t, at+"{}", typ.Elem(), paths)
	case reflect.Struct:
		if at != "" {
			paths[at] = "object"
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				t.Errorf("the field %s of %s has no JSON name", typ.Field(i).Name, typ)
				continue
			}
			modelPaths(t, strings.TrimPrefix(at+"."+name, "."), typ.Field(i).Type, paths)
		}
	default:
		t.Errorf("%s is a %s, which no attribute can hold", at, typ)
	}
}
