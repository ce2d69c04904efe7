resource "platform_data_plane" "main" {
  name = "main"
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

resource "platform_environment" "prod" {
  name         = "prod"
  display_name = "Production"
  data_plane   = platform_data_plane.main.id
  production   = true

  # Hosts are shop-....live.<virtual host> instead of shop-....prod.<virtual host>.
  dns_prefix = "live"
}
