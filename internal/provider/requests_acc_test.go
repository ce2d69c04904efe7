// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// However many objects there are, a refresh asks for them in lists.
func TestAccRequests(t *testing.T) {
	t.Parallel()
	const many = 50
	e := acctest.New(t)
	proxy := e.Proxy(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base(fmt.Sprintf("kubernetes = { host = %q }", proxy.URL))+fmt.Sprintf(`
locals { names = toset([for i in range(%d) : "c${i}"]) }

resource "platform_component" "many" {
  for_each = local.names
  project  = platform_project.shop.id
  name     = each.key
  type     = "service"
  image    = %q
}

resource "platform_deployment" "many" {
  for_each      = local.names
  component     = platform_component.many[each.key].id
  environment   = platform_environment.dev.id
  configuration = { ports = { http = { port = 80 } }, scaling = { replicas = 0 } }
}

resource "platform_endpoint" "many" {
  for_each   = local.names
  deployment = platform_deployment.many[each.key].id
  name       = "web"
  type       = "http"
  port       = "http"
  visibility = "public"
}
`, many, acctest.Image))

	// The plan of a first apply finds nothing and looks for nothing.
	cli.Plan(t, "-parallelism=50").Must(t)
	few(t, "first plan", proxy.Take())
	cli.ApplyPlan(t).Must(t)
	counts := proxy.Take()
	t.Logf("apply of %d:\n%s", many, acctest.Counts(counts))
	equal(t, "Deployments applied", many, counts["patch deployments"])

	cli.Plan(t).MustBeEmpty(t)
	few(t, "plan", proxy.Take())
	cli.Apply(t, "-refresh-only").MustBeEmpty(t)
	few(t, "refresh", proxy.Take())
	cli.Destroy(t).Must(t)
	t.Logf("destroy of %d:\n%s", many, acctest.Counts(proxy.Take()))
	gone(t, e)
}

// few fails the test if requests were made per object, or a kind was listed
// more than once. Nothing may be written.
func few(t *testing.T, what string, counts map[string]int) {
	t.Helper()
	const single = 3
	t.Logf("%s:\n%s", what, acctest.Counts(counts))
	gets := 0
	for key, count := range counts {
		switch verb, _, _ := strings.Cut(key, " "); verb {
		case "get":
			gets += count
		case "list":
			if count > 1 {
				t.Errorf("%s: %d x %s", what, count, key)
			}
		default:
			t.Errorf("%s: %d x %s", what, count, key)
		}
	}
	if gets > single {
		t.Errorf("%s: %d objects were read one by one", what, gets)
	}
}
