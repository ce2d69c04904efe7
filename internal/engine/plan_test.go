// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const workloadKey = "Deployment/dp-acme-shop-dev-677945f8/cart"

func titles(problems []platform.Problem) []string {
	var out []string
	for _, problem := range problems {
		out = append(out, problem.Path.String()+": "+problem.Title)
	}
	return out
}

func TestPlanSeesPlannedSurroundings(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()...)
	e := w.engine(t)
	before := plan(t, e, cartInDev(), cartInDev()).Outputs[0]
	changed := cart()
	changed.Image = "cart:2"
	late := plan(t, e, changed, cart())
	if diff := cmp.Diff([]string{": Planned after what refers to it"}, titles(late.Warnings)); len(late.Warnings) != 1 {
		t.Errorf("What was planned before the object it refers to may be wrong: -want +got:\n%s", diff)
	}
	after := plan(t, e, cartInDev(), cartInDev()).Outputs[0]
	if before.Manifests[workloadKey] == after.Manifests[workloadKey] || before.Release == after.Release {
		t.Error("A change of a component shows in the plan of its deployment, whose own declaration is unchanged.")
	}
	again := plan(t, e, changed, cart())
	if len(again.Warnings) > 0 {
		t.Errorf("What was planned in order gets no warning, got %v.", titles(again.Warnings))
	}
}

func TestPlanWithPlaceholders(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:4]...)
	e := w.engine(t)
	one, two := cart(), cart()
	one.Image, two.Image = "7001", "7002"
	if _, err := e.Plan(t.Context(), engine.PlanRequest{Variants: catalog.Variants{one, two}, Partial: true}); err != nil {
		t.Fatal(err)
	}
	response := plan(t, e, cartInDev(), nil)
	if response.Outputs == nil {
		t.Fatal("What does not depend on an unknown value is planned.")
	}
	a, b := response.Outputs[0], response.Outputs[1]
	if a.Manifests[workloadKey] == b.Manifests[workloadKey] || a.Release == b.Release {
		t.Error("What depends on the unknown image differs between the variants.")
	}
	a.Release, b.Release, a.Artifact, b.Artifact = "", "", nil, nil
	delete(a.Manifests, workloadKey)
	delete(b.Manifests, workloadKey)
	sameOutputs(t, "everything else is the same in both", a, b)
}

// The placeholder of an unknown value is not one of the values that decide which
// objects there are.
func TestPlanWithUnknownNetworkPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:6]...)
	e := w.engine(t)
	one, two := lab(), lab()
	one.NetworkPolicy, two.NetworkPolicy = "7001", "7002"
	if _, err := e.Plan(t.Context(), engine.PlanRequest{Variants: catalog.Variants{one, two}, Partial: true, Prior: lab()}); err != nil {
		t.Fatal(err)
	}
	for _, object := range []platform.Object{shop(), cartInDev(), api()} {
		if got := plan(t, e, object, object); got.Outputs != nil || len(got.Warnings) > 0 {
			t.Errorf("%s: Whether there are policies is not known, got %+v and %v.", platform.RefOf(object), got.Outputs, titles(got.Warnings))
		}
	}
}

// twoWays are two versions of an endpoint.
func twoWays(change func(one, two *platform.Endpoint)) engine.PlanRequest {
	one, two := api(), api()
	change(one, two)
	return engine.PlanRequest{Variants: catalog.Variants{one, two}, Partial: true}
}

func TestPlanWhatIsWrong(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason  string
		request engine.PlanRequest
		// outputs tells whether anything is known; problems and warnings what is wrong.
		outputs            bool
		problems, warnings []string
	}{
		"Certain": {
			reason:   "What is wrong whatever is unknown is an error.",
			request:  twoWays(func(one, two *platform.Endpoint) { one.Port, two.Port = "grpc", "grpc" }),
			problems: []string{"port: Unknown port"},
		},
		"Quoted": {
			reason:  "What quotes a placeholder is not known to be wrong yet.",
			request: twoWays(func(one, two *platform.Endpoint) { one.Port, two.Port = "7001", "7002" }),
		},
		"OneWay": {
			reason:  "What is wrong with one placeholder only is not known to be wrong yet.",
			request: twoWays(func(one, _ *platform.Endpoint) { one.Port = "grpc" }),
		},
		"Absent": {
			reason: "What is in neither plan nor store may still be planned: a warning, never an error.",
			request: engine.PlanRequest{Variants: catalog.Known(&platform.Endpoint{
				Deployment: "shop/gone/main/dev", Name: "api", Type: "http", Port: "http",
			})},
			warnings: []string{`deployment: Not found: deployment "shop/gone/main/dev"`},
		},
		"Known": {
			reason:  "What is right is planned.",
			request: engine.PlanRequest{Variants: catalog.Known(api())}, outputs: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.apply(t, story()[:6]...)
			response, err := w.engine(t).Plan(t.Context(), tc.request)
			if problem, ok := errors.AsType[*platform.ProblemError](err); ok {
				if diff := cmp.Diff(tc.problems, titles(problem.Problems)); diff != "" {
					t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
				}
				return
			}
			if err != nil || len(tc.problems) > 0 {
				t.Fatalf("%s\ngot %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.warnings, titles(response.Warnings)); diff != "" || (response.Outputs != nil) != tc.outputs {
				t.Errorf("%s\ngot outputs %v, -want +got:\n%s", tc.reason, response.Outputs, diff)
			}
		})
	}
}

