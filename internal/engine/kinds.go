// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/deployment"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/endpoint"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// driverOf returns the driver of a kind.
func driverOf(k platform.Kind) (driver, error) {
	switch k {
	case platform.KindDataPlane:
		return dataPlaneKind(), nil
	case platform.KindEnvironment:
		return environmentKind{}, nil
	case platform.KindDeploymentPipeline:
		return pipelineKind(), nil
	case platform.KindProject:
		return projectKind{}, nil
	case platform.KindComponent:
		return componentKind(), nil
	case platform.KindDeployment:
		return deploymentKind(), nil
	case platform.KindEndpoint:
		return endpointKind(), nil
	case platform.KindCell:
		return nil, fmt.Errorf("cells are made by deployments, not directly")
	}
	return nil, fmt.Errorf("kind %q is not supported", k)
}

func dataPlaneKind() driver {
	return kind[*platform.DataPlane, platform.DataPlane]{
		resolve: func(_ context.Context, s *scope, d *platform.DataPlane) (*platform.DataPlane, error) {
			if s.engine.Offline() {
				return d, nil
			}
			if _, err := s.engine.clusters.Runtime(d.Cluster); err != nil {
				return nil, &platform.ProblemError{Problems: []platform.Problem{{
					Path: platform.Path{"cluster"}, Title: "Unknown connection", Detail: err.Error(),
				}}}
			}
			return d, nil
		},
		live: func(ctx context.Context, s *scope, d *platform.DataPlane, outputs *Outputs) error {
			rt, err := s.engine.clusters.Runtime(d.Cluster)
			if err != nil {
				return err
			}
			versioner, ok := rt.(runtime.Versioner)
			if !ok {
				return nil
			}
			outputs.ServerVersion, err = versioner.Version(ctx)
			return err
		},
		blockers: []platform.Kind{platform.KindCell},
	}
}

func pipelineKind() driver {
	return kind[*platform.DeploymentPipeline, platform.DeploymentPipeline]{
		resolve: func(ctx context.Context, s *scope, p *platform.DeploymentPipeline) (*platform.DeploymentPipeline, error) {
			for _, reference := range p.References() {
				if _, err := resolve[*platform.Environment](ctx, s, reference.Kind, reference.ID, reference.Path...); err != nil {
					return nil, err
				}
			}
			return p, nil
		},
		outputs: func(p *platform.DeploymentPipeline, outputs *Outputs) { outputs.Environments = p.Environments() },
	}
}

func componentKind() driver {
	return kind[*platform.Component, platform.Component]{
		resolve: func(ctx context.Context, s *scope, c *platform.Component) (*platform.Component, error) {
			_, err := resolve[*platform.Project](ctx, s, platform.KindProject, c.Project, "project")
			return c, err
		},
		blockers: []platform.Kind{platform.KindDeployment},
	}
}

func deploymentKind() driver {
	return kind[*platform.Deployment, dataplane.DeploymentContext]{
		resolve: func(ctx context.Context, s *scope, d *platform.Deployment) (*dataplane.DeploymentContext, error) {
			c, err := deploymentContext(ctx, s, d)
			if err == nil && c.Adopted != nil {
				s.session.Adopt(c.Adopted.Objects...)
			}
			return c, err
		},
		check: func(ctx context.Context, s *scope, c *dataplane.DeploymentContext) ([]platform.Problem, error) {
			if problems := deployment.Check(c); len(problems) > 0 {
				return problems, nil
			}
			return s.guard(ctx, c)
		},
		handlers: func(s *scope) []dataplane.ResourceHandler[dataplane.DeploymentContext] {
			return deployment.Handlers(s.session, &cellHandler{engine: s.engine})
		},
		explain: func(c *dataplane.DeploymentContext, err error) error {
			return missingNamespace(c.Cell, platform.Path{"environment"}, err)
		},
		outputs: func(c *dataplane.DeploymentContext, outputs *Outputs) {
			outputs.Namespace = c.Cell.Namespace
			outputs.Release = c.Release
			outputs.Artifact = c.Promoted
			outputs.Adopted = c.Adopted
			if c.Promotion != nil {
				outputs.PromotableRelease = c.Promotion.SourceRelease
			}
			outputs.Addresses = deployment.Addresses(c)
		},
		foresee: restarts,
	}
}

