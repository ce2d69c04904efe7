// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

// Deployment is a component running in one environment.
type Deployment struct {
	Component   string            `json:"component"`
	Track       string            `json:"track,omitempty"`
	Environment string            `json:"environment"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// Image is what runs; empty is the component's image.
	Image         string        `json:"image,omitempty"`
	Configuration Configuration `json:"configuration,omitzero"`
}

// mainTrack is the track that every component has.
const mainTrack = "main"

// Kind returns KindDeployment.
func (*Deployment) Kind() Kind { return KindDeployment }

// TrackName returns the track in force.
func (d *Deployment) TrackName() string {
	if d.Track != "" {
		return d.Track
	}
	return mainTrack
}

// ID returns component/track/environment, such as shop/cart/main/dev.
func (d *Deployment) ID() string { return Join(d.Component, d.TrackName(), d.Environment) }

// References returns the component and the environment.
func (d *Deployment) References() []Reference {
	return []Reference{
		{Ref{KindComponent, d.Component}, Path{"component"}},
		{Ref{KindEnvironment, d.Environment}, Path{"environment"}},
	}
}

// Validate returns what is wrong with the deployment.
func (d *Deployment) Validate() []Problem {
	var c checker
	c.ref(Path{"component"}, d.Component, 2, "a component's id, project/name")
	if d.Track != "" {
		c.label(Path{"track"}, d.Track)
	}
	c.ref(Path{"environment"}, d.Environment, 1, "an environment's name")
	c.labels(Path{"labels"}, d.Labels)
	c.image(Path{"image"}, d.Image)
	d.Configuration.validate(&c, Path{"configuration"})
	return c.problems
}

// Visibility says from where an endpoint is reached.
type Visibility string

// The visibilities.
const (
	// VisibilityProject is reached from the project's namespace only.
	VisibilityProject Visibility = "project"
	// VisibilityPublic is reached through the data plane's public gateway too.
	VisibilityPublic Visibility = "public"
)

// Visibilities returns the visibilities.
func Visibilities() []string {
	return []string{string(VisibilityProject), string(VisibilityPublic)}
}

// EndpointTypes returns the endpoint types.
func EndpointTypes() []string { return []string{"http"} }

// Endpoint is a way into a deployment.
type Endpoint struct {
	Deployment  string            `json:"deployment"`
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Type        string            `json:"type"`
	// Port names one of the deployment's ports.
	Port string `json:"port"`
	// BasePath is the path prefix that is routed; empty is "/".
	BasePath string `json:"base_path,omitempty"`
	// Visibility is empty for the default of the component's type.
	Visibility Visibility `json:"visibility,omitempty"`
}

// Kind returns KindEndpoint.
func (*Endpoint) Kind() Kind { return KindEndpoint }

// ID returns deployment/name.
func (e *Endpoint) ID() string { return Join(e.Deployment, e.Name) }

// References returns the deployment.
func (e *Endpoint) References() []Reference {
	return []Reference{{Ref{KindDeployment, e.Deployment}, Path{"deployment"}}}
}

// Validate returns what is wrong with the endpoint.
func (e *Endpoint) Validate() []Problem {
	var c checker
	c.ref(Path{"deployment"}, e.Deployment, 4, "a deployment's id, project/component/track/environment")
	c.name(Path{"name"}, e.Name)
	c.labels(Path{"labels"}, e.Labels)
	c.required(Path{"type"}, e.Type)
	c.oneOf(Path{"type"}, e.Type, EndpointTypes())
	c.portName(Path{"port"}, e.Port)
	c.basePath(Path{"base_path"}, e.BasePath)
	c.oneOf(Path{"visibility"}, string(e.Visibility), Visibilities())
	return c.problems
}

// PathPrefix returns the path prefix in force.
func (e *Endpoint) PathPrefix() string {
	if e.BasePath == "" {
		return "/"
	}
	return e.BasePath
}
