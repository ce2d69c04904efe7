// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// away is for how long an API server is gone while an apply goes on.
const away = 20 * time.Second

// elsewhere adds an environment on another data plane to the project shop, and a
// deployment there.
func elsewhere() string {
	return `
resource "platform_data_plane" "far" {
  name    = "far"
  cluster = "far"
}

resource "platform_environment" "far" {
  name       = "far"
  data_plane = platform_data_plane.far.id
}

resource "platform_deployment" "stock" {
  component   = platform_component.stock.id
  environment = platform_environment.far.id
  ` + acctest.HTTP() + `
}
` + acctest.Component("stock", fmt.Sprintf("image = %q", acctest.Image))
}

// onward is the pipeline from dev to there.
const onward = `
resource "platform_deployment_pipeline" "main" {
  promotion_paths = [{ source = platform_environment.dev.id, targets = [{ environment = platform_environment.far.id }] }]
}
`

// A cluster of its own lets a test take the API server away.
func TestAccOwnCluster(t *testing.T) {
	t.Parallel()
	cluster := acctest.NewDevcluster(t)
	apiServerAway(t, cluster)
	brokenAggregatedAPI(t, cluster)
	twoDataPlanes(t, cluster)
}

// One project is on two data planes. Where one of them is away, only what runs
// there fails, and everything else can be planned and applied.
func twoDataPlanes(t *testing.T, far *acctest.Devcluster) {
	t.Helper()
	e := acctest.New(t)
	there, cli := far.Beside(t, e), e.CLI(t)
	config := func(image string) {
		cli.Write(t, "main.tf", e.Base(fmt.Sprintf("connections = { far = { config_path = %q } }", far.Kubeconfig))+
			acctest.Component("cart", fmt.Sprintf("image = %q", image))+acctest.Deployment("cart", acctest.HTTP())+elsewhere())
	}
	cli.Write(t, "onward_override.tf", onward)
	config(acctest.Image)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	equal(t, "ready replicas", int32(1), e.Deployment(t, "cart").Status.ReadyReplicas)
	equal(t, "ready replicas there", any(int64(1)), field(there.Get(t, "Deployment", e.Namespace("shop", "far"), "stock"), "status", "readyReplicas"))
	equal(t, "of the far one here", 0, len(e.List(t, "Deployment", e.Namespace("shop", "far"), "")))
	equal(t, "of the near one there", 0, len(there.List(t, "Deployment", e.Namespace("shop", "dev"), "")))

	far.APIServer(t, "stop")
	warning := `Data plane not reachable.*connection "far".*What the state knows of data.plane "far" is kept`
	cli.Plan(t).MustFail(t, `Cluster not reachable \(platform_deployment.stock\).*data plane "far".*connection "far"`)
	config("registry.example/shop/cart:2.0.0")
	changed := cli.Apply(t, "-target="+deployment).MustWarn(t, warning, "Resource targeting is in effect", "Applied changes may be incomplete")
	equal(t, "plan", map[string]string{component: "update", deployment: "update"}, changed.Actions)
	equal(t, "image", "registry.example/shop/cart:2.0.0", e.Deployment(t, "cart").Spec.Template.Spec.Containers[0].Image)
	far.APIServer(t, "start")
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
	gone(t, there)
}

// An API server that is away for a while, in the middle of whatever an apply
// does, makes the apply longer.
func apiServerAway(t *testing.T, cluster *acctest.Devcluster) {
	t.Helper()
	e := cluster.New(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP())+
		acctest.Component("slow", `image = "registry.example/devcluster/ready-after:5s"`)+acctest.Deployment("slow", acctest.HTTP())+
		acctest.Endpoint("web", "cart", `visibility = "public"`))
	command := cli.Start(t, "apply", "-auto-approve", "-input=false", "-no-color")
	e.Await(t, "Deployment", e.Namespace("shop", "dev"), "slow", func(map[string]any) bool { return true })
	cluster.APIServer(t, "stop")
	time.Sleep(away)
	cluster.APIServer(t, "start")
	if output := command.Wait(t); !strings.Contains(output, "exit status 0") {
		t.Fatalf("the apply did not outlive the API server:\n%s", output)
	}
	cli.Plan(t).MustBeEmpty(t)
	e.Intact(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// An aggregated API whose server is broken is in nobody's way, but for what the
// cluster itself does not finish: that is told.
func brokenAggregatedAPI(t *testing.T, cluster *acctest.Devcluster) {
	t.Helper()
	e := cluster.New(t)
	cli := e.CLI(t)
	const broken = "v1.broken.example.dev"
	e.Create(t, map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": broken},
		"spec": map[string]any{
			"group": "broken.example.dev", "version": "v1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
			"insecureSkipTLSVerify": true, "service": map[string]any{"name": "none", "namespace": "default"},
		},
	})
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+
		acctest.Deployment("cart", acctest.HTTP())+acctest.Endpoint("web", "cart", `visibility = "public"`))
	cli.Write(t, "limit_override.tf", "resource \"platform_project\" \"shop\" {\n  timeouts = { delete = \"10s\" }\n}\n")
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).MustFail(t, `Timed out.*Namespace/`+e.Namespace("shop", "dev")+`: is still being deleted: .*NamespaceDeletionDiscoveryFailure.*broken.example.dev.*timeouts.delete`)
	e.Delete(t, "APIService", "", broken)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
