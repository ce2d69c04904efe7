// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package dataplane_test

import (
	"context"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// cluster is a runtime that keeps resources by id and writes down its calls.
type cluster struct {
	live  map[string]map[string]any
	calls []string
	fails map[string]runtime.Status

	applied []*runtime.ApplyRequest
	deleted []*runtime.DeleteRequest
	read    []*runtime.ReadRequest
}

func newCluster() *cluster {
	return &cluster{live: map[string]map[string]any{}, fails: map[string]runtime.Status{}}
}

func (c *cluster) called(verb, id string) runtime.Status {
	c.calls = append(c.calls, verb+" "+id)
	return c.fails[verb+" "+id]
}

func (c *cluster) Apply(_ context.Context, request *runtime.ApplyRequest) *runtime.ApplyResponse {
	c.applied = append(c.applied, request)
	id := request.PlanResource.ID
	if status := c.called("apply", id); status != nil && (status.Code() != runtime.ReplaceRequired || !request.Replace) {
		return &runtime.ApplyResponse{Status: status}
	}
	action := runtime.ActionUpdate
	if c.live[id] == nil {
		action = runtime.ActionCreate
	}
	c.live[id] = request.PlanResource.Attributes
	return &runtime.ApplyResponse{UID: "uid-" + id, Action: action, ChangedPaths: []string{"spec"}, Warnings: []string{"applied " + id}}
}

func (c *cluster) Read(_ context.Context, request *runtime.ReadRequest) *runtime.ReadResponse {
	c.read = append(c.read, request)
	id := request.PriorResource.ID
	if status := c.called("read", id); status != nil {
		return &runtime.ReadResponse{Status: status}
	}
	if c.live[id] == nil {
		return &runtime.ReadResponse{}
	}
	return &runtime.ReadResponse{Resource: &runtime.Resource{ID: id, Attributes: c.live[id]}}
}

func (c *cluster) Delete(_ context.Context, request *runtime.DeleteRequest) *runtime.DeleteResponse {
	c.deleted = append(c.deleted, request)
	id := request.Resource.ID
	if status := c.called("delete", id); status != nil {
		return &runtime.DeleteResponse{Status: status}
	}
	if c.live[id] == nil {
		return &runtime.DeleteResponse{Action: runtime.ActionNoOp}
	}
	delete(c.live, id)
	return &runtime.DeleteResponse{Action: runtime.ActionDelete, Warnings: []string{"deleted " + id}}
}

func (c *cluster) Import(context.Context, *runtime.ImportRequest) *runtime.ImportResponse {
	return &runtime.ImportResponse{Status: runtime.Errorf(runtime.Internal, "not part of these tests")}
}

func (c *cluster) Watch(context.Context, *runtime.WatchRequest) *runtime.WatchResponse {
	return &runtime.WatchResponse{Status: runtime.Errorf(runtime.Internal, "not part of these tests")}
}

// world is what a test's handler renders, and where.
type world struct {
	lab, live *cluster
	session   *dataplane.Session
	off       bool
	err       error
	render    []runtime.Resource
}

func newWorld(t *testing.T, prior ...platform.InventoryEntry) *world {
	t.Helper()
	w := &world{lab: newCluster(), live: newCluster()}
	w.session = dataplane.NewSession("acme", platform.Ref{Kind: platform.KindDeployment, ID: "shop/cart/main/dev"}, prior,
		func(name string) (runtime.Runtime, error) {
			switch name {
			case "lab":
				return w.lab, nil
			case "live":
				return w.live, nil
			}
			return nil, errBoom
		})
	return w
}

func (w *world) handler(name string) *dataplane.Objects[world] {
	return dataplane.NewObjects(w.session, name,
		func(w *world) bool { return !w.off },
		func(w *world) ([]runtime.Resource, error) { return w.render, w.err })
}

// object returns a resource of a data plane with one field.
func object(dataPlane, id, value string) runtime.Resource {
	return runtime.Resource{
		ID: id, Type: runtime.Kubernetes, Attributes: map[string]any{"field": value},
		Extensions: map[string]any{runtime.ExtensionDataPlane: dataPlane},
	}
}

// entry returns the inventory entry of a resource of the handler "Things".
func entry(dataPlane, id, uid string) platform.InventoryEntry {
	return platform.InventoryEntry{Handler: "Things", DataPlane: dataPlane, Type: "Kubernetes", ID: id, UID: uid}
}
