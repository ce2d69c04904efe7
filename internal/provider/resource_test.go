// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// story is a platform in which as much is set as goes together.
func story() []platform.Object {
	objects := full()
	deployment, _ := objects[platform.KindDeployment].(*platform.Deployment)
	deployment.PromotedFrom, deployment.Overrides, deployment.Approval, deployment.Adopt = nil, nil, nil, nil
	deployment.OnFailure = platform.OnFailureKeep
	for _, probe := range []*platform.Probe{
		deployment.Configuration.Probes.Readiness, deployment.Configuration.Probes.Liveness, deployment.Configuration.Probes.Startup,
	} {
		probe.Exec, probe.TCP, probe.GRPC, probe.SuccessThreshold = nil, nil, nil, number(1)
	}
	deployment.Configuration.Probes.Readiness.TerminationGracePeriodSeconds = nil
	deployment.Configuration.Volumes = map[string]platform.Volume{"data": {MountPath: "/data", EmptyDir: &platform.EmptyDir{}}}
	deployment.Configuration.TerminationGracePeriodSeconds = number(0)
	deployment.Configuration.Scaling = &platform.Scaling{Replicas: number(0)}
	deployment.Configuration.Schedule = nil
	plane, _ := objects[platform.KindDataPlane].(*platform.DataPlane)
	plane.NetworkPolicy = "kubernetes"
	project, _ := objects[platform.KindProject].(*platform.Project)
	project.Namespaces = nil
	pipeline := &platform.DeploymentPipeline{Name: "path", PromotionPaths: []platform.PromotionPath{{Source: "dev"}}}
	return []platform.Object{
		plane, objects[platform.KindEnvironment], pipeline, project,
		objects[platform.KindComponent], deployment, objects[platform.KindEndpoint],
	}
}

func TestApplyThenNothing(t *testing.T) {
	t.Parallel()
	c := newCloud()
	made := c.make(t, story()...)
	p := start(t, c)
	for i, one := range made {
		object := story()[i]
		config := valueOf(t, one.kind, object)
		read, diagnostics := p.read(t, one)
		quiet(t, "read", diagnostics)
		plan := p.plan(t, read, config)
		quiet(t, "plan", plan.diagnostics)
		if !plan.state.Equal(read.state) || plan.replaces {
			diffs, _ := read.state.Diff(plan.state)
			t.Errorf("After an apply of %s nothing is planned, got %v.", platform.RefOf(object), diffs)
		}
		if one.kind.kind != platform.KindProject && !read.state.Equal(one.state) {
			diffs, _ := one.state.Diff(read.state)
			t.Errorf("After an apply of %s a refresh finds nothing, got %v.", platform.RefOf(object), diffs)
		}
		imported := start(t, c).imported(t, one.kind, object.ID())
		if plan := start(t, c).plan(t, imported, config); !plan.state.Equal(imported.state) || plan.replaces || len(plan.diagnostics) > 0 {
			diffs, _ := imported.state.Diff(plan.state)
			t.Errorf("After an import of %s nothing is planned, got %v, %v.", platform.RefOf(object), diffs, plan.diagnostics)
		}
	}
	for i, one := range slices.Backward(made) {
		gone := tftypes.NewValue(one.state.Type(), nil)
		p := start(t, c)
		plan := p.plan(t, one, gone)
		quiet(t, "plan destroy", plan.diagnostics)
		left, diagnostics := p.apply(t, one, plan)
		quiet(t, "destroy", diagnostics)
		if !left.state.IsNull() {
			t.Errorf("%s is still in the state.", platform.RefOf(story()[i]))
		}
	}
	if ids := c.fake.IDs(); len(ids) > 0 {
		t.Errorf("Nothing is left, got %v.", ids)
	}
}

