// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import "slices"

// ComponentType decides what is rendered for a component.
type ComponentType string

// The component types.
const (
	TypeService        ComponentType = "service"
	TypeWebApplication ComponentType = "web_application"
	TypeEventHandler   ComponentType = "event_handler"
	TypeScheduledTask  ComponentType = "scheduled_task"
)

// ComponentTypes returns the component types.
func ComponentTypes() []string {
	return []string{string(TypeService), string(TypeWebApplication), string(TypeEventHandler), string(TypeScheduledTask)}
}

// Known tells whether the type is one of ComponentTypes. Others are met in plans
// only, where they stand for a type that is not known yet.
func (t ComponentType) Known() bool { return slices.Contains(ComponentTypes(), string(t)) }

// Serves tells whether a component of the type is reached through a Service.
func (t ComponentType) Serves() bool { return t == TypeService || t == TypeWebApplication }

// Scheduled tells whether a component of the type runs at times of a schedule
// instead of all the time.
func (t ComponentType) Scheduled() bool { return t == TypeScheduledTask }

// DefaultVisibility returns the visibility of the type's endpoints that name none.
func (t ComponentType) DefaultVisibility() Visibility {
	if t == TypeWebApplication {
		return VisibilityPublic
	}
	return VisibilityProject
}

// Component is one deployable thing of a project.
type Component struct {
	Project     string            `json:"project"`
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Type        ComponentType     `json:"type"`
	// Image is what deployments run that name no image themselves.
	Image string `json:"image,omitempty"`
}

// Kind returns KindComponent.
func (*Component) Kind() Kind { return KindComponent }

// ID returns project/name.
func (c *Component) ID() string { return Join(c.Project, c.Name) }

// References returns the project.
func (c *Component) References() []Reference {
	return []Reference{{Ref{KindProject, c.Project}, Path{"project"}}}
}

// Validate returns what is wrong with the component.
func (c *Component) Validate() []Problem {
	var k checker
	k.ref(Path{"project"}, c.Project, 1, "a project's name")
	k.name(Path{"name"}, c.Name)
	k.labels(Path{"labels"}, c.Labels)
	k.required(Path{"type"}, string(c.Type))
	k.oneOf(Path{"type"}, string(c.Type), ComponentTypes())
	k.image(Path{"image"}, c.Image)
	return k.problems
}

// DeploymentTrack is a line of delivery of a component.
type DeploymentTrack struct {
	Component string `json:"component"`
	Name      string `json:"name"`
}

// Build is source turned into an image.
type Build struct {
	Track string `json:"track"`
	Name  string `json:"name"`
	Image string `json:"image,omitempty"`
}

// DeployableArtifact is what a deployment runs: an image and its configuration.
type DeployableArtifact struct {
	Track         string        `json:"track,omitempty"`
	Name          string        `json:"name,omitempty"`
	Image         string        `json:"image"`
	Configuration Configuration `json:"configuration,omitzero"`
}

// ConfigurationGroup holds keys whose values differ per environment.
type ConfigurationGroup struct {
	Name string `json:"name"`
}
