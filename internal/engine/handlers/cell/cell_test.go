// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cell

import (
	"flag"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

var update = flag.Bool("update", false, "rewrite golden files")

// renderAll renders what a cell needs, in order.
func renderAll(ctx *dataplane.CellContext) ([]runtime.Resource, error) {
	var all []runtime.Resource
	for _, part := range Parts() {
		if !part.Required(ctx) {
			continue
		}
		some, err := part.Render(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func situations() map[string]struct {
	reason string
	change func(*dataplane.CellContext)
} {
	return map[string]struct {
		reason string
		change func(*dataplane.CellContext)
	}{
		"minimal": {
			reason: "A cell is a namespace that only its own pods can reach.",
			change: func(*dataplane.CellContext) {},
		},
		"everything": {
			reason: "The project's namespace labels and the production mark are added, and never replace a label of ours.",
			change: func(ctx *dataplane.CellContext) {
				ctx.Cell.Environment.Production = true
				ctx.Project.NamespaceLabels = map[string]string{
					"pod-security.kubernetes.io/enforce": "baseline",
					"team.example.com/cost-centre":       "4711",
					"app.kubernetes.io/managed-by":       "somebody-else",
				}
				ctx.Project.Labels = map[string]string{"not-on": "the-namespace"}
			},
		},
		"no-network-policy": {
			reason: "A data plane without network policies gets none.",
			change: func(ctx *dataplane.CellContext) { ctx.Cell.DataPlane.NetworkPolicy = "none" },
		},
		"existing-namespace": {
			reason: "In an existing namespace only the project's own pods are closed, and the namespace is left alone.",
			change: func(ctx *dataplane.CellContext) {
				ctx.Cell.Namespace, ctx.Cell.Existing = "team-shop", true
				ctx.Cell.Environment.Production = true
				ctx.Project.NamespaceLabels = map[string]string{"not-on": "the-namespace"}
			},
		},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, tc := range situations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Cell()
			tc.change(ctx)
			resources, err := renderAll(ctx)
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			handlertest.Golden(t, *update, name, resources)
			handlertest.Deterministic(t, ctx, renderAll)
		})
	}
}

func TestOddValuesNeverPanic(t *testing.T) {
	t.Parallel()
	ctx := handlertest.Cell()
	ctx.Cell.Environment.Production = true
	ctx.Project.NamespaceLabels = map[string]string{"team": "checkout"}
	handlertest.Total(t, ctx, renderAll)
}

func TestHandlers(t *testing.T) {
	t.Parallel()
	want := []string{"Namespace", "NetworkPolicy"}
	handlers := Handlers(nil)
	if len(handlers) != len(want) {
		t.Fatalf("got %d handlers, want %v", len(handlers), want)
	}
	for i, handler := range handlers {
		if handler.Name() != want[i] {
			t.Errorf("handler %d is %q, want %q: inventories hold the names, so they never change", i, handler.Name(), want[i])
		}
	}
}
