// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// configured returns a case that changes the configuration of a deployment.
func configured(reason string, change func(*platform.Configuration), want ...found) validation[platform.Deployment] {
	for i := range want {
		want[i].Path = "configuration." + want[i].Path
	}
	return validation[platform.Deployment]{reason: reason, change: func(d *platform.Deployment) { change(&d.Configuration) }, want: want}
}

func TestDeployment(t *testing.T) {
	t.Parallel()
	type deployment = platform.Deployment
	validate(t, validDeployment, map[string]validation[deployment]{
		"Minimal":     {reason: "A component and an environment are all that a deployment needs.", change: func(d *deployment) { *d = deployment{Component: "shop/cart", Environment: "dev"} }},
		"NoComponent": {reason: "A component is required.", change: func(d *deployment) { d.Component = "" }, want: []found{{"component", "Invalid reference"}}},
		"ShortID":     {reason: "A component's id has two parts.", change: func(d *deployment) { d.Component = "cart" }, want: []found{{"component", "Invalid reference"}}},
		"LongID":      {reason: "A component's id has no third part.", change: func(d *deployment) { d.Component = "shop/cart/main" }, want: []found{{"component", "Invalid reference"}}},
		"Track":       {reason: "A track is a label.", change: func(d *deployment) { d.Track = "feature/x" }, want: []found{{"track", "Invalid label"}}},
		"Environment": {reason: "An environment is required.", change: func(d *deployment) { d.Environment = "" }, want: []found{{"environment", "Invalid reference"}}},
		"Labels":      {reason: "Labels are checked.", change: func(d *deployment) { d.Labels = map[string]string{"a": "!"} }, want: []found{{"labels.a", "Invalid label value"}}},
		"OnFailure":   {reason: "What happens on failure is one of three things.", change: func(d *deployment) { d.OnFailure = "retry" }, want: []found{{"on_failure", "Unsupported value"}}},
		"Image":       {reason: "An image is a reference.", change: func(d *deployment) { d.Image = "a b" }, want: []found{{"image", "Invalid image"}}},
	})
}

