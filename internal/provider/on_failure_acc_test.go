// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// onFailure writes the deployment of cart, whose component has the image, with
// what its failure leads to.
func onFailure(t *testing.T, e *acctest.Env, cli *acctest.CLI, image, policy string) {
	t.Helper()
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", image))+
		acctest.Deployment("cart", fmt.Sprintf("on_failure = %q", policy), acctest.HTTP("scaling = { replicas = 2 }"))+
		"output \"ready\" { value = platform_deployment.cart.ready }\n")
}

// image checks which image runs, and how many pods of it are ready.
func image(t *testing.T, e *acctest.Env, want string, ready int32) {
	t.Helper()
	d := e.Deployment(t, "cart")
	equal(t, "image", want, d.Spec.Template.Spec.Containers[0].Image)
	equal(t, "ready replicas", ready, d.Status.ReadyReplicas)
}

// ready checks what the state says.
func ready(t *testing.T, cli *acctest.CLI, want string) {
	t.Helper()
	output, err := cli.Run(t, "output", "ready")
	equal(t, "error", error(nil), err)
	equal(t, "ready", want+"\n", output)
}

// settled repairs the deployment with an image that runs, and destroys it.
func settled(t *testing.T, e *acctest.Env, cli *acctest.CLI, policy, planned string) {
	t.Helper()
	onFailure(t, e, cli, acctest.Image, policy)
	equal(t, "plan of the repair", planned, cli.Apply(t).Must(t).Actions[deployment])
	image(t, e, acctest.Image, 2)
	ready(t, cli, "true")
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

func TestAccOnFailureOfCreate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		// fails are the words of the error; warns those of the warning instead.
		fails, warns string
		stays        bool
		// next is what the next plan does to the deployment.
		next string
	}{
		"keep":     {fails: "Rollout failed.*pod cart-.*(ErrImagePull|ImagePullBackOff)", stays: true, next: "replace"},
		"rollback": {fails: "Rollout failed.*pod cart-.*(ErrImagePull|ImagePullBackOff).*Rolled back: everything that was made was removed", next: "create"},
		"warn":     {warns: "Rollout failed.*pod cart-.*(ErrImagePull|ImagePullBackOff).*on_failure", stays: true, next: "update"},
	}
	for policy, tc := range cases {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			onFailure(t, e, cli, pullError, policy)
			if result := cli.Apply(t); tc.fails != "" {
				result.MustFail(t, tc.fails)
			} else {
				result.MustWarn(t, tc.warns)
				ready(t, cli, "false")
			}
			equal(t, "in the state", tc.stays, slices.Contains(cli.State(t), deployment))
			namespace := e.Namespace("shop", "dev")
			for _, kind := range []string{"Deployment", "Service"} {
				equal(t, kind, tc.stays, e.Get(t, kind, namespace, "cart") != nil)
			}
			equal(t, "next plan", tc.next, cli.Plan(t).Must(t).Actions[deployment])
			settled(t, e, cli, policy, tc.next)
		})
	}
}

func TestAccOnFailureOfUpdate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ fails, warns, image, ready string }{
		"keep":     {fails: "Rollout failed.*pod cart-.*exit code 3", image: crash, ready: "true"},
		"rollback": {fails: "Rollout failed.*pod cart-.*exit code 3.*Rolled back: sha256:[0-9a-f]{64} runs again", image: acctest.Image, ready: "true"},
		"warn":     {warns: "Rollout failed.*pod cart-.*exit code 3", image: crash, ready: "false"},
	}
	for policy, tc := range cases {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			onFailure(t, e, cli, acctest.Image, policy)
			cli.Apply(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			onFailure(t, e, cli, crash, policy)
			if result := cli.Apply(t); tc.fails != "" {
				result.MustFail(t, tc.fails)
			} else {
				result.MustWarn(t, tc.warns)
			}
			equal(t, "image", tc.image, e.Deployment(t, "cart").Spec.Template.Spec.Containers[0].Image)
			if tc.image == acctest.Image {
				image(t, e, acctest.Image, 2)
			}
			// Whatever it was, the next plan shows what is not in force.
			ready(t, cli, tc.ready)
			equal(t, "next plan", map[string]string{deployment: "update"}, cli.Plan(t).Must(t).Actions)
			settled(t, e, cli, policy, "update")
		})
	}
}

// A rollout whose time is over is taken back in time of its own.
func TestAccRollbackAfterTimeout(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	onFailure(t, e, cli, acctest.Image, "rollback")
	cli.Write(t, "time_override.tf", "resource \"platform_deployment\" \"cart\" {\n  timeouts = { update = \"10s\" }\n}\n")
	cli.Apply(t).Must(t)
	onFailure(t, e, cli, notReady, "rollback")
	cli.Apply(t).MustFail(t, `Timed out.*Rolled back: sha256:[0-9a-f]{64} runs again.*10s, is over. Raise timeouts.update`)
	image(t, e, acctest.Image, 2)
	settled(t, e, cli, "rollback", "update")
}

// What was promoted is taken back like anything else, overrides and all, and the
// stage before keeps what it runs.
func TestAccRollbackOfPromotion(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	config := func(image, behavior string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", image))+acctest.Deployment("cart", acctest.HTTP())+fmt.Sprintf(`
resource "platform_environment" "prod" {
  name       = "prod"
  data_plane = platform_data_plane.main.id
}
resource "platform_deployment" "prod" {
  component     = platform_component.cart.id
  environment   = platform_environment.prod.id
  promoted_from = { deployment = platform_deployment.cart.id }
  overrides     = { args = [%q], pod_annotations = { "devcluster.openplatform.dev/behavior" = %[1]q } }
  on_failure    = "rollback"
}
`, behavior))
		cli.Write(t, "line_override.tf", `resource "platform_deployment_pipeline" "main" {
  promotion_paths = [{ source = platform_environment.dev.id, targets = [{ environment = platform_environment.prod.id }] }]
}
`)
	}
	const next, prod = "registry.example/shop/cart:2.0.0", "platform_deployment.prod"
	config(acctest.Image, "run")
	cli.Apply(t).Must(t)
	before := cli.Values(t, prod)
	config(next, "crash")
	cli.Apply(t).MustFail(t, fmt.Sprintf("Rollout failed.*pod cart-.*Rolled back: %s runs again", before["release"]))
	image(t, e, next, 1)
	found := e.Get(t, "Deployment", e.Namespace("shop", "prod"), "cart")
	container := containerOf(t, found.Object)
	equal(t, "image in prod", any(acctest.Image), container["image"])
	equal(t, "arguments in prod", any([]any{"run"}), container["args"])
	equal(t, "state of prod", before["manifests"], cli.Values(t, prod)["manifests"])
	config(next, "run")
	equal(t, "plan", map[string]string{prod: "update"}, cli.Apply(t).Must(t).Actions)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
