// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// shopIn is the project in an existing namespace.
func shopIn(namespace string) *platform.Project {
	project := shop()
	project.Namespaces = map[string]string{"dev": namespace}
	return project
}

// inTeam is the story in an existing namespace.
func inTeam() []platform.Object {
	objects := story()
	objects[3] = shopIn("team")
	return objects
}

func TestExistingNamespace(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fake.AddNamespaces("team")
	tokens := tokensOf(w.apply(t, inTeam()...))
	for _, id := range w.fake.IDs() {
		if strings.Contains(id, ":Namespace:") || !strings.Contains(id, ":team:") {
			t.Errorf("Everything is made in the existing namespace, which is left alone, got %s.", id)
		}
	}
	w.intact(t, "in an existing namespace")
	project := w.engine(t)
	if response := plan(t, project, shopIn("team"), shopIn("team")); len(response.Warnings) > 0 || len(response.Outputs[0].Manifests) != 1 {
		t.Errorf("The project shows its policy and nothing else, got %v, %v.", titles(response.Warnings), sortedKeys(response.Outputs[0].Manifests))
	}
	remove(t, w, tokens, -1, fault{})
	if ids := w.fake.IDs(); len(ids) > 0 {
		t.Errorf("Destroy removes what was made, left are %v.", ids)
	}
}

func TestMissingNamespace(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, inTeam()[:3]...)
	warned := plan(t, w.engine(t), shopIn("team"), nil)
	if diff := cmp.Diff([]string{"namespaces.dev: Namespace not found"}, titles(warned.Warnings)); diff != "" {
		t.Errorf("A namespace may still be made: -want +got:\n%s", diff)
	}
	w.fake.ReadFunc = func(_ context.Context, request *runtime.ReadRequest) *runtime.ReadResponse {
		if !request.Whole {
			return nil
		}
		return &runtime.ReadResponse{Status: runtime.Errorf(runtime.PermissionDenied, "not allowed to get namespaces")}
	}
	if quiet := plan(t, w.engine(t), shopIn("team"), nil); len(quiet.Warnings) > 0 {
		t.Errorf("Who may not look at namespaces is told nothing, got %v.", titles(quiet.Warnings))
	}
	w.fake.ReadFunc = nil
	for _, policies := range []string{"kubernetes", "none"} {
		t.Run(policies, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			plane := lab()
			plane.NetworkPolicy = policies
			w.apply(t, plane, dev(), pipeline("dev"), shopIn("team"), cart())
			_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Wait: true})
			problem, ok := errors.AsType[*platform.ProblemError](err)
			if !ok || runtime.CodeOf(err) != runtime.NotFound {
				t.Fatalf("What needs the namespace fails, got %v.", err)
			}
			if diff := cmp.Diff([]string{"environment: Namespace not found"}, titles(problem.Problems)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			w.fake.AddNamespaces("team")
			w.apply(t, cartInDev())
			w.intact(t, "once the namespace is there")
		})
	}
}

func TestNamespaceMoves(t *testing.T) {
	t.Parallel()
	ends := map[string]*platform.Project{"existing": shopIn("crew"), "made": shop()}
	for name, from := range map[string]*platform.Project{"existing": shopIn("team"), "made": shop()} {
		for toName, to := range ends {
			t.Run(name+" to "+toName, func(t *testing.T) {
				t.Parallel()
				if name == "made" && toName == "made" {
					return
				}
				w := newWorld()
				w.fake.AddNamespaces("team", "crew")
				tokens := tokensOf(w.apply(t, lab(), dev(), pipeline("dev"), from, cart(), cartInDev()))
				before := w.view(t)
				_, err := w.engine(t).Plan(t.Context(), planRequest(to, from))
				refusedMove(t, err)
				_, err = w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: to, Token: &tokens[3]})
				refusedMove(t, err)
				same(t, "a refused move", before, w.view(t))
				if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(cartInDev()), Token: tokens[5]}); err != nil {
					t.Fatal(err)
				}
				w.update(t, to, tokens[3])
				w.intact(t, "moved")
				fresh := newWorld()
				fresh.fake.AddNamespaces("team", "crew")
				fresh.apply(t, lab(), dev(), pipeline("dev"), to, cart(), cartInDev())
				w.apply(t, cartInDev())
				same(t, "a project that moved", fresh.view(t), w.view(t))
			})
		}
	}
}

func planRequest(object, prior platform.Object) engine.PlanRequest {
	return engine.PlanRequest{Variants: [2]platform.Object{object, object}, Prior: prior}
}

func refusedMove(t *testing.T, err error) {
	t.Helper()
	problem, ok := errors.AsType[*platform.ProblemError](err)
	if !ok || !slices.Equal(titles(problem.Problems), []string{"namespaces.dev: Environment is in use"}) {
		t.Errorf("A project does not move away from its deployments, got %v.", err)
	}
}

// What a namespace was planned to be used for counts already, and another cluster
// is another place.
func TestNamespaceOfAnotherProject(t *testing.T) {
	t.Parallel()
	bank := func(environment string) *platform.Project {
		return &platform.Project{Name: "bank", DeploymentPipeline: "path", Namespaces: map[string]string{environment: "team"}}
	}
	w := newWorld()
	w.fake.AddNamespaces("team")
	w.apply(t, lab(), &platform.DataPlane{Name: "far", Cluster: "far"}, dev(), &platform.Environment{Name: "edge", DataPlane: "far"}, pipeline("dev", "edge"))
	e := w.engine(t)
	plan(t, e, shopIn("team"), nil)
	_, err := e.Plan(t.Context(), planRequest(bank("dev"), nil))
	problem, ok := errors.AsType[*platform.ProblemError](err)
	if !ok || !slices.Equal(titles(problem.Problems), []string{"namespaces.dev: Namespace in use"}) {
		t.Errorf("Two projects do not share a namespace, got %v.", err)
	}
	plan(t, w.engine(t), bank("edge"), nil)
}

// legacy are a Deployment and its Service that somebody else made.
func (w *world) legacy(t *testing.T, namespace string) (workload, service string) {
	t.Helper()
	put := func(apiVersion, kind, name string, spec map[string]any) string {
		resource := &runtime.Resource{ID: runtime.KubernetesID(apiVersion, kind, namespace, name), Attributes: map[string]any{
			"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace}, "spec": spec,
		}}
		if err := w.fake.Put(resource); err != nil {
			t.Fatal(err)
		}
		return resource.ID
	}
	labels := map[string]any{"app": "legacy"}
	workload = put("apps/v1", "Deployment", "legacy", map[string]any{
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "image": "cart:1"}}},
		},
	})
	return workload, put("v1", "Service", "legacy-svc", map[string]any{"selector": labels})
}

// fieldOf returns a field of an object, or nil.
func (w *world) fieldOf(id string, path ...string) any {
	return runtimetest.Get(&runtime.Resource{Attributes: w.fake.Object(id)}, path...)
}
