// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// What is promoted is a release: an artifact, image and configuration, known by
// its digest. A deployment's own image and configuration are an artifact too.
// Overrides adapt a release to one deployment and are no part of it, so that the
// same release is recognised on every stage.

// resolution is what a deployment runs, before overrides, and where it comes from.
type resolution struct {
	artifact  *platform.DeployableArtifact
	promotion *dataplane.Promotion
}

// artifact resolves what a deployment runs.
func (s *scope) artifact(ctx context.Context, d *platform.Deployment, component *platform.Component) (resolution, error) {
	return s.artifactVia(ctx, d, component, nil)
}

// artifactVia is artifact for a deployment that those on the trail promote from.
func (s *scope) artifactVia(ctx context.Context, d *platform.Deployment, component *platform.Component, trail []string) (resolution, error) {
	if d.PromotedFrom == nil {
		image := d.Image
		if image == "" {
			image = component.Image
		}
		return resolution{artifact: &platform.DeployableArtifact{Image: image, Configuration: d.Configuration}}, nil
	}
	if trail = append(trail, d.ID()); slices.Contains(trail, d.PromotedFrom.Deployment) {
		return resolution{}, promotionProblem("deployment", "Promotion in a circle", fmt.Sprintf(
			"These deployments promote from each other: %s -> %s.", strings.Join(trail, " -> "), d.PromotedFrom.Deployment))
	}
	source, err := resolve[*platform.Deployment](ctx, s, platform.KindDeployment, d.PromotedFrom.Deployment, "promoted_from", "deployment")
	if err != nil {
		return s.remembered(ctx, d, err)
	}
	theirs, err := s.artifactVia(ctx, source, component, trail)
	if err != nil {
		return resolution{}, err
	}
	current := theirs.artifact.Release()
	result := resolution{artifact: theirs.artifact, promotion: &dataplane.Promotion{Source: source, SourceRelease: current}}
	pinned := d.PromotedFrom.Release
	if pinned == "" || pinned == current {
		return result, nil
	}
	for _, deployment := range []*platform.Deployment{source, d} {
		release, ok, err := s.release(ctx, deployment, pinned)
		if err != nil {
			return resolution{}, err
		}
		if ok {
			result.artifact = &release.Artifact
			return result, nil
		}
	}
	return resolution{}, promotionProblem("release", "Unknown release", fmt.Sprintf(
		"The release %s is neither what %q runs (%s) nor among those that were healthy there or here lately. Take it from the release attribute of a deployment.",
		pinned, source.ID(), current))
}

// remembered lets a pinned release of the deployment's own history run although
// its source is gone.
func (s *scope) remembered(ctx context.Context, d *platform.Deployment, cause error) (resolution, error) {
	if _, ok := errors.AsType[*catalog.AbsentError](cause); !ok || d.PromotedFrom.Release == "" {
		return resolution{}, cause
	}
	release, ok, err := s.release(ctx, d, d.PromotedFrom.Release)
	if err != nil || !ok {
		return resolution{}, errors.Join(err, cause)
	}
	return resolution{artifact: &release.Artifact, promotion: &dataplane.Promotion{}}, nil
}

// release finds a release among those that were healthy in a deployment.
func (s *scope) release(ctx context.Context, d *platform.Deployment, digest string) (catalog.Release, bool, error) {
	record, err := s.engine.planRecord(ctx, platform.RefOf(d))
	if err != nil {
		return catalog.Release{}, false, err
	}
	release, ok := record.Find(digest)
	return release, ok, nil
}

// guard lets a release pass to a deployment. It looks only at a release that the
// deployment does not run yet, and never stands in the way of one that was
// healthy there before.
func (s *scope) guard(ctx context.Context, c *dataplane.DeploymentContext) ([]platform.Problem, error) {
	if s.stored || c.Promotion == nil || c.Promotion.Source == nil {
		return nil, nil
	}
	if problems := overridesProblems(c); len(problems) > 0 {
		return problems, nil
	}
	record, err := s.engine.planRecord(ctx, platform.RefOf(c.Deployment))
	if err != nil {
		return nil, err
	}
	if _, before := record.Find(c.Release); before || (record != nil && record.Release == c.Release) {
		return nil, nil
	}
	source, target := c.Promotion.Source, c.Deployment
	edge, ok := c.DeploymentPipeline.Edge(source.Environment, target.Environment)
	if !ok {
		return missingEdge(c), nil
	}
	if problems := approvalProblems(c, edge); len(problems) > 0 {
		return problems, nil
	}
	_, healthy, err := s.release(ctx, source, c.Release)
	if err != nil {
		return nil, err
	}
	// A plan counts on what it brings to the source itself; by the time of the
	// apply it must have become healthy there.
	if healthy || (!s.applying && c.Release == c.Promotion.SourceRelease) {
		return nil, nil
	}
	return []platform.Problem{{
		Path: platform.Path{"promoted_from"}, Title: "Release is not healthy",
		Detail: fmt.Sprintf("The release %s has not become ready in %q, so it cannot go on to %q. Bring that deployment to health first; it must wait for its rollout.",
			c.Release, source.ID(), target.Environment),
	}}, nil
}

// overridesProblems looks at the configuration that overrides make of a release.
func overridesProblems(c *dataplane.DeploymentContext) []platform.Problem {
	if c.Deployment.Overrides == nil {
		return nil
	}
	return c.DeployableArtifact.Configuration.Check(platform.Path{"overrides"})
}

func missingEdge(c *dataplane.DeploymentContext) []platform.Problem {
	from, to := c.Promotion.Source.Environment, c.Deployment.Environment
	ways := "No edge leads there."
	if sources := c.DeploymentPipeline.Sources(to); len(sources) > 0 {
		ways = fmt.Sprintf("Releases reach %q from: %s.", to, strings.Join(sources, ", "))
	}
	return []platform.Problem{{
		Path: platform.Path{"promoted_from", "deployment"}, Title: "Missing promotion edge",
		Detail: fmt.Sprintf("The pipeline %q has no edge %s -> %s. %s", c.DeploymentPipeline.Name, from, to, ways),
	}}
}

// approvalProblems looks for the consent that an edge asks for.
func approvalProblems(c *dataplane.DeploymentContext, edge platform.PromotionTarget) []platform.Problem {
	if !edge.RequiresApproval {
		return nil
	}
	if c.Deployment.PromotedFrom.Release == "" {
		return []platform.Problem{{
			Path: platform.Path{"promoted_from"}, Title: "Release must be pinned",
			Detail: fmt.Sprintf("Promotion to %q requires an approval, which names one release. Set promoted_from.release; the source runs %s.",
				edge.Environment, c.Promotion.SourceRelease),
		}}
	}
	switch approval := c.Deployment.Approval; {
	case approval == nil:
		return []platform.Problem{{
			Path: platform.Path{"promoted_from", "release"}, Title: "Approval required",
			Detail: fmt.Sprintf("Promotion to %q requires an approval. Set approval = { release = %q, by = ... }.", edge.Environment, c.Release),
		}}
	case approval.Release != c.Release:
		return []platform.Problem{{
			Path: platform.Path{"approval", "release"}, Title: "Approval of another release",
			Detail: fmt.Sprintf("The approval is for %s, the promotion to %q brings %s. An approval holds for one release.", approval.Release, edge.Environment, c.Release),
		}}
	}
	return nil
}

func promotionProblem(attribute, title, detail string) error {
	return &platform.ProblemError{Problems: []platform.Problem{{
		Path: platform.Path{"promoted_from", attribute}, Title: title, Detail: detail,
	}}}
}
