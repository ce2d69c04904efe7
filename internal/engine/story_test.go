// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// plan plans one object that is wholly known.
func plan(t *testing.T, e *engine.Engine, object, prior platform.Object) *engine.PlanResponse {
	t.Helper()
	response, err := e.Plan(t.Context(), engine.PlanRequest{Variants: catalog.Known(object), Prior: prior})
	if err != nil {
		t.Fatalf("plan %s: %v", platform.RefOf(object), err)
	}
	return response
}

// foreseen are outputs without those that only an apply finds out.
func foreseen(outputs engine.Outputs) engine.Outputs {
	outputs.ServerVersion, outputs.Ready, outputs.Status = "", false, ""
	return outputs
}

// sameOutputs checks that outputs are equal.
func sameOutputs(t *testing.T, when string, want, got engine.Outputs) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: -want +got:\n%s", when, diff)
	}
}

func TestFirstPlanShowsWhatApplyMakes(t *testing.T) {
	t.Parallel()
	w := newWorld()
	planner := w.engine(t)
	var planned []engine.Outputs
	for _, object := range story() {
		response := plan(t, planner, object, nil)
		if response.Outputs == nil || response.Unsettled || len(response.Warnings) > 0 {
			t.Fatalf("A first plan in order is complete and without warnings, got %+v for %s.", response, platform.RefOf(object))
		}
		sameOutputs(t, "without unknown values both variants are the same", response.Outputs[0], response.Outputs[1])
		planned = append(planned, response.Outputs[0])
	}
	if writes := w.trace.writes(); len(writes) > 0 {
		t.Errorf("A plan writes nothing, got %v.", writes)
	}
	applier := w.engine(t)
	for i, object := range story() {
		sameOutputs(t, "the plan made while applying equals the first one", planned[i], plan(t, applier, object, nil).Outputs[0])
		response, err := applier.Apply(t.Context(), engine.ApplyRequest{Object: object, Wait: true})
		if err != nil {
			t.Fatal(err)
		}
		sameOutputs(t, "an apply of "+kindOf(object)+" returns what was planned", planned[i], foreseen(response.Outputs))
		if !response.Outputs.Ready || response.Outputs.Status != "ready" {
			t.Errorf("What was waited for is ready, got %+v.", response.Outputs)
		}
	}
	w.intact(t, "after the first apply")
}

func TestAppliedIsSettled(t *testing.T) {
	t.Parallel()
	w := newWorld()
	applied := w.apply(t, story()...)
	w.trace.start(fault{})
	e := w.engine(t)
	for i, object := range story() {
		read, err := e.Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(object), Token: &applied[i].Token})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(object, read.Object); diff != "" {
			t.Errorf("A read returns what was applied: -want +got:\n%s", diff)
		}
		if read.Token != applied[i].Token {
			t.Errorf("A read returns the token %+v, got %+v.", applied[i].Token, read.Token)
		}
		response := plan(t, e, object, object)
		if response.Unsettled || len(response.Warnings) > 0 {
			t.Errorf("What was applied needs nothing, got %+v.", response)
		}
		sameOutputs(t, "a plan of the unchanged "+kindOf(object)+" equals its apply", foreseen(applied[i].Outputs), response.Outputs[0])
		want := applied[i].Outputs
		if object.Kind() == platform.KindProject {
			want = w.project(t)
		}
		sameOutputs(t, "a read of "+kindOf(object)+" equals its apply", want, *read.Outputs)
	}
	if writes := w.trace.writes(); len(writes) > 0 {
		t.Errorf("Neither read nor plan writes, got %v.", writes)
	}
}

// project returns the outputs of the project as they are once its cells exist.
func (w *world) project(t *testing.T) engine.Outputs {
	t.Helper()
	outputs := plan(t, w.engine(t), shop(), shop()).Outputs[0]
	outputs.Ready, outputs.Status = true, "ready"
	return outputs
}

func TestApplyAgainWritesNoObject(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()...))
	want := w.view(t)
	version := func() any {
		metadata, _ := w.fake.Object(w.fake.IDs()[0])["metadata"].(map[string]any)
		return metadata["resourceVersion"]
	}
	before := version()
	for i, object := range story() {
		w.update(t, object, tokens[i])
	}
	same(t, "applying everything again changes nothing", want, w.view(t))
	if before != version() {
		t.Error("An unchanged object keeps its version.")
	}
}

func TestOrderOfWrites(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()[:5]...))
	w.trace.start(fault{})
	tokens = append(tokens, tokensOf(w.apply(t, cartInDev()))...)
	const namespace = "dp-acme-shop-dev-677945f8"
	want := []string{
		"put deployment/shop/cart/main/dev running",
		"put cell/shop/dev running",
		"apply v1:Namespace::" + namespace,
		"apply networking.k8s.io/v1:NetworkPolicy:" + namespace + ":default",
		"put cell/shop/dev succeeded",
		"apply apps/v1:Deployment:" + namespace + ":cart",
		"apply v1:Service:" + namespace + ":cart",
		"put deployment/shop/cart/main/dev succeeded",
	}
	if diff := cmp.Diff(want, w.trace.writes()); diff != "" {
		t.Errorf("The record says what may exist before it does: -want +got:\n%s", diff)
	}
	w.trace.start(fault{})
	if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(cartInDev()), Token: tokens[5]}); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"delete v1:Service:" + namespace + ":cart",
		"delete apps/v1:Deployment:" + namespace + ":cart",
		"remove deployment/shop/cart/main/dev",
	}
	if diff := cmp.Diff(want, w.trace.writes()); diff != "" {
		t.Errorf("The record goes after everything that it lists, last made first: -want +got:\n%s", diff)
	}
	w.trace.start(fault{})
	if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(cart()), Token: tokens[4]}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(shop()), Token: tokens[3]}); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"remove component/shop/cart",
		"delete networking.k8s.io/v1:NetworkPolicy:" + namespace + ":default",
		"delete v1:Namespace::" + namespace,
		"remove cell/shop/dev",
		"remove project/shop",
	}
	if diff := cmp.Diff(want, w.trace.writes()); diff != "" {
		t.Errorf("A project goes after its cells: -want +got:\n%s", diff)
	}
}
