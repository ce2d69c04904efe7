terraform {
  required_providers {
    platform = { source = "openplatform/platform" }
  }
}

provider "platform" {}

resource "platform_data_plane" "main" {
  name     = "main"
  gateways = { public = { name = "public", namespace = "gateways", virtual_host = "apps.example.com" } }
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

resource "platform_deployment_pipeline" "standard" {
  name            = "standard"
  promotion_paths = [{ source = platform_environment.dev.id }]
}

resource "platform_project" "shop" {
  name                = "shop"
  deployment_pipeline = platform_deployment_pipeline.standard.id
}

resource "platform_component" "frontend" {
  project = platform_project.shop.id
  name    = "frontend"
  type    = "web_application"
  image   = "ghcr.io/stefanprodan/podinfo:6.7.0"
}

resource "platform_deployment" "dev" {
  component   = platform_component.frontend.id
  environment = platform_environment.dev.id
  configuration = {
    ports  = { http = { port = 80, target_port = 9898 } }
    probes = { readiness = { http = { path = "/readyz", port = "http" } } }
  }
}

resource "platform_endpoint" "web" {
  deployment = platform_deployment.dev.id
  name       = "web"
  type       = "http"
  port       = "http"
}

output "url" {
  value = platform_endpoint.web.addresses["public"]
}
