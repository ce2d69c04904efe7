// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/endpoint"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// duplicateRoute refuses an endpoint whose traffic a gateway could not tell from
// that of another: it would go to either.
func duplicateRoute(ctx context.Context, s *scope, c *dataplane.EndpointContext) ([]platform.Problem, error) {
	if s.stored || c.Gateway() == nil {
		return nil, nil
	}
	// Without hostnames only deployments of one component and track can share a
	// host: in one environment, or in two of equal DNS prefix.
	line := platform.Join(c.Deployment.Component, c.Deployment.TrackName(), "")
	prefix := line
	if !c.Endpoint.Type.HasHosts() || len(c.Endpoint.Hostnames) > 0 {
		prefix = ""
	}
	objects, err := s.engine.catalog.All(ctx, s.variant, platform.KindEndpoint, prefix)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		other, ok := object.(*platform.Endpoint)
		if !ok || other.ID() == c.Endpoint.ID() || !mayMeet(c.Endpoint, other, line) {
			continue
		}
		theirs, err := elsewhere(ctx, s, c, other)
		if err != nil {
			return nil, err
		}
		if theirs == nil {
			continue
		}
		problems := endpoint.Conflict(c, theirs)
		if s.applying {
			for i := range problems {
				problems[i].Detail += " If one takes the place of the other, leave out create_before_destroy: with it both exist for a while."
			}
		}
		if len(problems) > 0 {
			return problems, nil
		}
	}
	return nil, nil
}

// mayMeet tells whether two endpoints may share a route as far as they say
// themselves, so that the surroundings of few others have to be looked up. line
// begins the ids of the endpoints of one component and track.
func mayMeet(mine, other *platform.Endpoint, line string) bool {
	switch {
	case mine.Listener != "" && other.Listener != "" && mine.Listener != other.Listener:
		return false
	case !mine.Type.HasHosts() || !other.Type.HasHosts():
		return mine.Type == other.Type
	case strings.HasPrefix(other.ID(), line):
		return true
	}
	return slices.ContainsFunc(mine.Hostnames, func(name string) bool { return slices.Contains(other.Hostnames, name) })
}

// elsewhere returns the context of another endpoint as far as its routes need
// it; nil when its surroundings are not known.
func elsewhere(ctx context.Context, s *scope, c *dataplane.EndpointContext, other *platform.Endpoint) (*dataplane.EndpointContext, error) {
	parts, ok := platform.Split(other.Deployment, 4)
	if !ok {
		return nil, nil //nolint:nilnil // It leads nowhere.
	}
	theirs := *c
	theirs.Endpoint = other
	theirs.Project = &platform.Project{Name: parts[0]}
	theirs.DeploymentTrack = &platform.DeploymentTrack{Component: platform.Join(parts[:2]...), Name: parts[2]}
	if id := platform.Join(parts[:2]...); id != c.Component.ID() {
		component, err := known[*platform.Component](ctx, s, platform.KindComponent, id)
		if err != nil || component == nil {
			return nil, err
		}
		theirs.Component = component
	}
	if parts[3] == c.Environment.Name {
		return &theirs, nil
	}
	environment, err := known[*platform.Environment](ctx, s, platform.KindEnvironment, parts[3])
	if err != nil || environment == nil {
		return nil, err
	}
	plane, err := known[*platform.DataPlane](ctx, s, platform.KindDataPlane, environment.DataPlane)
	if err != nil || plane == nil {
		return nil, err
	}
	theirs.Environment, theirs.DataPlane = environment, plane
	return &theirs, nil
}

// known returns an object that the scope's owner does not depend on, or nil.
func known[T platform.Object](ctx context.Context, s *scope, kind platform.Kind, id string) (object T, err error) {
	objects, err := s.engine.catalog.All(ctx, s.variant, kind, id)
	if err != nil {
		return object, err
	}
	for _, candidate := range objects {
		if typed, ok := candidate.(T); ok && candidate.ID() == id {
			return typed, nil
		}
	}
	return object, nil
}
