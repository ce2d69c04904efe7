// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package acctest is what the provider's acceptance tests run on: a tenant of
// their own in the test cluster, configurations, a look past the provider at
// what is really there, and a way to run the CLI. Only tests use it.
package acctest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
	"github.com/openplatform/terraform-provider-platform/internal/provider"
)

// Env is one test's tenant of the cluster.
type Env struct {
	// Organization is the tenant; no other test has it.
	Organization string

	kubeconfig string
	config     *rest.Config
	dynamic    dynamic.Interface
}

// New returns a tenant of its own for a test. Without a cluster the test is
// skipped, or fails where one is required.
func New(t *testing.T) *Env {
	t.Helper()
	kubeconfig := runtimetest.Kubeconfig(t)
	accepting(t)
	e := tenantOf(t, kubeconfig, "acc-"+rand.String(8))
	neighbours := e.foreign(t, os.Getenv(neighboursVariable), neighbour)
	t.Cleanup(func() { neighbours.Check(t) })
	return e
}

// accepting skips the test unless acceptance tests are asked for.
func accepting(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) != "" {
		return
	}
	if os.Getenv(requireVariable) == "1" {
		t.Fatalf("%s is not set, and %s=1 asks for acceptance tests", resource.EnvTfAcc, requireVariable)
	}
	t.Skipf("%s is not set: this test applies to a cluster", resource.EnvTfAcc)
}

// tenantOf returns a tenant of a cluster, which is swept at the end of the test.
func tenantOf(t *testing.T, kubeconfig, organization string) *Env {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	e := &Env{Organization: organization, kubeconfig: kubeconfig, config: config, dynamic: client}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the organization was %s", e.Organization)
		}
		e.sweep(t)
	})
	return e
}

// Namespace returns the namespace of a project in an environment.
func (e *Env) Namespace(project, environment string) string {
	return naming.Namespace(e.Organization, project, environment)
}

// ControlPlane returns the namespace that holds the records.
func (e *Env) ControlPlane() string { return "platform-" + e.Organization }

// Test runs steps with the CLI and the provider in this process. After the
// last one everything is destroyed and must be gone.
func (e *Env) Test(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: Factories(),
		Steps:                    steps,
		CheckDestroy:             func(*terraform.State) error { return e.CheckGone(t) },
	})
}

// Factories return the provider under test.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"platform": providerserver.NewProtocol6WithError(provider.New("test")()),
	}
}

// requireVariable makes a test fail where it would be skipped.
const requireVariable = "PLATFORM_REQUIRE_CLUSTER"

// timeout is how long a request past the provider may take, waiting included.
const timeout = 2 * time.Minute

// detached returns a context that lasts into the cleanup of a test.
func detached() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), timeout)
}
