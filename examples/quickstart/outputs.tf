output "addresses" {
  description = "Where each component is found inside the cluster; in its own namespace also by its name."
  value = {
    dev = {
      frontend = platform_deployment.frontend_dev.addresses["http"]
      cart     = platform_deployment.cart_dev.addresses["http"]
    }
    prod = {
      frontend = platform_deployment.frontend_prod.addresses["http"]
      cart     = platform_deployment.cart_prod.addresses["http"]
    }
  }
}

output "namespaces" {
  description = "The project's namespace in each environment."
  value = {
    dev  = platform_deployment.cart_dev.namespace
    prod = platform_deployment.cart_prod.namespace
  }
}

output "objects" {
  description = "Every Kubernetes object of the project in its environments."
  value = sort(distinct(concat(
    keys(platform_project.shop.manifests),
    keys(platform_deployment.frontend_dev.manifests),
    keys(platform_deployment.frontend_prod.manifests),
    keys(platform_deployment.cart_dev.manifests),
    keys(platform_deployment.cart_prod.manifests),
  )))
}
