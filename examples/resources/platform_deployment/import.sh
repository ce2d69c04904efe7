# By project, component, track and environment; the track is "main" unless the
# deployment names another.
terraform import platform_deployment.cart_dev shop/cart/main/dev
