# By the deployment's id and the name.
terraform import platform_endpoint.api shop/cart/main/dev/api
