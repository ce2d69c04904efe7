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
	cases := map[string]struct {
		fails, warns string
		image        string
		ready        string
		// again is what the next plan does when nothing else changes.
		again string
	}{
		"keep":     {fails: "Rollout failed.*pod cart-.*exit code 3", image: crash, ready: "true", again: "update"},
		"rollback": {fails: "Rollout failed.*pod cart-.*exit code 3.*Rolled back: sha256:[0-9a-f]{64} runs again", image: acctest.Image, ready: "true", again: "update"},
		"warn":     {warns: "Rollout failed.*pod cart-.*exit code 3", image: crash, ready: "false", again: "update"},
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
			if policy == "rollback" {
				image(t, e, acctest.Image, 2)
			}
			ready(t, cli, tc.ready)
			equal(t, "next plan", map[string]string{deployment: tc.again}, cli.Plan(t).Must(t).Actions)
			settled(t, e, cli, policy, map[string]string{"keep": "update", "rollback": "update", "warn": "update"}[policy])
		})
	}
}

// A release that was promoted is taken back like any other.
func TestAccRollbackOfPromotion(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	config := func(image string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", image))+
			acctest.Deployment("cart", acctest.HTTP(`pod_annotations = { "example.com/stage" = "dev" }`), "wait_for_rollout = true")+`
resource "platform_environment" "prod" {
  name       = "prod"
  data_plane = platform_data_plane.main.id
}
resource "platform_deployment" "prod" {
  component     = platform_component.cart.id
  environment   = platform_environment.prod.id
  promoted_from = { deployment = platform_deployment.cart.id }
  overrides     = { args = ["--prod"], pod_annotations = { "devcluster.openplatform.dev/log" = "no money" } }
  on_failure    = "rollback"
}
`)
		cli.Write(t, "line_override.tf", `resource "platform_deployment_pipeline" "main" {
  promotion_paths = [{ source = platform_environment.dev.id, targets = [{ environment = platform_environment.prod.id }] }]
}
`)
	}
	config(acctest.Image)
	cli.Apply(t).Must(t)
	_ = e
}
