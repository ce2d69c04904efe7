// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// stages is a configuration with dev, staging and prod, in which prod needs an
// approval. dev is the deployment of an image; more describes the others.
func stages(e *acctest.Env, image, more string) string {
	return e.Provider() + fmt.Sprintf(`
resource "platform_data_plane" "main" {
  name = "main"
}

resource "platform_environment" "stage" {
  for_each   = toset(["dev", "staging", "prod"])
  name       = each.key
  data_plane = platform_data_plane.main.id
}

resource "platform_deployment_pipeline" "main" {
  name = "main"
  promotion_paths = [
    { source = platform_environment.stage["dev"].id, targets = [{ environment = platform_environment.stage["staging"].id }] },
    { source = platform_environment.stage["staging"].id, targets = [{ environment = platform_environment.stage["prod"].id, requires_approval = true }] },
  ]
}

resource "platform_project" "shop" {
  name                = "shop"
  deployment_pipeline = platform_deployment_pipeline.main.id
}

resource "platform_component" "cart" {
  project = platform_project.shop.id
  name    = "cart"
  type    = "service"
}

resource "platform_deployment" "dev" {
  component     = platform_component.cart.id
  environment   = platform_environment.stage["dev"].id
  image         = %q
  configuration = { ports = { http = { port = 80 } }, env = { MODE = "plain" } }
}
%s`, image, more)
}

// stage is a deployment that promotes.
func stage(environment string, lines ...string) string {
	return fmt.Sprintf("resource \"platform_deployment\" %q {\n  component   = platform_component.cart.id\n  environment = platform_environment.stage[%q].id\n  %s\n}\n",
		environment, environment, strings.Join(lines, "\n  "))
}

func TestAccPromotion(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	follow := stage("staging", `promoted_from = { deployment = platform_deployment.dev.id }`, `overrides = { env = { MODE = "staging" } }`)
	write := func(image, more string) { cli.Write(t, "main.tf", stages(e, image, more)) }
	release := func(environment string) string {
		value, _ := cli.Values(t, "platform_deployment."+environment)["release"].(string)
		return value
	}

	// One plan brings a release to dev and on to staging.
	write("registry.example/shop/cart:1.0.0", follow)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	first := release("dev")
	equal(t, "release of staging", first, release("staging"))

	// A stage is not skipped, and an edge may ask for an approval of one release.
	write("registry.example/shop/cart:1.0.0", follow+stage("prod", `promoted_from = { deployment = platform_deployment.dev.id }`))
	cli.Plan(t).MustFail(t, `Missing promotion edge \(platform_deployment.prod\).*no edge dev -> prod.*from: staging`)
	write("registry.example/shop/cart:1.0.0", follow+stage("prod", `promoted_from = { deployment = platform_deployment.staging.id }`))
	cli.Plan(t).MustFail(t, `Release must be pinned \(platform_deployment.prod\)`)
	pinned := fmt.Sprintf("promoted_from = { deployment = platform_deployment.staging.id, release = %q }", first)
	write("registry.example/shop/cart:1.0.0", follow+stage("prod", pinned))
	cli.Plan(t).MustFail(t, `Approval required \(platform_deployment.prod\)`)
	prod := stage("prod", pinned, fmt.Sprintf("approval = { release = %q, by = \"ops\" }", first))
	write("registry.example/shop/cart:1.0.0", follow+prod)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)

	// A release that fails in dev goes no further; what is pinned stays.
	write("registry.example/devcluster/pull-error:v1", follow+prod)
	cli.Apply(t).MustFail(t, `Rollout failed \(platform_deployment.dev\)`)
	equal(t, "release of staging after the failure", first, release("staging"))

	// The next one follows to staging; prod shows what it could take.
	write("registry.example/shop/cart:2.0.0", follow+prod)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	second := release("staging")
	if second == first {
		t.Error("staging did not follow its source")
	}
	equal(t, "release of prod", first, release("prod"))
	equal(t, "promotable release of prod", any(second), cli.Values(t, "platform_deployment.prod")["promotable_release"])

	// Back to what was healthy here.
	back := stage("staging", fmt.Sprintf("promoted_from = { deployment = platform_deployment.dev.id, release = %q }", first), `overrides = { env = { MODE = "staging" } }`)
	write("registry.example/shop/cart:2.0.0", back+prod)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	equal(t, "release of staging after the rollback", first, release("staging"))

	cli.Destroy(t).Must(t)
	gone(t, e)
}