// empties are values of a type in which nothing is but an empty list or map.
func empties(typ tftypes.Type) []tftypes.Value {
	switch t := typ.(type) {
	case tftypes.Map:
		return []tftypes.Value{tftypes.NewValue(t, map[string]tftypes.Value{})}
	case tftypes.List:
		return []tftypes.Value{tftypes.NewValue(t, []tftypes.Value{})}
	case tftypes.Object:
		nothing := map[string]tftypes.Value{}
		for name, attribute := range t.AttributeTypes {
			nothing[name] = tftypes.NewValue(attribute, nil)
		}
		values := []tftypes.Value{tftypes.NewValue(t, nothing)}
		for name, attribute := range t.AttributeTypes {
			for _, empty := range empties(attribute) {
				one := maps.Clone(nothing)
				one[name] = empty
				values = append(values, tftypes.NewValue(t, one))
			}
		}
		return values
	}
	return nil
}

// What is empty may be written or left out: there is nothing to change then.
func TestEmptyIsSettled(t *testing.T) {
	t.Parallel()
	c := newCloud()
	settled := 0
	for i, one := range c.make(t, story()...) {
		typ := typeOf(t, one.kind)
		for name := range one.kind.attributes {
			for _, empty := range empties(typ.AttributeTypes[name]) {
				config := with(t, valueOf(t, one.kind, story()[i]), tftypes.NewAttributePath().WithAttributeName(name),
					func(tftypes.Type) tftypes.Value { return empty })
				p := start(t, c)
				plan := p.plan(t, one, config)
				if len(plan.diagnostics) > 0 {
					continue // Some attributes must not be empty.
				}
				applied, diagnostics := p.apply(t, one, plan)
				quiet(t, "apply", diagnostics)
				p = start(t, c)
				read, diagnostics := p.read(t, applied)
				quiet(t, "read", diagnostics)
				if again := p.plan(t, read, config); !again.state.Equal(read.state) {
					diffs, _ := read.state.Diff(again.state)
					t.Errorf("With %s.%s = %s there is always something to change: %v", one.kind.typeName(), name, empty, diffs)
				}
				one = applied
				settled++
			}
		}
	}
	if settled < 20 {
		t.Errorf("only %d empty values were taken", settled)
	}
}

func TestIdentityReplaces(t *testing.T) {
	t.Parallel()
	c := newCloud()
	for i, one := range c.make(t, story()...) {
		for _, name := range one.kind.identity {
			at := tftypes.NewAttributePath().WithAttributeName(name)
			config := valueOf(t, one.kind, story()[i])
			var path string
			if err := attributesOf(t, config)[name].As(&path); err != nil {
				t.Fatal(err)
			}
			changed := start(t, c).plan(t, one, with(t, config, at, func(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, path+"x") }))
			if !changed.replaces {
				t.Errorf("A change of %s.%s makes another object.", one.kind.typeName(), name)
			}
			p := start(t, c)
			vague := p.plan(t, one, with(t, config, at, unknown))
			quiet(t, "plan of an unknown id", vague.diagnostics)
			if id := attributesOf(t, vague.state)[attributeID]; id.IsKnown() || !vague.replaces {
				t.Errorf("An unknown %s.%s makes an object whose id is not known yet, got %s.", one.kind.typeName(), name, id)
			}
		}
		if i == 0 {
			continue
		}
		inPlace := start(t, c).plan(t, one, with(t, valueOf(t, one.kind, story()[i]), tftypes.NewAttributePath().WithAttributeName("description"),
			func(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, "changed") }))
		if inPlace.replaces {
			t.Errorf("Any other change of %s is made in place.", one.kind.typeName())
		}
	}
}

