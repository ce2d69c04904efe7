// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/endpoint"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// duplicateRoute refuses a second public endpoint with the host and path of
// another: the gateway would send requests to either. Only deployments of one
// component and track can share a host: in one environment, or in two of equal
// DNS prefix.
func duplicateRoute(ctx context.Context, s *scope, c *dataplane.EndpointContext) ([]platform.Problem, error) {
	if s.stored || c.Visibility() != platform.VisibilityPublic {
		return nil, nil
	}
	objects, err := s.engine.catalog.All(ctx, s.variant, platform.KindEndpoint, platform.Join(c.Deployment.Component, c.Deployment.TrackName(), ""))
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		other, ok := object.(*platform.Endpoint)
		if !ok || other.ID() == c.Endpoint.ID() || other.PathPrefix() != c.Endpoint.PathPrefix() {
			continue
		}
		theirs, err := sibling(ctx, s, c, other)
		if err != nil {
			return nil, err
		}
		if theirs != nil && theirs.Visibility() == platform.VisibilityPublic && endpoint.Host(theirs) == endpoint.Host(c) {
			return []platform.Problem{{
				Path: platform.Path{"base_path"}, Title: "Duplicate route",
				Detail: fmt.Sprintf("The endpoint %q is public at %s%s too, so both would have the same address. Give one of them another base_path, or their environments different values of dns_prefix.",
					other.ID(), endpoint.Host(c), other.PathPrefix()),
			}}, nil
		}
	}
	return nil, nil
}

// sibling returns the context of another endpoint of the same component and
// track, as far as its host needs it; nil when its environment is not known.
func sibling(ctx context.Context, s *scope, c *dataplane.EndpointContext, other *platform.Endpoint) (*dataplane.EndpointContext, error) {
	theirs := *c
	theirs.Endpoint = other
	parts, ok := platform.Split(other.Deployment, 4)
	if !ok || parts[3] == c.Environment.Name {
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
