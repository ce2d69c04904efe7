// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package provider is what Terraform sees: schemas, plans, state, diagnostics.
// It decodes, makes one call of the engine per operation, and encodes. It talks
// to no cluster and renders nothing.
package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/openplatform/platform"

// platformProvider is the provider.
type platformProvider struct {
	version string
}

var _ provider.Provider = (*platformProvider)(nil)

// New returns the constructor of a provider of a version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &platformProvider{version: version} }
}

// kinds returns what there is a resource for.
func kinds() []*kind {
	return []*kind{
		dataPlaneKind(), environmentKind(), deploymentPipelineKind(), projectKind(),
		componentKind(), deploymentKind(), endpointKind(),
	}
}

// Metadata names the provider.
func (p *platformProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "platform"
	resp.Version = p.version
}

// Schema returns the attributes of the provider block.
func (p *platformProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// Resources returns one resource per kind.
func (p *platformProvider) Resources(context.Context) []func() resource.Resource {
	var constructors []func() resource.Resource
	for _, k := range kinds() {
		constructors = append(constructors, newResource(k))
	}
	return constructors
}

// DataSources returns none.
func (p *platformProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Configure makes the engine. It makes no request, so it is cheap and has no
// side effect; a configuration with unknown values gives an engine that plans
// offline.
func (p *platformProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	settings, known := readSettings(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	options := engine.Options{
		Organization: settings.organization, ControlPlane: settings.namespace, Policy: settings.policy, Logger: logger(),
	}
	if known {
		options.Clusters = newClusters(settings, p.version, options.Logger)
	} else {
		resp.Diagnostics.AddWarning("Planning offline",
			"The provider configuration has values that are not known yet, so nothing can be looked up: what refers to existing objects is planned as known after apply.")
	}
	e, err := engine.New(options)
	if err != nil {
		resp.Diagnostics.AddError("Invalid connection", err.Error())
		return
	}
	resp.ResourceData = e
}

// engineFrom casts what Configure left; nil means that the provider is not
// configured yet.
func engineFrom(data any, diags *diag.Diagnostics) *engine.Engine {
	if data == nil {
		return nil
	}
	e, ok := data.(*engine.Engine)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("Got a %T. This is a bug of the provider; please report it.", data))
		return nil
	}
	return e
}
