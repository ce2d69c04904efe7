// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// deploymentStep is the place of the deployment in the story.
const deploymentStep = 5

// frozen returns a world in which the Deployment selects other pods than it is to
// select, which cannot change in place.
func frozen(t *testing.T) (w *world, tokens []engine.Token, id string) {
	t.Helper()
	w = newWorld()
	tokens = tokensOf(w.apply(t, story()...))
	for _, one := range w.fake.IDs() {
		if strings.Contains(one, ":Deployment:") {
			id = one
		}
	}
	err := w.fake.Edit(id, "somebody", metav1.ManagedFieldsOperationUpdate, map[string]any{"matchLabels": map[string]any{"app": "theirs"}}, "spec", "selector")
	if err != nil {
		t.Fatal(err)
	}
	return w, tokens, id
}

func TestReplaceConverges(t *testing.T) {
	t.Parallel()
	calm := newWorld()
	calm.apply(t, story()...)
	w, tokens, id := frozen(t)
	uid := func() any {
		metadata, _ := w.fake.Object(id)["metadata"].(map[string]any)
		return metadata["uid"]
	}
	before := uid()
	response := w.update(t, cartInDev(), tokens[deploymentStep])
	if uid() == before || len(response.Warnings) != 1 || !strings.Contains(response.Warnings[0].Detail, "spec.selector") {
		t.Errorf("A replacement is a new object and a warning that names the field, got %v and %v.", uid(), response.Warnings)
	}
	same(t, "after a replacement", calm.view(t), w.view(t))
	w.intact(t, "after a replacement")
	ends := map[string]struct {
		end  func(t *testing.T, w *world, tokens []engine.Token)
		want view
	}{
		"again": {want: calm.view(t), end: func(t *testing.T, w *world, tokens []engine.Token) {
			t.Helper()
			w.update(t, cartInDev(), tokens[deploymentStep])
			w.intact(t, "run again")
		}},
		"destroyed": {end: func(t *testing.T, w *world, tokens []engine.Token) {
			t.Helper()
			remove(t, w, tokens, -1, fault{})
		}},
	}
	for name, tc := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyFault(t, func(t *testing.T, name string, f fault) bool {
				t.Helper()
				w, tokens, _ := frozen(t)
				w.trace.start(f)
				_, _ = w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Token: &tokens[deploymentStep], Wait: true})
				reached := w.trace.reached()
				w.trace.start(fault{})
				w.listed(t, name)
				tc.end(t, w, tokens)
				same(t, name+": a replacement that failed loses nothing", tc.want, w.view(t))
				return reached
			})
		})
	}
}

// A field that was never declared here and is somebody else's is not taken
// silently; one that was declared and edited is.
func TestFieldsOfOthers(t *testing.T) {
	t.Parallel()
	const update = metav1.ManagedFieldsOperationUpdate
	labelled := func() *platform.Deployment {
		d := cartInDev()
		d.Labels = map[string]string{"team": "ours"}
		return d
	}
	cases := map[string]struct {
		reason string
		prior  func() *platform.Deployment
		force  bool
		want   runtime.Code
	}{
		"Never declared": {reason: "It is a conflict.", prior: cartInDev, want: runtime.Conflict},
		"Forced":         {reason: "It is taken over if that is allowed.", prior: cartInDev, force: true},
		"Declared":       {reason: "It is drift.", prior: labelled},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			tokens := tokensOf(w.apply(t, story()[:deploymentStep]...))
			tokens = append(tokens, tokensOf(w.apply(t, tc.prior()))...)
			id := runtime.KubernetesID("apps/v1", "Deployment", namespaceOf(w), "cart")
			if err := w.fake.Edit(id, "somebody", update, "theirs", "metadata", "labels", "team"); err != nil {
				t.Fatal(err)
			}
			e, err := engine.New(engine.Options{Organization: organization, Clusters: w, Policy: dataplane.Policy{Force: tc.force}})
			if err != nil {
				t.Fatal(err)
			}
			request := engine.ApplyRequest{Object: labelled(), Token: &tokens[deploymentStep], Prior: tc.prior(), Wait: true}
			_, err = e.Apply(t.Context(), request)
			if got := runtime.CodeOf(err); got != tc.want {
				t.Fatalf("%s\ngot %q, want %q: %v", tc.reason, got, tc.want, err)
			}
			// A failed attempt does not make the field ours.
			if _, err = w.engine(t).Apply(t.Context(), request); runtime.CodeOf(err) != tc.want {
				t.Errorf("%s\nthe second time: %v", tc.reason, err)
			}
		})
	}
}

// namespaceOf returns the namespace of the only cell.
func namespaceOf(w *world) string {
	for _, id := range w.fake.IDs() {
		if name, ok := strings.CutPrefix(id, "v1:Namespace::"); ok {
			return name
		}
	}
	return ""
}

// The cells of a project are no exception, although they have records of their own.
func TestFieldsOfOthersInCells(t *testing.T) {
	t.Parallel()
	const step = 3
	labelled := shop()
	labelled.NamespaceLabels = map[string]string{"team": "ours"}
	cases := map[string]struct {
		reason string
		prior  *platform.Project
		want   runtime.Code
	}{
		"Never declared": {reason: "It is a conflict.", prior: shop(), want: runtime.Conflict},
		"Declared":       {reason: "It is drift.", prior: labelled},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			tokens := tokensOf(w.apply(t, story()...))
			w.update(t, tc.prior, tokens[step])
			id := runtime.KubernetesID("v1", "Namespace", "", namespaceOf(w))
			if err := w.fake.Edit(id, "somebody", metav1.ManagedFieldsOperationUpdate, "theirs", "metadata", "labels", "team"); err != nil {
				t.Fatal(err)
			}
			_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: labelled, Token: &tokens[step], Prior: tc.prior, Wait: true})
			if got := runtime.CodeOf(err); got != tc.want {
				t.Errorf("%s\ngot %q, want %q: %v", tc.reason, got, tc.want, err)
			}
		})
	}
}
