# By name.
terraform import platform_data_plane.main main
