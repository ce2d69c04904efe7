// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

const (
	// killsVariable says how many commands are killed, killSeedVariable where.
	killsVariable    = "PLATFORM_KILLS"
	killSeedVariable = "PLATFORM_KILL_SEED"

	defaultKills = 10
	// killsAtOnce bounds how many run at the same time.
	killsAtOnce = 4
)

// killed is what is done to a command, and what is done after that.
type killed struct {
	// verb is the command: create and update are an apply.
	verb   string
	victim acctest.Victim
	// at is the number of the request at which it happens, counting writes only
	// or all; late lets that request be carried out.
	at     int
	writes bool
	late   bool
	// apply is what follows a killed destroy; everything else is applied anyway.
	apply bool
}

// String tells enough to understand a failure.
func (k killed) String() string {
	what, when, next := "request", "before", "apply"
	if k.writes {
		what = "write"
	}
	if k.late {
		when = "after"
	}
	if k.verb == "destroy" && !k.apply {
		next = "destroy"
	}
	return fmt.Sprintf("%s of %s %s %s %d, then %s", k.victim, k.verb, when, what, k.at, next)
}

// calm is what an undisturbed command asks for and leaves.
type calm struct {
	requests, writes int
	left             map[string]string
}

// draw decides about a kill.
func draw(random *rand.Rand, calms map[string]calm) killed {
	victims := []acctest.Victim{acctest.VictimCLI, acctest.VictimProvider, acctest.VictimBoth, acctest.Interrupted}
	k := killed{
		verb:   []string{"create", "create", "create", "update", "update", "destroy"}[random.IntN(6)],
		victim: victims[random.IntN(len(victims))],
		writes: random.IntN(4) > 0, late: random.IntN(2) > 0, apply: random.IntN(2) > 0,
	}
	most := calms[k.verb].requests
	if k.writes {
		most = calms[k.verb].writes
	}
	k.at = 1 + random.IntN(most)
	return k
}

// number returns the number that a variable holds, or otherwise.
func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// killable is a configuration in which everything depends on something, in two
// versions: later has other images, replicas and paths, an autoscaler instead of
// replicas, and an endpoint less.
func killable(e *acctest.Env, proxy *acctest.Proxy, later bool) string {
	image, replicas, path, scaling := "1.0.0", 1, "/v1", "replicas = 2"
	more := acctest.Endpoint("admin", "cart", `visibility = "project"`)
	if later {
		image, replicas, path, more = "2.0.0", 3, "/v2", ""
		scaling = "min_replicas = 2, max_replicas = 4, target_cpu_utilization_percentage = 80"
	}
	return e.Provider(fmt.Sprintf("kubernetes = { host = %q }", proxy.URL)) + fmt.Sprintf(`
resource "platform_data_plane" "main" {
  name = "main"
  gateways = {
    public = {
      name = "public", namespace = "gateways", listener = "http", virtual_host = "apps.example.com", scheme = "http"
    }
  }
}

resource "platform_environment" "dev" {
  name       = "dev"
  data_plane = platform_data_plane.main.id
}

resource "platform_environment" "prod" {
  name       = "prod"
  data_plane = platform_data_plane.main.id
  production = true
}

resource "platform_deployment_pipeline" "main" {
  name            = "main"
  promotion_paths = [{ source = platform_environment.dev.id, targets = [{ environment = platform_environment.prod.id }] }]
}

resource "platform_project" "shop" {
  name                = "shop"
  deployment_pipeline = platform_deployment_pipeline.main.id
  namespace_labels    = { team = "checkout" }
}

resource "platform_deployment" "prod" {
  component     = platform_component.cart.id
  environment   = platform_environment.prod.id
  promoted_from = { deployment = platform_deployment.cart.id }
  overrides     = { env = { MODE = "prod" }, scaling = { replicas = %d } }
}

resource "platform_deployment" "web_prod" {
  component     = platform_component.web.id
  environment   = platform_environment.prod.id
  configuration = { ports = { http = { port = 80, target_port = 8080 } } }
}

resource "platform_project" "legacy" {
  name                = "legacy"
  deployment_pipeline = platform_deployment_pipeline.main.id
  namespaces          = { (platform_environment.dev.id) = %q }
}

resource "platform_component" "old" {
  project = platform_project.legacy.id
  name    = "old"
  type    = "service"
  image   = "registry.example/legacy/old:%s"
}
`, replicas+1, existing(e), image) +
		acctest.Component("cart", fmt.Sprintf("image = %q", "registry.example/shop/cart:"+image)) +
		acctest.Component("web", fmt.Sprintf("image = %q", "registry.example/shop/web:"+image)) +
		acctest.Deployment("cart", acctest.HTTP(`env = { MODE = "dev" }`, fmt.Sprintf("scaling = { replicas = %d }", replicas))) +
		acctest.Deployment("web", acctest.HTTP(`resources = { requests = { cpu = "10m" } }`, "scaling = { "+scaling+" }"), `on_failure = "rollback"`) +
		acctest.Deployment("old", acctest.HTTP(), `on_failure = "warn"`) +
		acctest.Endpoint("api", "prod", fmt.Sprintf("visibility = \"public\"\n  base_path = %q", path)) +
		acctest.Endpoint("site", "web", fmt.Sprintf("visibility = \"public\"\n  base_path = %q", path)) + more
}

