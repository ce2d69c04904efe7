output "shop_url" {
  description = "Where the world finds the shop."
  value       = platform_endpoint.shop.addresses["public"]
}

output "cart_address" {
  description = "Where prod finds the cart; its own components also find it as cart:80."
  value       = platform_deployment.cart_prod.addresses["http"]
}

output "namespaces" {
  description = "The project's namespace in each environment."
  value = {
    dev  = platform_deployment.cart_dev.namespace
    prod = platform_deployment.cart_prod.namespace
  }
}

output "objects" {
  description = "Every Kubernetes object behind the resources above."
  value = sort(distinct(concat(
    keys(platform_project.shop.manifests),
    keys(platform_deployment.frontend_dev.manifests),
    keys(platform_deployment.frontend_prod.manifests),
    keys(platform_deployment.cart_dev.manifests),
    keys(platform_deployment.cart_prod.manifests),
    keys(platform_endpoint.shop.manifests),
  )))
}
