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

variable "gateway" {
  description = "The Gateway that public endpoints attach to, and the domain that leads to it."
  type = object({
    name         = string
    namespace    = string
    listener     = optional(string)
    virtual_host = string
    scheme       = optional(string)
  })
  default = {
    name         = "public"
    namespace    = "gateways"
    listener     = "http"
    virtual_host = "apps.example.com"
    scheme       = "http"
  }
}