func TestCreateThatFails(t *testing.T) {
	t.Parallel()
	c := newCloud()
	c.make(t, story()[:5]...)
	c.fake.WaitFunc = func(context.Context, *runtime.WaitRequest) *runtime.WaitResponse {
		return &runtime.WaitResponse{Status: runtime.Errorf(runtime.RolloutFailed, "the pod crashes")}
	}
	k := kindNamed(t, platform.KindDeployment)
	p := start(t, c)
	left, diagnostics := p.apply(t, absent(t, k), p.plan(t, absent(t, k), valueOf(t, k, story()[5])))
	says(t, "A rollout that fails is an error.", "Rollout failed", diagnostics)
	if left.state.IsNull() || !left.state.IsFullyKnown() || len(left.private) == 0 {
		t.Fatalf("What was made stays in the state, wholly known, got %s.", left.state)
	}
	relaxed := with(t, valueOf(t, k, story()[5]), tftypes.NewAttributePath().WithAttributeName(attributeWait), func(typ tftypes.Type) tftypes.Value {
		return tftypes.NewValue(typ, false)
	})
	p = start(t, c)
	plan := p.plan(t, left, relaxed)
	again, diagnostics := p.apply(t, left, plan)
	quiet(t, "apply without waiting", diagnostics)
	if attributesOf(t, plan.state)["ready"].IsKnown() || attributesOf(t, again.state)["ready"].Equal(tftypes.NewValue(tftypes.Bool, true)) {
		t.Error("What is not waited for is not ready, and a plan does not know before.")
	}
}

func TestUpdateThatFails(t *testing.T) {
	t.Parallel()
	for step, name := range map[int]string{3: "Project", 5: "Deployment", 6: "Endpoint"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCloud()
			one := c.make(t, story()...)[step]
			one, _ = start(t, c).read(t, one)
			config := valueOf(t, one.kind, story()[step])
			changed := with(t, config, tftypes.NewAttributePath().WithAttributeName("labels"), func(typ tftypes.Type) tftypes.Value {
				return tftypes.NewValue(typ, map[string]tftypes.Value{"key": tftypes.NewValue(tftypes.String, "changed")})
			})
			fails := true
			c.fake.ApplyFunc = func(context.Context, *runtime.ApplyRequest) *runtime.ApplyResponse {
				if fails {
					return &runtime.ApplyResponse{Status: runtime.Errorf(runtime.PermissionDenied, "no")}
				}
				return nil
			}
			p := start(t, c)
			left, diagnostics := p.apply(t, one, p.plan(t, one, changed))
			says(t, "A failure says what kind it is.", "Permission denied", diagnostics)
			if !left.state.Equal(one.state) {
				t.Error("An update that fails leaves the state as it was.")
			}
			fails = false
			p = start(t, c)
			read, diagnostics := p.read(t, left)
			quiet(t, "read", diagnostics)
			back := p.plan(t, read, config)
			if back.state.Equal(read.state) {
				t.Fatal("After a failure the next apply has work to do, also when the change is taken back.")
			}
			settled, diagnostics := p.apply(t, read, back)
			quiet(t, "apply of the former configuration", diagnostics)
			p = start(t, c)
			if plan := p.plan(t, settled, config); !plan.state.Equal(settled.state) {
				diffs, _ := settled.state.Diff(plan.state)
				t.Errorf("That settles it, got %v.", diffs)
			}
		})
	}
}

func TestReadThatFindsNothing(t *testing.T) {
	t.Parallel()
	c := newCloud()
	one := c.make(t, story()[0])[0]
	if err := c.documents.Delete(t.Context(), "data-plane/lab", ""); err != nil {
		t.Fatal(err)
	}
	read, diagnostics := start(t, c).read(t, one)
	quiet(t, "read", diagnostics)
	if !read.state.IsNull() {
		t.Error("What is gone leaves the state.")
	}
	c.make(t, story()[0])
	read, diagnostics = start(t, c).read(t, one)
	says(t, "What was replaced elsewhere leaves the state with a warning.", "Replaced by another run", diagnostics)
	if !read.state.IsNull() || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityWarning {
		t.Error("It is not an error.")
	}
	c.documents.SetIdentity("another")
	_, diagnostics = start(t, c).read(t, one)
	says(t, "In another cluster nothing is called gone.", "Invalid request", diagnostics)
}

