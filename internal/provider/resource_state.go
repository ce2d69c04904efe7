// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// readTimeout is the default for read.
const readTimeout = 5 * time.Minute

const privateToken = "token"

// privateState is what the framework lends of a resource's private data.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// getToken returns the remembered token; the zero token when there is none, as
// after an import.
func getToken(ctx context.Context, private privateState, diags *diag.Diagnostics) engine.Token {
	var token engine.Token
	raw, some := private.GetKey(ctx, privateToken)
	diags.Append(some...)
	if len(raw) == 0 {
		return token
	}
	if err := json.Unmarshal(raw, &token); err != nil {
		diags.AddError("Damaged state", fmt.Sprintf("The private data of this resource cannot be read: %s. Remove it from the state and import it again.", err))
	}
	return token
}

func setToken(ctx context.Context, private privateState, token engine.Token) diag.Diagnostics {
	raw, err := json.Marshal(token)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Cannot encode private data", err.Error())}
	}
	return private.SetKey(ctx, privateToken, raw)
}

// attributeSetter is a plan or a state.
type attributeSetter interface {
	SetAttribute(ctx context.Context, at path.Path, value any) diag.Diagnostics
}

func (r *kindResource) setOutputs(ctx context.Context, state attributeSetter, outputs engine.Outputs) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, output := range r.kind.outputs {
		diags.Append(state.SetAttribute(ctx, path.Root(name), output.value(outputs))...)
	}
	return diags
}

func (r *kindResource) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, state *tfsdk.State) diag.Diagnostics {
	if identity == nil {
		return nil
	}
	var id string
	diags := state.GetAttribute(ctx, path.Root(attributeID), &id)
	diags.Append(identity.SetAttribute(ctx, path.Root("organization"), r.engine.Organization())...)
	diags.Append(identity.SetAttribute(ctx, path.Root(attributeID), id)...)
	return diags
}

// hasIdentity tells whether an identity is complete. After an import it may lack
// the organization.
func hasIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) bool {
	if identity == nil {
		return false
	}
	var organization *string
	diags.Append(identity.GetAttribute(ctx, path.Root("organization"), &organization)...)
	return organization != nil
}

// gone handles the errors of Read that leave the state, and tells whether err
// was one.
func (r *kindResource) gone(ctx context.Context, err error, ref platform.Ref, resp *resource.ReadResponse) bool {
	switch {
	case errors.Is(err, engine.ErrAbsent):
	case errors.Is(err, engine.ErrReplaced):
		resp.Diagnostics.AddWarning("Replaced by another run", fmt.Sprintf(
			"%s in the cluster is not the one that this state describes: it was destroyed and made again elsewhere. It leaves this state; import it to manage it here.", ref))
	default:
		return false
	}
	resp.State.Raw = tftypes.NewValue(resp.State.Schema.Type().TerraformType(ctx), nil)
	return true
}

// refresh puts the object's configured attributes into a state. Attributes that
// mean the same, which is what becomes the same object, keep the state's
// spelling.
func (k *kind) refresh(state tftypes.Value, object platform.Object) (tftypes.Value, error) {
	attributes := map[string]tftypes.Value{}
	if err := state.As(&attributes); err != nil {
		return state, fmt.Errorf("decode state: %w", err)
	}
	typ, ok := state.Type().(tftypes.Object)
	if !ok {
		return state, fmt.Errorf("the state is a %s", state.Type())
	}
	before, err := k.decode(state)
	if err != nil {
		return state, err
	}
	old, err := fieldsOf(before)
	if err != nil {
		return state, err
	}
	current, err := fieldsOf(object)
	if err != nil {
		return state, err
	}
	values, err := k.encode(object, typ)
	if err != nil {
		return state, err
	}
	merged := maps.Clone(attributes)
	for name, value := range values {
		if !bytes.Equal(old[name], current[name]) {
			merged[name] = value
		}
	}
	return tftypes.NewValue(typ, merged), nil
}

// fieldsOf returns the canonical JSON of an object's fields; those that are not
// set are left out.
func fieldsOf(object platform.Object) (map[string]json.RawMessage, error) {
	raw, err := catalog.Encode(object)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	return fields, json.Unmarshal(raw, &fields)
}

// failure prepares what a failure of an operation will say, and the operation's
// time limit.
func (r *kindResource) failure(ctx context.Context, verb string, ref platform.Ref, value tftypes.Value, diags *diag.Diagnostics) failure {
	f := failure{root: r.schemaType(ctx), verb: verb, ref: ref}
	var limits timeouts.Value
	state := tfsdk.State{Raw: value, Schema: r.schema(ctx)}
	diags.Append(state.GetAttribute(ctx, path.Root(attributeTimeouts), &limits)...)
	if diags.HasError() {
		return f
	}
	var some diag.Diagnostics
	switch verb {
	case "create":
		f.timeout, some = limits.Create(ctx, r.kind.timeout)
	case "update":
		f.timeout, some = limits.Update(ctx, r.kind.timeout)
	case "delete":
		f.timeout, some = limits.Delete(ctx, r.kind.timeout)
	default:
		f.timeout, some = limits.Read(ctx, readTimeout)
	}
	diags.Append(some...)
	return f
}

func (r *kindResource) schema(ctx context.Context) schema.Schema {
	var resp resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &resp)
	return resp.Schema
}

func (r *kindResource) schemaType(ctx context.Context) attr.Type { return r.schema(ctx).Type() }

// waits tells whether an apply of value waits for the rollout.
func (r *kindResource) waits(value tftypes.Value) bool {
	if !r.kind.waits {
		return true
	}
	attributes := map[string]tftypes.Value{}
	wait := true
	if err := value.As(&attributes); err != nil || attributes[attributeWait].IsNull() {
		return true
	}
	if err := attributes[attributeWait].As(&wait); err != nil {
		return true
	}
	return wait
}
