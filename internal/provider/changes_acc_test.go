// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// What is not declared any more is removed, object by object, and comes back
// when it is declared again.
func TestAccPrune(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	apply := func(what string, typ, configuration, endpoint string, services, routes, policies int) {
		t.Helper()
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("type  = %q", typ), fmt.Sprintf("image = %q", acctest.Image))+
			acctest.Deployment("cart", configuration)+endpoint)
		cli.Apply(t).Must(t)
		equal(t, what+": Services", services, len(e.List(t, "Service", namespace, "")))
		equal(t, what+": routes", routes, len(e.List(t, "HTTPRoute", namespace, "")))
		equal(t, what+": policies", policies, len(e.List(t, "NetworkPolicy", namespace, "")))
		cli.Plan(t).MustBeEmpty(t)
	}
	public := acctest.Endpoint("web", "cart", `visibility = "public"`)
	apply("public", "service", acctest.HTTP(), public, 1, 1, 2)
	uid := e.Get(t, "Deployment", namespace, "cart").GetUID()
	apply("project only", "service", acctest.HTTP(), acctest.Endpoint("web", "cart"), 1, 0, 1)
	apply("public again", "web_application", acctest.HTTP(), acctest.Endpoint("web", "cart"), 1, 1, 2)
	apply("no endpoint", "web_application", acctest.HTTP(), "", 1, 0, 1)
	apply("no port", "web_application", "configuration = {}", "", 0, 0, 1)
	apply("ports again", "service", acctest.HTTP(), public, 1, 1, 2)
	apply("no way in", "event_handler", "", "", 0, 0, 1)
	equal(t, "UID", uid, e.Get(t, "Deployment", namespace, "cart").GetUID())
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// A data plane is reached by the connection that it names, records by the default one.
func TestAccTwoConnections(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	proxy := e.Proxy(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base(fmt.Sprintf("connections = { far = { host = %q } }", proxy.URL))+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	cli.Write(t, "far_override.tf", "resource \"platform_data_plane\" \"main\" {\n  cluster = \"far\"\n}\n")
	cli.Apply(t).Must(t)
	counts := proxy.Take()
	equal(t, "Deployments", 1, counts["patch deployments"])
	equal(t, "Services", 1, counts["patch services"])
	equal(t, "records", 0, counts["create configmaps"]+counts["list configmaps"])
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	equal(t, "deleted Deployments", 1, proxy.Take()["delete deployments"])
	gone(t, e)
}

// An environment does not leave a data plane on which projects run in it.
func TestAccEnvironmentInUse(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	config := func(plane string) {
		cli.Write(t, "main.tf", e.Base()+"resource \"platform_data_plane\" \"other\" {\n  name = \"other\"\n}\n"+
			acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
		cli.Write(t, "plane_override.tf", "resource \"platform_environment\" \"dev\" {\n  data_plane = platform_data_plane."+plane+".id\n}\n")
	}
	config("main")
	cli.Apply(t).Must(t)
	config("other")
	cli.Apply(t).MustFail(t, `Environment is in use \(platform_environment.dev\) at: .*data_plane = platform_data_plane.other.id.*project "shop".*"main"`)
	config("main")
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// Two runs at the same time share what they both need.
func TestAccConcurrentRuns(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	platform := e.CLI(t)
	platform.Write(t, "main.tf", e.Base())
	platform.Apply(t).Must(t)
	runs := map[string]*acctest.CLI{"cart": e.CLI(t), "frontend": e.CLI(t), "mailer": e.CLI(t)}
	for name, cli := range runs {
		cli.Write(t, "main.tf", e.Provider()+fmt.Sprintf(`
resource "platform_component" "main" {
  project = "shop"
  name    = %q
  type    = "service"
  image   = %q
}
resource "platform_deployment" "main" {
  component     = platform_component.main.id
  environment   = "dev"
  configuration = { ports = { http = { port = 80 } } }
}
`, name, acctest.Image))
	}
	results := each(runs, func(cli *acctest.CLI) *acctest.Result { return cli.Apply(t) })
	for name, cli := range runs {
		results[name].Must(t)
		cli.Plan(t).MustBeEmpty(t)
		equal(t, name+": ready replicas", int32(1), e.Deployment(t, name).Status.ReadyReplicas)
	}
	platform.Plan(t).MustBeEmpty(t)
	for _, result := range each(runs, func(cli *acctest.CLI) *acctest.Result { return cli.Destroy(t) }) {
		result.Must(t)
	}
	platform.Destroy(t).Must(t)
	gone(t, e)
}

// each runs a command in every working directory at the same time.
func each(runs map[string]*acctest.CLI, run func(*acctest.CLI) *acctest.Result) map[string]*acctest.Result {
	var wait sync.WaitGroup
	var mu sync.Mutex
	results := map[string]*acctest.Result{}
	for name, cli := range runs {
		wait.Go(func() {
			result := run(cli)
			mu.Lock()
			defer mu.Unlock()
			results[name] = result
		})
	}
	wait.Wait()
	return results
}

// A busy API server is asked again.
func TestAccBusyServer(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	proxy := e.Proxy(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base(fmt.Sprintf("kubernetes = { host = %q }", proxy.URL))+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	commands := []func(){
		func() { cli.Apply(t).Must(t) },
		func() { cli.Plan(t).MustBeEmpty(t) },
		func() { cli.Destroy(t).Must(t) },
	}
	for _, command := range commands {
		// Each request fails the first time, and then works.
		seen := map[acctest.Request]bool{}
		proxy.Refuse(func(r acctest.Request) int {
			if seen[r] {
				return 0
			}
			seen[r] = true
			if len(seen)%2 == 0 {
				return http.StatusTooManyRequests
			}
			return http.StatusServiceUnavailable
		})
		command()
	}
	gone(t, e)
}

// A destroy that fails keeps the state, and the next one goes on.
func TestAccDestroyFails(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	proxy := e.Proxy(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base(fmt.Sprintf("kubernetes = { host = %q }", proxy.URL))+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	cli.Apply(t).Must(t)
	proxy.Refuse(func(r acctest.Request) int {
		if r.Verb == "delete" && r.Resource == "deployments" {
			return http.StatusForbidden
		}
		return 0
	})
	cli.Destroy(t).MustFail(t, `Permission denied.*Cannot delete deployment "shop/cart/main/dev".*refused by the test`)
	proxy.Refuse(nil)
	// What is left of it is shown as it is, and made whole again.
	equal(t, "plan", map[string]string{deployment: "update"}, cli.Plan(t).Must(t).Actions)
	cli.ApplyPlan(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// What does not exist cannot be imported.
func TestAccImportRefused(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	for _, id := range []string{"shop/cart/main/dev", "shop", "", "/", "shop/cart/main/dev/web/x"} {
		if output, err := cli.Run(t, "import", deployment, id); err == nil {
			t.Errorf("imported %q: %s", id, output)
		}
	}
	equal(t, "state", []string{}, cli.State(t))
	gone(t, e)
}
