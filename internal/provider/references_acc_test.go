// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// A literal id that nothing has is a doubt at plan, because Terraform plans in
// any order, and an error at apply, before anything is made.
func TestAccAbsentReference(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		config  string
		address string
		missing string
		snippet string
	}{
		"DataPlane": {
			config:  "resource \"platform_environment\" \"dev\" {\n  name = \"dev\"\n  data_plane = \"nowhere\"\n}\n",
			address: "platform_environment.dev", missing: `data.plane "nowhere"`, snippet: `data_plane = "nowhere"`,
		},
		"Environment": {
			config:  "resource \"platform_deployment_pipeline\" \"main\" {\n  name = \"main\"\n  promotion_paths = [{ source = \"nowhere\" }]\n}\n",
			address: "platform_deployment_pipeline.main", missing: `environment "nowhere"`, snippet: "promotion_paths",
		},
		"Pipeline": {
			config:  "resource \"platform_project\" \"shop\" {\n  name = \"shop\"\n  deployment_pipeline = \"nowhere\"\n}\n",
			address: "platform_project.shop", missing: `deployment.pipeline "nowhere"`, snippet: `deployment_pipeline = "nowhere"`,
		},
		"Project": {
			config:  "resource \"platform_component\" \"cart\" {\n  project = \"nowhere\"\n  name = \"cart\"\n  type = \"service\"\n}\n",
			address: "platform_component.cart", missing: `project "nowhere"`, snippet: `project = "nowhere"`,
		},
		"Component": {
			config:  "resource \"platform_deployment\" \"cart\" {\n  component = \"nowhere/cart\"\n  environment = \"dev\"\n}\n",
			address: "platform_deployment.cart", missing: `component "nowhere/cart"`, snippet: `component = "nowhere/cart"`,
		},
		"Deployment": {
			config:  "resource \"platform_endpoint\" \"web\" {\n  deployment = \"nowhere/cart/main/dev\"\n  name = \"web\"\n  type = \"http\"\n  port = \"http\"\n}\n",
			address: "platform_endpoint.web", missing: `deployment "nowhere/cart/main/dev"`, snippet: `deployment = "nowhere/cart/main/dev"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			cli.Write(t, "main.tf", e.Provider()+tc.config)
			where := fmt.Sprintf(`Not found: %s \(%s\) at: .*%s.*does not exist`, tc.missing, tc.address, tc.snippet)
			cli.Plan(t).MustWarn(t, where)
			cli.ApplyPlan(t).MustFail(t, where)
			equal(t, "state", []string{}, cli.State(t))
			gone(t, e)
		})
	}
}

// What is wrong in itself or with what it refers to is said at plan, on the
// attribute at fault.
func TestAccRefusedAtPlan(t *testing.T) {
	t.Parallel()
	image := fmt.Sprintf("image = %q", acctest.Image)
	cases := map[string]struct {
		config string
		want   []string
	}{
		"EnvironmentOutsideThePipeline": {
			config: acctest.Component("cart", image) + `
resource "platform_environment" "qa" {
  name       = "qa"
  data_plane = platform_data_plane.main.id
}
resource "platform_deployment" "cart" {
  component   = platform_component.cart.id
  environment = platform_environment.qa.id
}
`,
			want: []string{`Environment outside the pipeline \(platform_deployment.cart\) at: environment = platform_environment.qa.id.*"qa".*"main".*dev`},
		},
		"UnknownPort": {
			config: acctest.Component("cart", image) + acctest.Deployment("cart", "configuration = { ports = { admin = { port = 9000 } } }") + acctest.Endpoint("web", "cart"),
			want:   []string{`Unknown port \(platform_endpoint.web\) at: port *= "http".*admin`},
		},
		"PortOfAnEventHandler": {
			config: acctest.Component("cart", `type = "event_handler"`, image) + acctest.Deployment("cart", acctest.HTTP()),
			want:   []string{`Ports without a Service \(platform_deployment.cart\) at: .*event_handler`},
		},
		"EndpointOfAnEventHandler": {
			config: acctest.Component("cart", `type = "event_handler"`, image) + acctest.Deployment("cart") + acctest.Endpoint("web", "cart"),
			want:   []string{`Deployment without a Service \(platform_endpoint.web\) at: deployment *= platform_deployment.cart.id.*event_handler`},
		},
		"NoImage": {
			config: acctest.Component("cart") + acctest.Deployment("cart", acctest.HTTP()),
			want:   []string{`Missing image \(platform_deployment.cart\).*shop/cart`},
		},
		"NoGateway": {
			config: `
resource "platform_data_plane" "bare" { name = "bare" }
resource "platform_environment" "bare" {
  name       = "bare"
  data_plane = platform_data_plane.bare.id
}
resource "platform_deployment_pipeline" "bare" {
  name            = "bare"
  promotion_paths = [{ source = platform_environment.bare.id }]
}
resource "platform_project" "bare" {
  name                = "bare"
  deployment_pipeline = platform_deployment_pipeline.bare.id
}
resource "platform_component" "bare" {
  project = platform_project.bare.id
  name    = "bare"
  type    = "service"
  image   = "redis"
}
resource "platform_deployment" "bare" {
  component     = platform_component.bare.id
  environment   = platform_environment.bare.id
  configuration = { ports = { http = { port = 80 } } }
}
` + acctest.Endpoint("web", "bare", `visibility = "public"`),
			want: []string{`No public gateway \(platform_endpoint.web\) at: visibility = "public".*"bare"`},
		},
		"SameIdTwice": {
			config: acctest.Component("cart", image) + `
resource "platform_component" "twin" {
  project = platform_project.shop.id
  name    = "cart"
  type    = "service"
}
`,
			want: []string{`Duplicate component \(platform_component.(cart|twin)\).*component "shop/cart"`},
		},
		"SameRouteTwice": {
			config: acctest.Component("cart", image) + acctest.Deployment("cart", acctest.HTTP()) +
				acctest.Endpoint("web", "cart", `visibility = "public"`) +
				acctest.Endpoint("twin", "cart", `visibility = "public"`, `base_path = "/"`, "depends_on = [platform_endpoint.web]"),
			want: []string{`Duplicate route \(platform_endpoint.twin\) at: base_path *= "/".*shop/cart/main/dev/web`},
		},
		"CycleOfEnvironments": {
			config: `
resource "platform_deployment_pipeline" "round" {
  name = "round"
  promotion_paths = [
    { source = "dev", targets = [{ environment = "prod" }] },
    { source = "prod", targets = [{ environment = "dev" }] },
  ]
}
`,
			want: []string{`Cycle in the pipeline \(platform_deployment_pipeline.round\) at: .*promotion_paths.*dev -> prod -> dev`},
		},
		"UnknownConnection": {
			config: "resource \"platform_data_plane\" \"far\" {\n  name = \"far\"\n  cluster = \"mars\"\n}\n",
			want:   []string{`Unknown connection \(platform_data_plane.far\) at: cluster = "mars".*no connection "mars".*near`},
		},
		"NestedAttribute": {
			config: acctest.Component("cart", image) + acctest.Deployment("cart", "configuration = {\n    ports = { http = { port = 0 } }\n  }"),
			want:   []string{`Invalid port \(platform_deployment.cart\) at: .*port.*from 1 to 65535`},
		},
		"NotAName": {
			config: "resource \"platform_project\" \"bad\" {\n  name = \"Bad_Name\"\n  deployment_pipeline = platform_deployment_pipeline.main.id\n}\n",
			want:   []string{`Invalid name \(platform_project.bad\) at: name = "Bad_Name"`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			cli.Write(t, "main.tf", e.Base("connections = { near = { host = \"https://127.0.0.1:1\" } }")+tc.config)
			cli.Plan(t).MustFail(t, tc.want...)
			gone(t, e)
		})
	}
}

// Two configurations cannot hold the same id: the second is told to import it.
func TestAccTakenId(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	first, second := e.CLI(t), e.CLI(t)
	first.Write(t, "main.tf", e.Base())
	first.Apply(t).Must(t)
	second.Write(t, "main.tf", e.Provider()+"resource \"platform_data_plane\" \"main\" {\n  name = \"main\"\n  network_policy = \"none\"\n}\n")
	second.Apply(t).MustFail(t, `Already exists \(platform_data_plane.main\).*data.plane "main" exists already.*Import it`)
	equal(t, "state", []string{}, second.State(t))
	first.Plan(t).MustBeEmpty(t)
	first.Destroy(t).Must(t)
	gone(t, e)
}

// forget takes addresses out of the state.
func forget(t *testing.T, cli *acctest.CLI, addresses ...string) {
	t.Helper()
	if output, err := cli.Run(t, append([]string{"state", "rm"}, addresses...)...); err != nil {
		t.Fatal(output, err)
	}
}
