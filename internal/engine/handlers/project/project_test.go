// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package project

import (
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/cell"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

var update = flag.Bool("update", false, "rewrite golden files")

// renderProject renders what a project needs, in order.
func renderProject(ctx *dataplane.ProjectContext) ([]runtime.Resource, error) {
	var all []runtime.Resource
	for _, part := range cell.Parts() {
		if !required(part)(ctx) {
			continue
		}
		some, err := renderAll(part)(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func TestGolden(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		change func(*dataplane.ProjectContext)
	}{
		"minimal": {
			reason: "Every cell is rendered on its own data plane, in the order of the pipeline.",
			change: func(*dataplane.ProjectContext) {},
		},
		"no-cells": {
			reason: "A project that was never deployed has nothing.",
			change: func(ctx *dataplane.ProjectContext) { ctx.Cells = nil },
		},
		"one-without-network-policy": {
			reason: "Whether a cell gets a policy is up to its own data plane.",
			change: func(ctx *dataplane.ProjectContext) {
				ctx.Project.NamespaceLabels = map[string]string{"team": "checkout"}
				ctx.Cells[0].DataPlane.NetworkPolicy = "none"
				ctx.Cells[1].Environment.Production = true
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Project()
			tc.change(ctx)
			resources, err := renderProject(ctx)
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			handlertest.Golden(t, *update, name, resources)
			handlertest.Deterministic(t, ctx, renderProject)
		})
	}
}

func TestOddValuesNeverPanic(t *testing.T) {
	t.Parallel()
	ctx := handlertest.Project()
	handlertest.Total(t, ctx, renderProject)
}

func TestProjectRendersWhatItsCellsRender(t *testing.T) {
	t.Parallel()
	ctx := handlertest.Project()
	got, err := renderProject(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var want []runtime.Resource
	for _, part := range cell.Parts() {
		for _, place := range Cells(ctx) {
			some, err := part.Render(&place)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, some...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A project shows its cells exactly as they are applied: -want +got:\n%s", diff)
	}
}

func TestHandlers(t *testing.T) {
	t.Parallel()
	var got, want []string
	for _, handler := range Handlers(nil) {
		got = append(got, handler.Name())
	}
	for _, part := range cell.Parts() {
		want = append(want, part.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A project has the handlers of its cells: -want +got:\n%s", diff)
	}
}
