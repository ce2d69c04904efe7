// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const namespaceID = "v1:Namespace::dp-acme-shop-dev-677945f8"

func TestCellIsMadeOnce(t *testing.T) {
	t.Parallel()
	const many = 20
	w := newWorld()
	w.apply(t, story()[:4]...)
	for i := range many {
		w.apply(t, &platform.Component{Project: "shop", Name: fmt.Sprintf("c%d", i), Type: platform.TypeService, Image: "app:1"})
	}
	created := 0
	w.fake.ApplyFunc = func(_ context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
		if request.PlanResource.ID == namespaceID && w.fake.Object(namespaceID) == nil {
			created++ // One run at a time makes the cell; the race detector says so.
		}
		return nil
	}
	e := w.engine(t)
	w.trace.start(fault{})
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			object := &platform.Deployment{Component: fmt.Sprintf("shop/c%d", i), Environment: "dev"}
			plan(t, e, object, nil)
			if _, err := e.Apply(t.Context(), engine.ApplyRequest{Object: object, Wait: true}); err != nil {
				t.Errorf("%s: %v", platform.RefOf(object), err)
			}
		})
	}
	group.Wait()
	if created != 1 {
		t.Errorf("The first deployment makes the namespace, got %d creates.", created)
	}
	if got := len(w.fake.IDs()); got != many+2 {
		t.Errorf("There are a namespace, its policy and %d workloads, got %d objects.", many, got)
	}
	w.intact(t, "after concurrent deployments")
}

func TestCellOfImpatientDeployment(t *testing.T) {
	t.Parallel()
	w := newWorld()
	pay := cart()
	pay.Name = "pay"
	w.apply(t, append(story()[:5], pay)...)
	impatient, cancel := context.WithCancel(t.Context())
	e := w.engine(t)
	patient := make(chan error, 1)
	begun := false
	w.fake.ApplyFunc = func(ctx context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
		if begun || request.PlanResource.ID != namespaceID {
			return nil
		}
		begun = true
		go func() { //nolint:contextcheck // The other deployment has a context of its own.
			d := cartInDev()
			d.Component = "shop/pay"
			_, err := e.Apply(t.Context(), engine.ApplyRequest{Object: d, Wait: true})
			patient <- err
		}()
		for !slices.Contains(w.trace.writes(), "put deployment/shop/pay/main/dev running") {
			if ctx.Err() != nil {
				break
			}
		}
		time.Sleep(20 * time.Millisecond) // Time to get from there to waiting for the cell.
		cancel()
		return &runtime.ApplyResponse{Status: runtime.Errorf(runtime.Canceled, "interrupted: %w", context.Canceled)}
	}
	if _, err := e.Apply(impatient, engine.ApplyRequest{Object: cartInDev(), Wait: true}); runtime.CodeOf(err) != runtime.Canceled {
		t.Errorf("A deployment whose time is over fails, got %v.", err)
	}
	if err := <-patient; err != nil {
		t.Errorf("A deployment that waited for another one's cell has its own time, got %v.", err)
	}
}

func TestProjectChangesItsCells(t *testing.T) {
	t.Parallel()
	w := newWorld()
	staging := &platform.Environment{Name: "staging", DataPlane: "lab"}
	tokens := tokensOf(w.apply(t, lab(), dev(), staging, pipeline("dev", "staging"), shop(), cart(), cartInDev()))
	changed := shop()
	changed.NamespaceLabels = map[string]string{"team": "checkout"}
	w.update(t, changed, tokens[4])
	if got := w.label(namespaceID, "team"); got != "checkout" {
		t.Errorf("A cell that exists is changed with its project, got the label %q.", got)
	}
	for _, id := range w.fake.IDs() {
		if strings.Contains(id, "staging") {
			t.Errorf("A cell is made by its first deployment, not by its project, got %s.", id)
		}
	}
	inStaging := cartInDev()
	inStaging.Environment = "staging"
	w.apply(t, inStaging)
	w.intact(t, "with two cells")
	read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(changed), Token: &tokens[4]})
	if err != nil {
		t.Fatal(err)
	}
	sameOutputs(t, "the first deployment of an environment does not change the project", foreseen(*read.Outputs),
		plan(t, w.engine(t), changed, changed).Outputs[0])
}