func TestPlanUnknownAndDestroyed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:6]...)
	e := w.engine(t)
	e.PlanUnknown(platform.RefOf(cart()))
	if got := plan(t, e, cartInDev(), cartInDev()); got.Outputs != nil || len(got.Warnings) > 0 {
		t.Errorf("What depends on an object of which nothing is known is unknown, got %+v.", got)
	}
	e = w.engine(t)
	e.PlanDelete(platform.RefOf(cart()))
	if got := plan(t, e, cartInDev(), cartInDev()); got.Outputs != nil || len(got.Warnings) != 1 {
		t.Errorf("What depends on an object that is being destroyed is unknown, with a warning, got %+v.", got)
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e := w.engine(t)
	plan(t, e, lab(), nil)
	_, err := e.Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(lab())})
	if _, ok := errors.AsType[*platform.ProblemError](err); !ok {
		t.Errorf("Two resources that make one object are refused, got %v.", err)
	}
	if _, err := e.Apply(t.Context(), engine.ApplyRequest{Object: lab()}); err != nil {
		t.Fatal(err)
	}
	// What was applied is not planned any more.
	plan(t, e, lab(), nil)
	// A replacement is planned with its prior state, and then without.
	e = w.engine(t)
	plan(t, e, lab(), lab())
	plan(t, e, lab(), nil)
}

func TestOffline(t *testing.T) {
	t.Parallel()
	e, err := engine.New(engine.Options{Organization: organization})
	if err != nil {
		t.Fatal(err)
	}
	if !e.Offline() || e.Organization() != organization {
		t.Error("Without clusters an engine is offline.")
	}
	w := newWorld()
	online := w.engine(t)
	for _, object := range story() {
		want, got := plan(t, online, object, nil), plan(t, e, object, nil)
		if got.Outputs == nil || len(got.Warnings) > 0 {
			t.Fatalf("Offline, everything that is part of the plan is planned, got %+v for %s.", got, platform.RefOf(object))
		}
		sameOutputs(t, "offline as online", want.Outputs[0], got.Outputs[0])
	}
	stranger := cart()
	stranger.Project = "elsewhere"
	if got := plan(t, e, stranger, nil); got.Outputs != nil || len(got.Warnings) > 0 {
		t.Errorf("Offline, nobody knows what is stored, got %+v.", got)
	}
	_, applyErr := e.Apply(t.Context(), engine.ApplyRequest{Object: lab()})
	_, readErr := e.Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(lab())})
	_, deleteErr := e.Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(lab())})
	for verb, err := range map[string]error{"apply": applyErr, "read": readErr, "delete": deleteErr} {
		if runtime.CodeOf(err) != runtime.Unavailable {
			t.Errorf("Offline, an engine refuses to %s, got %v.", verb, err)
		}
	}
}

func TestPlanNeedsItsReads(t *testing.T) {
	t.Parallel()
	// A data plane that is away is another matter, see TestReadWhileAway.
	refused := runtime.Errorf(runtime.PermissionDenied, "no")
	for name, object := range map[string]platform.Object{"Own": cartInDev(), "Cell": shop()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.apply(t, story()...)
			w.fake.ReadFunc = func(context.Context, *runtime.ReadRequest) *runtime.ReadResponse {
				return &runtime.ReadResponse{Status: refused}
			}
			if _, err := w.engine(t).Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(object), Prior: object}); !errors.Is(err, refused) {
				t.Errorf("A plan that cannot see what exists is an error, got %v.", err)
			}
		})
	}
	w := newWorld()
	w.apply(t, lab())
	w.documents.ListFunc = func(context.Context, map[string]string) error { return errBoom }
	if _, err := w.engine(t).Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(lab())}); !errors.Is(err, errBoom) {
		t.Errorf("A plan that cannot read the records is an error, got %v.", err)
	}
}

func TestUnknownConnection(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.lost["gone"] = true
	plane := lab()
	plane.Cluster = "gone"
	_, err := w.engine(t).Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(plane)})
	problem, ok := errors.AsType[*platform.ProblemError](err)
	if !ok || problem.Problems[0].Path.String() != "cluster" {
		t.Errorf("A connection that is not there is an error of the attribute, got %v.", err)
	}
}
