# What the platform team describes once.

provider "platform" {
  organization = var.organization
  kubernetes   = { config_path = var.kubeconfig }
}

# Where workloads run, and how the world gets in.
resource "platform_data_plane" "main" {
  name     = "main"
  gateways = { public = var.gateway }
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

resource "platform_environment" "prod" {
  name       = "prod"
  data_plane = platform_data_plane.main.id
  production = true
}

# The way a release may take: dev first, then prod.
resource "platform_deployment_pipeline" "standard" {
  name = "standard"

  promotion_paths = [{
    source  = platform_environment.dev.id
    targets = [{ environment = platform_environment.prod.id }]
  }]
}
