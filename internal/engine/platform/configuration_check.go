// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

func (f *Configuration) validate(c *checker, at Path) {
	f.validatePorts(c, at.With("ports"))
	for _, name := range slices.Sorted(maps.Keys(f.Env)) {
		if problems := validation.IsEnvVarName(name); len(problems) > 0 {
			c.add(at.With("env", name), "Invalid variable name", fmt.Sprintf("%q is not the name of an environment variable: use letters, digits, '_', '-' and '.', not starting with a digit.", name))
		}
	}
	if r := f.Resources; r != nil {
		r.validate(c, at.With("resources"))
	}
	if p := f.Probes; p != nil {
		probes := at.With("probes")
		p.Readiness.validate(c, probes.With("readiness"), f.Ports)
		p.Liveness.validate(c, probes.With("liveness"), f.Ports)
		p.Startup.validate(c, probes.With("startup"), f.Ports)
		one := int64(1)
		for _, check := range []struct {
			name  string
			probe *Probe
		}{{"liveness", p.Liveness}, {"startup", p.Startup}} {
			if check.probe != nil && check.probe.SuccessThreshold != nil && *check.probe.SuccessThreshold != one {
				c.add(probes.With(check.name, "success_threshold"), "Invalid threshold", fmt.Sprintf("A liveness or startup probe succeeds at the first success, not after %d; remove the attribute or set 1.", *check.probe.SuccessThreshold))
			}
		}
		if p.Readiness != nil && p.Readiness.TerminationGracePeriodSeconds != nil {
			c.add(probes.With("readiness", "termination_grace_period_seconds"), "Not for readiness probes", "A failing readiness probe ends no container, so it has no grace period; remove the attribute.")
		}
	}
	if s := f.Scaling; s != nil {
		s.validate(c, at.With("scaling"), f.Resources)
	}
	if s := f.Schedule; s != nil {
		c.cron(at.With("schedule", "cron"), s.Cron)
		c.timezone(at.With("schedule", "timezone"), s.Timezone)
	}
	f.validateVolumes(c, at.With("volumes"))
	c.annotations(at.With("pod_annotations"), f.PodAnnotations)
	c.atLeast(at.With("termination_grace_period_seconds"), f.TerminationGracePeriodSeconds, 0)
}

func (f *Configuration) validatePorts(c *checker, at Path) {
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(f.Ports)) {
		port := f.Ports[name]
		c.portName(at.With(name), name)
		c.port(at.With(name, "port"), port.Port)
		if port.TargetPort != nil {
			c.port(at.With(name, "target_port"), *port.TargetPort)
		}
		c.oneOf(at.With(name, "protocol"), port.Protocol, Protocols())
		key := fmt.Sprintf("%d/%s", port.Port, port.TransportProtocol())
		if other, ok := seen[key]; ok {
			c.add(at.With(name, "port"), "Duplicate port", fmt.Sprintf("The port %s is also that of %q; a Service offers each port once.", key, other))
		}
		seen[key] = name
	}
}

func (r *Resources) validate(c *checker, at Path) {
	requests, limits := r.Requests, r.Limits
	if requests == nil {
		requests = &Quantities{}
	}
	if limits == nil {
		limits = &Quantities{}
	}
	c.quantity(at.With("requests", "cpu"), requests.CPU)
	c.quantity(at.With("requests", "memory"), requests.Memory)
	c.quantity(at.With("limits", "cpu"), limits.CPU)
	c.quantity(at.With("limits", "memory"), limits.Memory)
	c.notAbove(at.With("requests", "cpu"), requests.CPU, limits.CPU)
	c.notAbove(at.With("requests", "memory"), requests.Memory, limits.Memory)
}

