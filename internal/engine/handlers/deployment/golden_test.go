// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"flag"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

var update = flag.Bool("update", false, "rewrite golden files")

// renderAll renders what a deployment needs in its cell, in order.
func renderAll(ctx *dataplane.DeploymentContext) ([]runtime.Resource, error) {
	var all []runtime.Resource
	for _, handler := range []struct {
		required func(*dataplane.DeploymentContext) bool
		render   func(*dataplane.DeploymentContext) ([]runtime.Resource, error)
	}{{autoscalerRequired, autoscaler}, {always, Workload}, {serviceRequired, service}} {
		if !handler.required(ctx) {
			continue
		}
		some, err := handler.render(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func TestGolden(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		change func(*dataplane.DeploymentContext)
	}{
		"minimal": {
			reason: "An image alone gives a workload under the baseline preset, no Service, and no field that was not declared.",
			change: func(*dataplane.DeploymentContext) {},
		},
		"everything": {
			reason: "Every declared field is rendered, in a fixed order.",
			change: everything,
		},
		"named-track": {
			reason: "A named track has a workload of its own beside that of the main track.",
			change: func(ctx *dataplane.DeploymentContext) {
				handlertest.Track(ctx.DeploymentTrack, ctx.Deployment, "v2")
				ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{"grpc": {Port: 7070}}
			},
		},
		"event-handler": {
			reason: "An event handler has no Service; its ports are ports of the container only.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Component.Type = platform.TypeEventHandler
				ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{"metrics": {Port: 9090}}
				ctx.DeployableArtifact.Configuration.Scaling = &platform.Scaling{Replicas: new(int64(0))}
			},
		},
		"autoscaler": {
			reason: "An autoscaler has the limits and targets that were declared, and the workload then no number of replicas.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Deployment.Labels = map[string]string{"team": "checkout"}
				ctx.DeployableArtifact.Configuration.Scaling = &platform.Scaling{
					MinReplicas: new(int64(2)), MaxReplicas: new(int64(5)),
					TargetCPUUtilizationPercentage: new(int64(80)), TargetMemoryUtilizationPercentage: new(int64(70)),
				}
			},
		},
		"autoscaler-minimal": {
			reason: "A limit that was not declared is the API server's, and the name is that of the workload, cut and hashed alike.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Component.Type = platform.TypeEventHandler
				ctx.Component.Name = "a" + strings.Repeat("b", 62)
				ctx.Deployment.Component = ctx.Component.ID()
				handlertest.Track(ctx.DeploymentTrack, ctx.Deployment, "v2")
				ctx.DeployableArtifact.Configuration.Scaling = &platform.Scaling{MaxReplicas: new(int64(5)), TargetCPUUtilizationPercentage: new(int64(80))}
			},
		},
		"shared-target-port": {
			reason: "Two ports of the Service may lead to one of the container, which then has it once, and probes use the name it has there.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{
					"web": {Port: 80, TargetPort: new(int64(8080))}, "alt": {Port: 8080}, "quic": {Port: 80, TargetPort: new(int64(8080)), Protocol: "UDP"},
				}
				ctx.DeployableArtifact.Configuration.Probes = &platform.Probes{
					Readiness: &platform.Probe{HTTP: &platform.HTTPProbe{Port: "web"}},
					Liveness:  &platform.Probe{TCP: &platform.TCPProbe{Port: "alt"}},
				}
			},
		},
		"long-names": {
			reason: "A component's name and track that do not fit are cut and hashed, and Deployment and Service still share the name.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Component.Name = "a" + strings.Repeat("b", 62)
				ctx.Deployment.Component = ctx.Component.ID()
				handlertest.Track(ctx.DeploymentTrack, ctx.Deployment, "experimental")
				ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{"http": {Port: 80}}
			},
		},
		"adopted": {
			reason: "What was taken over keeps names, selector, pod labels, container, the names of its ports and the order of its lists, and gets no preset; what is declared is rendered.",
			change: adopted,
		},
		"adopted-without-service": {
			reason: "A workload that was taken over alone gets a Service under the component's name, which selects its pods.",
			change: func(ctx *dataplane.DeploymentContext) {
				adopted(ctx)
				ctx.Adopted.Service, ctx.Adopted.ServiceSelector = "", nil
			},
		},
		"scheduled-task": {
			reason: "A scheduled task is a CronJob that never runs twice at a time, with the time zone and the suspension that were declared.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Component.Type = platform.TypeScheduledTask
				ctx.Deployment.Labels = map[string]string{"team": "checkout"}
				ctx.DeployableArtifact.Configuration = platform.Configuration{
					Args:     []string{"--once"},
					Schedule: &platform.Schedule{Cron: "30 4 * * 1-5", Timezone: "Europe/Berlin", Disabled: new(true)},
				}
			},
		},
		"scheduled-task-minimal": {
			reason: "A schedule alone sends neither time zone nor suspension, and a name that leaves no room for those of the Jobs is cut and hashed.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Component.Type = platform.TypeScheduledTask
				ctx.Component.Name = "a" + strings.Repeat("b", 52)
				ctx.Deployment.Component = ctx.Component.ID()
				ctx.DeployableArtifact.Configuration.Schedule = &platform.Schedule{Cron: "@daily"}
			},
		},
		"empty-optionals": {
			reason: "Blocks that are declared empty send nothing.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.DeployableArtifact.Configuration.Resources = &platform.Resources{Requests: &platform.Quantities{}}
				ctx.DeployableArtifact.Configuration.Probes = &platform.Probes{}
				ctx.DeployableArtifact.Configuration.Scaling = &platform.Scaling{}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Deployment()
			tc.change(ctx)
			resources, err := renderAll(ctx)
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			handlertest.Golden(t, *update, name, resources)
			handlertest.Deterministic(t, ctx, renderAll)
		})
	}
}

