// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func container(name, image string, configuration *platform.Configuration) (*applyv1.ContainerApplyConfiguration, error) {
	ports, names, err := containerPorts(configuration.Ports)
	if err != nil {
		return nil, err
	}
	out := applyv1.Container().
		WithName(name).
		WithImage(image).
		WithCommand(configuration.Command...).
		WithArgs(configuration.Args...).
		WithPorts(ports...).
		WithEnv(environment(configuration.Env)...).
		WithVolumeMounts(mounts(configuration.Volumes)...).
		WithSecurityContext(applyv1.SecurityContext().WithAllowPrivilegeEscalation(false))
	if err := setResources(out, configuration.Resources); err != nil {
		return nil, err
	}
	if err := setProbes(out, configuration.Probes, names); err != nil {
		return nil, err
	}
	return out, nil
}

// containerPorts returns the ports that the container listens on, and for each
// declared name the one under which the container has it: several ports of a
// Service may lead to one of the container, which server-side apply takes once.
func containerPorts(ports map[string]platform.Port) ([]*applyv1.ContainerPortApplyConfiguration, map[string]string, error) {
	type identity struct {
		number   int32
		protocol string
	}
	first := map[identity]string{}
	names := map[string]string{}
	list := make([]*applyv1.ContainerPortApplyConfiguration, 0, len(ports))
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		number, err := render.Int32(platform.Path{"configuration", "ports", name}, ports[name].ContainerPort())
		if err != nil {
			return nil, nil, err
		}
		key := identity{number, ports[name].TransportProtocol()}
		if known, ok := first[key]; ok {
			names[name] = known
			continue
		}
		first[key], names[name] = name, name
		list = append(list, applyv1.ContainerPort().
			WithName(name).
			WithContainerPort(number).
			WithProtocol(corev1.Protocol(key.protocol)))
	}
	return list, names, nil
}

// environment keeps empty values: "" is a value.
func environment(env map[string]string) []*applyv1.EnvVarApplyConfiguration {
	list := make([]*applyv1.EnvVarApplyConfiguration, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
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
