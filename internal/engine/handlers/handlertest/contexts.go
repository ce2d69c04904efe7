// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package handlertest helps to test rendering: small valid contexts, golden
// files, and checks that hold for every rendering function.
package handlertest

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Organization is the organization of the contexts.
const Organization = "acme"

// Cell returns the context of the project shop in the environment dev, with as
// little set as possible.
func Cell() *dataplane.CellContext {
	project := &platform.Project{Name: "shop", DeploymentPipeline: "default-path"}
	return &dataplane.CellContext{Organization: Organization, Project: project, Cell: place("dev", "lab")}
}

// Project returns the context of the project shop with cells in dev and prod,
// each on a data plane of its own.
func Project() *dataplane.ProjectContext {
	cells := []dataplane.Cell{place("dev", "lab"), place("prod", "live")}
	return &dataplane.ProjectContext{
		Organization:       Organization,
		DeploymentPipeline: pipeline(),
		Project:            Cell().Project,
		EnvironmentNames:   []string{"dev", "prod"},
		NamespaceNames:     []string{cells[0].Namespace, cells[1].Namespace},
		Cells:              cells,
	}
}

// Deployment returns the context of the service cart of the project shop in dev,
// with an image and nothing else.
func Deployment() *dataplane.DeploymentContext {
	cell := Cell()
	const image = "registry.example.com/shop/cart:1.0.0"
	return &dataplane.DeploymentContext{
		Organization:       Organization,
		DeploymentPipeline: pipeline(),
		Project:            cell.Project,
		Component:          &platform.Component{Project: "shop", Name: "cart", Type: platform.TypeService},
		DeploymentTrack:    &platform.DeploymentTrack{Component: "shop/cart", Name: naming.MainTrack},
		DeployableArtifact: &platform.DeployableArtifact{Image: image},
		Deployment:         &platform.Deployment{Component: "shop/cart", Environment: "dev", Image: image},
		Environment:        cell.Cell.Environment,
		DataPlane:          cell.Cell.DataPlane,
		ContainerImage:     image,
		Cell:               cell.Cell,
	}
}

// Endpoint returns the context of the public endpoint api of the deployment that
// Deployment returns, which gets the port http.
func Endpoint() *dataplane.EndpointContext {
	deployment := Deployment()
	deployment.DataPlane.Gateways.Public = &platform.Gateway{
		Name: "public", Namespace: "gateways", VirtualHost: "apps.example.com",
	}
	deployment.DeployableArtifact.Configuration.Ports = map[string]platform.Port{"http": {Port: 80, TargetPort: new(int64(8080))}}
	return &dataplane.EndpointContext{
		Organization:       Organization,
		Project:            deployment.Project,
		DataPlane:          deployment.DataPlane,
		Component:          deployment.Component,
		DeploymentTrack:    deployment.DeploymentTrack,
		DeployableArtifact: deployment.DeployableArtifact,
		Deployment:         deployment.Deployment,
		Environment:        deployment.Environment,
		Endpoint: &platform.Endpoint{
			Deployment: deployment.Deployment.ID(), Name: "api", Type: "http", Port: "http", Visibility: platform.VisibilityPublic,
		},
		Cell: deployment.Cell,
	}
}

// Track moves the parts of a context to a named track.
func Track(track *platform.DeploymentTrack, deployment *platform.Deployment, name string) {
	track.Name = name
	deployment.Track = name
}

func place(environment, dataPlane string) dataplane.Cell {
	return dataplane.Cell{
		Environment: &platform.Environment{Name: environment, DataPlane: dataPlane},
		DataPlane:   &platform.DataPlane{Name: dataPlane},
		Namespace:   naming.Namespace(Organization, "shop", environment),
	}
}

func pipeline() *platform.DeploymentPipeline {
	return &platform.DeploymentPipeline{Name: "default-path", PromotionPaths: []platform.PromotionPath{
		{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "prod"}}},
	}}
}