func TestOddValuesNeverPanic(t *testing.T) {
	t.Parallel()
	for _, kind := range platform.ComponentTypes() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Deployment()
			everything(ctx)
			ctx.Component.Type = platform.ComponentType(kind)
			ctx.DeployableArtifact.Configuration.Schedule = &platform.Schedule{Cron: "@daily", Timezone: "Etc/UTC"}
			handlertest.Total(t, ctx, renderAll)
		})
	}
	t.Run("adopted", func(t *testing.T) {
		t.Parallel()
		ctx := handlertest.Deployment()
		adopted(ctx)
		handlertest.Total(t, ctx, renderAll)
	})
}

// adopted makes the deployment one that took a workload and its Service over.
func adopted(ctx *dataplane.DeploymentContext) {
	ctx.Adopted = &platform.Adopted{
		Workload: "legacy", Service: "legacy-svc", Container: "app",
		Selector: platform.Selector{
			Labels:       map[string]string{"app": "legacy"},
			Requirements: []platform.Requirement{{Key: "tier", Operator: "In", Values: []string{"web", "front"}}},
		},
		PodLabels:       map[string]string{"app": "legacy", "tier": "web", "helm.sh/chart": "legacy-1.2.3"},
		ServiceSelector: map[string]string{"app": "legacy"},
		ContainerPorts:  map[string]string{"8080/TCP": "web", "9090/TCP": ""},
		Order: platform.Order{
			Env: []string{"PORT", "GONE", "EMPTY"}, Ports: []string{"9090/TCP", "8080/TCP"}, Volumes: []string{"b", "a"}, VolumeMounts: []string{"a", "b"},
		},
	}
	ctx.DeployableArtifact.Configuration.Env = map[string]string{"EMPTY": "", "PORT": "8080", "ADDED": "1"}
	ctx.DeployableArtifact.Configuration.Volumes = map[string]platform.Volume{
		"a": {MountPath: "/a", Secret: "a"}, "b": {MountPath: "/b", Secret: "b"}, "c": {MountPath: "/c", Secret: "c"},
	}
	ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{
		"http": {Port: 80, TargetPort: new(int64(8080))}, "metrics": {Port: 9090}, "new": {Port: 7070},
	}
	ctx.DeployableArtifact.Configuration.Probes = &platform.Probes{
		Readiness: &platform.Probe{HTTP: &platform.HTTPProbe{Port: "http"}},
		Liveness:  &platform.Probe{TCP: &platform.TCPProbe{Port: "metrics"}},
		Startup:   &platform.Probe{TCP: &platform.TCPProbe{Port: "new"}},
	}
}

// everything sets every field of a deployment.
func everything(ctx *dataplane.DeploymentContext) {
	ctx.Component.Type = platform.TypeWebApplication
	ctx.Deployment.Labels = map[string]string{"team": "checkout", "tier": "front"}
	ctx.DeployableArtifact.Configuration = platform.Configuration{
		Command: []string{"/app"},
		Args:    []string{"--listen", ":8080"},
		Ports: map[string]platform.Port{
			"web":     {Port: 80, TargetPort: new(int64(8080))},
			"metrics": {Port: 9090},
			"dns":     {Port: 53, TargetPort: new(int64(5353)), Protocol: "UDP"},
		},
		Env: map[string]string{"PORT": "8080", "EMPTY": "", "CART_ADDR": "cart:7070"},
		Resources: &platform.Resources{
			Requests: &platform.Quantities{CPU: "0.1", Memory: "64Mi"},
			Limits:   &platform.Quantities{CPU: "200m", Memory: "128Mi"},
		},
		Probes: &platform.Probes{
			Readiness: &platform.Probe{
				HTTP: &platform.HTTPProbe{
					Path: "/ready", Port: "web", Scheme: "HTTPS",
					Headers: map[string]string{"X-Probe": "readiness", "Cookie": "session=probe"},
				},
				InitialDelaySeconds: new(int64(10)), PeriodSeconds: new(int64(5)), TimeoutSeconds: new(int64(3)),
				SuccessThreshold: new(int64(2)), FailureThreshold: new(int64(4)),
			},
			Liveness: &platform.Probe{
				GRPC:                          &platform.GRPCProbe{Port: 9090, Service: "health"},
				TerminationGracePeriodSeconds: new(int64(7)),
			},
			Startup: &platform.Probe{
				Exec:             &platform.ExecProbe{Command: []string{"/bin/check", "--startup"}},
				FailureThreshold: new(int64(30)),
			},
		},
		Scaling: &platform.Scaling{Replicas: new(int64(3))},
		Volumes: map[string]platform.Volume{
			"scratch": {MountPath: "/scratch", EmptyDir: &platform.EmptyDir{Medium: "Memory", SizeLimit: "1Gi"}},
			"cache":   {MountPath: "/cache", EmptyDir: &platform.EmptyDir{}},
			"tls":     {MountPath: "/etc/tls", ReadOnly: true, Secret: "web-tls"},
			"config":  {MountPath: "/etc/web", ConfigMap: "web-config"},
		},
		PodAnnotations:                map[string]string{"example.com/scrape": "true", "example.com/port": "9090"},
		TerminationGracePeriodSeconds: new(int64(45)),
	}
}
