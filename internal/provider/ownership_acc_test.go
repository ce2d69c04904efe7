// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// An object of somebody else is refused, or taken over where the provider block
// says so; then it is like any other.
func TestAccAdopt(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		labels  map[string]any
		refused map[string]string
		adopt   string
	}{
		"Unowned": {
			refused: map[string]string{"never": `belongs to nobody we know \(written by somebody\).*import it.*adopt = "if_unowned"`},
			adopt:   "if_unowned",
		},
		"Owned": {
			labels: map[string]any{"app.kubernetes.io/managed-by": "Helm"},
			refused: map[string]string{
				"never":      `belongs to Helm.*adopt = "force"`,
				"if_unowned": `belongs to Helm.*adopt = "force"`,
			},
			adopt: "force",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			namespace := e.Namespace("shop", "dev")
			cli := e.CLI(t)
			write := func(adopt, annotation string) {
				cli.Write(t, "main.tf", e.Base(fmt.Sprintf("adopt = %q", adopt))+
					acctest.Component("other", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("other"))
				cli.Write(t, "cart.tf", acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+
					acctest.Deployment("cart", acctest.HTTP(), annotation))
			}
			// A first deployment makes the cell.
			cli.Write(t, "main.tf", e.Base()+acctest.Component("other", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("other"))
			cli.Apply(t).Must(t)
			labels := map[string]any{"team": "theirs"}
			maps.Copy(labels, tc.labels)
			uid := e.Create(t, map[string]any{
				"apiVersion": "v1", "kind": "Service",
				"metadata": map[string]any{"name": "cart", "namespace": namespace, "labels": labels},
				"spec": map[string]any{
					"selector": map[string]any{"app": "theirs"}, "sessionAffinity": "ClientIP",
					"ports": []any{map[string]any{"name": "web", "port": int64(80), "targetPort": int64(1)}},
				},
			}).GetUID()
			for adopt, says := range tc.refused {
				write(adopt, "")
				cli.Apply(t).MustFail(t, `Already exists \(platform_deployment.cart\).*Service/`+namespace+`/cart.*`+says)
			}
			write(tc.adopt, `labels = { team = "ours" }`)
			// What failed is made again; the object in the way is not what failed.
			cli.Apply(t).MustWarn(t, `Service/`+namespace+`/cart was left alone`)
			service := e.Get(t, "Service", namespace, "cart")
			equal(t, "UID", uid, service.GetUID())
			equal(t, "manager", "terraform-provider-platform", service.GetLabels()["app.kubernetes.io/managed-by"])
			spec, _ := service.Object["spec"].(map[string]any)
			equal(t, "what is not declared", "ClientIP", spec["sessionAffinity"])
			cli.Plan(t).MustBeEmpty(t)

			// What is not declared any more is gone, although somebody else set it first.
			write("never", "")
			cli.Apply(t).Must(t)
			_, labelled := e.Get(t, "Service", namespace, "cart").GetLabels()["team"]
			equal(t, "label", false, labelled)
			cli.Plan(t).MustBeEmpty(t)
			cli.Destroy(t).Must(t)
			gone(t, e)
		})
	}
}

