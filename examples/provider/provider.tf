terraform {
  required_providers {
    platform = {
      source = "openplatform/platform"
    }
  }
}

provider "platform" {
  # The tenant that everything belongs to (or PLATFORM_ORGANIZATION).
  organization = "acme"

  # The default connection: it keeps the records and runs the data planes that
  # name no other cluster. Without it, KUBE_CONFIG_PATH or KUBECONFIG decides.
  kubernetes = {
    config_path = var.kubeconfig
  }

  # More clusters, which data planes choose by name.
  connections = {
    europe = {
      config_path    = var.kubeconfig
      config_context = "europe"
    }
  }
}

variable "kubeconfig" {
  description = "Path of the kubeconfig file; unset, the environment decides."
  type        = string
  default     = null
}
