// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// documentedRoles returns the roles of a name that the guide shows, with that of
// the records in the tenant's namespace.
func documentedRoles(t *testing.T, e *acctest.Env, name string) []*acctest.Object {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/permissions.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var roles []*acctest.Object
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		for text := range strings.SplitSeq(block[1], "\n---\n") {
			role := &acctest.Object{}
			if err := yaml.Unmarshal([]byte(text), &role.Object); err != nil {
				t.Fatal(err)
			}
			if role.GetName() != name {
				continue
			}
			if role.GetNamespace() != "" {
				role.SetNamespace(e.ControlPlane())
			}
			roles = append(roles, role)
		}
	}
	equal(t, "roles of "+name, 2, len(roles))
	return roles
}

// Accounts that have the documented rights and no others can plan and apply
// everything, and those that may plan cannot apply.
func TestAccPermissions(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	e.CreateNamespace(t, e.ControlPlane())
	planner := e.Account(t, "planner", documentedRoles(t, e, "platform-plan")...)
	applier := e.Account(t, "applier", documentedRoles(t, e, "platform-apply")...)
	cli := e.CLI(t)
	cli.Write(t, "gateways_override.tf", gateways)
	as := func(connection, image string) {
		cli.Write(t, "main.tf", e.Base(connection)+acctest.Component("cart", fmt.Sprintf("image = %q", image))+
			acctest.Deployment("cart", `configuration = {
    ports     = { http = { port = 80 }, rpc = { port = 7070 }, raw = { port = 6379 } }
    resources = { requests = { cpu = "100m" } }
    scaling   = { min_replicas = 1, max_replicas = 3, target_cpu_utilization_percentage = 80 }
  }`)+
			acctest.Component("report", `type = "scheduled_task"`, fmt.Sprintf("image = %q", acctest.Image))+
			acctest.Deployment("report", `configuration = { schedule = { cron = "@daily" } }`)+
			acctest.Endpoint("web", "cart", `visibility = "public"`)+
			typedEndpoint("rpc", "grpc", "rpc", `visibility = "public"`, `listener = "grpc"`)+
			typedEndpoint("raw", "tcp", "raw", `visibility = "organization"`, `listener = "tcp"`))
	}
	as(planner, acctest.Image)
	cli.Plan(t).Must(t)
	cli.ApplyPlan(t).MustFail(t, `Permission denied \(platform_data_plane.main\).*not allowed to create configmaps in namespace `+e.ControlPlane())
	as(applier, acctest.Image)
	cli.Apply(t).Must(t)
	for _, account := range []string{planner, applier} {
		as(account, acctest.Image)
		cli.Plan(t).MustBeEmpty(t)
	}
	e.Edit(t, "Deployment", e.Namespace("shop", "dev"), "cart", func(object map[string]any) { containerOf(t, object)["image"] = "drifted" })
	as(planner, acctest.Image)
	equal(t, "plan", map[string]string{deployment: "update"}, cli.Plan(t).Must(t).Actions)

	// A rollout that fails says all that it can.
	as(applier, crash)
	cli.Apply(t).MustFail(t, `Rollout failed.*pod cart-.*container cart.*exit code 3.*last events:.*last log lines of container cart`)
	as(applier, "registry.example/shop/cart:2.0.0")
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
