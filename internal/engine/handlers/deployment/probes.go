// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// setProbes renders the probes; targets leads from the name of a declared port to
// how the container knows it.
func setProbes(out *applyv1.ContainerApplyConfiguration, probes *platform.Probes, targets map[string]intstr.IntOrString) error {
	if probes == nil {
		return nil
	}
	for _, check := range []struct {
		name  string
		probe *platform.Probe
		set   func(*applyv1.ProbeApplyConfiguration) *applyv1.ContainerApplyConfiguration
	}{
		{"readiness", probes.Readiness, out.WithReadinessProbe},
		{"liveness", probes.Liveness, out.WithLivenessProbe},
		{"startup", probes.Startup, out.WithStartupProbe},
	} {
		if check.probe == nil {
			continue
		}
		rendered, err := probe(platform.Path{"configuration", "probes", check.name}, check.probe, targets)
		if err != nil {
			return err
		}
		check.set(rendered)
	}
	return nil
}

func probe(at platform.Path, spec *platform.Probe, targets map[string]intstr.IntOrString) (*applyv1.ProbeApplyConfiguration, error) {
	out := applyv1.Probe()
	if err := setAction(out, at, spec, targets); err != nil {
		return nil, err
	}
	for _, timing := range []struct {
		name  string
		value *int64
		set   func(int32) *applyv1.ProbeApplyConfiguration
	}{
		{"initial_delay_seconds", spec.InitialDelaySeconds, out.WithInitialDelaySeconds},
		{"period_seconds", spec.PeriodSeconds, out.WithPeriodSeconds},
		{"timeout_seconds", spec.TimeoutSeconds, out.WithTimeoutSeconds},
		{"success_threshold", spec.SuccessThreshold, out.WithSuccessThreshold},
		{"failure_threshold", spec.FailureThreshold, out.WithFailureThreshold},
	} {
		if timing.value == nil {
			continue
		}
		value, err := render.Int32(at.With(timing.name), *timing.value)
		if err != nil {
			return nil, err
		}
		timing.set(value)
	}
	if spec.TerminationGracePeriodSeconds != nil {
		out.WithTerminationGracePeriodSeconds(*spec.TerminationGracePeriodSeconds)
	}
	return out, nil
}

func setAction(out *applyv1.ProbeApplyConfiguration, at platform.Path, spec *platform.Probe, targets map[string]intstr.IntOrString) error {
	switch {
	case spec.Exec != nil:
		out.WithExec(applyv1.ExecAction().WithCommand(spec.Exec.Command...))
	case spec.HTTP != nil:
		action, err := httpAction(at.With("http"), spec.HTTP, targets)
		if err != nil {
			return err
		}
		out.WithHTTPGet(action)
	case spec.TCP != nil:
		port, err := probePort(at.With("tcp", "port"), spec.TCP.Port, targets)
		if err != nil {
			return err
		}
		out.WithTCPSocket(applyv1.TCPSocketAction().WithPort(port))
	case spec.GRPC != nil:
		port, err := render.Int32(at.With("grpc", "port"), spec.GRPC.Port)
		if err != nil {
			return err
		}
		action := applyv1.GRPCAction().WithPort(port)
		if spec.GRPC.Service != "" {
			action.WithService(spec.GRPC.Service)
		}
		out.WithGRPC(action)
	default:
		return render.Problem(at, "Empty probe", "A probe has exactly one of exec, http, tcp and grpc; none is set.")
	}
	return nil
}

func httpAction(at platform.Path, spec *platform.HTTPProbe, targets map[string]intstr.IntOrString) (*applyv1.HTTPGetActionApplyConfiguration, error) {
	port, err := probePort(at.With("port"), spec.Port, targets)
	if err != nil {
		return nil, err
	}
	action := applyv1.HTTPGetAction().WithPort(port)
	if spec.Path != "" {
		action.WithPath(spec.Path)
	}
	if spec.Scheme != "" {
		action.WithScheme(corev1.URIScheme(spec.Scheme))
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Headers)) {
		action.WithHTTPHeaders(applyv1.HTTPHeader().WithName(name).WithValue(spec.Headers[name]))
	}
	return action, nil
}

// probePort takes a number as a number and everything else as a port's name.
func probePort(at platform.Path, value string, targets map[string]intstr.IntOrString) (intstr.IntOrString, error) {
	if number, err := strconv.ParseInt(value, 10, 64); err == nil {
		port, err := render.Int32(at, number)
		return intstr.FromInt32(port), err
	}
	if port, ok := targets[value]; ok {
		return port, nil
	}
	return intstr.FromString(value), nil
}
