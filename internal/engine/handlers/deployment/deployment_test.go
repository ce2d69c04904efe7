// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// at returns the path and title of each problem.
func at(problems []platform.Problem) [][2]string {
	var found [][2]string
	for _, p := range problems {
		found = append(found, [2]string{p.Path.String(), p.Title})
	}
	return found
}

// task makes the component a scheduled task, whose configuration change changes.
func task(change func(*platform.Configuration)) func(*dataplane.DeploymentContext) {
	return func(ctx *dataplane.DeploymentContext) {
		ctx.Component.Type = platform.TypeScheduledTask
		ctx.DeployableArtifact.Configuration.Schedule = &platform.Schedule{Cron: "@daily"}
		change(&ctx.DeployableArtifact.Configuration)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		change func(*dataplane.DeploymentContext)
		want   [][2]string
	}{
		"Fine": {
			reason: "A deployment with an image in an environment of the pipeline is fine.",
			change: everything,
		},
		"NoImage": {
			reason: "Without any image there is nothing to run.",
			change: func(ctx *dataplane.DeploymentContext) { ctx.ContainerImage = "" },
			want:   [][2]string{{"image", "Missing image"}},
		},
		"OutsidePipeline": {
			reason: "A deployment goes only where the project's pipeline leads.",
			change: func(ctx *dataplane.DeploymentContext) { ctx.Environment.Name = "qa" },
			want:   [][2]string{{"environment", "Environment outside the pipeline"}},
		},
		"UnknownPipeline": {
			reason: "A pipeline that is not known yet is not held against the deployment.",
			change: func(ctx *dataplane.DeploymentContext) { ctx.DeploymentPipeline = nil },
		},
		"PortsOfEventHandler": {
			reason: "Ports that nothing could reach are refused instead of being ignored.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Component.Type = platform.TypeEventHandler
				ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{"http": {Port: 80}}
			},
			want: [][2]string{{"configuration.ports", "Ports without a Service"}},
		},
		"EventHandler": {
			reason: "An event handler without ports is fine.",
			change: func(ctx *dataplane.DeploymentContext) { ctx.Component.Type = platform.TypeEventHandler },
		},
		"ScheduledTask": {
			reason: "A scheduled task may be probed for hanging and told how it runs.",
			change: task(func(c *platform.Configuration) {
				c.Probes = &platform.Probes{Liveness: &platform.Probe{}, Startup: &platform.Probe{}}
			}),
		},
		"NoSchedule": {
			reason: "A scheduled task has a schedule.",
			change: task(func(c *platform.Configuration) { c.Schedule = nil }),
			want:   [][2]string{{"configuration.schedule", "Missing schedule"}},
		},
		"NotForTasks": {
			reason: "What a task has no use for is refused instead of being ignored.",
			change: task(func(c *platform.Configuration) {
				c.Ports = map[string]platform.Port{"http": {Port: 80}}
				c.Scaling = &platform.Scaling{}
				c.Probes = &platform.Probes{Readiness: &platform.Probe{}}
			}),
			want: [][2]string{
				{"configuration.ports", "Ports without a Service"},
				{"configuration.scaling", "Scaling of a task"},
				{"configuration.probes.readiness", "Readiness of a task"},
			},
		},
		"ScheduleOfService": {
			reason: "A service runs all the time.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.DeployableArtifact.Configuration.Schedule = &platform.Schedule{Cron: "@daily"}
			},
			want: [][2]string{{"configuration.schedule", "Schedule without a task"}},
		},
		"UnknownType": {
			reason: "A placeholder for a type renders nothing: what it will be decides about the objects.",
			change: func(ctx *dataplane.DeploymentContext) { ctx.Component.Type = "7001" },
			want:   [][2]string{{"component", "Unknown component type"}},
		},
		"Several": {
			reason: "All problems are reported at once.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.Environment.Name = "qa"
				ctx.ContainerImage = ""
			},
			want: [][2]string{{"environment", "Environment outside the pipeline"}, {"image", "Missing image"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Deployment()
			tc.change(ctx)
			if diff := cmp.Diff(tc.want, at(Check(ctx))); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	ports := map[string]platform.Port{"http": {Port: 80, TargetPort: new(int64(8080))}, "grpc": {Port: 7070}}
	cases := map[string]struct {
		reason string
		change func(*dataplane.DeploymentContext)
		want   map[string]string
	}{
		"NoPorts": {
			reason: "Without ports there is no Service to reach.",
			change: func(*dataplane.DeploymentContext) {},
			want:   map[string]string{},
		},
		"Service": {
			reason: "Each port is reached through the Service, under the port that the Service offers.",
			change: func(ctx *dataplane.DeploymentContext) { ctx.DeployableArtifact.Configuration.Ports = ports },
			want: map[string]string{
				"http": "cart.dp-acme-shop-dev-677945f8.svc:80",
				"grpc": "cart.dp-acme-shop-dev-677945f8.svc:7070",
			},
		},
		"Track": {
			reason: "A named track has a Service of its own.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.DeployableArtifact.Configuration.Ports = map[string]platform.Port{"grpc": {Port: 7070}}
				handlertest.Track(ctx.DeploymentTrack, ctx.Deployment, "v2")
			},
			want: map[string]string{"grpc": "cart--v2.dp-acme-shop-dev-677945f8.svc:7070"},
		},
		"EventHandler": {
			reason: "An event handler has no Service.",
			change: func(ctx *dataplane.DeploymentContext) {
				ctx.DeployableArtifact.Configuration.Ports = ports
				ctx.Component.Type = platform.TypeEventHandler
			},
			want: map[string]string{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Deployment()
			tc.change(ctx)
			if diff := cmp.Diff(tc.want, Addresses(ctx)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	const tooBig = int64(1) << 31
	cases := map[string]struct {
		reason string
		change func(*platform.Configuration)
		want   string
	}{
		"Replicas": {
			reason: "A number of replicas that does not fit is refused instead of wrapping around.",
			change: func(c *platform.Configuration) { c.Scaling.Replicas = new(tooBig) },
			want:   "configuration.scaling.replicas",
		},
		"Port": {
			reason: "A port that does not fit is refused.",
			change: func(c *platform.Configuration) {
				c.Ports["web"] = platform.Port{Port: tooBig, TargetPort: new(int64(80))}
			},
			want: "configuration.ports.web.port",
		},
		"TargetPort": {
			reason: "A port of the container that does not fit is refused.",
			change: func(c *platform.Configuration) {
				c.Ports["web"] = platform.Port{Port: 80, TargetPort: new(tooBig)}
			},
			want: "configuration.ports.web",
		},
		"Timing": {
			reason: "A timing that does not fit is refused under its own name.",
			change: func(c *platform.Configuration) { c.Probes.Startup.PeriodSeconds = new(tooBig) },
			want:   "configuration.probes.startup.period_seconds",
		},
		"ProbePort": {
			reason: "A probe's port that does not fit is refused.",
			change: func(c *platform.Configuration) { c.Probes.Readiness.HTTP.Port = "2147483648" },
			want:   "configuration.probes.readiness.http.port",
		},
		"TCPProbePort": {
			reason: "A TCP probe's port that does not fit is refused.",
			change: func(c *platform.Configuration) {
				c.Probes.Readiness = &platform.Probe{TCP: &platform.TCPProbe{Port: "2147483648"}}
			},
			want: "configuration.probes.readiness.tcp.port",
		},
		"GRPCProbePort": {
			reason: "A gRPC probe's port that does not fit is refused.",
			change: func(c *platform.Configuration) { c.Probes.Liveness.GRPC.Port = tooBig },
			want:   "configuration.probes.liveness.grpc.port",
		},
		"EmptyProbe": {
			reason: "A probe without an action is refused.",
			change: func(c *platform.Configuration) { c.Probes.Liveness = &platform.Probe{} },
			want:   "configuration.probes.liveness",
		},
		"Request": {
			reason: "A bad quantity is refused instead of panicking.",
			change: func(c *platform.Configuration) { c.Resources.Requests.Memory = "much" },
			want:   "configuration.resources.requests.memory",
		},
		"Limit": {
			reason: "A bad limit is refused.",
			change: func(c *platform.Configuration) { c.Resources.Limits.CPU = "1x" },
			want:   "configuration.resources.limits.cpu",
		},
		"SizeLimit": {
			reason: "A bad size is refused.",
			change: func(c *platform.Configuration) { c.Volumes["scratch"].EmptyDir.SizeLimit = "big" },
			want:   "configuration.volumes.scratch.empty_dir.size_limit",
		},
		"EmptyVolume": {
			reason: "A volume without a source, which the API server would make scratch space, is refused.",
			change: func(c *platform.Configuration) { c.Volumes["tls"] = platform.Volume{MountPath: "/etc/tls"} },
			want:   "configuration.volumes.tls",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := handlertest.Deployment()
			everything(ctx)
			tc.change(&ctx.DeployableArtifact.Configuration)
			_, err := renderAll(ctx)
			problem, ok := errors.AsType[*platform.ProblemError](err)
			if !ok {
				t.Fatalf("%s\ngot %v, want a problem at %s", tc.reason, err, tc.want)
			}
			if got := problem.Problems[0].Path.String(); got != tc.want {
				t.Errorf("%s\nproblem at %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPodsKeepWhenOnlyLabelsChange(t *testing.T) {
	t.Parallel()
	template := func(labels map[string]string) any {
		ctx := handlertest.Deployment()
		ctx.Deployment.Labels = labels
		ctx.Deployment.DisplayName = "changed with the labels"
		resources, err := Workload(ctx)
		if err != nil {
			t.Fatal(err)
		}
		spec, _ := resources[0].Attributes["spec"].(map[string]any)
		return spec["template"]
	}
	if diff := cmp.Diff(template(nil), template(map[string]string{"team": "checkout"})); diff != "" {
		t.Errorf("An edit of the deployment's labels must not replace its pods: -want +got:\n%s", diff)
	}
}

func TestHandlers(t *testing.T) {
	t.Parallel()
	handlers := Handlers(nil, cellHandler{})
	var got []string
	for _, handler := range handlers {
		got = append(got, handler.Name())
	}
	if diff := cmp.Diff([]string{"Cell", "HorizontalPodAutoscaler", "Workload", "Service"}, got); diff != "" {
		t.Errorf("The cell comes first; inventories hold the names, so they never change: -want +got:\n%s", diff)
	}
	ctx := handlertest.Deployment()
	if handlers[1].IsRequired(ctx) || !handlers[2].IsRequired(ctx) || handlers[3].IsRequired(ctx) {
		t.Error("A deployment without ports and maximum needs a workload, no Service and no autoscaler.")
	}
}

// cellHandler stands for the handler that the engine makes cells with.
type cellHandler struct{}

func (cellHandler) Name() string                                                    { return "Cell" }
func (cellHandler) IsRequired(*dataplane.DeploymentContext) bool                    { return true }
func (cellHandler) Create(context.Context, *dataplane.DeploymentContext) error      { return nil }
func (cellHandler) Update(context.Context, *dataplane.DeploymentContext, any) error { return nil }
func (cellHandler) Delete(context.Context, *dataplane.DeploymentContext) error      { return nil }
func (cellHandler) GetCurrentState(context.Context, *dataplane.DeploymentContext) (any, error) {
	return struct{}{}, nil
}
