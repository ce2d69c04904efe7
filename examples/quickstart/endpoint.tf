# The way in from outside. Without it, prod is reached from its namespace only.
resource "platform_endpoint" "shop" {
  deployment = platform_deployment.frontend_prod.id
  name       = "web"
  type       = "http"
  port       = "http"
  visibility = "public"
}

output "shop_url" {
  description = "Where the world finds the shop."
  value       = platform_endpoint.shop.addresses["public"]
}

output "shop_objects" {
  description = "Every Kubernetes object of the way in."
  value       = keys(platform_endpoint.shop.manifests)
}
