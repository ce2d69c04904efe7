# By name.
terraform import platform_environment.prod prod
