// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Outputs are what the engine computes of an object. Each kind fills in its own.
type Outputs struct {
	// Manifests are the owned fields of every object, as compact JSON with
	// sorted keys, by kind/namespace/name.
	Manifests map[string]string
	// Namespace is where a deployment runs.
	Namespace string
	// Release is the digest of what a deployment runs.
	Release string
	// PromotableRelease is what the source of a promoted deployment runs.
	PromotableRelease string
	// Addresses are ways in: by port for a deployment, by visibility for an endpoint.
	Addresses map[string]string
	// Cells are a project's namespaces by environment.
	Cells map[string]string
	// Environments are a pipeline's environments, sources first.
	Environments []string
	// ServerVersion is what a data plane's cluster reports.
	ServerVersion string
	// Ready and Status tell how the last rollout ended.
	Ready  bool
	Status string
	// Artifact is what a deployment runs, before overrides; its digest is Release.
	Artifact *platform.DeployableArtifact
	// Adopted is what stays of the objects that a deployment took over.
	Adopted *platform.Adopted
	// Warnings are worth telling the user before an apply.
	Warnings []platform.Problem
}

// manifestKey returns kind/namespace/name.
func manifestKey(resource *runtime.Resource) string {
	key, err := runtime.ParseKubernetesID(resource.ID)
	if err != nil {
		return resource.ID
	}
	return key.String()
}

// manifest returns the compact JSON of a resource; encoding/json sorts keys.
func manifest(resource *runtime.Resource) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(resource.Attributes); err != nil {
		return "", fmt.Errorf("encode %s: %w", manifestKey(resource), err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// planned returns the manifests that an apply will leave.
func planned(changes []dataplane.Change) (map[string]string, error) {
	manifests := map[string]string{}
	for _, change := range changes {
		if change.Action == runtime.ActionDelete {
			continue
		}
		text, err := manifest(change.Resource)
		if err != nil {
			return nil, err
		}
		manifests[manifestKey(change.Resource)] = text
	}
	return manifests, nil
}

// observed returns the manifests as they are; what is absent is left out.
func observed(observations []dataplane.Observation) (map[string]string, error) {
	manifests := map[string]string{}
	for _, observation := range observations {
		if observation.Live == nil {
			continue
		}
		text, err := manifest(observation.Live)
		if err != nil {
			return nil, err
		}
		manifests[manifestKey(observation.Rendered)] = text
	}
	return manifests, nil
}
