// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The constructors below keep schemas to what differs: a name, whether it is
// required, and a description. Values are validated by the model, which knows
// the paths; so a rule stands in one place.

func required(description string) schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description}
}

func optional(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description}
}

func optionalInt(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, MarkdownDescription: description}
}

func requiredInt(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Required: true, MarkdownDescription: description}
}

func optionalBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

func optionalStrings(description string) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
}

func optionalMap(description string) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
}

func optionalObject(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description, Attributes: attributes}
}

// optionalObjects is a map of objects by name.
func optionalObjects(description string, attributes map[string]schema.Attribute) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Optional: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}

// described adds the attributes that people name and describe objects with.
func described(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["display_name"] = optional("A name for people.")
	attributes["description"] = optional("What it is for.")
	attributes["labels"] = optionalMap("Labels of the object and of everything that is made on its behalf.")
	return attributes
}

// oneOf lists the values of an attribute for its description.
func oneOf(values []string) string { return "one of `" + strings.Join(values, "`, `") + "`" }

// timeoutsAttribute is that of every resource; limit is the default of all
// operations but read.
func timeoutsAttribute(ctx context.Context, limit time.Duration) schema.Attribute {
	attribute := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: fmt.Sprintf("How long create may take, such as `90s` or `15m`; default `%s`.", limit),
		UpdateDescription: fmt.Sprintf("How long update may take; default `%s`.", limit),
		DeleteDescription: fmt.Sprintf("How long delete may take; default `%s`.", limit),
		ReadDescription:   fmt.Sprintf("How long read may take; default `%s`.", readTimeout),
	})
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = "How long operations may take."
		return nested
	}
	return attribute
}
