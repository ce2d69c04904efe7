// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"strings"
)

// Image is an image that runs and stays.
const Image = "registry.example/shop/cart:1.0.0"

// Provider returns the provider block of the tenant. lines are added to it.
func (e *Env) Provider(lines ...string) string {
	return fmt.Sprintf("provider \"platform\" {\n  organization = %q\n%s\n}\n", e.Organization, strings.Join(lines, "\n"))
}

// Base returns the provider block and what a platform team describes: a data
// plane with a public gateway, the environment dev, a pipeline and the project
// shop.
func (e *Env) Base(lines ...string) string { return e.Provider(lines...) + Platform() }

// Platform is Base without the provider block.
func Platform() string {
	return `
resource "platform_data_plane" "main" {
  name = "main"
  gateways = {
    public = {
      name = "public", namespace = "gateways", listener = "http", virtual_host = "apps.example.com", scheme = "http"
    }
  }
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

resource "platform_deployment_pipeline" "main" {
  name            = "main"
  promotion_paths = [{ source = platform_environment.dev.id }]
}

resource "platform_project" "shop" {
  name                = "shop"
  deployment_pipeline = platform_deployment_pipeline.main.id
}
`
}

// Component returns a component of the project shop. It is a service unless
// lines say otherwise.
func Component(name string, lines ...string) string {
	if !strings.Contains(strings.Join(lines, "\n"), "type ") {
		lines = append(lines, `type = "service"`)
	}
	return fmt.Sprintf("resource \"platform_component\" %q {\n  project = platform_project.shop.id\n  name    = %q\n  %s\n}\n",
		name, name, strings.Join(lines, "\n  "))
}

// Deployment returns the deployment of a component in dev.
func Deployment(component string, lines ...string) string {
	return fmt.Sprintf("resource \"platform_deployment\" %q {\n  component   = platform_component.%s.id\n  environment = platform_environment.dev.id\n  %s\n}\n",
		component, component, strings.Join(lines, "\n  "))
}

// Endpoint returns an endpoint on the port http of a deployment.
func Endpoint(name, deployment string, lines ...string) string {
	return fmt.Sprintf("resource \"platform_endpoint\" %q {\n  deployment = platform_deployment.%s.id\n  name       = %q\n  type       = \"http\"\n  port       = \"http\"\n  %s\n}\n",
		name, deployment, name, strings.Join(lines, "\n  "))
}

// HTTP is a configuration with one port, of which more lines may be told.
func HTTP(lines ...string) string {
	return "configuration = {\n    ports = { http = { port = 80, target_port = 8080 } }\n    " + strings.Join(lines, "\n    ") + "\n  }"
}
