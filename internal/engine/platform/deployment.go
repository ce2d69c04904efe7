// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import "fmt"

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
	// PromotedFrom takes image and configuration from another deployment.
	PromotedFrom *PromotedFrom `json:"promoted_from,omitempty"`
	// Overrides are merged over the configuration that was promoted.
	Overrides *Configuration `json:"overrides,omitempty"`
	Approval  *Approval      `json:"approval,omitempty"`
	// Adopt names existing objects to take over.
	Adopt *Adoption `json:"adopt,omitempty"`
	// OnFailure is one of OnFailures; empty is the first.
	OnFailure OnFailure `json:"on_failure,omitempty"`
}

// OnFailure says what becomes of a deployment whose apply fails.
type OnFailure string

// What becomes of a deployment whose apply fails.
const (
	// OnFailureKeep leaves what was made as it is, to be looked at.
	OnFailureKeep OnFailure = "keep"
	// OnFailureRollback brings back the release before, or removes what was made
	// when there was none.
	OnFailureRollback OnFailure = "rollback"
	// OnFailureWarn lets an apply succeed although the rollout did not.
	OnFailureWarn OnFailure = "warn"
)

// OnFailures returns the values of Deployment.OnFailure, the default first.
func OnFailures() []string {
	return []string{string(OnFailureKeep), string(OnFailureRollback), string(OnFailureWarn)}
}

// PromotedFrom names where a deployment takes its release from.
type PromotedFrom struct {
	// Deployment is the id of a deployment of the same component and track.
	Deployment string `json:"deployment"`
	// Release pins one release; empty follows the source.
	Release string `json:"release,omitempty"`
}

// Approval is somebody's consent to one release.
type Approval struct {
	Release string `json:"release"`
	By      string `json:"by"`
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
	refs := []Reference{
		{Ref{KindComponent, d.Component}, Path{"component"}},
		{Ref{KindEnvironment, d.Environment}, Path{"environment"}},
	}
	if d.PromotedFrom != nil {
		refs = append(refs, Reference{Ref{KindDeployment, d.PromotedFrom.Deployment}, Path{"promoted_from", "deployment"}})
	}
	return refs
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
	d.validatePromotion(&c)
	c.oneOf(Path{"on_failure"}, string(d.OnFailure), OnFailures())
	d.Adopt.validate(&c, Path{"adopt"})
	return c.problems
}

func (d *Deployment) validatePromotion(c *checker) {
	if d.PromotedFrom == nil {
		if d.Overrides != nil {
			c.add(Path{"overrides"}, "Nothing to override", "overrides adapt what promoted_from brings. Without it, set configuration itself.")
		}
		if d.Approval != nil {
			c.add(Path{"approval"}, "Nothing to approve", "An approval lets a promoted release pass. Remove it, or set promoted_from.")
		}
		return
	}
	c.ref(Path{"promoted_from", "deployment"}, d.PromotedFrom.Deployment, 4, "a deployment's id, project/component/track/environment")
	c.digest(Path{"promoted_from", "release"}, d.PromotedFrom.Release)
	if d.Image != "" {
		c.add(Path{"image"}, "Conflicting attributes", "promoted_from brings the image with the release. Remove one of the two.")
	}
	if !d.Configuration.IsZero() {
		c.add(Path{"configuration"}, "Conflicting attributes", "promoted_from brings the configuration with the release. Adapt it with overrides.")
	}
	if source, ok := Split(d.PromotedFrom.Deployment, 4); ok {
		if from := Join(source[:3]...); from != Join(d.Component, d.TrackName()) {
			c.add(Path{"promoted_from", "deployment"}, "Another component",
				fmt.Sprintf("%q is a deployment of %q; a release is promoted between the deployments of one component and track, here %q.", d.PromotedFrom.Deployment, from, Join(d.Component, d.TrackName())))
		} else if source[3] == d.Environment {
			c.add(Path{"promoted_from", "deployment"}, "Promotion to itself", "A deployment cannot promote from itself; name one in an environment before it.")
		}
	}
	if d.Approval != nil {
		c.required(Path{"approval", "release"}, d.Approval.Release)
		c.digest(Path{"approval", "release"}, d.Approval.Release)
		c.required(Path{"approval", "by"}, d.Approval.By)
	}
}
