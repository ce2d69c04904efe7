# Online Boutique: twelve services in one namespace, which find each other by name.

provider "platform" {
  organization = var.organization
  kubernetes   = { config_path = var.kubeconfig }
}

resource "platform_data_plane" "main" {
  name = "main"

  gateways = {
    public = {
      name         = "public"
      namespace    = "gateways"
      listener     = "http"
      virtual_host = "apps.example.com"
      scheme       = "http"
    }
  }
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

# A pipeline of one environment: a path without targets.
resource "platform_deployment_pipeline" "dev_only" {
  name            = "dev-only"
  promotion_paths = [{ source = platform_environment.dev.id }]
}

resource "platform_project" "boutique" {
  name                = "boutique"
  display_name        = "Online Boutique"
  deployment_pipeline = platform_deployment_pipeline.dev_only.id
}

resource "platform_component" "service" {
  for_each = local.services

  project = platform_project.boutique.id
  name    = each.key
  type    = each.value.type
  image   = each.value.image
}

resource "platform_deployment" "service" {
  for_each = local.services

  component     = platform_component.service[each.key].id
  environment   = platform_environment.dev.id
  configuration = each.value.configuration
}

# The services that are reached from outside the project.
resource "platform_endpoint" "service" {
  for_each = { for name, service in local.services : name => service.endpoint if can(service.endpoint) }

  deployment = platform_deployment.service[each.key].id
  name       = "web"
  type       = each.value.type
  port       = each.value.port
  visibility = each.value.visibility
}
