// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// ModifyPlan sets every computed attribute on every call: those that follow
// from the inputs are rendered, known or unknown; those that only an apply
// finds out are unknown if anything changes and else stay as they are.
// Terraform marks nothing unknown by itself when the configuration is unchanged,
// although what it refers to may have changed.
func (r *kindResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.engine == nil {
		return
	}
	prior := r.prior(req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.Plan.Raw.IsNull() {
		if prior != nil {
			r.engine.PlanDelete(platform.RefOf(prior))
		}
		return
	}
	variants, partial, err := r.kind.variants(req.Plan.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the plan", err.Error())
		return
	}
	if problems := certainProblems(variants); len(problems) > 0 {
		addProblems(&resp.Diagnostics, req.Plan.Schema.Type(), problems)
		return
	}
	if variants[0].ID() != variants[1].ID() {
		r.planUnknown(ctx, resp)
		return
	}
	r.plan(ctx, req, resp, engine.PlanRequest{Variants: variants, Partial: partial, Prior: prior})
}

// prior returns the object of the prior state, or nil.
func (r *kindResource) prior(req resource.ModifyPlanRequest, diags *diag.Diagnostics) platform.Object {
	if req.State.Raw.IsNull() {
		return nil
	}
	prior, err := r.kind.decode(req.State.Raw)
	if err != nil {
		diags.AddError("Cannot read the state", err.Error())
	}
	return prior
}

func (r *kindResource) plan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, request engine.PlanRequest) {
	root := req.Plan.Schema.Type()
	object := request.Variants[0]
	if request.Prior != nil && request.Prior.ID() != object.ID() {
		r.engine.PlanDelete(platform.RefOf(request.Prior))
		r.replace(resp)
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(attributeID), object.ID())...)
	planned, err := r.engine.Plan(ctx, request)
	if err != nil {
		failure{root: root, verb: "plan", ref: platform.RefOf(object)}.add(&resp.Diagnostics, err)
		return
	}
	addWarnings(&resp.Diagnostics, root, planned.Warnings)
	var volatile []string
	for name, output := range r.kind.outputs {
		value := output.unknown()
		switch {
		case output.volatile:
			volatile = append(volatile, name)
			value = r.priorValue(ctx, req, name, value, &resp.Diagnostics)
		case planned.Outputs != nil:
			value = output.merge(planned.Outputs[0], planned.Outputs[1])
		}
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), value)...)
	}
	if unchanged := !req.State.Raw.IsNull() && resp.Plan.Raw.Equal(req.State.Raw); unchanged && !planned.Unsettled {
		return
	} else if _, renders := r.kind.outputs[outputManifests]; unchanged && renders && len(volatile) == 0 {
		// Something has to differ for Terraform to go on with what did not succeed.
		volatile = append(volatile, outputManifests)
	}
	for _, name := range volatile {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), r.kind.outputs[name].unknown())...)
	}
}

// priorValue returns an attribute of the prior state, or otherwise.
func (r *kindResource) priorValue(ctx context.Context, req resource.ModifyPlanRequest, name string, otherwise attr.Value, diags *diag.Diagnostics) attr.Value {
	if req.State.Raw.IsNull() {
		return otherwise
	}
	switch r.kind.outputs[name].attribute.GetType() {
	case types.BoolType:
		var value types.Bool
		diags.Append(req.State.GetAttribute(ctx, path.Root(name), &value)...)
		return value
	default:
		var value types.String
		diags.Append(req.State.GetAttribute(ctx, path.Root(name), &value)...)
		return value
	}
}

// replace asks for a new object: the id changes. Paths that stay as they are
// are ignored by Terraform.
func (r *kindResource) replace(resp *resource.ModifyPlanResponse) {
	resp.RequiresReplace.Append(path.Root(attributeID))
	for _, name := range r.kind.identity {
		resp.RequiresReplace.Append(path.Root(name))
	}
}

// planUnknown plans an object whose id is not known yet.
func (r *kindResource) planUnknown(ctx context.Context, resp *resource.ModifyPlanResponse) {
	r.replace(resp)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(attributeID), types.StringUnknown())...)
	for name, output := range r.kind.outputs {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), output.unknown())...)
	}
}

// certainProblems returns what is wrong whatever the unknown values turn out to
// be: what both variants complain of in the same words.
func certainProblems(variants catalog.Variants) []platform.Problem {
	problems := variants[0].Validate()
	if variants[0] == variants[1] {
		return problems
	}
	others := variants[1].Validate()
	return slices.DeleteFunc(problems, func(p platform.Problem) bool {
		return !slices.ContainsFunc(others, func(q platform.Problem) bool {
			return p.Path.String() == q.Path.String() && p.Title == q.Title && p.Detail == q.Detail
		})
	})
}