func TestOfflineResource(t *testing.T) {
	t.Parallel()
	one := newCloud().make(t, story()[0])[0]
	offline := start(t, nil)
	read, diagnostics := offline.read(t, one)
	quiet(t, "read", diagnostics)
	if !read.state.Equal(one.state) {
		t.Error("Without a connection the state is kept.")
	}
	k := kindNamed(t, platform.KindProject)
	plan := offline.plan(t, absent(t, k), valueOf(t, k, story()[3]))
	quiet(t, "plan", plan.diagnostics)
	if attributesOf(t, plan.state)["cells"].IsKnown() {
		t.Error("What depends on records is unknown.")
	}
	_, diagnostics = offline.apply(t, one, destruction(t, offline, one))
	says(t, "Without a connection nothing is destroyed.", "Cluster not reachable", diagnostics)
}

func destruction(t *testing.T, p *process, one instance) planned {
	t.Helper()
	return p.plan(t, one, tftypes.NewValue(one.state.Type(), nil))
}

// identityOf is an identity of the data plane lab, of an organization or none.
func identityOf(organization any) tftypes.Value {
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"organization": tftypes.String, "id": tftypes.String}}
	return tftypes.NewValue(typ, map[string]tftypes.Value{
		"organization": tftypes.NewValue(tftypes.String, organization), "id": tftypes.NewValue(tftypes.String, "lab"),
	})
}

func TestReadIdentity(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason      string
		stored, now any
	}{
		"Same":  {reason: "An identity stays.", stored: "acme", now: "acme"},
		"None":  {reason: "One without an organization, as after an import, is completed.", stored: nil, now: "acme"},
		"Other": {reason: "One of another organization is no bug of the provider: it stays.", stored: "other", now: "other"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCloud()
			one := c.make(t, story()[0])[0]
			request := &tfprotov6.ReadResourceRequest{
				TypeName: one.kind.typeName(), CurrentState: dynamic(t, one.state), Private: one.private,
				CurrentIdentity: &tfprotov6.ResourceIdentityData{IdentityData: dynamic(t, identityOf(tc.stored))},
			}
			resp, err := start(t, c).server.ReadResource(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if tc.stored != nil { // Only an import may complete one.
				quiet(t, tc.reason, resp.Diagnostics)
			}
			want := identityOf(tc.now)
			if got := static(t, want.Type(), resp.NewIdentity.IdentityData); !got.Equal(want) {
				t.Errorf("%s\ngot %s", tc.reason, got)
			}
		})
	}
}

func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason       string
		organization any
		want         string
	}{
		"Same":  {reason: "An identity of the provider's organization is imported.", organization: "acme"},
		"None":  {reason: "So is one that names none.", organization: nil},
		"Other": {reason: "One of another organization is refused.", organization: "other", want: "Wrong organization"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			identity := identityOf(tc.organization)
			resp, err := start(t, newCloud()).server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: "platform_data_plane", Identity: &tfprotov6.ResourceIdentityData{IdentityData: dynamic(t, identity)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if tc.want != "" {
				says(t, tc.reason, tc.want, resp.Diagnostics)
				return
			}
			quiet(t, tc.reason, resp.Diagnostics)
			state := static(t, typeOf(t, kindNamed(t, platform.KindDataPlane)), resp.ImportedResources[0].State)
			if !attributesOf(t, state)[attributeID].Equal(tftypes.NewValue(tftypes.String, "lab")) {
				t.Errorf("%s\ngot %s", tc.reason, state)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	k := kindNamed(t, platform.KindEnvironment)
	wrong := &platform.Environment{Name: "Dev", DataPlane: "lab"}
	resp, err := start(t, newCloud()).server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: k.typeName(), Config: dynamic(t, valueOf(t, k, wrong)),
	})
	if err != nil {
		t.Fatal(err)
	}
	says(t, "What is wrong with the configuration alone is reported before any plan.", "Invalid name", resp.Diagnostics)
	if at := tftypes.NewAttributePath().WithAttributeName("name"); !resp.Diagnostics[0].Attribute.Equal(at) {
		t.Errorf("It is reported on its attribute, got %s.", resp.Diagnostics[0].Attribute)
	}
	p := start(t, newCloud())
	says(t, "A plan that was not validated finds it too.", "Invalid name", p.plan(t, absent(t, k), valueOf(t, k, wrong)).diagnostics)
}
