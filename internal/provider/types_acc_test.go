// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// gateways gives the data plane both gateways of the test cluster.
const gateways = `
resource "platform_data_plane" "main" {
  gateways = {
    public = {
      name = "public", namespace = "gateways", listener = "http", virtual_host = "apps.example.com", scheme = "http"
      listener_ports = { grpc = 8080 }
    }
    organization = {
      name = "organization", namespace = "gateways", listener = "http", virtual_host = "internal.example.com", scheme = "http"
      listener_ports = { tcp = 9000 }
    }
  }
}
`

// at returns a field of an object.
func field(object *acctest.Object, fields ...string) any {
	if object == nil {
		return nil
	}
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, fields...)
	return value
}

// typedEndpoint returns an endpoint on a port of the deployment of the cart.
func typedEndpoint(name, kind, port string, lines ...string) string {
	return fmt.Sprintf("resource \"platform_endpoint\" %q {\n  deployment = platform_deployment.cart.id\n  name       = %q\n  type       = %q\n  port       = %q\n  %s\n}\n",
		name, name, kind, port, strings.Join(lines, "\n  "))
}

// A task is scheduled, paused, and becomes a service, all in place.
func TestAccScheduledTask(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	config := func(schedule string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", `type = "scheduled_task"`, fmt.Sprintf("image = %q", acctest.Image))+
			acctest.Deployment("cart", "configuration = {\n    args = [\"--once\"]\n    schedule = "+schedule+"\n  }"))
	}
	cronJob := func() *acctest.Object { return e.Get(t, "CronJob", namespace, "cart") }

	config(`{ cron = "30 4 * * 1-5", timezone = "Europe/Berlin" }`)
	cli.Plan(t).Must(t)
	after, unknown := cli.Show(t).After(t, deployment, "manifests")
	known, _ := after.(map[string]any)
	equal(t, "unknown manifests", any(map[string]any{}), unknown)
	if text, _ := known["CronJob/"+namespace+"/cart"].(string); !strings.Contains(text, `"timeZone":"Europe/Berlin"`) || len(known) != 1 {
		t.Errorf("The plan shows the CronJob alone, got %v.", known)
	}
	cli.ApplyPlan(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	made := cronJob()
	equal(t, "schedule", any("30 4 * * 1-5"), field(made, "spec", "schedule"))
	equal(t, "concurrency", any("Forbid"), field(made, "spec", "concurrencyPolicy"))
	equal(t, "suspended", any(false), field(made, "spec", "suspend"))
	equal(t, "restarts", any("Never"), field(made, "spec", "jobTemplate", "spec", "template", "spec", "restartPolicy"))
	equal(t, "services", 0, len(e.List(t, "Service", namespace, "")))
	values := cli.Values(t, deployment)
	equal(t, "ready", any(true), values["ready"])
	equal(t, "addresses", any(map[string]any{}), values["addresses"])

	config(`{ cron = "@daily", disabled = true }`)
	equal(t, "actions", map[string]string{deployment: "update"}, cli.Apply(t).Must(t).Actions)
	cli.Plan(t).MustBeEmpty(t)
	paused := cronJob()
	equal(t, "suspended", any(true), field(paused, "spec", "suspend"))
	equal(t, "time zone", nil, field(paused, "spec", "timeZone"))
	equal(t, "the same object", made.GetUID(), paused.GetUID())
	config(`{ cron = "@daily", disabled = false }`)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	equal(t, "suspended", any(false), field(cronJob(), "spec", "suspend"))

	// A run under way goes with the task.
	template, _ := field(paused, "spec", "jobTemplate", "spec").(map[string]any)
	owner := map[string]any{"apiVersion": "batch/v1", "kind": "CronJob", "name": "cart", "uid": string(paused.GetUID()), "controller": true, "blockOwnerDeletion": true}
	e.Create(t, map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "spec": template,
		"metadata": map[string]any{"name": "by-hand", "namespace": namespace, "ownerReferences": []any{owner}},
	})
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	equal(t, "actions", map[string]string{component: "update", deployment: "update"}, cli.Apply(t).Must(t).Actions)
	cli.Plan(t).MustBeEmpty(t)
	if cronJob() != nil {
		t.Error("A service has no CronJob.")
	}
	equal(t, "runs", 0, len(e.List(t, "Job", namespace, "")))
	equal(t, "ready replicas", int32(1), e.Deployment(t, "cart").Status.ReadyReplicas)
	config(`{ cron = "@daily" }`)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	equal(t, "deployments", 0, len(e.List(t, "Deployment", namespace, "")))
	equal(t, "services", 0, len(e.List(t, "Service", namespace, "")))
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// Each type of endpoint has its kind of route on the gateway of its visibility,
// and both can change in place.
func TestAccEndpointTypes(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	config := func(endpoints ...string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+
			acctest.Deployment("cart", `configuration = { ports = { web = { port = 80 }, rpc = { port = 7070 }, raw = { port = 6379 } } }`)+strings.Join(endpoints, ""))
	}
	cli.Write(t, "gateways_override.tf", gateways)
	routes := func(want map[string]int) {
		t.Helper()
		got := map[string]int{}
		for kind := range want {
			got[kind] = len(e.List(t, kind, namespace, ""))
		}
		equal(t, "routes", want, got)
	}
	service := "cart." + namespace + ".svc"
	host := func(address any) string {
		text, _ := address.(string)
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "http://"), ".")
		return name
	}

	config(
		typedEndpoint("web", "http", "web", `visibility = "organization"`, `hostnames = ["shop.example.com"]`, `base_path = "/shop"`),
		typedEndpoint("rpc", "grpc", "rpc", `visibility = "public"`, `listener = "grpc"`),
		typedEndpoint("raw", "tcp", "raw", `visibility = "organization"`, `listener = "tcp"`),
	)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	routes(map[string]int{"HTTPRoute": 1, "GRPCRoute": 1, "TCPRoute": 1, "NetworkPolicy": 4})
	web, rpc, raw := cli.Values(t, "platform_endpoint.web")["addresses"], cli.Values(t, "platform_endpoint.rpc")["addresses"], cli.Values(t, "platform_endpoint.raw")["addresses"]
	urls, _ := web.(map[string]any)
	name := host(urls["organization"])
	equal(t, "addresses of web", any(map[string]any{"project": "http://" + service + ":80/shop", "organization": "http://" + name + ".dev.internal.example.com/shop"}), web)
	equal(t, "addresses of rpc", any(map[string]any{"project": service + ":7070", "public": name + ".dev.apps.example.com:8080"}), rpc)
	equal(t, "addresses of raw", any(map[string]any{"project": service + ":6379", "organization": name + ".dev.internal.example.com:9000"}), raw)
	equal(t, "hostnames", any([]any{name + ".dev.internal.example.com", "shop.example.com"}), field(&e.List(t, "HTTPRoute", namespace, "")[0], "spec", "hostnames"))

	// Types and visibilities change places.
	config(
		typedEndpoint("web", "grpc", "web", `visibility = "organization"`, `listener = "grpc"`),
		typedEndpoint("rpc", "http", "rpc", `visibility = "public"`),
		typedEndpoint("raw", "tcp", "raw", `visibility = "public"`, `listener = "tcp"`),
	)
	planned := cli.Apply(t).Must(t)
	for address, action := range planned.Actions {
		equal(t, address, "update", action)
	}
	cli.Plan(t).MustBeEmpty(t)
	routes(map[string]int{"HTTPRoute": 1, "GRPCRoute": 1, "TCPRoute": 1, "NetworkPolicy": 4})
	// Nobody tells the port of that listener of the public gateway.
	equal(t, "addresses of raw", any(map[string]any{"project": service + ":6379"}), cli.Values(t, "platform_endpoint.raw")["addresses"])

	for _, endpoint := range []string{"web", "rpc", "raw"} {
		if _, err := cli.Run(t, "state", "rm", "platform_endpoint."+endpoint); err != nil {
			t.Fatal(err)
		}
		if _, err := cli.Run(t, "import", "platform_endpoint."+endpoint, "shop/cart/main/dev/"+endpoint); err != nil {
			t.Fatal(err)
		}
	}
	cli.Plan(t).MustBeEmpty(t)
	config(typedEndpoint("raw", "tcp", "raw"))
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	routes(map[string]int{"HTTPRoute": 0, "GRPCRoute": 0, "TCPRoute": 0, "NetworkPolicy": 1})
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// A gateway that refuses a route ends the apply early, with what it says.
func TestAccRouteRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		bad, good string
		want      string
	}{
		"GRPC": {
			bad:  typedEndpoint("web", "grpc", "http", `visibility = "organization"`, `listener = "rpc"`),
			good: typedEndpoint("web", "grpc", "http", `visibility = "organization"`, `listener = "grpc"`),
			want: `GRPCRoute.*gateways/organization/rpc.*NoMatchingParent.*no such listener`,
		},
		"TCP": {
			bad:  typedEndpoint("web", "tcp", "http", `visibility = "public"`),
			good: typedEndpoint("web", "tcp", "http", `visibility = "public"`, `listener = "tcp"`),
			want: `TCPRoute.*gateways/public/http.*NotAllowedByListeners.*TCPRoute`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			config := func(endpoint string) {
				cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+
					acctest.Deployment("cart", acctest.HTTP())+endpoint)
			}
			cli.Write(t, "gateways_override.tf", gateways)
			config(tc.bad)
			cli.Apply(t).MustFail(t, tc.want)
			config(tc.good)
			cli.Apply(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			cli.Destroy(t).Must(t)
			gone(t, e)
		})
	}
}