func autoscaler() platform.Scaling {
	return platform.Scaling{
		MinReplicas: new(int64(5)), MaxReplicas: new(int64(5)),
		TargetCPUUtilizationPercentage: new(int64(80)), TargetMemoryUtilizationPercentage: new(int64(200)),
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	type conf = platform.Configuration
	const tooLarge = int64(1) << 31
	port := func(name string, p platform.Port) func(*conf) { return func(c *conf) { c.Ports[name] = p } }
	validate(t, validDeployment, map[string]validation[platform.Deployment]{
		"PortName":      configured("A port's name is a service name.", port("Web_1", platform.Port{Port: 1}), found{"ports.Web_1", "Invalid port name"}),
		"LongPortName":  configured("A port's name has at most 15 characters.", port("a-very-long-name", platform.Port{Port: 1}), found{"ports.a-very-long-name", "Invalid port name"}),
		"NoPort":        configured("A port has a number.", port("web", platform.Port{}), found{"ports.web.port", "Invalid port"}),
		"LargePort":     configured("A port has 16 bits.", port("web", platform.Port{Port: 65536}), found{"ports.web.port", "Invalid port"}),
		"TargetPort":    configured("A target port has 16 bits.", port("web", platform.Port{Port: 1, TargetPort: new(int64(-1))}), found{"ports.web.target_port", "Invalid port"}),
		"Protocol":      configured("A protocol is one of the known ones.", port("web", platform.Port{Port: 1, Protocol: "tcp"}), found{"ports.web.protocol", "Unsupported value"}),
		"DuplicatePort": configured("A Service offers a port once.", port("web", platform.Port{Port: 80}), found{"ports.web.port", "Duplicate port"}),
		"SharedTarget":  configured("Two ports may lead to one of the container.", port("web", platform.Port{Port: 81, TargetPort: new(int64(8080))})),

		"EnvName":  configured("A variable's name does not start with a digit.", func(c *conf) { c.Env["1A"] = "" }, found{"env.1A", "Invalid variable name"}),
		"EnvEmpty": configured("A variable has a name.", func(c *conf) { c.Env[""] = "" }, found{"env.", "Invalid variable name"}),

		"NoResources":   configured("Resources are optional.", func(c *conf) { c.Resources = &platform.Resources{} }),
		"RequestCPU":    configured("A request is a quantity.", func(c *conf) { c.Resources.Requests.CPU = "half" }, found{"resources.requests.cpu", "Invalid quantity"}),
		"RequestMemory": configured("A request's unit is known.", func(c *conf) { c.Resources.Requests.Memory = "1GB" }, found{"resources.requests.memory", "Invalid quantity"}),
		"LimitCPU":      configured("A limit is not negative.", func(c *conf) { c.Resources.Requests, c.Resources.Limits.CPU = nil, "-1" }, found{"resources.limits.cpu", "Invalid quantity"}),
		"LimitMemory":   configured("A limit is a quantity.", func(c *conf) { c.Resources.Limits.Memory = "1 Gi" }, found{"resources.limits.memory", "Invalid quantity"}),
		"CPUAbove":      configured("A request does not exceed its limit, whatever the spelling.", func(c *conf) { c.Resources.Requests.CPU = "0.501" }, found{"resources.requests.cpu", "Request above limit"}),
		"MemoryAbove":   configured("A request does not exceed its limit, whatever the unit.", func(c *conf) { c.Resources.Requests.Memory = "1025Mi" }, found{"resources.requests.memory", "Request above limit"}),

		"Replicas":     configured("Replicas are not negative.", func(c *conf) { c.Scaling.Replicas = new(int64(-1)) }, found{"scaling.replicas", "Value too small"}),
		"ManyReplicas": configured("Replicas have 32 bits.", func(c *conf) { c.Scaling.Replicas = new(tooLarge) }, found{"scaling.replicas", "Value too large"}),
		"Autoscaler":   configured("An autoscaler has a maximum and a target.", func(c *conf) { *c.Scaling = autoscaler() }),
		"Limited": configured("A limit of a resource is also a request for it.", func(c *conf) {
			*c.Scaling, c.Resources.Requests = autoscaler(), nil
		}),
		"NoRequest": configured("A target is a part of what is requested.", func(c *conf) { *c.Scaling, c.Resources = autoscaler(), nil },
			found{"scaling.target_cpu_utilization_percentage", "Missing request"}, found{"scaling.target_memory_utilization_percentage", "Missing request"}),
		"NoReplicas":    configured("Replicas are optional.", func(c *conf) { c.Scaling = &platform.Scaling{} }),
		"GracePeriod":   configured("A grace period is not negative.", func(c *conf) { c.TerminationGracePeriodSeconds = new(int64(-1)) }, found{"termination_grace_period_seconds", "Value too small"}),
		"Annotation":    configured("An annotation's key is a qualified name.", func(c *conf) { c.PodAnnotations["a b"] = "" }, found{"pod_annotations.a b", "Invalid annotation key"}),
		"OurAnnotation": configured("Annotations of the platform's domain are the provider's.", func(c *conf) { c.PodAnnotations["openplatform.dev/x"] = "" }, found{"pod_annotations.openplatform.dev/x", "Reserved annotation key"}),
	})
}

func TestProbes(t *testing.T) {
	t.Parallel()
	type conf = platform.Configuration
	readiness := func(change func(*platform.Probe)) func(*conf) {
		return func(c *conf) { change(c.Probes.Readiness) }
	}
	validate(t, validDeployment, map[string]validation[platform.Deployment]{
		"None":       configured("Probes are optional.", func(c *conf) { c.Probes = &platform.Probes{} }),
		"NoAction":   configured("A probe has an action.", readiness(func(p *platform.Probe) { p.HTTP = nil }), found{"probes.readiness", "Ambiguous probe"}),
		"TwoActions": configured("A probe has one action.", readiness(func(p *platform.Probe) { p.TCP = &platform.TCPProbe{Port: "1"} }), found{"probes.readiness", "Ambiguous probe"}),
		"NoCommand":  configured("An exec probe has a command.", func(c *conf) { c.Probes.Startup.Exec.Command = nil }, found{"probes.startup.exec.command", "Missing command"}),
		"HTTPPort":   configured("A probe's port is a number or one of the ports.", readiness(func(p *platform.Probe) { p.HTTP.Port = "web" }), found{"probes.readiness.http.port", "Unknown port"}),
		"NoHTTPPort": configured("A probe has a port.", readiness(func(p *platform.Probe) { p.HTTP.Port = "" }), found{"probes.readiness.http.port", "Unknown port"}),
		"HTTPNumber": configured("A probe's port number has 16 bits.", readiness(func(p *platform.Probe) { p.HTTP.Port = "65536" }), found{"probes.readiness.http.port", "Invalid port"}),
		"HTTPScheme": configured("A probe's scheme is upper case, as in the API.", readiness(func(p *platform.Probe) { p.HTTP.Scheme = "https" }), found{"probes.readiness.http.scheme", "Unsupported value"}),
		"HTTPPath":   configured("A probe's path starts with a slash.", readiness(func(p *platform.Probe) { p.HTTP.Path = "ready" }), found{"probes.readiness.http.path", "Invalid path"}),
		"NoHTTPPath": configured("A probe's path is optional.", readiness(func(p *platform.Probe) { p.HTTP.Path = "" })),
		"TCPPort":    configured("A TCP probe's port is known.", func(c *conf) { c.Probes.Liveness.TCP.Port = "web" }, found{"probes.liveness.tcp.port", "Unknown port"}),
		"GRPCPort": configured("A gRPC probe has a port number.", func(c *conf) { c.Probes.Startup = &platform.Probe{GRPC: &platform.GRPCProbe{}} },
			found{"probes.startup.grpc.port", "Invalid port"}),

		"InitialDelay": configured("A delay is not negative.", readiness(func(p *platform.Probe) { p.InitialDelaySeconds = new(int64(-1)) }), found{"probes.readiness.initial_delay_seconds", "Value too small"}),
		"Period":       configured("A period lasts at least a second.", readiness(func(p *platform.Probe) { p.PeriodSeconds = new(int64(0)) }), found{"probes.readiness.period_seconds", "Value too small"}),
		"LongPeriod":   configured("A period has 32 bits.", readiness(func(p *platform.Probe) { p.PeriodSeconds = new(int64(1) << 40) }), found{"probes.readiness.period_seconds", "Value too large"}),
		"Timeout":      configured("A timeout lasts at least a second.", readiness(func(p *platform.Probe) { p.TimeoutSeconds = new(int64(0)) }), found{"probes.readiness.timeout_seconds", "Value too small"}),
		"Success":      configured("It takes at least one success.", readiness(func(p *platform.Probe) { p.SuccessThreshold = new(int64(0)) }), found{"probes.readiness.success_threshold", "Value too small"}),
		"Failure":      configured("It takes at least one failure.", readiness(func(p *platform.Probe) { p.FailureThreshold = new(int64(0)) }), found{"probes.readiness.failure_threshold", "Value too small"}),
		"Grace":        configured("A grace period lasts at least a second.", func(c *conf) { c.Probes.Liveness.TerminationGracePeriodSeconds = new(int64(0)) }, found{"probes.liveness.termination_grace_period_seconds", "Value too small"}),

		"LivenessSuccess": configured("A liveness probe succeeds at once.", func(c *conf) { c.Probes.Liveness.SuccessThreshold = new(int64(2)) }, found{"probes.liveness.success_threshold", "Invalid threshold"}),
		"StartupSuccess":  configured("A startup probe succeeds at once.", func(c *conf) { c.Probes.Startup.SuccessThreshold = new(int64(2)) }, found{"probes.startup.success_threshold", "Invalid threshold"}),
		"ReadinessGrace":  configured("A readiness probe ends no container.", readiness(func(p *platform.Probe) { p.TerminationGracePeriodSeconds = new(int64(5)) }), found{"probes.readiness.termination_grace_period_seconds", "Not for readiness probes"}),
	})
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	type conf = platform.Configuration
	volume := func(name string, v platform.Volume) func(*conf) { return func(c *conf) { c.Volumes[name] = v } }
	mounted := func(path string) func(*conf) { return volume("x", platform.Volume{MountPath: path, Secret: "s"}) }
	validate(t, validDeployment, map[string]validation[platform.Deployment]{
		"Name":       configured("A volume's name is a label.", volume("A", platform.Volume{MountPath: "/a", Secret: "s"}), found{"volumes.A", "Invalid label"}),
		"NoSource":   configured("A volume has a source.", volume("x", platform.Volume{MountPath: "/x"}), found{"volumes.x", "Ambiguous volume"}),
		"TwoSources": configured("A volume has one source.", volume("x", platform.Volume{MountPath: "/x", Secret: "s", ConfigMap: "c"}), found{"volumes.x", "Ambiguous volume"}),
		"Secret":     configured("A Secret has an object's name.", volume("x", platform.Volume{MountPath: "/x", Secret: "S"}), found{"volumes.x.secret", "Invalid object name"}),
		"ConfigMap":  configured("A ConfigMap has an object's name.", volume("x", platform.Volume{MountPath: "/x", ConfigMap: "a_b"}), found{"volumes.x.config_map", "Invalid object name"}),
		"Medium":     configured("A medium is Memory.", volume("x", platform.Volume{MountPath: "/x", EmptyDir: &platform.EmptyDir{Medium: "Disk"}}), found{"volumes.x.empty_dir.medium", "Unsupported value"}),
		"SizeLimit":  configured("A size is a quantity.", volume("x", platform.Volume{MountPath: "/x", EmptyDir: &platform.EmptyDir{SizeLimit: "big"}}), found{"volumes.x.empty_dir.size_limit", "Invalid quantity"}),
		"NoMount":    configured("A volume is mounted.", mounted(""), found{"volumes.x.mount_path", "Invalid mount path"}),
		"Relative":   configured("A mount path is absolute.", mounted("data"), found{"volumes.x.mount_path", "Invalid mount path"}),
		"Unclean":    configured("A mount path is clean.", mounted("/data/"), found{"volumes.x.mount_path", "Invalid mount path"}),
		"Colon":      configured("A mount path has no colon.", mounted("/a:b"), found{"volumes.x.mount_path", "Invalid mount path"}),
		"Duplicate":  configured("A path is mounted once.", mounted("/scratch"), found{"volumes.x.mount_path", "Duplicate mount path"}),
	})
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	cron := func(reason, value string, want ...string) validation[platform.Deployment] {
		var problems []found
		for _, title := range want {
			problems = append(problems, found{"schedule.cron", title})
		}
		return configured(reason, func(c *platform.Configuration) { c.Schedule = &platform.Schedule{Cron: value} }, problems...)
	}
	zone := func(reason, value string, want ...string) validation[platform.Deployment] {
		var problems []found
		for _, title := range want {
			problems = append(problems, found{"schedule.timezone", title})
		}
		return configured(reason, func(c *platform.Configuration) {
			c.Schedule = &platform.Schedule{Cron: "@daily", Timezone: value}
		}, problems...)
	}
	const invalid, never, zoned, unknown = "Invalid schedule", "Schedule that never comes", "Time zone in the schedule", "Unknown time zone"
	validate(t, validDeployment, map[string]validation[platform.Deployment]{
		"Fields":     cron("A schedule has five fields.", "*/5 0-6,22 1 jan-mar MON"),
		"AnyDay":     cron("A question mark stands for every day.", "0 4 ? * ?"),
		"Macro":      cron("A macro stands for five fields.", "@hourly"),
		"Every":      cron("An interval is a schedule.", "@every 90m"),
		"LeapDay":    cron("The 29th of February comes.", "0 0 29 2 *"),
		"NoSchedule": cron("A schedule is required.", "", invalid),
		"Seconds":    cron("Six fields are none of Kubernetes' schedules.", "0 0 4 * * *", invalid),
		"FourFields": cron("Four fields are one too few.", "0 4 * *", invalid),
		"Range":      cron("An hour has 60 minutes.", "60 4 * * *", invalid),
		"Step":       cron("A step of zero never ends.", "*/0 * * * *", invalid),
		"Reboot":     cron("Nothing is rebooted.", "@reboot", invalid),
		"Word":       cron("A word is no schedule.", "daily", invalid),
		"NoSuchDay":  cron("The 31st of February never comes.", "0 0 31 2 *", never),
		"Zone":       cron("The time zone has an attribute of its own.", "TZ=Europe/Berlin 0 4 * * *", zoned),
		"CronZone":   cron("The other spelling is refused too.", "CRON_TZ=UTC 0 4 * * *", zoned),
		"ZoneAlone":  cron("A time zone without fields does not panic.", "TZ=UTC", zoned),
		"Place":      zone("A zone has an IANA name.", "America/Argentina/Buenos_Aires"),
		"UTC":        zone("UTC is a zone.", "UTC"),
		"NoZone":     zone("A zone is optional.", ""),
		"Offset":     zone("An offset is no zone.", "+02:00", unknown),
		"Nowhere":    zone("A zone exists.", "Europe/Atlantis", unknown),
		"Local":      zone("The local zone is nobody's in particular.", "local", unknown),
		"Path":       zone("A zone is no path.", "../UTC", unknown),
	})
}
