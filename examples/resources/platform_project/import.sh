# By name.
terraform import platform_project.shop shop
