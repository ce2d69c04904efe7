resource "platform_data_plane" "main" {
  name = "main"
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

resource "platform_project" "shop" {
  name                = "shop"
  display_name        = "Web shop"
  deployment_pipeline = platform_deployment_pipeline.dev_only.id

  # On the namespaces of the project, beside the provider's own labels.
  namespace_labels = {
    "pod-security.kubernetes.io/enforce" = "baseline"
  }
}
