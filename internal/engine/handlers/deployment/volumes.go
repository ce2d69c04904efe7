// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	corev1 "k8s.io/api/core/v1"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func podVolumes(volumes map[string]platform.Volume, found []string) ([]*applyv1.VolumeApplyConfiguration, error) {
	list := make([]*applyv1.VolumeApplyConfiguration, 0, len(volumes))
	for _, name := range ordered(volumes, found, itself) {
		at := platform.Path{"configuration", "volumes", name}
		out := applyv1.Volume().WithName(name)
		switch spec := volumes[name]; {
		case spec.EmptyDir != nil:
			source, err := emptyDir(at.With("empty_dir"), spec.EmptyDir)
			if err != nil {
				return nil, err
			}
			out.WithEmptyDir(source)
		case spec.Secret != "":
			out.WithSecret(applyv1.SecretVolumeSource().WithSecretName(spec.Secret))
		case spec.ConfigMap != "":
			out.WithConfigMap(applyv1.ConfigMapVolumeSource().WithName(spec.ConfigMap))
		default:
			// The API server would take a volume without a source for scratch space.
			return nil, render.Problem(at, "Empty volume", "A volume has exactly one of empty_dir, secret and config_map; none is set.")
		}
		list = append(list, out)
	}
	return list, nil
}

func emptyDir(at platform.Path, spec *platform.EmptyDir) (*applyv1.EmptyDirVolumeSourceApplyConfiguration, error) {
	source := applyv1.EmptyDirVolumeSource()
	if spec.Medium != "" {
		source.WithMedium(corev1.StorageMedium(spec.Medium))
	}
	if spec.SizeLimit != "" {
		limit, err := render.Quantity(at.With("size_limit"), spec.SizeLimit)
		if err != nil {
			return nil, err
		}
		source.WithSizeLimit(limit)
	}
	return source, nil
}

func mounts(volumes map[string]platform.Volume, found []string) []*applyv1.VolumeMountApplyConfiguration {
	list := make([]*applyv1.VolumeMountApplyConfiguration, 0, len(volumes))
	for _, name := range ordered(volumes, found, itself) {
		mount := applyv1.VolumeMount().WithName(name).WithMountPath(volumes[name].MountPath)
		if volumes[name].ReadOnly {
			mount.WithReadOnly(true)
		}
		list = append(list, mount)
	}
	return list
}
