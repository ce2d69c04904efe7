resource "platform_data_plane" "main" {
  name = "main"
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
}

resource "platform_deployment" "cart_dev" {
  component   = platform_component.cart.id
  environment = platform_environment.dev.id
  image       = "ghcr.io/stefanprodan/podinfo:6.7.1"
  on_failure  = "rollback"

  configuration = {
    args = ["./podinfo", "--level=info"]

    # Clients connect to cart:80; the container listens on 9898.
    ports = {
      http = { port = 80, target_port = 9898 }
    }

    env = {
      PODINFO_UI_MESSAGE = "your cart"
    }

    resources = {
      requests = { cpu = "50m", memory = "32Mi" }
      limits   = { memory = "128Mi" }
    }

    probes = {
      readiness = {
        http           = { path = "/readyz", port = "http" }
        period_seconds = 5
      }
      liveness = {
        exec                  = { command = ["podcli", "check", "http", "localhost:9898/healthz"] }
        initial_delay_seconds = 10
      }
    }

    # Percent of the cpu that is requested above.
    scaling = {
      min_replicas                      = 2
      max_replicas                      = 5
      target_cpu_utilization_percentage = 80
    }

    volumes = {
      data = { mount_path = "/data", empty_dir = { size_limit = "64Mi" } }
    }

    pod_annotations = {
      "prometheus.io/scrape" = "true"
    }

    termination_grace_period_seconds = 10
  }
}

# Where other components of the project find it, such as cart:80.
output "addresses" {
  value = platform_deployment.cart_dev.addresses
}