func (w *world) label(id, name string) string {
	metadata, _ := w.fake.Object(id)["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	value, _ := labels[name].(string)
	return value
}

func TestDeploymentLeavesItsCell(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()...))
	if err := w.fake.Edit(namespaceID, "kubectl-edit", "Update", "mine", "metadata", "labels", "openplatform.dev/project"); err != nil {
		t.Fatal(err)
	}
	w.update(t, cartInDev(), tokens[5])
	if got := w.label(namespaceID, "openplatform.dev/project"); got != "mine" {
		t.Error("A cell is changed by its project only.")
	}
	w.fake.Forget("networking.k8s.io/v1:NetworkPolicy:dp-acme-shop-dev-677945f8:default")
	w.update(t, cartInDev(), tokens[5])
	w.intact(t, "a deployment makes again what its cell has lost")
}

func TestDeleteOfContainers(t *testing.T) {
	t.Parallel()
	foreign := &runtime.Resource{ID: "v1:ConfigMap:dp-acme-shop-dev-677945f8:theirs", Attributes: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "theirs", "namespace": "dp-acme-shop-dev-677945f8"},
	}}
	cases := map[string]struct {
		reason string
		ref    platform.Ref
		step   int
		force  bool
		want   runtime.Code
	}{
		"Project":     {reason: "A namespace with objects of others stays, and so does its project.", ref: platform.RefOf(shop()), step: 3, want: runtime.Conflict},
		"Forced":      {reason: "Unless the project says that they may go.", ref: platform.RefOf(shop()), step: 3, force: true},
		"Environment": {reason: "An environment never forces.", ref: platform.RefOf(dev()), step: 1, want: runtime.Conflict},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			tokens := tokensOf(w.apply(t, story()[:6]...))
			for i := 5; i > 3; i-- {
				if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(story()[i]), Token: tokens[i]}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.fake.Put(foreign); err != nil {
				t.Fatal(err)
			}
			_, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: tc.ref, Token: tokens[tc.step], Force: tc.force})
			records := w.records(t)
			_, there := records[string(tc.ref.Kind)+"/"+tc.ref.ID]
			_, cell := records["cell/shop/dev"]
			if runtime.CodeOf(err) != tc.want || there != (tc.want != "") || cell != there {
				t.Errorf("%s\ngot %v, record %v, cell %v", tc.reason, err, there, cell)
			}
		})
	}
}

func TestChildrenBlockDeletion(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		step   int
		names  string
	}{
		"DataPlane":   {reason: "A data plane with cells stays.", step: 0, names: `"shop/dev"`},
		"Environment": {reason: "An environment with deployments stays.", step: 1, names: `"shop/cart/main/dev"`},
		"Project":     {reason: "A project with components stays.", step: 3, names: `"shop/cart"`},
		"Component":   {reason: "A component with deployments stays.", step: 4, names: `"shop/cart/main/dev"`},
	}
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()...))
	want := w.view(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(story()[tc.step]), Token: tokens[tc.step]})
			if runtime.CodeOf(err) != runtime.Conflict || !strings.Contains(fmt.Sprint(err), tc.names) {
				t.Errorf("%s The error names them.\ngot %v", tc.reason, err)
			}
			same(t, tc.reason, want, w.view(t))
		})
	}
	t.Run("Pipeline", func(t *testing.T) {
		t.Parallel()
		other := newWorld()
		token := tokensOf(other.apply(t, story()...))[2]
		if _, err := other.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(pipeline("dev")), Token: token}); err != nil {
			t.Errorf("A pipeline is deleted before its projects are pointed to another one, got %v.", err)
		}
	})
}

func TestEnvironmentMoves(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, append(story(), &platform.DataPlane{Name: "live"}, &platform.Environment{Name: "empty", DataPlane: "lab"})...))
	moved := &platform.Environment{Name: "dev", DataPlane: "live"}
	before := w.view(t)
	_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: moved, Token: &tokens[1]})
	problem, ok := errors.AsType[*platform.ProblemError](err)
	if !ok || problem.Problems[0].Path.String() != "data_plane" {
		t.Errorf("An environment with cells cannot move, got %v.", err)
	}
	same(t, "a refused change leaves the record alone", before, w.view(t))
	w.update(t, &platform.Environment{Name: "empty", DataPlane: "live"}, tokens[8])
}