// deploymentContext resolves everything a deployment needs: component, project,
// pipeline, environment, data plane.
func deploymentContext(ctx context.Context, s *scope, d *platform.Deployment) (*dataplane.DeploymentContext, error) {
	component, err := resolve[*platform.Component](ctx, s, platform.KindComponent, d.Component, "component")
	if err != nil {
		return nil, err
	}
	project, err := resolve[*platform.Project](ctx, s, platform.KindProject, component.Project, "component")
	if err != nil {
		return nil, err
	}
	pipeline, err := resolve[*platform.DeploymentPipeline](ctx, s, platform.KindDeploymentPipeline, project.DeploymentPipeline, "component")
	if err != nil {
		return nil, err
	}
	cell, err := resolveCell(ctx, s, project, d.Environment, "environment")
	if err != nil {
		return nil, err
	}
	adopted, err := s.adopted(ctx, d, component, cell)
	if err != nil {
		return nil, err
	}
	result, err := s.artifact(ctx, d, component)
	if err != nil {
		return nil, err
	}
	configuration, err := result.artifact.Configuration.With(d.Overrides)
	if err != nil {
		return nil, err
	}
	return &dataplane.DeploymentContext{
		Organization: s.engine.organization, DeploymentPipeline: pipeline, Project: project, Component: component,
		DeploymentTrack:    &platform.DeploymentTrack{Component: component.ID(), Name: d.TrackName()},
		DeployableArtifact: &platform.DeployableArtifact{Image: result.artifact.Image, Configuration: configuration},
		Deployment:         d, Environment: cell.Environment, DataPlane: cell.DataPlane,
		ContainerImage: result.artifact.Image, Cell: *cell,
		Promoted: result.artifact, Release: result.artifact.Release(), Promotion: result.promotion, Adopted: adopted,
	}, nil
}

func endpointKind() driver {
	return kind[*platform.Endpoint, dataplane.EndpointContext]{
		resolve: func(ctx context.Context, s *scope, e *platform.Endpoint) (*dataplane.EndpointContext, error) {
			d, err := resolve[*platform.Deployment](ctx, s, platform.KindDeployment, e.Deployment, "deployment")
			if err != nil {
				return nil, err
			}
			c, err := deploymentContext(ctx, s, d)
			if err != nil {
				return nil, err
			}
			return &dataplane.EndpointContext{
				Organization: c.Organization, Project: c.Project, DataPlane: c.DataPlane, Component: c.Component,
				DeploymentTrack: c.DeploymentTrack, DeployableArtifact: c.DeployableArtifact, Deployment: d,
				Environment: c.Environment, Endpoint: e, Cell: c.Cell, Adopted: c.Adopted,
			}, nil
		},
		check: func(ctx context.Context, s *scope, c *dataplane.EndpointContext) ([]platform.Problem, error) {
			if problems := endpoint.Check(c); len(problems) > 0 {
				return problems, nil
			}
			return duplicateRoute(ctx, s, c)
		},
		handlers: func(s *scope) []dataplane.ResourceHandler[dataplane.EndpointContext] {
			return endpoint.Handlers(s.session)
		},
		outputs: func(c *dataplane.EndpointContext, outputs *Outputs) { outputs.Addresses = endpoint.Addresses(c) },
	}
}

// resolveCell resolves the place of a project in an environment.
func resolveCell(ctx context.Context, s *scope, project *platform.Project, environment string, path ...any) (*dataplane.Cell, error) {
	env, err := resolve[*platform.Environment](ctx, s, platform.KindEnvironment, environment, path...)
	if err != nil {
		return nil, err
	}
	plane, err := resolve[*platform.DataPlane](ctx, s, platform.KindDataPlane, env.DataPlane, path...)
	if err != nil {
		return nil, err
	}
	if plane.NetworkPolicy != "" && !slices.Contains(platform.NetworkPolicies(), plane.NetworkPolicy) {
		// It stands for a value that is not known yet, and decides which objects there are.
		return nil, &catalog.UnknownError{Ref: platform.RefOf(plane)}
	}
	cell := &dataplane.Cell{Environment: env, DataPlane: plane}
	cell.Namespace, cell.Existing = s.engine.namespace(project, env.Name)
	return cell, nil
}
