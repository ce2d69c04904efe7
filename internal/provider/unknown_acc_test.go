// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// What follows from a value that only the apply finds out is unknown at plan,
// all else is known, and the apply is what was planned.
func TestAccUnknownValues(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	config := func(value string) {
		cli.Write(t, "main.tf", e.Base()+fmt.Sprintf("resource \"terraform_data\" \"made\" {\n  input            = %q\n  triggers_replace = %q\n}\n", value, value)+
			acctest.Component("cart", "image = \"registry.example/shop/cart:${terraform_data.made.output}\"")+
			acctest.Deployment("cart", acctest.HTTP(`env = { VERSION = terraform_data.made.output, GREETING = "hello" }`))+
			acctest.Endpoint("web", "cart", `visibility = "public"`))
	}
	for _, value := range []string{"1.0.0", "2.0.0"} {
		config(value)
		cli.Plan(t).Must(t)
		plan := cli.Show(t)
		workload, service := "Deployment/"+namespace+"/cart", "Service/"+namespace+"/cart"
		after, unknown := plan.After(t, deployment, "manifests")
		equal(t, "unknown manifests", any(map[string]any{workload: true}), unknown)
		known, _ := after.(map[string]any)
		equal(t, "known manifests", []string{service}, slices.Sorted(maps.Keys(known)))
		_, unknown = plan.After(t, deployment, "release")
		equal(t, "unknown release", any(true), unknown)
		_, unknown = plan.After(t, deployment, "namespace")
		equal(t, "unknown namespace", nil, unknown)
		after, _ = plan.After(t, endpoint, "manifests")
		known, _ = after.(map[string]any)
		equal(t, "manifests of the endpoint", 2, len(known))

		cli.ApplyPlan(t).Must(t)
		container := e.Deployment(t, "cart").Spec.Template.Spec.Containers[0]
		equal(t, "image", "registry.example/shop/cart:"+value, container.Image)
		equal(t, "variables", 2, len(container.Env))
		cli.Plan(t).MustBeEmpty(t)
	}
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// Where the objects themselves depend on it, nothing of them is known.
func TestAccUnknownObjects(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+"resource \"terraform_data\" \"made\" {\n  input = { name = \"cart\", ports = { http = { port = 80 } } }\n}\n"+
		acctest.Component("other", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("other", "configuration = { ports = terraform_data.made.output.ports }")+`
resource "platform_component" "cart" {
  project = platform_project.shop.id
  name    = terraform_data.made.output.name
  type    = "service"
  image   = "redis"
}
`+acctest.Deployment("cart"))
	cli.Plan(t).Must(t)
	plan := cli.Show(t)
	for _, address := range []string{deployment, "platform_deployment.other"} {
		_, unknown := plan.After(t, address, "manifests")
		equal(t, "unknown manifests of "+address, any(true), unknown)
	}
	for _, address := range []string{component, deployment} {
		_, unknown := plan.After(t, address, "id")
		equal(t, "unknown id of "+address, any(true), unknown)
	}
	cli.ApplyPlan(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// With a provider configuration that only the apply finds out, the plan is made
// offline, and still shows what will be rendered.
func TestAccUnknownProvider(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	proxy := e.Proxy(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base("kubernetes = { host = terraform_data.cluster.output }")+
		fmt.Sprintf("resource \"terraform_data\" \"cluster\" {\n  input = %q\n}\n", proxy.URL)+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP())+acctest.Endpoint("web", "cart"))
	cli.Plan(t).MustWarn(t, "Planning offline")
	equal(t, "requests of the plan", map[string]int{}, proxy.Take())
	after, unknown := cli.Show(t).After(t, deployment, "manifests")
	known, _ := after.(map[string]any)
	equal(t, "known manifests", []string{"Deployment/" + namespace + "/cart", "Service/" + namespace + "/cart"}, slices.Sorted(maps.Keys(known)))
	equal(t, "unknown manifests", any(map[string]any{}), unknown)
	cli.ApplyPlan(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)

	// A cluster that is about to be made again is not known either.
	cli.Write(t, "again_override.tf", fmt.Sprintf("resource \"terraform_data\" \"cluster\" {\n  input = %q\n}\n", proxy.URL+"/"))
	planned := cli.Plan(t).MustWarn(t, "Planning offline")
	for address, action := range planned.Actions {
		if action == "delete" || action == "replace" || action == "create" {
			t.Errorf("%s is planned: %s", address, action)
		}
	}
	cli.ApplyPlan(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// A deployment whose id does not change cannot exist twice, so that one that is
// made before the old one is destroyed takes over its objects.
func TestAccReplace(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	config := func(lines ...string) string {
		return e.Base() + acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)) + acctest.Deployment("cart", append(lines, acctest.HTTP())...)
	}
	const first = "lifecycle { create_before_destroy = true }"
	running := live(t, func(t *testing.T) {
		t.Helper()
		equal(t, "ready replicas", int32(1), e.Deployment(t, "cart").Status.ReadyReplicas)
	})
	var uid any
	e.Test(
		t,
		resource.TestStep{Config: config(), Check: running},
		resource.TestStep{
			PreConfig: func() { uid = e.Get(t, "Deployment", e.Namespace("shop", "dev"), "cart").GetUID() },
			Config:    config(), Taint: []string{deployment},
			ConfigPlanChecks: preApply(action(deployment, plancheck.ResourceActionReplace)),
			Check: live(t, func(t *testing.T) {
				if found := e.Get(t, "Deployment", e.Namespace("shop", "dev"), "cart"); any(found.GetUID()) == uid {
					t.Error("the Deployment is still the old one")
				}
				uid = e.Get(t, "Deployment", e.Namespace("shop", "dev"), "cart").GetUID()
			}),
		},
		resource.TestStep{Config: config(first), Check: running},
		resource.TestStep{
			Config: config(first), Taint: []string{deployment},
			ConfigPlanChecks: preApply(action(deployment, plancheck.ResourceActionCreateBeforeDestroy)),
			Check: live(t, func(t *testing.T) {
				found := e.Get(t, "Deployment", e.Namespace("shop", "dev"), "cart")
				if found == nil {
					t.Fatal("the destroy of the old deployment took the new one along")
				}
				equal(t, "UID", uid, any(found.GetUID()))
			}),
		},
		// Another track is another id: both exist for a while.
		resource.TestStep{
			Config:           config(first, `track = "v2"`),
			ConfigPlanChecks: preApply(action(deployment, plancheck.ResourceActionCreateBeforeDestroy)),
			Check: live(t, func(t *testing.T) {
				equal(t, "deployments", []string{"cart--v2"}, names(e.List(t, "Deployment", e.Namespace("shop", "dev"), "")))
			}),
		},
	)
}
