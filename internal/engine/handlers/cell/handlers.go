// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package cell renders the place of a project in one environment: its namespace
// and what guards it.
package cell

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Part is one handler of a cell as pure functions, so that a project can render
// all its cells with the same ones.
type Part struct {
	// Name is the handler's name.
	Name string
	// Required tells whether a cell has the part.
	Required func(*dataplane.CellContext) bool
	// Render returns the part's objects.
	Render func(*dataplane.CellContext) ([]runtime.Resource, error)
}

// Parts returns the parts of a cell in the order in which they are made.
func Parts() []Part {
	return []Part{
		{Name: "Namespace", Required: namespaceRequired, Render: namespace},
		{Name: "NetworkPolicy", Required: policyRequired, Render: networkPolicy},
	}
}

// Handlers returns the handlers of a cell in order.
func Handlers(session *dataplane.Session) []dataplane.ResourceHandler[dataplane.CellContext] {
	parts := Parts()
	handlers := make([]dataplane.ResourceHandler[dataplane.CellContext], 0, len(parts))
	for _, part := range parts {
		handlers = append(handlers, dataplane.NewObjects(session, part.Name, part.Required, part.Render))
	}
	return handlers
}
