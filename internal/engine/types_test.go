// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// task is the component and its deployment as a scheduled task.
func task() (*platform.Component, *platform.Deployment) {
	component, deployment := cart(), cartInDev()
	component.Type = platform.TypeScheduledTask
	deployment.Configuration.Ports, deployment.Configuration.Schedule = nil, &platform.Schedule{Cron: "@daily"}
	return component, deployment
}

func TestTypeChangesInPlace(t *testing.T) {
	t.Parallel()
	const namespace = "dp-acme-shop-dev-677945f8"
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()[:6]...))
	component, deployment := task()
	w.update(t, component, tokens[4])

	planned := plan(t, w.engine(t), deployment, cartInDev())
	want := []string{"CronJob/" + namespace + "/cart"}
	if diff := cmp.Diff(want, sortedKeys(planned.Outputs[0].Manifests)); diff != "" {
		t.Errorf("The plan shows what will be left: -want +got:\n%s", diff)
	}
	w.trace.start(fault{})
	w.update(t, deployment, tokens[5])
	want = []string{
		"put deployment/shop/cart/main/dev running",
		"apply batch/v1:CronJob:" + namespace + ":cart",
		"delete apps/v1:Deployment:" + namespace + ":cart",
		"delete v1:Service:" + namespace + ":cart",
		"put deployment/shop/cart/main/dev succeeded",
	}
	if diff := cmp.Diff(want, w.trace.writes()); diff != "" {
		t.Errorf("The former workload goes when the new one was accepted: -want +got:\n%s", diff)
	}
	w.intact(t, "after the change")

	w.update(t, cart(), tokens[4])
	w.update(t, cartInDev(), tokens[5])
	calm := newWorld()
	calm.apply(t, story()[:6]...)
	same(t, "a change and its reverse leave nothing", calm.view(t), w.view(t))
	w.intact(t, "after the reverse")
}

func TestTypeChangeConverges(t *testing.T) {
	t.Parallel()
	component, deployment := task()
	calm := newWorld()
	calm.apply(t, append(story()[:4], component, deployment)...)
	want := calm.view(t)
	everyFault(t, func(t *testing.T, name string, f fault) bool {
		t.Helper()
		w := newWorld()
		tokens := tokensOf(w.apply(t, story()[:6]...))
		w.update(t, component, tokens[4])
		w.trace.start(f)
		_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: deployment, Token: &tokens[5], Wait: true})
		reached := w.trace.reached()
		w.trace.start(fault{})
		w.listed(t, name)
		if err != nil {
			w.update(t, deployment, tokens[5])
		}
		same(t, name+": a change of the type that failed ends like one that did not", want, w.view(t))
		w.intact(t, name)
		return reached
	})
}

// An endpoint's routes of former types and visibilities go with the change.
func TestEndpointChangesInPlace(t *testing.T) {
	t.Parallel()
	plane := lab()
	plane.Gateways.Organization = &platform.Gateway{Name: "organization", Namespace: "gateways", VirtualHost: "internal.example.com"}
	w := newWorld()
	tokens := tokensOf(w.apply(t, append([]platform.Object{plane}, story()[1:]...)...))
	last := len(tokens) - 1
	for _, kind := range platform.EndpointTypes() {
		for _, visibility := range platform.Visibilities() {
			changed := api()
			changed.Type, changed.BasePath, changed.Visibility = platform.EndpointType(kind), "", platform.Visibility(visibility)
			if changed.Visibility != platform.VisibilityProject {
				changed.Listener = kind
			}
			w.update(t, changed, tokens[last])
			w.intact(t, kind+" for "+visibility)
			calm := newWorld()
			calm.apply(t, append(append([]platform.Object{plane}, story()[1:last]...), changed)...)
			same(t, kind+" for "+visibility, calm.view(t), w.view(t))
		}
	}
}
