// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func container(ctx *dataplane.DeploymentContext) (*applyv1.ContainerApplyConfiguration, error) {
	configuration := &ctx.DeployableArtifact.Configuration
	ports, targets, err := containerPorts(configuration.Ports, ctx.Adopted)
	if err != nil {
		return nil, err
	}
	out := applyv1.Container().
		WithName(containerName(ctx)).
		WithImage(ctx.ContainerImage).
		WithCommand(configuration.Command...).
		WithArgs(configuration.Args...).
		WithPorts(ports...).
		WithEnv(environment(configuration.Env, ctx.Adopted.FoundOrder().Env)...).
		WithVolumeMounts(mounts(configuration.Volumes, ctx.Adopted.FoundOrder().VolumeMounts)...)
	if ctx.Adopted == nil {
		out.WithSecurityContext(applyv1.SecurityContext().WithAllowPrivilegeEscalation(false))
	}
	if err := setResources(out, configuration.Resources); err != nil {
		return nil, err
	}
	if err := setProbes(out, configuration.Probes, targets); err != nil {
		return nil, err
	}
	return out, nil
}

func containerName(ctx *dataplane.DeploymentContext) string {
	if ctx.Adopted != nil {
		return ctx.Adopted.Container
	}
	return ctx.Component.Name
}

// containerPorts returns the ports that the container listens on, and for each
// declared name how the container knows it: several ports of a Service may lead
// to one of the container, which server-side apply takes once, and a container
// that was taken over keeps the names of its ports, or that they have none.
func containerPorts(ports map[string]platform.Port, adopted *platform.Adopted) ([]*applyv1.ContainerPortApplyConfiguration, map[string]intstr.IntOrString, error) {
	key := func(name string) string { return portKey(ports[name].ContainerPort(), ports[name].TransportProtocol()) }
	first := map[string]string{}
	targets := map[string]intstr.IntOrString{}
	list := make([]*applyv1.ContainerPortApplyConfiguration, 0, len(ports))
	for _, name := range ordered(ports, adopted.FoundOrder().Ports, key) {
		number, err := render.Int32(platform.Path{"configuration", "ports", name}, ports[name].ContainerPort())
		if err != nil {
			return nil, nil, err
		}
		if known, ok := first[key(name)]; ok {
			targets[name] = targets[known]
			continue
		}
		first[key(name)] = name
		out := applyv1.ContainerPort().
			WithContainerPort(number).
			WithProtocol(corev1.Protocol(ports[name].TransportProtocol()))
		if known := portName(name, key(name), adopted); known != "" {
			out.WithName(known)
			targets[name] = intstr.FromString(known)
		} else {
			targets[name] = intstr.FromInt32(number)
		}
		list = append(list, out)
	}
	return list, targets, nil
}

// portName returns the name that the container has for a port, which may be none.
func portName(name, key string, adopted *platform.Adopted) string {
	if adopted != nil {
		if known, ok := adopted.ContainerPorts[key]; ok {
			return known
		}
	}
	return name
}

// portKey tells the ports of a container apart, as in 8080/TCP.
func portKey(number int64, protocol string) string { return fmt.Sprintf("%d/%s", number, protocol) }

// ordered returns the keys of a map, sorted, but first those of found in the order
// in which they were found; as is what a key is called there.
func ordered[V any](values map[string]V, found []string, as func(string) string) []string {
	rank := func(name string) int {
		if at := slices.Index(found, as(name)); at >= 0 {
			return at
		}
		return len(found)
	}
	names := slices.Sorted(maps.Keys(values))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return names
}

func itself(name string) string { return name }

// environment keeps empty values: "" is a value.
func environment(env map[string]string, found []string) []*applyv1.EnvVarApplyConfiguration {
	list := make([]*applyv1.EnvVarApplyConfiguration, 0, len(env))
	for _, name := range ordered(env, found, itself) {
		list = append(list, applyv1.EnvVar().WithName(name).WithValue(env[name]))
	}
	return list
}

func setResources(out *applyv1.ContainerApplyConfiguration, resources *platform.Resources) error {
	if resources == nil {
		return nil
	}
	at := platform.Path{"configuration", "resources"}
	requests, err := resourceList(at.With("requests"), resources.Requests)
	if err != nil {
		return err
	}
	limits, err := resourceList(at.With("limits"), resources.Limits)
	if err != nil {
		return err
	}
	requirements := applyv1.ResourceRequirements()
	if len(requests) > 0 {
		requirements.WithRequests(requests)
	}
	if len(limits) > 0 {
		requirements.WithLimits(limits)
	}
	if len(requests)+len(limits) > 0 {
		out.WithResources(requirements)
	}
	return nil
}

func resourceList(at platform.Path, quantities *platform.Quantities) (corev1.ResourceList, error) {
	list := corev1.ResourceList{}
	if quantities == nil {
		return list, nil
	}
	for _, item := range []struct {
		name  corev1.ResourceName
		value string
	}{
		{corev1.ResourceCPU, quantities.CPU},
		{corev1.ResourceMemory, quantities.Memory},
	} {
		if item.value == "" {
			continue
		}
		quantity, err := render.Quantity(at.With(string(item.name)), item.value)
		if err != nil {
			return nil, err
		}
		list[item.name] = quantity
	}
	return list, nil
}
