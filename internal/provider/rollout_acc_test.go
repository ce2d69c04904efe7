// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// Images whose containers fail in the test cluster.
const (
	pullError = "registry.example/devcluster/pull-error:v1"
	crash     = "registry.example/devcluster/crash:exit-3"
	notReady  = "registry.example/devcluster/not-ready:v1"
)

// gone fails the test unless nothing of the tenant is left.
func gone(t *testing.T, e *acctest.Env) {
	t.Helper()
	if err := e.CheckGone(t); err != nil {
		t.Error(err)
	}
}

func TestAccRolloutCreate(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	config := func(image string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart")+acctest.Deployment("cart", fmt.Sprintf("image = %q", image), acctest.HTTP()))
	}
	config(pullError)
	cli.Apply(t).MustFail(t, "Rollout failed.*Deployment.*cart.*pod cart-[a-z0-9-]+.*(ErrImagePull|ImagePullBackOff)")
	if !slices.Contains(cli.State(t), deployment) {
		t.Fatal("the state forgot a deployment whose objects exist")
	}
	planned := cli.Plan(t).Must(t)
	equal(t, "next plan", map[string]string{deployment: "replace"}, planned.Actions)
	config(acctest.Image)
	cli.Apply(t).Must(t)
	equal(t, "image", acctest.Image, e.Deployment(t, "cart").Spec.Template.Spec.Containers[0].Image)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

func TestAccRolloutUpdate(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	config := func(image string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", image))+
			acctest.Deployment("cart", acctest.HTTP(`pod_annotations = { "devcluster.openplatform.dev/log" = "first line\nout of cheese" }`)))
	}
	config(acctest.Image)
	cli.Apply(t).Must(t)
	config(crash)
	cli.Apply(t).MustFail(t, `Rollout failed.*pod cart-[a-z0-9-]+.*container cart.*exit code 3.*last log lines.*out of cheese`)

	// The state says what was in force before, so the plan shows what is not.
	planned := cli.Plan(t).Must(t)
	equal(t, "next plan", map[string]string{deployment: "update"}, planned.Actions)
	config("registry.example/shop/cart:2.0.0")
	cli.Apply(t).Must(t)
	equal(t, "image", "registry.example/shop/cart:2.0.0", e.Deployment(t, "cart").Spec.Template.Spec.Containers[0].Image)
	cli.Plan(t).MustBeEmpty(t)

	// Back to what the state had before the failure.
	config(crash)
	cli.Apply(t).MustFail(t, "Rollout failed")
	config("registry.example/shop/cart:2.0.0")
	planned = cli.Apply(t).Must(t)
	equal(t, "plan of the way back", map[string]string{component: "update", deployment: "update"}, planned.Actions)
	equal(t, "ready replicas", int32(1), e.Deployment(t, "cart").Status.ReadyReplicas)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// Nobody waits for a rollout that was not to be waited for.
func TestAccRolloutWithoutWait(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart")+
		acctest.Deployment("cart", fmt.Sprintf("image = %q", pullError), "wait_for_rollout = false", acctest.HTTP())+
		"output \"ready\" { value = platform_deployment.cart.ready }\n")
	cli.Apply(t).Must(t)
	output, err := cli.Run(t, "output", "ready")
	equal(t, "error", error(nil), err)
	equal(t, "ready", "false\n", output)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
