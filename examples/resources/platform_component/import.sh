# By project and name.
terraform import platform_component.cart shop/cart