// An object that would have to be replaced to be taken over stays as it is.
func TestAccAdoptImmutable(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	image := fmt.Sprintf("image = %q", acctest.Image)
	cli.Write(t, "main.tf", e.Base(`adopt = "force"`, `on_conflict = "force"`)+acctest.Component("other", image)+acctest.Deployment("other"))
	cli.Apply(t).Must(t)
	labels := map[string]any{"app": "theirs"}
	e.Create(t, map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "cart", "namespace": namespace},
		"spec": map[string]any{
			"replicas": int64(0), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "theirs", "image": "theirs"}}},
			},
		},
	})
	before := e.Get(t, "Deployment", namespace, "cart")
	cli.Write(t, "cart.tf", acctest.Component("cart", image)+acctest.Deployment("cart", acctest.HTTP()))
	cli.Apply(t).MustFail(t, `Immutable field \(platform_deployment.cart\).*Deployment/`+namespace+`/cart: spec.selector cannot change in place.*adopted`)
	after := e.Get(t, "Deployment", namespace, "cart")
	equal(t, "UID", before.GetUID(), after.GetUID())
	equal(t, "spec", before.Object["spec"], after.Object["spec"])
	e.Delete(t, "Deployment", namespace, "cart")
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// A field that cannot change in place replaces its object, and nothing else.
func TestAccImmutableField(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", fmt.Sprintf("image = %q", acctest.Image))+acctest.Deployment("cart", acctest.HTTP()))
	cli.Apply(t).Must(t)
	service := e.Get(t, "Service", namespace, "cart").GetUID()
	selector := e.Deployment(t, "cart").Spec.Selector.MatchLabels

	// Somebody restores the Deployment from a copy in which it selects by name.
	restored := e.Get(t, "Deployment", namespace, "cart")
	e.Delete(t, "Deployment", namespace, "cart")
	for _, field := range []string{"uid", "resourceVersion", "managedFields", "creationTimestamp", "generation"} {
		metadata, _ := restored.Object["metadata"].(map[string]any)
		delete(metadata, field)
	}
	set(t, restored.Object, map[string]any{"matchLabels": map[string]any{"restored": "true"}}, "spec", "selector")
	set(t, restored.Object, "true", "spec", "template", "metadata", "labels", "restored")
	uid := e.Create(t, restored.Object).GetUID()

	equal(t, "plan", map[string]string{deployment: "update"}, cli.Plan(t).Must(t).Actions)
	cli.ApplyPlan(t).MustWarn(t, `Applied with a warning.*Deployment/`+namespace+`/cart: spec.selector cannot change in place, so the object was replaced.*not available`)
	replaced := e.Deployment(t, "cart")
	equal(t, "selector", selector, replaced.Spec.Selector.MatchLabels)
	equal(t, "ready replicas", int32(1), replaced.Status.ReadyReplicas)
	equal(t, "replaced", true, replaced.UID != uid)
	equal(t, "the Service", service, e.Get(t, "Service", namespace, "cart").GetUID())
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// Fields that belong to others are listed, each with its owner, and taken over
// where the provider block says so.
func TestAccConflict(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	write := func(policy, image, labels string) {
		cli.Write(t, "main.tf", e.Base(policy)+acctest.Component("cart", fmt.Sprintf("image = %q", image))+
			acctest.Deployment("cart", acctest.HTTP(`env = { GREETING = "hello" }`), labels))
	}
	write("", acctest.Image, "")
	cli.Apply(t).Must(t)
	container := map[string]any{
		"name": "cart", "image": "registry.example/theirs:1",
		"env": []any{map[string]any{"name": "GREETING", "value": "theirs"}, map[string]any{"name": "OTHER", "value": "theirs"}},
	}
	e.ApplyAs(t, "another-tool", map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "cart", "namespace": namespace},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{container}}}},
	})
	e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) {
		set(t, object, "theirs", "metadata", "labels", "team")
	})
	write("", acctest.Image, `labels = { team = "ours" }`)
	for range 2 {
		cli.Apply(t).MustFail(t, `Conflict \(platform_deployment.cart\).*Deployment/`+namespace+`/cart`+
			`.*metadata.labels.team was set by "kubectl-edit"`+
			`.*env\[name="GREETING"\].value is applied by "another-tool"`+
			`.*containers\[name="cart"\].image is applied by "another-tool"`+
			`.*on_conflict = "force"`)
	}
	equal(t, "image", "registry.example/theirs:1", e.Deployment(t, "cart").Spec.Template.Spec.Containers[0].Image)
	write(`on_conflict = "force"`, acctest.Image, `labels = { team = "ours" }`)
	cli.Apply(t).Must(t)
	taken := e.Deployment(t, "cart")
	equal(t, "image", acctest.Image, taken.Spec.Template.Spec.Containers[0].Image)
	equal(t, "label", "ours", taken.Labels["team"])
	equal(t, "what is not declared", 2, len(taken.Spec.Template.Spec.Containers[0].Env))
	cli.Plan(t).MustBeEmpty(t)

	// They are ours now: an edit of them is drift, whatever on_conflict says.
	e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) {
		set(t, object, "theirs", "metadata", "labels", "team")
	})
	write("", acctest.Image, `labels = { team = "ours" }`)
	cli.Apply(t).Must(t)
	equal(t, "label", "ours", e.Deployment(t, "cart").Labels["team"])
	cli.Plan(t).MustBeEmpty(t)
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// The project and its deployments share a namespace, and none undoes what
// another one did.
func TestAccSharedNamespace(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace := e.Namespace("shop", "dev")
	cli := e.CLI(t)
	image := fmt.Sprintf("image = %q", acctest.Image)
	write := func(greeting, team string) {
		cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", image)+acctest.Component("mailer", image)+
			acctest.Deployment("cart", acctest.HTTP(fmt.Sprintf("env = { GREETING = %q }", greeting)))+acctest.Deployment("mailer", acctest.HTTP())+
			acctest.Endpoint("web", "cart", `visibility = "public"`)+acctest.Endpoint("api", "mailer", `visibility = "public"`))
		cli.Write(t, "labels_override.tf", fmt.Sprintf("resource \"platform_project\" \"shop\" {\n  namespace_labels = { team = %q }\n}\n", team))
	}
	versions := func() map[string]string {
		found := map[string]string{"Namespace": e.Get(t, "Namespace", "", namespace).GetResourceVersion()}
		for _, kind := range []string{"NetworkPolicy", "Service"} {
			for _, object := range e.List(t, kind, namespace, "") {
				found[kind+"/"+object.GetName()] = object.GetResourceVersion()
			}
		}
		return found
	}
	write("hello", "checkout")
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	before := versions()
	// A deployment changes; what it shares with others does not.
	write("hi", "checkout")
	equal(t, "plan", map[string]string{deployment: "update"}, cli.Plan(t).Must(t).Actions)
	cli.ApplyPlan(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	after := versions()
	equal(t, "the namespace", before["Namespace"], after["Namespace"])
	equal(t, "the default policy", before["NetworkPolicy/default"], after["NetworkPolicy/default"])
	// The project changes; its deployments do not.
	write("hi", "payments")
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)
	last := versions()
	equal(t, "team", "payments", e.Get(t, "Namespace", "", namespace).GetLabels()["team"])
	for name, version := range after {
		if name != "Namespace" {
			equal(t, name, version, last[name])
		}
	}
	cli.Destroy(t).Must(t)
	gone(t, e)
}
