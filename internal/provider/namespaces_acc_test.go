// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// inNamespace is an override that gives the project shop a namespace in dev.
func inNamespace(namespace string) string {
	return fmt.Sprintf("resource \"platform_project\" \"shop\" {\n  namespaces = { dev = %q }\n}\n", namespace)
}

// cartInDev is the platform with the component cart running in dev.
func cartInDev(e *acctest.Env, provider ...string) string {
	return e.Base(provider...) + acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)) + acctest.Deployment("cart", acctest.HTTP())
}

// versions returns the resource versions of a namespace and of what somebody else
// has in it, called default.
func versions(t *testing.T, e *acctest.Env, namespace string) map[string]string {
	t.Helper()
	found := map[string]string{"Namespace": e.Get(t, "Namespace", "", namespace).GetResourceVersion()}
	for _, kind := range []string{"ConfigMap", "Service", "NetworkPolicy"} {
		found[kind] = e.Get(t, kind, namespace, "default").GetResourceVersion()
	}
	return found
}

// A project works in an existing namespace with no rights anywhere else, and
// leaves it as it was.
func TestAccExistingNamespace(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := "team-" + rand.String(8)
	e.CreateNamespace(t, namespace)
	for _, kind := range []string{"ConfigMap", "Service", "NetworkPolicy"} {
		object := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "default", "namespace": namespace}}
		switch kind {
		case "Service":
			object["spec"] = map[string]any{"ports": []any{map[string]any{"port": int64(80)}}}
		case "NetworkPolicy":
			object["apiVersion"], object["spec"] = "networking.k8s.io/v1", map[string]any{"podSelector": map[string]any{}}
		}
		e.Create(t, object)
	}
	before := versions(t, e, namespace)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", cartInDev(e, "  connections = { tenant = "+e.NamespaceAdmin(t, namespace)+" }"))
	cli.Write(t, "shop_override.tf", inNamespace(namespace)+"resource \"platform_data_plane\" \"main\" {\n  cluster = \"tenant\"\n}\n")
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)

	equal(t, "namespace", namespace, cli.Values(t, "platform_deployment.cart")["namespace"])
	equal(t, "cell", namespace, cli.Values(t, "platform_project.shop")["cells"].(map[string]any)["dev"]) //nolint:forcetypeassert // it is a map
	for _, kind := range []string{"Deployment", "Service"} {
		if e.Get(t, kind, namespace, "cart") == nil {
			t.Errorf("there is no %s", kind)
		}
	}
	policies := e.List(t, "NetworkPolicy", namespace, "openplatform.dev/organization="+e.Organization)
	equal(t, "policies", 1, len(policies))
	selected, _, err := unstructured.NestedStringMap(policies[0].Object, "spec", "podSelector", "matchLabels")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "guarded pods", map[string]string{
		"openplatform.dev/organization": e.Organization, "openplatform.dev/project": "shop", "openplatform.dev/environment": "dev",
	}, selected)
	equal(t, "what others have", before, versions(t, e, namespace))

	cli.Destroy(t).Must(t)
	gone(t, e)
	equal(t, "what others have", before, versions(t, e, namespace))
}

// A namespace that is not there yet is worth a warning, and an error where it is needed.
func TestAccMissingNamespace(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := "late-" + rand.String(8)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", cartInDev(e))
	cli.Write(t, "shop_override.tf", inNamespace(namespace))
	cli.Plan(t).MustWarn(t, `Namespace not found \(platform_project.shop\).*`+namespace+`.*does not make it`)
	cli.Apply(t).MustFail(t, `Namespace not found \(platform_deployment.cart\) at: environment.*`+namespace+`.*Create it`)
	e.CreateNamespace(t, namespace)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// A project moves to another namespace only without what runs in the former one.
func TestAccNamespaceMoves(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace, made := "team-"+rand.String(8), e.Namespace("shop", "dev")
	e.CreateNamespace(t, namespace)
	cli := e.CLI(t)
	cli.Write(t, "main.tf", cartInDev(e))
	cli.Apply(t).Must(t)
	cli.Write(t, "shop_override.tf", inNamespace(namespace))
	cli.Plan(t).MustFail(t, `Environment is in use \(platform_project.shop\).*`+made+`.*shop/cart/main/dev.*Destroy them before`)
	equal(t, "where it runs", true, e.Get(t, "Deployment", made, "cart") != nil)

	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image)))
	cli.Write(t, "shop_override.tf", "")
	cli.Apply(t).Must(t)
	equal(t, "former namespace", true, e.Get(t, "Namespace", "", made) != nil)
	cli.Write(t, "main.tf", cartInDev(e))
	cli.Write(t, "shop_override.tf", inNamespace(namespace))
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	if e.Get(t, "Deployment", namespace, "cart") == nil {
		t.Error("the deployment is not in the existing namespace")
	}
	if found := e.Get(t, "Namespace", "", made); found != nil {
		t.Errorf("the former namespace is still there: %s", found.GetName())
	}
	cli.Destroy(t).Must(t)
	gone(t, e)
	equal(t, "existing namespace", true, e.Get(t, "Namespace", "", namespace).GetDeletionTimestamp() == nil)
}
