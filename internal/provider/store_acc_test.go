// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// A cluster that cannot be reached is an error that names it and the place of
// the setting, and costs no long wait.
func TestAccUnreachable(t *testing.T) {
	t.Parallel()
	refused, silent := closedPort(t), blackHole(t)
	cases := map[string]struct {
		lines       string
		environment map[string]string
		want        string
	}{
		"Refused": {
			lines: fmt.Sprintf("kubernetes = { host = %q, insecure = true }", refused),
			want:  `Cluster not reachable.*the kubernetes attribute of the provider block.*` + address(refused),
		},
		"Silent": {
			lines: fmt.Sprintf("kubernetes = { host = %q, insecure = true }", silent),
			want:  `Cluster not reachable.*the kubernetes attribute of the provider block.*` + address(silent) + ` (did not answer within 10s|cannot be reached: .*timeout)`,
		},
		"FromTheEnvironment": {
			environment: map[string]string{"KUBE_HOST": refused, "KUBE_INSECURE": "true"},
			want:        `Cluster not reachable.*the KUBE_\* environment variables.*` + address(refused),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			for name, value := range tc.environment {
				cli.Setenv(name, value)
			}
			cli.Write(t, "main.tf", e.Provider(tc.lines)+"resource \"platform_data_plane\" \"main\" {\n  name = \"main\"\n}\n")
			cli.Plan(t).MustFail(t, tc.want)
		})
	}
}

// address is what a message calls a host.
func address(host string) string { return strings.TrimPrefix(host, "https://") }

// closedPort returns the URL of a port that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "https://" + listener.Addr().String()
}

// blackHole returns the URL of a port that takes connections and says nothing.
func blackHole(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return "https://" + listener.Addr().String()
}

// A connection without any setting is an error that says what to set.
func TestAccNoConnection(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	cli.Setenv("KUBECONFIG", "")
	cli.Write(t, "main.tf", e.Base())
	cli.Plan(t).MustFail(t, "Invalid connection.*KUBE_.*KUBECONFIG")
}

// Records of another cluster or organization never make a state look empty.
func TestAccWrongStore(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	plane := "resource \"platform_data_plane\" \"main\" {\n  name = \"main\"\n}\n"
	cli.Write(t, "main.tf", e.Provider()+plane)
	cli.Apply(t).Must(t)
	wrong := `data.plane "main" was made: wrong cluster or organization\?.*The state is left alone`
	kept := func(t *testing.T) {
		t.Helper()
		cli.Plan(t).MustFail(t, wrong)
		cli.Apply(t, "-refresh-only").MustFail(t, wrong)
		cli.Destroy(t).MustFail(t, wrong)
		cli.Destroy(t, "-refresh=false").MustFail(t, wrong)
		equal(t, "state", []string{"platform_data_plane.main"}, cli.State(t))
	}

	// A namespace that does not exist, and one that does.
	other := e.ControlPlane() + "-other"
	cli.Write(t, "main.tf", e.Provider(fmt.Sprintf("control_plane_namespace = %q", other))+plane)
	kept(t)
	e.CreateNamespace(t, other)
	kept(t)

	// Another organization, with records of its own and in the same namespace.
	for _, namespace := range []string{"platform-" + e.Organization + "-b", e.ControlPlane()} {
		cli.Write(t, "main.tf", fmt.Sprintf("provider \"platform\" {\n  organization = \"%s-b\"\n  control_plane_namespace = %q\n}\n", e.Organization, namespace)+plane)
		kept(t)
	}

	// The same name, and not the same namespace.
	cli.Write(t, "main.tf", e.Provider()+plane)
	cli.Plan(t).MustBeEmpty(t)
	e.Delete(t, "Namespace", "", e.ControlPlane())
	kept(t)
	e.CreateNamespace(t, e.ControlPlane())
	kept(t)
}

// The namespace of a cell that somebody removed comes back with all that was in it.
func TestAccNamespaceGone(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+
		acctest.Deployment("cart", acctest.HTTP())+acctest.Endpoint("web", "cart", `visibility = "public"`))
	cli.Apply(t).Must(t)
	e.Delete(t, "Namespace", "", namespace)
	planned := cli.Plan(t).Must(t)
	equal(t, "plan", map[string]string{"platform_project.shop": "update", deployment: "update", endpoint: "update"}, planned.Actions)
	cli.ApplyPlan(t).Must(t)
	equal(t, "ready replicas", int32(1), e.Deployment(t, "cart").Status.ReadyReplicas)
	equal(t, "policies", 2, len(e.List(t, "NetworkPolicy", namespace, "")))
	equal(t, "routes", 1, len(e.List(t, "HTTPRoute", namespace, "")))
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// An apply that was cut off goes on where it was.
func TestAccResume(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	proxy := e.Proxy(t)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base(fmt.Sprintf("kubernetes = { host = %q }", proxy.URL))+
		acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	// The Service is refused, when the Deployment exists already.
	proxy.Refuse(func(r acctest.Request) int {
		if r.Resource == "services" && r.Verb == "patch" {
			return http.StatusForbidden
		}
		return 0
	})
	cli.Apply(t).MustFail(t, `Permission denied \(platform_deployment.cart\).*refused by the test`)
	if !slices.Contains(cli.State(t), deployment) {
		t.Fatal("the state forgot a deployment whose objects exist")
	}
	before := e.Get(t, "Deployment", e.Namespace("shop", "dev"), "cart")
	proxy.Refuse(nil)

	// A state that was lost with the process makes no difference to the record.
	forget(t, cli, deployment)
	equal(t, "plan", map[string]string{deployment: "create"}, cli.Plan(t).Must(t).Actions)
	cli.ApplyPlan(t).Must(t)
	after := e.Get(t, "Deployment", e.Namespace("shop", "dev"), "cart")
	equal(t, "UID", before.GetUID(), after.GetUID())
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}
