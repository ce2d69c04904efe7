// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

const (
	badImage   = "cart:bad"
	cartRecord = "deployment/shop/cart/main/dev"
	cartObject = "apps/v1:Deployment:dp-acme-shop-dev-677945f8:cart"
)

// spoiled makes rollouts of the bad image fail.
func (w *world) spoiled() {
	w.fake.WaitFunc = func(_ context.Context, request *runtime.WaitRequest) *runtime.WaitResponse {
		if imageOf(request.Resource.Attributes) != badImage {
			return nil
		}
		return &runtime.WaitResponse{Status: runtime.Errorf(runtime.RolloutFailed, "the pod crashes")}
	}
}

func imageOf(object map[string]any) any {
	containers, _ := runtimetest.Get(&runtime.Resource{Attributes: object}, "spec", "template", "spec", "containers").([]any)
	if len(containers) == 0 {
		return nil
	}
	container, _ := containers[0].(map[string]any)
	return container["image"]
}

// cartWith is the deployment with an image and what its failure leads to.
func cartWith(image string, onFailure platform.OnFailure) *platform.Deployment {
	d := cartInDev()
	d.Image, d.OnFailure = image, onFailure
	return d
}

// try applies an object that may fail.
func (w *world) try(t *testing.T, object platform.Object, token *engine.Token, prior platform.Object) (*engine.ApplyResponse, error) {
	t.Helper()
	return w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: object, Token: token, Prior: prior, Wait: true})
}

// fails checks the code and the words of an error.
func fails(t *testing.T, err error, code runtime.Code, words string) {
	t.Helper()
	if runtime.CodeOf(err) != code || !strings.Contains(err.Error(), words) {
		t.Fatalf("got %v, want %s with %q", err, code, words)
	}
}

func TestFailedCreateIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	w.spoiled()
	response, err := w.try(t, cartWith(badImage, platform.OnFailureRollback), nil, nil)
	fails(t, err, runtime.RolloutFailed, "everything that was made was removed")
	if response != nil {
		t.Errorf("There is nothing to be remembered, got %+v.", response)
	}
	if ids := w.fake.IDs(); w.records(t)[cartRecord] != nil || slices.Contains(ids, cartObject) {
		t.Errorf("Nothing of it is left but the cell, got %v.", ids)
	}
	w.intact(t, "after the rollback of a create")
	w.apply(t, cartInDev())
}

func TestFailedCreateOfWhatWasHealthyIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:6]...)
	w.spoiled()
	// An update that nobody remembers leaves a record to be taken over.
	if _, err := w.try(t, cartWith(badImage, platform.OnFailureKeep), &tokensOf(w.apply(t, cartInDev()))[0], nil); err == nil {
		t.Fatal("The rollout fails.")
	}
	response, err := w.try(t, cartWith(badImage, platform.OnFailureRollback), nil, nil)
	fails(t, err, runtime.RolloutFailed, "Not rolled back")
	if response == nil || w.fake.Object(cartObject) == nil {
		t.Error("What was healthy once is not removed by a create that takes it over.")
	}
}

func TestFailedUpdateIsTakenBack(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		// change makes the deployment of the second apply.
		change func(t *testing.T, w *world) platform.Object
	}{
		"Image": {
			reason: "The image before runs again.",
			change: func(*testing.T, *world) platform.Object { return cartWith(badImage, platform.OnFailureRollback) },
		},
		"Component": {
			reason: "The component's image has changed for good; the deployment runs what it ran.",
			change: func(t *testing.T, w *world) platform.Object {
				t.Helper()
				c := cart()
				c.Image = badImage
				token := w.token(t, "component/shop/cart")
				w.update(t, c, token)
				return cartWith("", platform.OnFailureRollback)
			},
		},
		"Objects": {
			reason: "What the failed release has besides is removed, and what it lacks is made again.",
			change: func(*testing.T, *world) platform.Object {
				d := cartWith(badImage, platform.OnFailureRollback)
				d.Configuration.Ports = nil
				d.Configuration.Scaling = &platform.Scaling{MaxReplicas: new(int64(5)), TargetCPUUtilizationPercentage: new(int64(80))}
				return d
			},
		},
		"Labels": {
			reason: "What is no part of the release is as it was, too.",
			change: func(*testing.T, *world) platform.Object {
				d := cartWith(badImage, platform.OnFailureRollback)
				d.Labels = map[string]string{"team": "checkout"}
				return d
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			token := tokensOf(w.apply(t, story()[:6]...))[5]
			want := w.view(t)
			w.spoiled()
			object := tc.change(t, w)
			want.Records["component/shop/cart"] = w.view(t).Records["component/shop/cart"]
			response, err := w.try(t, object, &token, cartInDev())
			fails(t, err, runtime.RolloutFailed, "Rolled back: sha256:")
			if response == nil || response.Token != token {
				t.Errorf("%s\nThe object stays the same one, got %+v.", tc.reason, response)
			}
			same(t, tc.reason, want, w.view(t))
			w.intact(t, "after a rollback")

			// The next plan shows what is not in force.
			e := w.engine(t)
			read, err := e.Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(object), Token: &token})
			if err != nil {
				t.Fatal(err)
			}
			planned := plan(t, e, object, read.Object)
			if planned.Outputs[0].Manifests["Deployment/dp-acme-shop-dev-677945f8/cart"] == read.Outputs.Manifests["Deployment/dp-acme-shop-dev-677945f8/cart"] {
				t.Errorf("%s\nThe plan shows no change.", tc.reason)
			}
		})
	}
}

