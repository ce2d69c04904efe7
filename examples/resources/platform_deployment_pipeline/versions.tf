terraform {
  required_providers {
    platform = {
      source = "openplatform/platform"
    }
  }
}
