// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

const (
	component  = "platform_component.cart"
	deployment = "platform_deployment.cart"
	endpoint   = "platform_endpoint.web"
)

// preApply are checks of the plan that a step applies.
func preApply(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

func action(address string, want plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, want)
}

// live turns a look at the cluster into a check of a step.
func live(t *testing.T, look func(t *testing.T)) resource.TestCheckFunc {
	return func(*terraform.State) error {
		t.Helper()
		look(t)
		return nil
	}
}

// equal fails the test unless got is want.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

// imports are the steps that import an address by id: into an empty state,
// which must come out alike, and by a block, whose plan must change nothing. A
// CLI that keeps identities imports by that of the state as well.
func imports(t *testing.T, address, id string) []resource.TestStep {
	t.Helper()
	steps := []resource.TestStep{
		{ResourceName: address, ImportState: true, ImportStateId: id, ImportStateVerify: true},
		{ResourceName: address, ImportState: true, ImportStateId: id, ImportStateKind: resource.ImportBlockWithID},
	}
	if acctest.Identities(t) {
		steps = append(steps, resource.TestStep{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity})
	}
	return steps
}

func TestAccLifecycle(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	config := func(image, endpointLines string, lines ...string) string {
		return e.Base() + acctest.Component("cart", fmt.Sprintf("image = %q", image)) +
			acctest.Deployment("cart", lines...) + acctest.Endpoint("web", "cart", `visibility = "public"`, endpointLines)
	}
	manifest := func(kind, name string) tfjsonpath.Path {
		return tfjsonpath.New("manifests").AtMapKey(kind + "/" + namespace + "/" + name)
	}
	steps := []resource.TestStep{
		{
			Config: config("registry.example/shop/cart:1.0.0", "", acctest.HTTP(`env = { GREETING = "hello", EMPTY = "" }`), `labels = { team = "checkout" }`),
			ConfigPlanChecks: preApply(
				action(component, plancheck.ResourceActionCreate), action(deployment, plancheck.ResourceActionCreate), action(endpoint, plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue(deployment, manifest("Deployment", "cart"), knownvalue.StringRegexp(regexp.MustCompile(`"image":"registry.example/shop/cart:1.0.0"`))),
				plancheck.ExpectKnownValue(deployment, manifest("Service", "cart"), knownvalue.NotNull()),
				plancheck.ExpectKnownValue(endpoint, tfjsonpath.New("manifests"), knownvalue.MapSizeExact(2)),
				plancheck.ExpectKnownValue(endpoint, tfjsonpath.New("addresses"), knownvalue.MapSizeExact(2)),
				plancheck.ExpectKnownValue("platform_project.shop", tfjsonpath.New("cells"), knownvalue.MapExact(map[string]knownvalue.Check{"dev": knownvalue.StringExact(namespace)})),
				plancheck.ExpectUnknownValue(deployment, tfjsonpath.New("ready")),
				plancheck.ExpectUnknownValue("platform_data_plane.main", tfjsonpath.New("server_version")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(component, tfjsonpath.New("id"), knownvalue.StringExact("shop/cart")),
				statecheck.ExpectKnownValue(deployment, tfjsonpath.New("id"), knownvalue.StringExact("shop/cart/main/dev")),
				statecheck.ExpectKnownValue(deployment, tfjsonpath.New("namespace"), knownvalue.StringExact(namespace)),
				statecheck.ExpectKnownValue(deployment, tfjsonpath.New("ready"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(deployment, tfjsonpath.New("addresses"), knownvalue.MapExact(map[string]knownvalue.Check{
					"http": knownvalue.StringExact("cart." + namespace + ".svc:80"),
				})),
				statecheck.ExpectKnownValue(endpoint, tfjsonpath.New("id"), knownvalue.StringExact("shop/cart/main/dev/web")),
				statecheck.ExpectKnownValue("platform_deployment_pipeline.main", tfjsonpath.New("environments"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("dev")})),
				statecheck.ExpectKnownValue("platform_data_plane.main", tfjsonpath.New("server_version"), knownvalue.StringRegexp(regexp.MustCompile(`^v1\.`))),
			},
			Check: live(t, func(t *testing.T) {
				d := e.Deployment(t, "cart")
				container := d.Spec.Template.Spec.Containers[0]
				equal(t, "image", "registry.example/shop/cart:1.0.0", container.Image)
				equal(t, "labels", "checkout", d.Labels["team"])
				env := map[string]string{}
				for _, variable := range container.Env {
					env[variable.Name] = variable.Value
				}
				equal(t, "env", map[string]string{"GREETING": "hello", "EMPTY": ""}, env)
				equal(t, "ready replicas", int32(1), d.Status.ReadyReplicas)
				if e.Get(t, "Service", namespace, "cart") == nil {
					t.Error("there is no Service")
				}
				equal(t, "routes", 1, len(e.List(t, "HTTPRoute", namespace, "")))
				equal(t, "policies", 2, len(e.List(t, "NetworkPolicy", namespace, "")))
			}),
		},
		{
			// The image of the component is that of its deployment, although the
			// deployment's own lines are the same.
			Config: config("registry.example/shop/cart:2.0.0", "", acctest.HTTP(`env = { GREETING = "hello", EMPTY = "" }`), `labels = { team = "checkout" }`),
			ConfigPlanChecks: preApply(
				action(component, plancheck.ResourceActionUpdate), action(deployment, plancheck.ResourceActionUpdate), action(endpoint, plancheck.ResourceActionNoop),
				plancheck.ExpectKnownValue(deployment, manifest("Deployment", "cart"), knownvalue.StringRegexp(regexp.MustCompile(`cart:2.0.0`))),
			),
			Check: live(t, func(t *testing.T) {
				equal(t, "image", "registry.example/shop/cart:2.0.0", e.Deployment(t, "cart").Spec.Template.Spec.Containers[0].Image)
			}),
		},
		{
			Config: config("registry.example/shop/cart:2.0.0", `base_path = "/cart"`,
				`display_name = "The cart"`, `labels = { tier = "one" }`,
				"configuration = {\n"+`
    ports = { http = { port = 80, target_port = 8081 }, admin = { port = 9000 } }
    env = { GREETING = "hi" }
    scaling = { replicas = 2 }
    resources = { requests = { cpu = "0.10", memory = "64Mi" } }
    probes = { readiness = { http = { port = "http", path = "/ready" } } }
    termination_grace_period_seconds = 0
  }`),
			ConfigPlanChecks: preApply(
				action(component, plancheck.ResourceActionNoop), action(deployment, plancheck.ResourceActionUpdate), action(endpoint, plancheck.ResourceActionUpdate),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(deployment, tfjsonpath.New("configuration").AtMapKey("resources").AtMapKey("requests").AtMapKey("cpu"), knownvalue.StringExact("0.10")),
			},
			Check: live(t, func(t *testing.T) {
				d := e.Deployment(t, "cart")
				container := d.Spec.Template.Spec.Containers[0]
				equal(t, "replicas", int32(2), *d.Spec.Replicas)
				equal(t, "ready replicas", int32(2), d.Status.ReadyReplicas)
				equal(t, "variables", 1, len(container.Env))
				equal(t, "ports", 2, len(container.Ports))
				equal(t, "path", "/ready", container.ReadinessProbe.HTTPGet.Path)
				equal(t, "grace", int64(0), *d.Spec.Template.Spec.TerminationGracePeriodSeconds)
				equal(t, "removed label", "", d.Labels["team"])
				equal(t, "added label", "one", d.Labels["tier"])
			}),
		},
	}
	e.Test(t, append(steps, imports(t, deployment, "shop/cart/main/dev")...)...)
}

// Only a change of what makes up an id replaces.
func TestAccIdentity(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	config := func(name, track string) string {
		return e.Base() + fmt.Sprintf(`
resource "platform_component" "cart" {
  project = platform_project.shop.id
  name    = %q
  type    = "service"
  image   = %q
}
`, name, acctest.Image) + acctest.Deployment("cart", fmt.Sprintf("track = %q", track), acctest.HTTP()) + acctest.Endpoint("web", "cart")
	}
	only := func(name string) resource.TestCheckFunc {
		return live(t, func(t *testing.T) {
			t.Helper()
			var names []string
			for _, found := range e.List(t, "Deployment", namespace, "") {
				names = append(names, found.GetName())
			}
			equal(t, "deployments", []string{name}, names)
		})
	}
	e.Test(
		t,
		resource.TestStep{Config: config("cart", "main"), Check: only("cart")},
		resource.TestStep{
			Config: config("cart", "v2"),
			ConfigPlanChecks: preApply(
				action(component, plancheck.ResourceActionNoop), action(deployment, plancheck.ResourceActionReplace), action(endpoint, plancheck.ResourceActionReplace),
			),
			Check: only("cart--v2"),
		},
		resource.TestStep{
			Config: config("basket", "v2"),
			ConfigPlanChecks: preApply(
				action(component, plancheck.ResourceActionReplace), action(deployment, plancheck.ResourceActionReplace), action(endpoint, plancheck.ResourceActionReplace),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(endpoint, tfjsonpath.New("id"), knownvalue.StringExact("shop/basket/v2/dev/web")),
			},
			Check: only("basket--v2"),
		},
	)
}