// token returns the token of a recorded object.
func (w *world) token(t *testing.T, record string) engine.Token {
	t.Helper()
	return engine.Token{UID: w.records(t)[record].UID, Store: "store-1", Organization: organization}
}

func TestFailureAfterFailureIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld()
	token := tokensOf(w.apply(t, story()[:6]...))[5]
	w.spoiled()
	if _, err := w.try(t, cartWith(badImage, platform.OnFailureKeep), &token, cartInDev()); err == nil {
		t.Fatal("The rollout fails.")
	}
	_, err := w.try(t, cartWith(badImage, platform.OnFailureRollback), &token, cartInDev())
	fails(t, err, runtime.RolloutFailed, "Rolled back: sha256:")
	if got := imageOf(w.fake.Object(cartObject)); got != "cart:1" {
		t.Errorf("The last release that was healthy runs, got %v.", got)
	}
	if record := w.records(t)[cartRecord]; !record.Succeeded() || !record.Holds(cartInDev()) {
		t.Errorf("The record describes what is in force, got %s: %s.", record.Operation.State, record.Spec)
	}
}

func TestNothingToGoBackTo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	w.spoiled()
	first, err := w.try(t, cartWith(badImage, platform.OnFailureWarn), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.try(t, cartWith(badImage, platform.OnFailureRollback), &first.Token, cartWith(badImage, platform.OnFailureWarn))
	fails(t, err, runtime.RolloutFailed, "no release was healthy here before")
	if record := w.records(t)[cartRecord]; record.Operation.State != catalog.StateFailed {
		t.Errorf("The operation failed, got %s.", record.Operation.State)
	}
}

func TestFailedRolloutIsAWarning(t *testing.T) {
	t.Parallel()
	for _, created := range []bool{true, false} {
		w := newWorld()
		w.apply(t, story()[:5]...)
		var token *engine.Token
		if !created {
			token = &tokensOf(w.apply(t, cartInDev()))[0]
		}
		w.spoiled()
		object := cartWith(badImage, platform.OnFailureWarn)
		response, err := w.try(t, object, token, nil)
		if err != nil {
			t.Fatalf("created %t: %v", created, err)
		}
		if len(response.Warnings) != 1 || response.Warnings[0].Title != "Rollout failed" || !strings.Contains(response.Warnings[0].Detail, "the pod crashes") {
			t.Errorf("The failure is a warning, got %+v.", response.Warnings)
		}
		if response.Outputs.Ready || response.Outputs.Status != "failed: ROLLOUT_FAILED" {
			t.Errorf("It is not ready, got %+v.", response.Outputs)
		}
		if planned := plan(t, w.engine(t), object, object); !planned.Unsettled {
			t.Error("The next apply has something to do.")
		}
		w.fake.WaitFunc = nil
		if response = w.update(t, object, response.Token); !response.Outputs.Ready || len(response.Warnings) > 0 {
			t.Errorf("It becomes ready in the end, got %+v.", response)
		}
	}
}

