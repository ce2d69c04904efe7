// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// found is where a problem is and what it is called.
type found struct{ Path, Title string }

func problems(list []platform.Problem) []found {
	var out []found
	for _, p := range list {
		out = append(out, found{p.Path.String(), p.Title})
	}
	return out
}

func validDataPlane() *platform.DataPlane {
	return &platform.DataPlane{
		Name: "lab", Labels: map[string]string{"team": "platform"}, Cluster: "any name", NetworkPolicy: "kubernetes",
		Gateways: platform.Gateways{Public: &platform.Gateway{
			Name: "public.v1", Namespace: "gateways", Listener: "https", VirtualHost: "apps.example.com", Scheme: "http", Port: new(int64(8080)),
			ListenerPorts: map[string]int64{"grpc": 8443},
			Peers: &platform.Peers{
				Namespaces: []string{"proxies", "7001"}, PodLabels: map[string]string{"example.com/app": "proxy"},
				CIDRs: []string{"10.0.0.0/8", "fd00::/8"},
			},
		}},
	}
}

func validEnvironment() *platform.Environment {
	return &platform.Environment{Name: "dev", DataPlane: "lab", DNSPrefix: "d1", Labels: map[string]string{"a": ""}}
}

func validProject() *platform.Project {
	return &platform.Project{
		Name: "shop", DeploymentPipeline: "default-path", Labels: map[string]string{"team": "x"},
		NamespaceLabels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}
}

func validComponent() *platform.Component {
	return &platform.Component{Project: "shop", Name: "cart", Type: platform.TypeService, Image: "registry.example.com:5000/a/b@sha256:" + digest}
}

// digest is a well-formed one.
const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func validPipeline() *platform.DeploymentPipeline {
	return &platform.DeploymentPipeline{Name: "default-path", PromotionPaths: []platform.PromotionPath{
		{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "staging"}}},
		{Source: "staging", Targets: []platform.PromotionTarget{{Environment: "prod-eu"}, {Environment: "prod-us"}}},
	}}
}

func validEndpoint() *platform.Endpoint {
	return &platform.Endpoint{
		Deployment: "shop/cart/main/dev", Name: "api", Type: "http", Port: "http", BasePath: "/api/v1.0/~a@b", Visibility: platform.VisibilityPublic,
		Hostnames: []string{"shop.example.com", "*.example.org"}, Listener: "https",
	}
}

func validDeployment() *platform.Deployment {
	return &platform.Deployment{
		Component: "shop/cart", Track: "2", Environment: "dev", Image: "cart:1", Labels: map[string]string{"a/b": "c"},
		Configuration: platform.Configuration{
			Ports: map[string]platform.Port{
				"http": {Port: 80, TargetPort: new(int64(8080)), Protocol: "TCP"}, "dns": {Port: 80, Protocol: "UDP"}, "quic": {Port: 443, Protocol: "SCTP"},
			},
			Env: map[string]string{"A_B": "", "x.y": "1"},
			Resources: &platform.Resources{
				Requests: &platform.Quantities{CPU: "0.5", Memory: "64Mi"}, Limits: &platform.Quantities{CPU: "500m", Memory: "1Gi"},
			},
			Probes: &platform.Probes{
				Readiness: &platform.Probe{
					HTTP:                &platform.HTTPProbe{Path: "/ready", Port: "http", Scheme: "HTTPS"},
					InitialDelaySeconds: new(int64(0)), PeriodSeconds: new(int64(1)), TimeoutSeconds: new(int64(1)),
					SuccessThreshold: new(int64(2)), FailureThreshold: new(int64(1)),
				},
				Liveness: &platform.Probe{
					TCP: &platform.TCPProbe{Port: "9090"}, SuccessThreshold: new(int64(1)), TerminationGracePeriodSeconds: new(int64(1)),
				},
				Startup: &platform.Probe{Exec: &platform.ExecProbe{Command: []string{"true"}}},
			},
			Scaling: &platform.Scaling{Replicas: new(int64(0))},
			Volumes: map[string]platform.Volume{
				"scratch": {MountPath: "/scratch", EmptyDir: &platform.EmptyDir{Medium: "Memory", SizeLimit: "1Gi"}},
				"tls":     {MountPath: "/etc/tls", Secret: "web.tls"},
				"config":  {MountPath: "/etc/web", ConfigMap: "web"},
			},
			PodAnnotations:                map[string]string{"Example.com/Scrape": "anything goes"},
			TerminationGracePeriodSeconds: new(int64(0)),
		},
	}
}
