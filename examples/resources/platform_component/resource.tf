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

  # What deployments run that name no image of their own.
  image = "ghcr.io/stefanprodan/podinfo:6.7.1"

  labels = {
    team = "checkout"
  }
}

# A program that takes its work from a queue: no port, no Service.
resource "platform_component" "mailer" {
  project     = platform_project.shop.id
  name        = "mailer"
  type        = "event_handler"
  description = "Sends the order confirmations."
}

# A program that runs and ends: a CronJob, whose deployments set
# configuration.schedule.
resource "platform_component" "report" {
  project = platform_project.shop.id
  name    = "report"
  type    = "scheduled_task"
  image   = "busybox:1.37"
}

resource "platform_deployment" "report_dev" {
  component   = platform_component.report.id
  environment = platform_environment.dev.id

  configuration = {
    command = ["sh", "-c", "echo the report of $(date)"]

    schedule = {
      cron     = "30 4 * * 1-5"
      timezone = "Europe/Berlin"
    }
  }
}
