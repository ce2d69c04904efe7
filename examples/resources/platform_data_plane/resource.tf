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
  }
}

# A data plane without gateways: its endpoints are reached from inside only.
resource "platform_data_plane" "batch" {
  name           = "batch"
  description    = "Jobs and workers that serve nobody outside."
  network_policy = "none"
}
