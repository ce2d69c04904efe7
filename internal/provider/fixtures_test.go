// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func number(n int64) *int64 { return &n }

func words(text string) map[string]string { return map[string]string{"key": text} }

func fullGateway() *platform.Gateway {
	return &platform.Gateway{
		Name: "public", Namespace: "gateways", Listener: "https", VirtualHost: "apps.example.com", Scheme: "http", Port: new(int64(8080)),
		ListenerPorts: map[string]int64{"grpc": 8443},
		Peers:         &platform.Peers{Namespaces: []string{"gateways"}, PodLabels: words("gateway"), CIDRs: []string{"10.0.0.0/8"}},
	}
}

func fullProbe() *platform.Probe {
	return &platform.Probe{
		Exec:                &platform.ExecProbe{Command: []string{"true"}},
		HTTP:                &platform.HTTPProbe{Path: "/ready", Port: "http", Scheme: "HTTPS", Headers: words("value")},
		TCP:                 &platform.TCPProbe{Port: "9090"},
		GRPC:                &platform.GRPCProbe{Port: 9090, Service: "cart"},
		InitialDelaySeconds: number(1), PeriodSeconds: number(2), TimeoutSeconds: number(3), SuccessThreshold: number(4),
		FailureThreshold: number(5), TerminationGracePeriodSeconds: number(1000000),
	}
}

func fullConfiguration() platform.Configuration {
	quantities := platform.Quantities{CPU: "0.5", Memory: "64Mi"}
	return platform.Configuration{
		Command: []string{"server"}, Args: []string{"--port", ""}, Env: map[string]string{"MODE": "", "LEVEL": "<info> & more"},
		Ports:     map[string]platform.Port{"http": {Port: 80, TargetPort: new(int64(8080)), Protocol: "TCP"}},
		Resources: &platform.Resources{Requests: &quantities, Limits: &quantities},
		Probes:    &platform.Probes{Readiness: fullProbe(), Liveness: fullProbe(), Startup: fullProbe()},
		Scaling: &platform.Scaling{
			Replicas: number(3), MinReplicas: number(1), MaxReplicas: number(5),
			TargetCPUUtilizationPercentage: number(70), TargetMemoryUtilizationPercentage: number(80),
		},
		Schedule: &platform.Schedule{Cron: "@daily", Timezone: "Etc/UTC", Disabled: new(true)},
		Volumes: map[string]platform.Volume{"data": {
			MountPath: "/data", ReadOnly: true, EmptyDir: &platform.EmptyDir{Medium: "Memory", SizeLimit: "1Gi"}, Secret: "tls", ConfigMap: "web",
		}},
		PodAnnotations: words("annotation"), TerminationGracePeriodSeconds: number(9007199254740993),
	}
}

// full returns an object of each kind with every field set.
func full() map[platform.Kind]platform.Object {
	return map[platform.Kind]platform.Object{
		platform.KindDataPlane: &platform.DataPlane{
			Name: "lab", DisplayName: "Lab", Description: "d", Labels: words("l"), Cluster: "c", NetworkPolicy: "none",
			Gateways: platform.Gateways{Public: fullGateway(), Organization: fullGateway()},
		},
		platform.KindEnvironment: &platform.Environment{
			Name: "dev", DisplayName: "Dev", Description: "d", Labels: words("l"), DataPlane: "lab", Production: true, DNSPrefix: "d1",
		},
		platform.KindDeploymentPipeline: &platform.DeploymentPipeline{
			Name: "path", DisplayName: "Path", Description: "d", Labels: words("l"),
			PromotionPaths: []platform.PromotionPath{{Source: "dev", Targets: []platform.PromotionTarget{{Environment: "prod", RequiresApproval: true}}}},
		},
		platform.KindProject: &platform.Project{
			Name: "shop", DisplayName: "Shop", Description: "d", Labels: words("l"), DeploymentPipeline: "path",
			Namespaces: map[string]string{"dev": "team-shop"}, NamespaceLabels: words("n"), ForceDestroy: true,
		},
		platform.KindComponent: &platform.Component{
			Project: "shop", Name: "cart", DisplayName: "Cart", Description: "d", Labels: words("l"), Type: platform.TypeService, Image: "cart:1",
		},
		platform.KindDeployment: &platform.Deployment{
			Component: "shop/cart", Track: "v2", Environment: "dev", DisplayName: "Cart", Description: "d", Labels: words("l"), Image: "cart:2",
			Configuration: fullConfiguration(), Overrides: overrides(),
			PromotedFrom: &platform.PromotedFrom{Deployment: "shop/cart/v2/test", Release: "sha256:1"},
			Approval:     &platform.Approval{Release: "sha256:1", By: "ops"}, OnFailure: platform.OnFailureRollback,
			Adopt: &platform.Adoption{Workload: "legacy", Service: "legacy-svc", Container: "app"},
		},
		platform.KindEndpoint: &platform.Endpoint{
			Deployment: "shop/cart/v2/dev", Name: "api", DisplayName: "API", Description: "d", Labels: words("l"), Type: "http", Port: "http",
			BasePath: "/api", Visibility: platform.VisibilityPublic, Hostnames: []string{"shop.example.com"}, Listener: "https",
		},
	}
}

func overrides() *platform.Configuration {
	configuration := fullConfiguration()
	return &configuration
}

func kindNamed(t *testing.T, name platform.Kind) *kind {
	t.Helper()
	for _, k := range kinds() {
		if k.kind == name {
			return k
		}
	}
	t.Fatalf("there is no resource for %s", name)
	return nil
}

// typeOf returns the type of a kind's resource.
func typeOf(t *testing.T, k *kind) tftypes.Object {
	t.Helper()
	typ, ok := (&kindResource{kind: k}).schemaType(t.Context()).TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatalf("%s is no object", k.typeName())
	}
	return typ
}

// valueOf returns an object as a resource's value; what is not configured is null.
func valueOf(t *testing.T, k *kind, object platform.Object) tftypes.Value {
	t.Helper()
	typ := typeOf(t, k)
	values, err := k.encode(object, typ)
	if err != nil {
		t.Fatal(err)
	}
	for name, attribute := range typ.AttributeTypes {
		if _, configured := values[name]; !configured {
			values[name] = tftypes.NewValue(attribute, nil)
		}
	}
	return tftypes.NewValue(typ, values)
}

// with returns a value in which one path holds another one.
func with(t *testing.T, value tftypes.Value, at *tftypes.AttributePath, replace func(tftypes.Type) tftypes.Value) tftypes.Value {
	t.Helper()
	changed, err := tftypes.Transform(value, func(here *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if here.Equal(at) {
			return replace(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func unknown(typ tftypes.Type) tftypes.Value { return tftypes.NewValue(typ, tftypes.UnknownValue) }
