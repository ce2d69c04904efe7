locals {
  registry = "gcr.io/google-samples/microservices-demo"
  release  = "v0.2.0"

  # What each service runs with. An entry with an endpoint is reached from outside.
  services = {
    emailservice = {
      type  = "service"
      image = "${local.registry}/emailservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 5000, target_port = 8080 } }
        env = {
          PORT             = "8080"
          DISABLE_PROFILER = "1"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = {
            exec           = { command = ["/bin/grpc_health_probe", "-addr=:8080"] }
            period_seconds = 5
          }
          liveness = {
            exec           = { command = ["/bin/grpc_health_probe", "-addr=:8080"] }
            period_seconds = 5
          }
        }
        termination_grace_period_seconds = 5
      }
    }

    checkoutservice = {
      type  = "service"
      image = "${local.registry}/checkoutservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 5050 } }
        env = {
          PORT                         = "5050"
          PRODUCT_CATALOG_SERVICE_ADDR = "productcatalogservice:3550"
          SHIPPING_SERVICE_ADDR        = "shippingservice:50051"
          PAYMENT_SERVICE_ADDR         = "paymentservice:50051"
          EMAIL_SERVICE_ADDR           = "emailservice:5000"
          CURRENCY_SERVICE_ADDR        = "currencyservice:7000"
          CART_SERVICE_ADDR            = "cartservice:7070"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = { exec = { command = ["/bin/grpc_health_probe", "-addr=:5050"] } }
          liveness  = { exec = { command = ["/bin/grpc_health_probe", "-addr=:5050"] } }
        }
      }
    }

    recommendationservice = {
      type  = "service"
      image = "${local.registry}/recommendationservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 8080 } }
        env = {
          PORT                         = "8080"
          PRODUCT_CATALOG_SERVICE_ADDR = "productcatalogservice:3550"
        }
        resources = {
          requests = { cpu = "100m", memory = "220Mi" }
          limits   = { cpu = "200m", memory = "450Mi" }
        }
        probes = {
          readiness = {
            exec           = { command = ["/bin/grpc_health_probe", "-addr=:8080"] }
            period_seconds = 5
          }
          liveness = {
            exec           = { command = ["/bin/grpc_health_probe", "-addr=:8080"] }
            period_seconds = 5
          }
        }
        termination_grace_period_seconds = 5
      }
    }

    frontend = {
      type     = "web_application"
      image    = "${local.registry}/frontend:${local.release}"
      endpoint = { type = "http", port = "http", visibility = "public" }

      configuration = {
        ports = { http = { port = 80, target_port = 8080 } }
        env = {
          PORT                         = "8080"
          PRODUCT_CATALOG_SERVICE_ADDR = "productcatalogservice:3550"
          CURRENCY_SERVICE_ADDR        = "currencyservice:7000"
          CART_SERVICE_ADDR            = "cartservice:7070"
          RECOMMENDATION_SERVICE_ADDR  = "recommendationservice:8080"
          SHIPPING_SERVICE_ADDR        = "shippingservice:50051"
          CHECKOUT_SERVICE_ADDR        = "checkoutservice:5050"
          AD_SERVICE_ADDR              = "adservice:9555"
          ENV_PLATFORM                 = "gcp"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = {
            http                  = { path = "/_healthz", port = "8080", headers = { Cookie = "shop_session-id=x-readiness-probe" } }
            initial_delay_seconds = 10
          }
          liveness = {
            http                  = { path = "/_healthz", port = "8080", headers = { Cookie = "shop_session-id=x-liveness-probe" } }
            initial_delay_seconds = 10
          }
        }
        pod_annotations = {
          "sidecar.istio.io/rewriteAppHTTPProbers" = "true"
        }
      }
    }

    paymentservice = {
      type  = "service"
      image = "${local.registry}/paymentservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 50051 } }
        env = {
          PORT = "50051"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = { exec = { command = ["/bin/grpc_health_probe", "-addr=:50051"] } }
          liveness  = { exec = { command = ["/bin/grpc_health_probe", "-addr=:50051"] } }
        }
        termination_grace_period_seconds = 5
      }
    }

    productcatalogservice = {
      type  = "service"
      image = "${local.registry}/productcatalogservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 3550 } }
        env = {
          PORT = "3550"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = { exec = { command = ["/bin/grpc_health_probe", "-addr=:3550"] } }
          liveness  = { exec = { command = ["/bin/grpc_health_probe", "-addr=:3550"] } }
        }
      }
    }

    cartservice = {
      type  = "service"
      image = "${local.registry}/cartservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 7070 } }
        env = {
          REDIS_ADDR  = "redis-cart:6379"
          PORT        = "7070"
          LISTEN_ADDR = "0.0.0.0"
        }
        resources = {
          requests = { cpu = "200m", memory = "64Mi" }
          limits   = { cpu = "300m", memory = "128Mi" }
        }
        probes = {
          readiness = {
            exec                  = { command = ["/bin/grpc_health_probe", "-addr=:7070", "-rpc-timeout=5s"] }
            initial_delay_seconds = 15
          }
          liveness = {
            exec                  = { command = ["/bin/grpc_health_probe", "-addr=:7070", "-rpc-timeout=5s"] }
            initial_delay_seconds = 15
            period_seconds        = 10
          }
        }
        termination_grace_period_seconds = 5
      }
    }

    loadgenerator = {
      type  = "event_handler"
      image = "${local.registry}/loadgenerator:${local.release}"

      configuration = {
        scaling = { replicas = 1 }
        env = {
          FRONTEND_ADDR = "frontend:80"
          USERS         = "10"
        }
        resources = {
          requests = { cpu = "300m", memory = "256Mi" }
          limits   = { cpu = "500m", memory = "512Mi" }
        }
        pod_annotations = {
          "sidecar.istio.io/rewriteAppHTTPProbers" = "true"
        }
        termination_grace_period_seconds = 5
      }
    }

    currencyservice = {
      type  = "service"
      image = "${local.registry}/currencyservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 7000 } }
        env = {
          PORT = "7000"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = { exec = { command = ["/bin/grpc_health_probe", "-addr=:7000"] } }
          liveness  = { exec = { command = ["/bin/grpc_health_probe", "-addr=:7000"] } }
        }
      }
    }

    shippingservice = {
      type  = "service"
      image = "${local.registry}/shippingservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 50051 } }
        env = {
          PORT = "50051"
        }
        resources = {
          requests = { cpu = "100m", memory = "64Mi" }
          limits   = { cpu = "200m", memory = "128Mi" }
        }
        probes = {
          readiness = {
            exec           = { command = ["/bin/grpc_health_probe", "-addr=:50051"] }
            period_seconds = 5
          }
          liveness = { exec = { command = ["/bin/grpc_health_probe", "-addr=:50051"] } }
        }
      }
    }

    "redis-cart" = {
      type  = "service"
      image = "redis:alpine"

      configuration = {
        ports = { redis = { port = 6379 } }
        resources = {
          requests = { cpu = "70m", memory = "200Mi" }
          limits   = { cpu = "125m", memory = "256Mi" }
        }
        probes = {
          readiness = {
            tcp            = { port = "6379" }
            period_seconds = 5
          }
          liveness = {
            tcp            = { port = "6379" }
            period_seconds = 5
          }
        }
        volumes = { redis-data = { mount_path = "/data", empty_dir = {} } }
      }
    }

    adservice = {
      type  = "service"
      image = "${local.registry}/adservice:${local.release}"

      configuration = {
        ports = { grpc = { port = 9555 } }
        env = {
          PORT = "9555"
        }
        resources = {
          requests = { cpu = "200m", memory = "180Mi" }
          limits   = { cpu = "300m", memory = "300Mi" }
        }
        probes = {
          readiness = {
            exec                  = { command = ["/bin/grpc_health_probe", "-addr=:9555"] }
            initial_delay_seconds = 20
            period_seconds        = 15
          }
          liveness = {
            exec                  = { command = ["/bin/grpc_health_probe", "-addr=:9555"] }
            initial_delay_seconds = 20
            period_seconds        = 15
          }
        }
        termination_grace_period_seconds = 5
      }
    }
  }
}
