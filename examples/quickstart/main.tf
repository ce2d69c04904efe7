# What an application team declares: a shop of two components, running in two
# environments. In each, the project has a namespace of its own.

resource "platform_project" "shop" {
  name                = "shop"
  deployment_pipeline = platform_deployment_pipeline.standard.id
}

resource "platform_component" "frontend" {
  project = platform_project.shop.id
  name    = "frontend"
  type    = "web_application"
  image   = "ghcr.io/stefanprodan/podinfo:6.7.1"
}

resource "platform_component" "cart" {
  project = platform_project.shop.id
  name    = "cart"
  type    = "service"
  image   = "ghcr.io/stefanprodan/podinfo:6.7.1"
}

locals {
  # Both components listen on 9898 and are reached on 80.
  ports  = { http = { port = 80, target_port = 9898 } }
  probes = { readiness = { http = { path = "/readyz", port = "http" } } }

  resources = {
    requests = { cpu = "50m", memory = "32Mi" }
    limits   = { memory = "128Mi" }
  }

  frontend = {
    ports     = local.ports
    probes    = local.probes
    resources = local.resources
    # Components of a project find each other by name.
    env = { PODINFO_BACKEND_URL = "http://cart/echo" }
  }

  cart = {
    ports     = local.ports
    probes    = local.probes
    resources = local.resources
  }
}

# One block for each stage, not one block with for_each: a stage takes its
# release, image and configuration, from the stage before it.
resource "platform_deployment" "frontend_dev" {
  component     = platform_component.frontend.id
  environment   = platform_environment.dev.id
  configuration = local.frontend
}

resource "platform_deployment" "frontend_prod" {
  component     = platform_component.frontend.id
  environment   = platform_environment.prod.id
  promoted_from = { deployment = platform_deployment.frontend_dev.id }
  overrides     = { scaling = { replicas = 2 } }
}

resource "platform_deployment" "cart_dev" {
  component     = platform_component.cart.id
  environment   = platform_environment.dev.id
  configuration = local.cart
}

resource "platform_deployment" "cart_prod" {
  component     = platform_component.cart.id
  environment   = platform_environment.prod.id
  promoted_from = { deployment = platform_deployment.cart_dev.id }
  overrides     = { scaling = { replicas = 2 } }
}
