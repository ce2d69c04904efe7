// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// cloud is a cluster in memory and the records in it.
type cloud struct {
	fake      *runtimetest.Fake
	documents *runtimetest.FakeDocuments
}

func newCloud() *cloud {
	return &cloud{fake: runtimetest.NewFake("taken"), documents: runtimetest.NewFakeDocuments("store")}
}

// unknownConnection is the name of a connection that there is not.
const unknownConnection = "mars"

// Runtime returns the only cluster.
func (c *cloud) Runtime(name string) (runtime.Runtime, error) {
	if name == unknownConnection {
		return nil, errors.New("there is no such connection")
	}
	return c.fake, nil
}

// Documents returns the records.
func (c *cloud) Documents() (runtime.Documents, error) { return c.documents, nil }

// fakeProvider is the provider over a cloud; without one it is offline.
type fakeProvider struct {
	platformProvider
	cloud *cloud
}

var _ provider.Provider = (*fakeProvider)(nil)

func (p *fakeProvider) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	options := engine.Options{Organization: "acme", ControlPlane: "platform-acme"}
	if p.cloud != nil {
		options.Clusters = p.cloud
	}
	e, err := engine.New(options)
	if err != nil {
		resp.Diagnostics.AddError("engine", err.Error())
	}
	resp.ResourceData = e
}

// process is the provider as a CLI runs it.
type process struct {
	server tfprotov6.ProviderServer
}

func start(t *testing.T, c *cloud) *process {
	t.Helper()
	server, err := providerserver.NewProtocol6WithError(&fakeProvider{cloud: c})()
	if err != nil {
		t.Fatal(err)
	}
	typ := providerSchema().Type().TerraformType(t.Context())
	_, err = server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: dynamic(t, nothing(typ))})
	if err != nil {
		t.Fatal(err)
	}
	return &process{server: server}
}

// instance is a resource in a state.
type instance struct {
	kind    *kind
	state   tftypes.Value
	private []byte
}

// planned is what a plan says.
type planned struct {
	config, state tftypes.Value
	private       []byte
	replaces      bool
	diagnostics   []*tfprotov6.Diagnostic
}

func dynamic(t *testing.T, value tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	out, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		t.Fatal(err)
	}
	return &out
}

func static(t *testing.T, typ tftypes.Type, value *tfprotov6.DynamicValue) tftypes.Value {
	t.Helper()
	if value == nil {
		return tftypes.NewValue(typ, nil)
	}
	out, err := value.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// absent is a resource that does not exist yet.
func absent(t *testing.T, k *kind) instance {
	t.Helper()
	return instance{kind: k, state: tftypes.NewValue(typeOf(t, k), nil)}
}

func attributesOf(t *testing.T, value tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}

// plan plans a configuration; a null one destroys. What is computed is proposed
// as it was, and unknown where nothing was.
func (p *process) plan(t *testing.T, prior instance, config tftypes.Value) planned {
	t.Helper()
	proposed := config
	if !config.IsNull() {
		attributes, before := attributesOf(t, config), map[string]tftypes.Value{}
		if !prior.state.IsNull() {
			before = attributesOf(t, prior.state)
		}
		computed := []string{attributeID}
		for name := range prior.kind.outputs {
			computed = append(computed, name)
		}
		for _, name := range computed {
			attributes[name] = unknown(attributes[name].Type())
			if value, ok := before[name]; ok {
				attributes[name] = value
			}
		}
		proposed = tftypes.NewValue(config.Type(), attributes)
	}
	resp, err := p.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: prior.kind.typeName(), PriorState: dynamic(t, prior.state), PriorPrivate: prior.private,
		ProposedNewState: dynamic(t, proposed), Config: dynamic(t, config),
	})
	if err != nil {
		t.Fatal(err)
	}
	return planned{
		config: config, state: static(t, config.Type(), resp.PlannedState), private: resp.PlannedPrivate,
		replaces: len(resp.RequiresReplace) > 0, diagnostics: resp.Diagnostics,
	}
}

// apply applies a plan. With an error the state is what it returned all the same.
func (p *process) apply(t *testing.T, prior instance, plan planned) (instance, []*tfprotov6.Diagnostic) {
	t.Helper()
	resp, err := p.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: prior.kind.typeName(), PriorState: dynamic(t, prior.state), PlannedState: dynamic(t, plan.state),
		Config: dynamic(t, plan.config), PlannedPrivate: plan.private,
	})
	if err != nil {
		t.Fatal(err)
	}
	return instance{kind: prior.kind, state: static(t, plan.config.Type(), resp.NewState), private: resp.Private}, resp.Diagnostics
}

func (p *process) read(t *testing.T, current instance) (instance, []*tfprotov6.Diagnostic) {
	t.Helper()
	resp, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: current.kind.typeName(), CurrentState: dynamic(t, current.state), Private: current.private,
	})
	if err != nil {
		t.Fatal(err)
	}
	return instance{kind: current.kind, state: static(t, current.state.Type(), resp.NewState), private: resp.Private}, resp.Diagnostics
}

func (p *process) imported(t *testing.T, k *kind, id string) instance {
	t.Helper()
	resp, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: k.typeName(), ID: id})
	if err != nil {
		t.Fatal(err)
	}
	quiet(t, "import", resp.Diagnostics)
	one := resp.ImportedResources[0]
	out, diagnostics := p.read(t, instance{kind: k, state: static(t, typeOf(t, k), one.State), private: one.Private})
	quiet(t, "read after import", diagnostics)
	return out
}

// quiet fails the test on any diagnostic.
func quiet(t *testing.T, when string, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	for _, d := range diagnostics {
		t.Fatalf("%s: %s: %s", when, d.Summary, d.Detail)
	}
}

// says fails the test unless there is one diagnostic with a title.
func says(t *testing.T, reason, title string, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	if len(diagnostics) != 1 || diagnostics[0].Summary != title {
		t.Fatalf("%s\ngot %v, want %q", reason, diagnostics, title)
	}
}

// make applies objects in order and returns their resources.
func (c *cloud) make(t *testing.T, objects ...platform.Object) []instance {
	t.Helper()
	p := start(t, c)
	var made []instance
	for _, object := range objects {
		k := kindNamed(t, object.Kind())
		plan := p.plan(t, absent(t, k), valueOf(t, k, object))
		quiet(t, "plan", plan.diagnostics)
		one, diagnostics := p.apply(t, absent(t, k), plan)
		quiet(t, "apply", diagnostics)
		made = append(made, one)
	}
	return made
}