func TestRefusalIsNoWarning(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	w.fake.ApplyFunc = func(_ context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
		if !strings.HasPrefix(request.PlanResource.ID, "v1:Service:") {
			return nil
		}
		return &runtime.ApplyResponse{Status: runtime.Errorf(runtime.InvalidArgument, "no such port")}
	}
	response, err := w.try(t, cartWith("cart:2", platform.OnFailureWarn), nil, nil)
	fails(t, err, runtime.InvalidArgument, "no such port")
	if response == nil {
		t.Fatal("Half of it exists.")
	}
	if _, err := w.try(t, cartWith("cart:2", platform.OnFailureRollback), nil, nil); !strings.Contains(err.Error(), "everything that was made was removed") {
		t.Errorf("Half a create is removed, got %v.", err)
	}
	w.intact(t, "after the rollback of a refused create")
}

func TestWhatIsNotTakenBack(t *testing.T) {
	t.Parallel()
	for code, reason := range map[runtime.Code]string{
		runtime.Canceled:    "Whoever interrupts an apply wants it to end.",
		runtime.Unavailable: "A cluster that does not answer cannot take anything back.",
	} {
		w := newWorld()
		token := tokensOf(w.apply(t, story()[:6]...))[5]
		w.fake.WaitFunc = func(context.Context, *runtime.WaitRequest) *runtime.WaitResponse {
			return &runtime.WaitResponse{Status: runtime.Errorf(code, "no")}
		}
		_, err := w.try(t, cartWith(badImage, platform.OnFailureRollback), &token, cartInDev())
		if runtime.CodeOf(err) != code || imageOf(w.fake.Object(cartObject)) != badImage {
			t.Errorf("%s\ngot %v", reason, err)
		}
	}
}

func TestWhatWasTakenOverIsNotRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld()
	token := tokensOf(w.apply(t, story()[:6]...))[5]
	if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(cartInDev()), Token: token}); err != nil {
		t.Fatal(err)
	}
	const service = "v1:Service:dp-acme-shop-dev-677945f8:cart"
	theirs := map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "cart", "namespace": "dp-acme-shop-dev-677945f8"},
	}
	if err := w.fake.Put(&runtime.Resource{ID: service, Attributes: theirs}); err != nil {
		t.Fatal(err)
	}
	w.spoiled()
	e, err := engine.New(engine.Options{Organization: organization, Clusters: w, Policy: dataplane.Policy{Adopt: runtime.AdoptIfUnowned}})
	if err != nil {
		t.Fatal(err)
	}
	response, err := e.Apply(t.Context(), engine.ApplyRequest{Object: cartWith(badImage, platform.OnFailureRollback), Wait: true})
	fails(t, err, runtime.RolloutFailed, "took over what existed before: "+service)
	if response == nil || w.fake.Object(service) == nil {
		t.Error("What existed before is still there, and remembered.")
	}
}

func TestTakingBackFails(t *testing.T) {
	t.Parallel()
	w := newWorld()
	token := tokensOf(w.apply(t, story()[:6]...))[5]
	w.unready(true)
	_, err := w.try(t, cartWith(badImage, platform.OnFailureRollback), &token, cartInDev())
	fails(t, err, runtime.RolloutFailed, "failed as well: the pod crashes")
	w.unready(false)
	w.update(t, cartInDev(), token)
	w.intact(t, "after a rollback that failed")
}

// A rollback that is disturbed at any call ends, after the next apply, like one
// that was not.
func TestRollbackConverges(t *testing.T) {
	t.Parallel()
	for _, created := range []bool{true, false} {
		calm := newWorld()
		calm.apply(t, append(story()[:5], cartWith("cart:2", platform.OnFailureRollback))...)
		want := calm.view(t)
		everyFault(t, func(t *testing.T, name string, f fault) bool {
			t.Helper()
			w := newWorld()
			w.apply(t, story()[:5]...)
			var token *engine.Token
			var prior platform.Object
			if !created {
				prior = cartInDev()
				token = &tokensOf(w.apply(t, prior))[0]
			}
			w.spoiled()
			w.trace.start(f)
			left, err := w.try(t, cartWith(badImage, platform.OnFailureRollback), token, prior)
			reached := w.trace.reached()
			w.trace.start(fault{})
			w.listed(t, name)
			if err == nil {
				t.Errorf("%s: the rollout fails in any case.", name)
			}
			// A refresh finds out whether what is remembered is there.
			if created && left != nil && w.records(t)[cartRecord] != nil {
				token = &left.Token
			}
			if _, err := w.try(t, cartWith("cart:2", platform.OnFailureRollback), token, prior); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			same(t, name, want, w.view(t))
			w.intact(t, name)
			return reached
		})
	}
}