// What decides about the objects and is not known yet leaves them unknown.
func TestAccUnknownTypes(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+"resource \"terraform_data\" \"made\" {\n  input = { type = \"scheduled_task\", cron = \"@daily\", zone = \"Etc/UTC\", endpoint = \"tcp\", visibility = \"organization\", listener = \"tcp\" }\n}\n"+
		acctest.Component("task", "type = terraform_data.made.output.type", fmt.Sprintf("image = %q", acctest.Image))+
		acctest.Deployment("task", "configuration = { schedule = { cron = terraform_data.made.output.cron, timezone = terraform_data.made.output.zone } }")+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP())+`
resource "platform_endpoint" "web" {
  deployment = platform_deployment.cart.id
  name       = "web"
  type       = terraform_data.made.output.endpoint
  port       = "http"
  visibility = terraform_data.made.output.visibility
  listener   = terraform_data.made.output.listener
}
`)
	cli.Write(t, "gateways_override.tf", gateways)
	cli.Plan(t).Must(t)
	plan := cli.Show(t)
	for _, address := range []string{"platform_deployment.task", endpoint} {
		_, unknown := plan.After(t, address, "manifests")
		equal(t, "unknown manifests of "+address, any(true), unknown)
	}
	cli.ApplyPlan(t).Must(t)
	equal(t, "schedule", any("@daily"), field(e.Get(t, "CronJob", namespace, "task"), "spec", "schedule"))
	equal(t, "routes", 1, len(e.List(t, "TCPRoute", namespace, "")))
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// What a type has no use for, or lacks, is refused at plan on its attribute.
func TestAccTypesRefused(t *testing.T) {
	t.Parallel()
	image := fmt.Sprintf("image = %q", acctest.Image)
	task := func(lines ...string) string {
		return acctest.Component("cart", `type = "scheduled_task"`, image) +
			acctest.Deployment("cart", "configuration = {\n    "+strings.Join(lines, "\n    ")+"\n  }")
	}
	daily := `schedule = { cron = "@daily" }`
	service := acctest.Component("cart", image) + acctest.Deployment("cart", acctest.HTTP())
	after := "depends_on = [platform_endpoint.web]"
	cases := map[string]struct {
		config string
		want   []string
	}{
		"NoSchedule": {task(`args = ["--once"]`), []string{`Missing schedule \(platform_deployment.cart\)`}},
		"Schedule": {
			acctest.Component("cart", image) + acctest.Deployment("cart", acctest.HTTP(daily)),
			[]string{`Schedule without a task \(platform_deployment.cart\) at: .*of type service`},
		},
		"Cron":     {task(`schedule = { cron = "61 * * * *" }`), []string{`Invalid schedule \(platform_deployment.cart\) at: .*61`}},
		"TZ":       {task(`schedule = { cron = "TZ=UTC 0 4 * * *" }`), []string{`Time zone in the schedule .*Set timezone`}},
		"Timezone": {task(`schedule = { cron = "@daily", timezone = "Mars/Base" }`), []string{`Unknown time zone .*Mars/Base`}},
		"Useless": {
			task(daily, `ports = { http = { port = 80 } }`, `scaling = { replicas = 2 }`, `probes = { readiness = { tcp = { port = "80" } } }`),
			[]string{`Ports without a Service \(platform_deployment.cart\)`, `Scaling of a task \(platform_deployment.cart\)`, `Readiness of a task \(platform_deployment.cart\)`},
		},
		"EndpointOfATask": {
			task(daily) + acctest.Endpoint("web", "cart"),
			[]string{`Deployment without a Service \(platform_endpoint.web\) at: deployment.*scheduled_task`},
		},
		"PathOfGRPC": {service + typedEndpoint("web", "grpc", "http", `base_path = "/api"`), []string{`Path without HTTP \(platform_endpoint.web\) at: base_path`}},
		"HostnameOfTCP": {
			service + typedEndpoint("web", "tcp", "http", `visibility = "public"`, `hostnames = ["a.example.com"]`),
			[]string{`Hostnames without hosts \(platform_endpoint.web\) at: hostnames`},
		},
		"HostnameOfNobody": {service + acctest.Endpoint("web", "cart", `hostnames = ["a.example.com"]`), []string{`No route to apply it to .* at: hostnames`}},
		"NoGateway": {
			service + acctest.Endpoint("web", "cart", `visibility = "organization"`),
			[]string{`No organization gateway \(platform_endpoint.web\) at: visibility`},
		},
		"TCPTwice": {
			service + typedEndpoint("web", "tcp", "http", `visibility = "public"`, `listener = "tcp"`) +
				typedEndpoint("twin", "tcp", "http", `visibility = "public"`, `listener = "tcp"`, after),
			[]string{`Duplicate route \(platform_endpoint.twin\) at: listener.*"shop/cart/main/dev/web".*"tcp"`},
		},
		"TwoKinds": {
			service + acctest.Endpoint("web", "cart", `visibility = "public"`) + typedEndpoint("twin", "grpc", "http", `visibility = "public"`, after),
			[]string{`Duplicate route \(platform_endpoint.twin\).*another listener`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			cli.Write(t, "main.tf", e.Base()+tc.config)
			cli.Plan(t).MustFail(t, tc.want...)
		})
	}
}
