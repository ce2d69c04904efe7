// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

const (
	autoscaler = "scaling = { min_replicas = %d, max_replicas = 5, target_cpu_utilization_percentage = 80 }"
	requests   = `resources = { requests = { cpu = "50m" } }`
)

// scaled writes the deployment of cart with a way to scale.
func scaled(t *testing.T, e *acctest.Env, cli *acctest.CLI, scaling string) {
	t.Helper()
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP(requests, scaling)))
}

// A number of replicas that is not set any more stays, is then anybody's, and can
// be set again.
func TestAccReplicasHandedOver(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	replicas := func(when string, want int32) {
		t.Helper()
		equal(t, when, want, *e.Deployment(t, "cart").Spec.Replicas)
		cli.Plan(t).MustBeEmpty(t)
	}
	scaled(t, e, cli, "scaling = { replicas = 3 }")
	cli.Apply(t).Must(t)
	fewest := e.FewestReplicas(t, "cart")
	scaled(t, e, cli, "")
	equal(t, "plan", map[string]string{deployment: "update"}, cli.Apply(t).Must(t).Actions)
	replicas("the number is not set any more", 3)
	e.Scale(t, "cart", 4)
	replicas("somebody scaled", 4)
	scaled(t, e, cli, "scaling = { replicas = 3 }")
	cli.Apply(t).Must(t)
	replicas("the number is set again", 3)
	e.Scale(t, "cart", 5)
	equal(t, "plan", map[string]string{deployment: "update"}, cli.Apply(t).Must(t).Actions)
	replicas("the number is taken back", 3)
	equal(t, "fewest replicas", int64(3), fewest())
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// An autoscaler takes over from a number of replicas and gives way to one without
// that there are ever fewer, and what it does is no drift.
func TestAccAutoscaler(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	scaled(t, e, cli, "scaling = { replicas = 3 }")
	cli.Apply(t).Must(t)
	fewest := e.FewestReplicas(t, "cart")
	scaled(t, e, cli, fmt.Sprintf(autoscaler, 2))
	cli.Apply(t).Must(t)
	equal(t, "replicas under the autoscaler", int32(3), *e.Deployment(t, "cart").Spec.Replicas)
	cli.Plan(t).MustBeEmpty(t)

	// Without metrics it still sees to its minimum.
	scaled(t, e, cli, fmt.Sprintf(autoscaler, 4))
	cli.Apply(t).Must(t)
	e.AwaitReplicas(t, "cart", 4)
	cli.Plan(t).MustBeEmpty(t)

	scaled(t, e, cli, "scaling = { replicas = 3 }")
	cli.Apply(t).Must(t)
	if e.Get(t, "HorizontalPodAutoscaler", e.Namespace("shop", "dev"), "cart") != nil {
		t.Error("the autoscaler is still there")
	}
	equal(t, "replicas after the autoscaler", int32(3), *e.Deployment(t, "cart").Spec.Replicas)
	cli.Plan(t).MustBeEmpty(t)
	equal(t, "fewest replicas", int64(3), fewest())
	cli.Destroy(t).Must(t)
	gone(t, e)
}
