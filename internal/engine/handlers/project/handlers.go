// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package project renders all cells of a project.
package project

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/cell"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Handlers returns the handlers of a project in order: each part of a cell, for
// every cell.
func Handlers(session *dataplane.Session) []dataplane.ResourceHandler[dataplane.ProjectContext] {
	parts := cell.Parts()
	handlers := make([]dataplane.ResourceHandler[dataplane.ProjectContext], 0, len(parts))
	for _, part := range parts {
		handlers = append(handlers, dataplane.NewObjects(session, part.Name, required(part), renderAll(part)))
	}
	return handlers
}

// Cells returns the context of each of the project's cells, in the order of the
// project's context.
func Cells(ctx *dataplane.ProjectContext) []dataplane.CellContext {
	cells := make([]dataplane.CellContext, 0, len(ctx.Cells))
	for _, place := range ctx.Cells {
		cells = append(cells, dataplane.CellContext{Organization: ctx.Organization, Project: ctx.Project, Cell: place})
	}
	return cells
}

func required(part cell.Part) func(*dataplane.ProjectContext) bool {
	return func(ctx *dataplane.ProjectContext) bool {
		for _, place := range Cells(ctx) {
			if part.Required(&place) {
				return true
			}
		}
		return false
	}
}

func renderAll(part cell.Part) func(*dataplane.ProjectContext) ([]runtime.Resource, error) {
	return func(ctx *dataplane.ProjectContext) ([]runtime.Resource, error) {
		var resources []runtime.Resource
		for _, place := range Cells(ctx) {
			if !part.Required(&place) {
				continue
			}
			some, err := part.Render(&place)
			if err != nil {
				return nil, err
			}
			resources = append(resources, some...)
		}
		return resources, nil
	}
}
