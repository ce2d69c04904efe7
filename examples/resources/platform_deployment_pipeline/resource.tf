resource "platform_data_plane" "main" {
  name = "main"
}

resource "platform_environment" "stage" {
  for_each = toset(["dev", "staging", "prod-eu", "prod-us"])

  name       = each.key
  data_plane = platform_data_plane.main.id
  production = startswith(each.key, "prod")
}

# dev -> staging -> prod-eu and prod-us
resource "platform_deployment_pipeline" "standard" {
  name = "standard"

  promotion_paths = [
    {
      source  = platform_environment.stage["dev"].id
      targets = [{ environment = platform_environment.stage["staging"].id }]
    },
    {
      source = platform_environment.stage["staging"].id
      targets = [
        { environment = platform_environment.stage["prod-eu"].id },
        { environment = platform_environment.stage["prod-us"].id },
      ]
    },
  ]
}