// tenant is where a command is killed.
type tenant struct {
	*acctest.Env
	proxy *acctest.Proxy
	cli   *acctest.CLI
}

// existing is the name of a namespace that is there before.
func existing(e *acctest.Env) string { return "existing-" + e.Organization }

func newTenant(t *testing.T) tenant {
	t.Helper()
	e := acctest.New(t)
	e.CreateNamespace(t, existing(e))
	return tenant{Env: e, proxy: e.Proxy(t), cli: e.CLI(t)}
}

func (n tenant) write(t *testing.T, later bool) {
	t.Helper()
	n.cli.Write(t, "main.tf", killable(n.Env, n.proxy, later))
}

// settled checks that everything is as an undisturbed apply leaves it.
func (n tenant) settled(t *testing.T, want map[string]string) {
	t.Helper()
	n.cli.Plan(t).MustBeEmpty(t)
	n.Intact(t)
	if diff := cmp.Diff(want, n.Snapshot(t)); diff != "" {
		t.Errorf("-undisturbed +killed:\n%s", diff)
	}
}

// destroy destroys everything and checks that nothing is left.
func (n tenant) destroy(t *testing.T) {
	t.Helper()
	n.cli.Destroy(t).Must(t)
	gone(t, n.Env)
	equal(t, "namespaces", []string{existing(n.Env), n.ControlPlane()}, n.Namespaces(t))
	equal(t, "resources of the state", 0, len(n.cli.State(t)))
}

// undisturbed returns what each command asks for and leaves when nothing happens.
func undisturbed(t *testing.T) map[string]calm {
	t.Helper()
	n := newTenant(t)
	calms := map[string]calm{}
	note := func(verb string, left map[string]string) {
		seen := calm{left: left}
		counts := n.proxy.Take()
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			seen.requests += counts[key]
			if acctest.Writes(key) {
				seen.writes += counts[key]
			}
		}
		calms[verb] = seen
	}
	for i, verb := range []string{"create", "update"} {
		n.write(t, i > 0)
		n.proxy.Take()
		n.cli.Apply(t).Must(t)
		note(verb, n.Snapshot(t))
		n.settled(t, calms[verb].left)
	}
	n.proxy.Take()
	n.destroy(t)
	note("destroy", nil)
	return calms
}

// A command that is killed anywhere and run again ends like one that was not.
func TestAccKilled(t *testing.T) {
	t.Parallel()
	seed := number(t, killSeedVariable, uint64(time.Now().UnixNano()%1e9))
	kills := number(t, killsVariable, defaultKills)
	calms := undisturbed(t)
	for verb, seen := range calms {
		t.Logf("%s: %d requests, %d of them writes", verb, seen.requests, seen.writes)
	}
	slots := make(chan struct{}, killsAtOnce)
	for i := range kills {
		k := draw(rand.New(rand.NewPCG(seed, i)), calms)
		t.Run(strconv.FormatUint(i, 10), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Logf("%s=%d: %s", killSeedVariable, seed, k)
			kill(t, calms, k)
		})
	}
}

func kill(t *testing.T, calms map[string]calm, k killed) {
	t.Helper()
	n := newTenant(t)
	n.write(t, false)
	if k.verb != "create" {
		n.cli.Apply(t).Must(t)
	}
	if k.verb == "update" {
		n.write(t, true)
	}
	verb := "apply"
	if k.verb == "destroy" {
		verb = "destroy"
	}
	started := make(chan *acctest.Command, 1)
	n.proxy.BreakAt(&acctest.Break{At: k.at, Writes: k.writes, Late: k.late, Do: func() {
		if err := (<-started).Kill(k.victim); err != nil {
			t.Error(err)
		}
	}})
	command := n.cli.Start(t, verb, "-auto-approve", "-input=false", "-no-color")
	started <- command
	output := command.Wait(t)
	if !n.proxy.BreakAt(nil) {
		t.Log("the command had ended before")
	}
	if n.cli.RestoreState(t) {
		t.Log("the CLI was killed while it wrote its state")
	}
	defer func() {
		if t.Failed() {
			t.Logf("what was killed:\n%s", output)
		}
	}()
	if k.verb == "destroy" && !k.apply {
		n.destroy(t)
		return
	}
	left := k.verb
	if k.verb == "destroy" {
		left = "create"
	}
	n.cli.Apply(t).Must(t)
	n.settled(t, calms[left].left)
	n.destroy(t)
}
