// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// kindResource is the resource of every kind: the framework calls it, it
// decodes, makes one call of the engine, and sets the state.
type kindResource struct {
	kind   *kind
	engine *engine.Engine
}

var (
	_ resource.ResourceWithConfigure      = (*kindResource)(nil)
	_ resource.ResourceWithIdentity       = (*kindResource)(nil)
	_ resource.ResourceWithImportState    = (*kindResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*kindResource)(nil)
	_ resource.ResourceWithValidateConfig = (*kindResource)(nil)
)

// The names of the attributes that every resource has and no object.
const (
	attributeID       = "id"
	attributeTimeouts = "timeouts"
	attributeWait     = "wait_for_rollout"
)

// newResource returns the constructor of a kind's resource.
func newResource(k *kind) func() resource.Resource {
	return func() resource.Resource { return &kindResource{kind: k} }
}

// Metadata names the resource.
func (r *kindResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.kind.name
}

// Schema returns the kind's configured and computed attributes and the common ones.
func (r *kindResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		attributeID:       schema.StringAttribute{Computed: true, MarkdownDescription: "The id, which other resources refer to."},
		attributeTimeouts: timeoutsAttribute(ctx, r.kind.timeout),
	}
	if r.kind.waits {
		attributes[attributeWait] = schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether an apply waits until what it made is ready, and fails when it cannot become ready. Default `true`.",
		}
	}
	for name, attribute := range r.kind.attributes {
		attributes[name] = attribute
	}
	for name, output := range r.kind.outputs {
		attributes[name] = output.attribute
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.kind.description, Attributes: attributes}
}

// IdentitySchema returns organization and id.
func (r *kindResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"organization": identityschema.StringAttribute{OptionalForImport: true, Description: "The organization of the provider block."},
		attributeID:    identityschema.StringAttribute{RequiredForImport: true, Description: "The id of the object."},
	}}
}

// Configure takes the engine; without one the provider is not configured yet.
func (r *kindResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.engine = engineFrom(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig reports what is wrong with the configuration alone.
func (r *kindResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if problems := wrongNumbers(req.Config.Raw); len(problems) > 0 {
		addProblems(&resp.Diagnostics, req.Config.Schema.Type(), problems)
		return
	}
	variants, _, err := r.kind.variants(req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the configuration", err.Error())
		return
	}
	addProblems(&resp.Diagnostics, req.Config.Schema.Type(), certainProblems(variants))
}

// Create brings the object about. When that fails after something was recorded,
// the state is kept, so that nothing is orphaned.
func (r *kindResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	w := r.write(ctx, "create", req.Plan.Raw, engine.ApplyRequest{}, &resp.Diagnostics)
	if w == nil {
		return
	}
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(r.setOutputs(ctx, &resp.State, w.Outputs)...)
	resp.Diagnostics.Append(setToken(ctx, resp.Private, w.Token)...)
	resp.Diagnostics.Append(r.setIdentity(ctx, resp.Identity, &resp.State)...)
}

// Update brings the object up to date. When that fails the prior state stays,
// so that the next plan shows what is still to be done.
func (r *kindResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	token := getToken(ctx, req.Private, &resp.Diagnostics)
	prior, err := r.kind.decode(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the state", err.Error())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	w := r.write(ctx, "update", req.Plan.Raw, engine.ApplyRequest{Token: &token, Prior: prior}, &resp.Diagnostics)
	if w == nil || resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(r.setOutputs(ctx, &resp.State, w.Outputs)...)
	resp.Diagnostics.Append(setToken(ctx, resp.Private, w.Token)...)
	resp.Diagnostics.Append(r.setIdentity(ctx, resp.Identity, &resp.State)...)
}

// write applies a planned value; request holds what is known of the object that
// it changes. It returns nil when nothing was recorded.
func (r *kindResource) write(ctx context.Context, verb string, plan tftypes.Value, request engine.ApplyRequest, diags *diag.Diagnostics) *engine.ApplyResponse {
	object, err := r.kind.decode(plan)
	if err != nil {
		diags.AddError("Cannot read the plan", err.Error())
		return nil
	}
	f := r.failure(ctx, verb, platform.RefOf(object), plan, diags)
	if diags.HasError() {
		return nil
	}
	request.Object, request.Timeout, request.Wait = object, f.timeout, r.waits(plan)
	response, err := r.engine.Apply(ctx, request)
	if err != nil {
		f.add(diags, err)
	}
	if response != nil {
		addWarnings(diags, f.root, response.Warnings)
	}
	return response
}

// Read refreshes the state. An object that is gone leaves the state; a store
// that is not the one it was made in is an error.
func (r *kindResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id string
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(attributeID), &id)...)
	token := getToken(ctx, req.Private, &resp.Diagnostics)
	ref := platform.Ref{Kind: r.kind.kind, ID: id}
	f := r.failure(ctx, "read", ref, req.State.Raw, &resp.Diagnostics)
	// A state without an identity, as some CLIs keep it, is completed however the
	// read ends: the framework refuses an answer without one. One that is there
	// stays, also where the provider block now names another organization: what
	// is wrong then is told below, not that the identity has changed.
	if !hasIdentity(ctx, resp.Identity, &resp.Diagnostics) {
		resp.Diagnostics.Append(r.setIdentity(ctx, resp.Identity, &resp.State)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if r.engine.Offline() {
		return
	}
	request := engine.ReadRequest{Ref: ref}
	if token != (engine.Token{}) {
		request.Token = &token
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	read, err := r.engine.Read(ctx, request)
	switch {
	case err == nil:
	case r.gone(ctx, err, ref, resp):
		return
	default:
		f.add(&resp.Diagnostics, err)
		return
	}
	addWarnings(&resp.Diagnostics, f.root, read.Warnings)
	if read.Object != nil {
		raw, err := r.kind.refresh(req.State.Raw, read.Object)
		if err != nil {
			resp.Diagnostics.AddError("Cannot read the record", err.Error())
			return
		}
		resp.State.Raw = raw
	}
	if read.Outputs != nil {
		resp.Diagnostics.Append(r.setOutputs(ctx, &resp.State, *read.Outputs)...)
	}
	resp.Diagnostics.Append(setToken(ctx, resp.Private, read.Token)...)
}

// Delete removes the object and everything made on its behalf.
func (r *kindResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var id string
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(attributeID), &id)...)
	token := getToken(ctx, req.Private, &resp.Diagnostics)
	ref := platform.Ref{Kind: r.kind.kind, ID: id}
	f := r.failure(ctx, "delete", ref, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	request := engine.DeleteRequest{Ref: ref, Token: token}
	if r.kind.force != nil {
		object, err := r.kind.decode(req.State.Raw)
		if err != nil {
			resp.Diagnostics.AddError("Cannot read the state", err.Error())
			return
		}
		request.Force = r.kind.force(object)
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	warnings, err := r.engine.Delete(ctx, request)
	addWarnings(&resp.Diagnostics, f.root, warnings)
	if err != nil {
		f.add(&resp.Diagnostics, err)
	}
}

// ImportState takes an id, or an identity whose organization is the provider's.
func (r *kindResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID == "" && req.Identity != nil {
		var organization *string
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("organization"), &organization)...)
		if organization != nil && *organization != r.engine.Organization() {
			resp.Diagnostics.AddError("Wrong organization", fmt.Sprintf(
				"The identity names the organization %q, the provider is configured for %q. Import it with a provider block for that organization.",
				*organization, r.engine.Organization()))
			return
		}
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root(attributeID), path.Root(attributeID), req, resp)
}
