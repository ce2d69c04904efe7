// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
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

// adopting is the deployment that takes the legacy objects over.
func adopting() *platform.Deployment {
	d := cartInDev()
	d.Adopt = &platform.Adoption{Workload: "legacy", Service: "legacy-svc"}
	return d
}

// adoptionWorld is a world in which nothing is left but to take over.
func adoptionWorld(t *testing.T) (w *world, tokens []engine.Token, workload, service string) {
	t.Helper()
	w = newWorld()
	w.fake.AddNamespaces("team")
	tokens = tokensOf(w.apply(t, inTeam()[:5]...))
	workload, service = w.legacy(t, "team")
	return w, tokens, workload, service
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	w, tokens, workload, service := adoptionWorld(t)
	uids := []any{w.fieldOf(workload, "metadata", "uid"), w.fieldOf(service, "metadata", "uid")}
	e := w.engine(t)
	planned := plan(t, e, adopting(), nil)
	want := []string{"Deployment/team/legacy", "Service/team/legacy-svc"}
	if diff := cmp.Diff(want, sortedKeys(planned.Outputs[0].Manifests)); diff != "" {
		t.Errorf("A plan shows what is taken over: -want +got:\n%s", diff)
	}
	if reached := plan(t, e, api(), nil).Outputs[0].Manifests; !strings.Contains(strings.Join(values(reached), ""), "legacy-svc") {
		t.Errorf("An endpoint of the same plan leads to the Service that is taken over, got %v.", reached)
	}
	tokens = append(tokens, tokensOf(w.apply(t, adopting(), api()))...)
	w.intact(t, "taken over")
	if got := []any{w.fieldOf(workload, "metadata", "uid"), w.fieldOf(service, "metadata", "uid")}; !slices.Equal(uids, got) {
		t.Errorf("What is taken over is not made again, got %v, want %v.", got, uids)
	}
	w.fake.ResetCalls()
	plain := cartInDev()
	plain.Image = "cart:2"
	for _, object := range []*platform.Deployment{adopting(), cartInDev(), plain} {
		if diff := cmp.Diff(want, sortedKeys(plan(t, w.engine(t), object, adopting()).Outputs[0].Manifests)); diff != "" {
			t.Errorf("What was taken over stays, with the attribute and without: -want +got:\n%s", diff)
		}
	}
	if dry := w.fake.Calls(runtimetest.VerbDryRun); dry != 0 {
		t.Errorf("What was taken over is not asked for again, got %d dry runs.", dry)
	}
	w.update(t, plain, tokens[5])
	w.intact(t, "changed without the attribute")
	remove(t, w, tokens, -1, fault{})
	if w.fake.Object(workload) != nil || w.fake.Object(service) != nil {
		t.Error("What was taken over is destroyed like what was made.")
	}
}

func values(of map[string]string) []string {
	var out []string
	for _, key := range sortedKeys(of) {
		out = append(out, of[key])
	}
	return out
}

func TestAdoptOnce(t *testing.T) {
	t.Parallel()
	other := adopting()
	other.Adopt.Workload = "other"
	without := adopting()
	without.Adopt.Service = ""
	cases := map[string]struct {
		reason string
		first  *platform.Deployment
		then   *platform.Deployment
		at     string
	}{
		"Other":   {reason: "What was taken over is not exchanged.", first: adopting(), then: other, at: "adopt.workload"},
		"Service": {reason: "Nor is the Service.", first: adopting(), then: without, at: "adopt.service"},
		"Later":   {reason: "A deployment with a workload of its own takes over no other one.", first: cartInDev(), then: adopting(), at: "adopt.workload"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, _, _ := adoptionWorld(t)
			w.apply(t, tc.first)
			_, err := w.engine(t).Plan(t.Context(), planRequest(tc.then, tc.first))
			problem, ok := errors.AsType[*platform.ProblemError](err)
			if !ok || !slices.Equal(titles(problem.Problems), []string{tc.at + ": Adoption of another workload"}) {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
		})
	}
}

func TestAdoptionFails(t *testing.T) {
	t.Parallel()
	w, _, workload, service := adoptionWorld(t)
	w.unready(true)
	failed, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: adopting(), Wait: true})
	if runtime.CodeOf(err) != runtime.RolloutFailed {
		t.Fatal(err)
	}
	warnings, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(adopting()), Token: failed.Token})
	if err != nil || !slices.Equal(titles(warnings), []string{": Left alone"}) {
		t.Errorf("Whoever destroys a failed adoption is told what is left, got %v, %v.", titles(warnings), err)
	}
	if w.fake.Object(workload) == nil || w.fake.Object(service) == nil {
		t.Error("An adoption that never succeeded does not cost what ran before.")
	}
	w.unready(false)
	w.apply(t, adopting())
	w.intact(t, "taken over at the second try")
}

// Whatever stops an adoption, the next run completes it.
func TestAdoptConverges(t *testing.T) {
	t.Parallel()
	calm, _, _, _ := adoptionWorld(t)
	calm.apply(t, adopting())
	want := calm.view(t)
	everyFault(t, func(t *testing.T, name string, f fault) bool {
		t.Helper()
		w, _, _, _ := adoptionWorld(t)
		w.trace.start(f)
		response, _ := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: adopting(), Wait: true})
		reached := w.trace.reached()
		w.trace.start(fault{})
		retries()["remembered"](t, w, adopting(), response)
		w.intact(t, name)
		same(t, name, want, w.view(t))
		return reached
	})
}

func TestAdoptWarnsOfRestart(t *testing.T) {
	t.Parallel()
	w, _, _, _ := adoptionWorld(t)
	alike, otherwise := adopting(), adopting()
	alike.Configuration, otherwise.Configuration.Env = platform.Configuration{}, map[string]string{"MODE": "new"}
	alike.Adopt.Service, otherwise.Adopt.Service = "", ""
	if response := plan(t, w.engine(t), alike, nil); len(response.Warnings) > 0 {
		t.Errorf("What runs already is not restarted, got %v.", response.Warnings)
	}
	if response := plan(t, w.engine(t), otherwise, nil); !slices.Equal(titles(response.Warnings), []string{"adopt: Adoption restarts the pods"}) {
		t.Errorf("A restart is worth a warning, got %v.", response.Warnings)
	}
}
