# By name.
terraform import platform_deployment_pipeline.standard standard
