// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Project is a bounded set of components that share a namespace per environment.
type Project struct {
	Name               string            `json:"name"`
	DisplayName        string            `json:"display_name,omitempty"`
	Description        string            `json:"description,omitempty"`
	Labels             map[string]string `json:"labels,omitempty"`
	DeploymentPipeline string            `json:"deployment_pipeline"`
	// Namespaces are existing namespaces that the project uses, by environment.
	// They are neither made nor changed nor removed.
	Namespaces map[string]string `json:"namespaces,omitempty"`
	// NamespaceLabels are added to the project's namespaces.
	NamespaceLabels map[string]string `json:"namespace_labels,omitempty"`
	// ForceDestroy lets destroy remove namespaces that hold objects of others.
	ForceDestroy bool `json:"force_destroy,omitempty"`
}

// Kind returns KindProject.
func (*Project) Kind() Kind { return KindProject }

// ID returns the name.
func (p *Project) ID() string { return p.Name }

// References returns the pipeline.
func (p *Project) References() []Reference {
	return []Reference{{Ref{KindDeploymentPipeline, p.DeploymentPipeline}, Path{"deployment_pipeline"}}}
}

// Validate returns what is wrong with the project.
func (p *Project) Validate() []Problem {
	var c checker
	c.name(Path{"name"}, p.Name)
	c.labels(Path{"labels"}, p.Labels)
	p.validateNamespaces(&c)
	c.labels(Path{"namespace_labels"}, p.NamespaceLabels)
	c.ref(Path{"deployment_pipeline"}, p.DeploymentPipeline, 1, "a pipeline's name")
	return c.problems
}

// validateNamespaces keeps a project out of the namespaces of Kubernetes itself.
func (p *Project) validateNamespaces(c *checker) {
	for _, environment := range slices.Sorted(maps.Keys(p.Namespaces)) {
		at, namespace := Path{"namespaces", environment}, p.Namespaces[environment]
		if strings.HasPrefix(namespace, "kube-") {
			c.add(at, "Reserved namespace", fmt.Sprintf("The namespace %q is reserved for Kubernetes itself; choose another one.", namespace))
			continue
		}
		c.label(at, namespace)
	}
}

// Cell is the place of a project in an environment: one namespace of a data
// plane. It is made by the first deployment there and has no resource of its own.
type Cell struct {
	Project     string `json:"project"`
	Environment string `json:"environment"`
	DataPlane   string `json:"data_plane"`
	Namespace   string `json:"namespace"`
}

// Kind returns KindCell.
func (*Cell) Kind() Kind { return KindCell }

// ID returns project/environment.
func (c *Cell) ID() string { return Join(c.Project, c.Environment) }

// References returns project, environment and data plane.
func (c *Cell) References() []Reference {
	return []Reference{
		{Ref{KindProject, c.Project}, Path{"project"}},
		{Ref{KindEnvironment, c.Environment}, Path{"environment"}},
		{Ref{KindDataPlane, c.DataPlane}, Path{"data_plane"}},
	}
}

// Validate returns nothing: cells are made by the engine.
func (*Cell) Validate() []Problem { return nil }
