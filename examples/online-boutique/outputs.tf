output "url" {
  description = "Where the world finds the shop."
  value       = platform_endpoint.service["frontend"].addresses["public"]
}

output "addresses" {
  description = "Where the services find each other."
  value       = { for name, deployment in platform_deployment.service : name => deployment.addresses }
}

output "namespace" {
  description = "The namespace that all of them share."
  value       = platform_deployment.service["frontend"].namespace
}
