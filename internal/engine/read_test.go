// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestReadWhatIsNotThere(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		token  func(engine.Token) engine.Token
		ref    platform.Ref
		store  string
		want   error
		code   runtime.Code
	}{
		"Absent": {
			reason: "An object without a record does not exist.", ref: platform.Ref{Kind: platform.KindDataPlane, ID: "gone"}, want: engine.ErrAbsent,
		},
		"Replaced": {
			reason: "A record with another UID is of another object.", ref: platform.RefOf(lab()),
			token: func(token engine.Token) engine.Token { return engine.Token{UID: "another", Store: token.Store} }, want: engine.ErrReplaced,
		},
		"OtherStore": {
			reason: "In another store nothing is called absent.", ref: platform.Ref{Kind: platform.KindDataPlane, ID: "gone"},
			store: "store-2", code: runtime.InvalidArgument,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			token := tokensOf(w.apply(t, lab()))[0]
			if tc.token != nil {
				token = tc.token(token)
			}
			if tc.store != "" {
				w.documents.SetIdentity(tc.store)
			}
			_, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: tc.ref, Token: &token})
			if (tc.want != nil && !errors.Is(err, tc.want)) || (tc.code != "" && runtime.CodeOf(err) != tc.code) {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
			if tc.store == "" {
				return
			}
			if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(lab()), Token: token}); runtime.CodeOf(err) != tc.code {
				t.Errorf("%s Nor is it deleted, got %v.", tc.reason, err)
			}
		})
	}
	w := newWorld()
	token := tokensOf(newWorld().apply(t, lab()))[0]
	if _, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(lab()), Token: &token}); runtime.CodeOf(err) != runtime.InvalidArgument {
		t.Errorf("A store that was never written to is another one too, got %v.", err)
	}
}

func TestReadWithoutContext(t *testing.T) {
	t.Parallel()
	w := newWorld()
	token := tokensOf(w.apply(t, story()...))[5]
	if err := w.documents.Delete(t.Context(), "environment/dev", ""); err != nil {
		t.Fatal(err)
	}
	read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(cartInDev()), Token: &token})
	if err != nil || read.Object == nil || read.Outputs != nil {
		t.Errorf("An object whose surroundings are gone is there, and nothing is said about its outputs, got %+v, %v.", read, err)
	}
}

func TestReadWithoutConnection(t *testing.T) {
	t.Parallel()
	w := newWorld()
	plane := lab()
	plane.Cluster = "old"
	tokens := tokensOf(w.apply(t, append([]platform.Object{plane}, story()[1:]...)...))
	w.lost["old"] = true
	for i, object := range story() {
		read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(object), Token: &tokens[i]})
		if err != nil || read.Object == nil {
			t.Errorf("A connection that was renamed does not keep %s from being planned with the new one, got %v.", platform.RefOf(object), err)
		}
	}
}

// TestReadWhileAway is about a cluster that does not answer, while the records do.
func TestReadWhileAway(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()...))
	away := runtime.Errorf(runtime.Unavailable, "nobody answers")
	w.fake.ReadFunc = func(context.Context, *runtime.ReadRequest) *runtime.ReadResponse {
		return &runtime.ReadResponse{Status: away}
	}
	w.fake.VersionFunc = func(context.Context) (string, error) { return "", away }
	for i, object := range story() {
		ref := platform.RefOf(object)
		read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: ref, Token: &tokens[i]})
		switch object.(type) {
		case *platform.Deployment, *platform.Endpoint:
			if runtime.CodeOf(err) != runtime.Unavailable {
				t.Errorf("What runs there cannot be read: %s, got %v.", ref, err)
			}
			continue
		case *platform.DataPlane:
			if err == nil && (read.Outputs != nil || len(read.Warnings) != 1 || read.Warnings[0].Title != "Data plane not reachable") {
				t.Errorf("The data plane keeps what is known of it, and warns, got %+v.", read)
			}
		}
		if err != nil {
			t.Fatalf("What others depend on can be read: %s, got %v.", ref, err)
		}
		if _, err := w.engine(t).Plan(t.Context(), engine.PlanRequest{Variants: [2]platform.Object{object, object}, Prior: object}); err != nil {
			t.Errorf("And planned: %s, got %v.", ref, err)
		}
	}
	if _, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(lab())}); runtime.CodeOf(err) != runtime.Unavailable {
		t.Errorf("An import has nothing to keep, got %v.", err)
	}
}

// TestReadIgnoresThePlan is about a refresh that comes after the plan of what
// the object refers to, as it does with every reference.
func TestReadIgnoresThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()...))
	before := map[int]engine.Outputs{}
	for i, object := range story() {
		read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(object), Token: &tokens[i]})
		if err != nil {
			t.Fatal(err)
		}
		before[i] = *read.Outputs
	}
	e := w.engine(t)
	plane, path, component := lab(), pipeline("dev", "staging"), cart()
	plane.Gateways.Public.VirtualHost, component.Image = "other.example.com", "cart:2"
	plan(t, e, plane, lab())
	plan(t, e, &platform.Environment{Name: "staging", DataPlane: "lab"}, nil)
	plan(t, e, path, pipeline("dev"))
	plan(t, e, component, cart())
	for i, object := range story() {
		read, err := e.Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(object), Token: &tokens[i]})
		if err != nil {
			t.Fatal(err)
		}
		if read.Outputs == nil {
			t.Fatalf("%s can be read.", platform.RefOf(object))
		}
		sameOutputs(t, "a refresh of "+kindOf(object)+" shows what is, not what is planned", before[i], *read.Outputs)
	}
	if got := plan(t, e, shop(), shop()); len(got.Outputs[0].Cells) != 2 {
		t.Errorf("The plan shows what is planned, got %v.", got.Outputs[0].Cells)
	}
}

func TestReadShowsDrift(t *testing.T) {
	t.Parallel()
	w := newWorld()
	applied := w.apply(t, story()...)
	const service = "v1:Service:dp-acme-shop-dev-677945f8:cart"
	w.fake.Forget("apps/v1:Deployment:dp-acme-shop-dev-677945f8:cart")
	if err := w.fake.Edit(service, "kubectl-edit", metav1.ManagedFieldsOperationUpdate, "someone", "metadata", "labels", "openplatform.dev/track"); err != nil {
		t.Fatal(err)
	}
	read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(cartInDev()), Token: &applied[5].Token})
	if err != nil {
		t.Fatal(err)
	}
	if _, there := read.Outputs.Manifests[workloadKey]; there || len(read.Outputs.Manifests) != 1 {
		t.Errorf("What somebody deleted is missing, got %v.", sortedKeys(read.Outputs.Manifests))
	}
	const key = "Service/dp-acme-shop-dev-677945f8/cart"
	if read.Outputs.Manifests[key] == applied[5].Outputs.Manifests[key] {
		t.Error("What somebody edited is different.")
	}
	w.update(t, cartInDev(), applied[5].Token)
	read, err = w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(cartInDev()), Token: &applied[5].Token})
	if err != nil {
		t.Fatal(err)
	}
	sameOutputs(t, "an apply repairs it", applied[5].Outputs, *read.Outputs)
	w.intact(t, "after a repair")
}
