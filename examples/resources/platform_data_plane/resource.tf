# A data plane in the cluster of the provider's default connection.
resource "platform_data_plane" "main" {
  name         = "main"
  display_name = "Main cluster"

  gateways = {
    # Public endpoints attach to this listener of this Gateway.
    public = {
      name         = "public"
      namespace    = "gateways"
      listener     = "http"
      virtual_host = "apps.example.com"
      scheme       = "http"

      # Where the gateway's own pods run; by default, in the gateway's namespace.
      peers = {
        namespaces = ["gateways"]
      }
    }

    # Endpoints for the organization attach to this one. Their addresses need the
    # ports of listeners besides the first.
    organization = {
      name           = "organization"
      namespace      = "gateways"
      listener       = "http"
      virtual_host   = "internal.example.com"
      scheme         = "http"
      listener_ports = { tcp = 9000 }
    }
  }
}

# A data plane without gateways: its endpoints are reached from inside only.
resource "platform_data_plane" "batch" {
  name           = "batch"
  description    = "Jobs and workers that serve nobody outside."
  network_policy = "none"
}
