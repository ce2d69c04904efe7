variable "organization" {
  description = "The tenant that everything here belongs to."
  type        = string
  default     = "demo"
}

variable "kubeconfig" {
  description = "Path of the kubeconfig file; unset, KUBE_CONFIG_PATH or KUBECONFIG decides."
  type        = string
  default     = null
}
