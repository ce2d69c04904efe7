resource "platform_data_plane" "main" {
  name = "main"

  gateways = {
    public = {
      name         = "public"
      namespace    = "gateways"
      virtual_host = "apps.example.com"
    }

    organization = {
      name           = "organization"
      namespace      = "gateways"
      listener       = "http"
      virtual_host   = "internal.example.com"
      listener_ports = { grpc = 8080, tcp = 9000 }
    }
  }
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

resource "platform_deployment_pipeline" "dev_only" {
  name            = "dev-only"
  promotion_paths = [{ source = platform_environment.dev.id }]
}

resource "platform_project" "shop" {
  name                = "shop"
  deployment_pipeline = platform_deployment_pipeline.dev_only.id
}

resource "platform_component" "cart" {
  project = platform_project.shop.id
  name    = "cart"
  type    = "service"
  image   = "ghcr.io/stefanprodan/podinfo:6.7.1"
}

resource "platform_deployment" "cart_dev" {
  component   = platform_component.cart.id
  environment = platform_environment.dev.id

  configuration = {
    ports = {
      http = { port = 80, target_port = 9898 }
      grpc = { port = 9999 }
    }
  }
}

# A service is reached from its project only, unless an endpoint says otherwise.
resource "platform_endpoint" "api" {
  deployment = platform_deployment.cart_dev.id
  name       = "api"
  type       = "http"
  port       = "http"
  base_path  = "/api"
  visibility = "public"
}

# Reached by the organization's other projects, under the address inside the
# cluster and through the organization's gateway.
resource "platform_endpoint" "rpc" {
  deployment = platform_deployment.cart_dev.id
  name       = "rpc"
  type       = "grpc"
  port       = "grpc"
  listener   = "grpc"
  visibility = "organization"
}

# A connection names no host: a TCP endpoint has a listener for itself.
resource "platform_endpoint" "raw" {
  deployment = platform_deployment.cart_dev.id
  name       = "raw"
  type       = "tcp"
  port       = "http"
  listener   = "tcp"
  visibility = "organization"
}

output "url" {
  value = platform_endpoint.api.addresses["public"]
}

# Host and port, as gRPC clients take them.
output "rpc" {
  value = platform_endpoint.rpc.addresses["organization"]
}