func (p *Probe) validate(c *checker, at Path, ports map[string]Port) {
	if p == nil {
		return
	}
	actions := 0
	for _, set := range []bool{p.Exec != nil, p.HTTP != nil, p.TCP != nil, p.GRPC != nil} {
		if set {
			actions++
		}
	}
	if actions != 1 {
		c.add(at, "Ambiguous probe", fmt.Sprintf("A probe has exactly one of exec, http, tcp and grpc; %d are set.", actions))
	}
	if p.Exec != nil && len(p.Exec.Command) == 0 {
		c.add(at.With("exec", "command"), "Missing command", "An exec probe needs a command.")
	}
	if h := p.HTTP; h != nil {
		probePort(c, at.With("http", "port"), h.Port, ports)
		c.oneOf(at.With("http", "scheme"), h.Scheme, ProbeSchemes())
		if h.Path != "" && !strings.HasPrefix(h.Path, "/") {
			c.add(at.With("http", "path"), "Invalid path", fmt.Sprintf("%q does not start with a slash.", h.Path))
		}
		for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
			if len(validation.IsHTTPHeaderName(name)) > 0 {
				c.add(at.With("http", "headers", name), "Invalid header name", fmt.Sprintf("%q is not the name of an HTTP header: use letters, digits and hyphens.", name))
			}
		}
	}
	if p.TCP != nil {
		probePort(c, at.With("tcp", "port"), p.TCP.Port, ports)
	}
	if p.GRPC != nil {
		c.port(at.With("grpc", "port"), p.GRPC.Port)
	}
	c.atLeast(at.With("initial_delay_seconds"), p.InitialDelaySeconds, 0)
	c.atLeast(at.With("period_seconds"), p.PeriodSeconds, 1)
	c.atLeast(at.With("timeout_seconds"), p.TimeoutSeconds, 1)
	c.atLeast(at.With("success_threshold"), p.SuccessThreshold, 1)
	c.atLeast(at.With("failure_threshold"), p.FailureThreshold, 1)
	c.atLeast(at.With("termination_grace_period_seconds"), p.TerminationGracePeriodSeconds, 1)
}

// probePort checks a port given as a number or as the name of a declared port.
func probePort(c *checker, at Path, value string, ports map[string]Port) {
	if number, err := strconv.ParseInt(value, 10, 64); err == nil {
		c.port(at, number)
		return
	}
	if _, ok := ports[value]; !ok {
		names := slices.Sorted(maps.Keys(ports))
		c.add(at, "Unknown port", fmt.Sprintf("%q is neither a number nor one of the configuration's ports (%s).", value, strings.Join(names, ", ")))
	}
}

func (f *Configuration) validateVolumes(c *checker, at Path) {
	mounts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(f.Volumes)) {
		volume := f.Volumes[name]
		c.label(at.With(name), name)
		sources := 0
		for _, set := range []bool{volume.EmptyDir != nil, volume.Secret != "", volume.ConfigMap != ""} {
			if set {
				sources++
			}
		}
		if sources != 1 {
			c.add(at.With(name), "Ambiguous volume", fmt.Sprintf("A volume has exactly one of empty_dir, secret and config_map; %d are set.", sources))
		}
		if volume.Secret != "" {
			c.objectName(at.With(name, "secret"), volume.Secret)
		}
		if volume.ConfigMap != "" {
			c.objectName(at.With(name, "config_map"), volume.ConfigMap)
		}
		if e := volume.EmptyDir; e != nil {
			c.oneOf(at.With(name, "empty_dir", "medium"), e.Medium, []string{"Memory"})
			c.quantity(at.With(name, "empty_dir", "size_limit"), e.SizeLimit)
		}
		switch mount := volume.MountPath; {
		case !path.IsAbs(mount) || path.Clean(mount) != mount || strings.Contains(mount, ":"):
			c.add(at.With(name, "mount_path"), "Invalid mount path", fmt.Sprintf("%q is not a clean absolute path without colons.", mount))
		case mounts[mount] != "":
			c.add(at.With(name, "mount_path"), "Duplicate mount path", fmt.Sprintf("The volume %q is mounted at %s too.", mounts[mount], mount))
		default:
			mounts[mount] = name
		}
	}
}
