// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"slices"
	"strings"
)

// DeploymentPipeline is the allowed promotion edges between environments.
type DeploymentPipeline struct {
	Name           string            `json:"name"`
	DisplayName    string            `json:"display_name,omitempty"`
	Description    string            `json:"description,omitempty"`
	Labels         map[string]string `json:"labels,omitempty"`
	PromotionPaths []PromotionPath   `json:"promotion_paths,omitempty"`
}

// PromotionPath lists where a release may go from one environment.
type PromotionPath struct {
	Source  string            `json:"source"`
	Targets []PromotionTarget `json:"targets,omitempty"`
}

// PromotionTarget is the end of one promotion edge.
type PromotionTarget struct {
	Environment string `json:"environment"`
	// RequiresApproval lets only approved releases pass.
	RequiresApproval bool `json:"requires_approval,omitempty"`
}

// Kind returns KindDeploymentPipeline.
func (*DeploymentPipeline) Kind() Kind { return KindDeploymentPipeline }

// ID returns the name.
func (p *DeploymentPipeline) ID() string { return p.Name }

// References returns the environments in the order in which they appear.
func (p *DeploymentPipeline) References() []Reference {
	var refs []Reference
	for i, path := range p.PromotionPaths {
		at := Path{"promotion_paths", i}
		refs = append(refs, Reference{Ref{KindEnvironment, path.Source}, at.With("source")})
		for j, target := range path.Targets {
			refs = append(refs, Reference{Ref{KindEnvironment, target.Environment}, at.With("targets", j, "environment")})
		}
	}
	return refs
}

// Validate returns what is wrong with the pipeline: no path, a source twice, an
// environment that promotes to itself, a cycle.
func (p *DeploymentPipeline) Validate() []Problem {
	var c checker
	c.name(Path{"name"}, p.Name)
	c.labels(Path{"labels"}, p.Labels)
	if len(p.PromotionPaths) == 0 {
		c.add(Path{"promotion_paths"}, "Empty pipeline", "A pipeline needs at least one path; a single environment is a path without targets.")
	}
	seen := map[string]bool{}
	for i, path := range p.PromotionPaths {
		at := Path{"promotion_paths", i}
		c.ref(at.With("source"), path.Source, 1, "an environment's name")
		if seen[path.Source] {
			c.add(at.With("source"), "Duplicate source", fmt.Sprintf("The paths from %q are given twice; list all targets in one path.", path.Source))
		}
		seen[path.Source] = true
		targets := map[string]bool{}
		for j, target := range path.Targets {
			where := at.With("targets", j, "environment")
			c.ref(where, target.Environment, 1, "an environment's name")
			if targets[target.Environment] {
				c.add(where, "Duplicate target", fmt.Sprintf("%q is a target of %q twice; remove one.", target.Environment, path.Source))
			}
			targets[target.Environment] = true
		}
	}
	if _, cycle := p.order(); len(cycle) > 0 {
		c.add(Path{"promotion_paths"}, "Cycle in the pipeline",
			"These environments promote to each other in a circle: "+strings.Join(cycle, " -> ")+". Remove one of the edges.")
	}
	return c.problems
}

// Environments returns every environment once, sources before their targets,
// and those that no edge orders as they are declared.
func (p *DeploymentPipeline) Environments() []string {
	order, _ := p.order()
	return order
}

// Includes tells whether the environment is part of the pipeline.
func (p *DeploymentPipeline) Includes(environment string) bool {
	return slices.Contains(p.Environments(), environment)
}

// Edge returns the edge between two environments, or false when there is none.
func (p *DeploymentPipeline) Edge(source, target string) (PromotionTarget, bool) {
	for _, path := range p.PromotionPaths {
		for _, candidate := range path.Targets {
			if path.Source == source && candidate.Environment == target {
				return candidate, true
			}
		}
	}
	return PromotionTarget{}, false
}

// Sources returns the environments from which a release may go to target.
func (p *DeploymentPipeline) Sources(target string) []string {
	var sources []string
	for _, path := range p.PromotionPaths {
		if _, ok := p.Edge(path.Source, target); ok {
			sources = append(sources, path.Source)
		}
	}
	return sources
}

// order sorts the environments topologically; what is left on a cycle is
// returned as the path of one.
func (p *DeploymentPipeline) order() (order, cycle []string) {
	targets := map[string][]string{}
	var declared []string
	for _, path := range p.PromotionPaths {
		declared = append(declared, path.Source)
		for _, target := range path.Targets {
			targets[path.Source] = append(targets[path.Source], target.Environment)
			declared = append(declared, target.Environment)
		}
	}
	const visiting, done = 1, 2
	state := map[string]int{}
	var trail []string
	var visit func(string) bool
	visit = func(name string) bool {
		switch state[name] {
		case done:
			return true
		case visiting:
			cycle = append(slices.Clone(trail[slices.Index(trail, name):]), name)
			return false
		}
		state[name] = visiting
		trail = append(trail, name)
		for _, next := range slices.Backward(targets[name]) {
			if !visit(next) {
				return false
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
		order = append(order, name)
		return true
	}
	for _, name := range slices.Backward(declared) {
		if !visit(name) {
			return nil, cycle
		}
	}
	slices.Reverse(order)
	return order, nil
}
