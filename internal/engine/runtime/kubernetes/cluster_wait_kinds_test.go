// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// report sets the status of an object, as its controller would.
func (c *cluster) report(t *testing.T, id string, status map[string]any) {
	t.Helper()
	objects, key := c.objects(t, id)
	body, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := objects.Patch(t.Context(), key.Name, types.MergePatchType, body, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}

// described returns an object with the fields of a YAML text.
func (c *cluster) described(t *testing.T, apiVersion, kind, namespace, name, text string) *runtime.Resource {
	t.Helper()
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return runtimetest.Object(c.stack, apiVersion, kind, namespace, name, fields)
}

// What has no pods waits for what its controller reports, and says meanwhile
// what is missing.
func TestClusterWaitForReports(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	address := map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}
	cases := map[string]struct {
		apiVersion, kind, fields string
		// waits is what the wait says before the report; then it ends.
		waits  string
		report map[string]any
	}{
		"balanced service": {
			"v1", "Service", "spec: {type: LoadBalancer, ports: [{port: 80}]}",
			"no load balancer has given it an address yet", address,
		},
		"ingress": {
			"networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {service: {name: x, port: {number: 80}}}}",
			"no load balancer has given it an address yet", address,
		},
		"gateway": {
			"gateway.networking.k8s.io/v1", "Gateway", "spec: {gatewayClassName: nobody, listeners: [{name: http, protocol: HTTP, port: 80}]}",
			"Waiting for controller",
			map[string]any{"conditions": []any{map[string]any{
				"type": "Programmed", "status": "True", "reason": "Programmed", "message": "", "observedGeneration": 1,
				"lastTransitionTime": "2026-01-01T00:00:00Z",
			}}},
		},
		"claim": {
			"v1", "PersistentVolumeClaim", "spec: {storageClassName: none, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}",
			"Pending",
			map[string]any{"phase": "Bound"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			plan := c.described(t, tc.apiVersion, tc.kind, namespace, "example", tc.fields)
			r, _ := c.runtime(t, kubernetes.Options{})
			apply(t, r, c.stack, nil, plan)
			request := &runtime.WaitRequest{Resource: plan, Stack: c.stack}
			short, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := runtime.Wait(short, r, request)
			wantCode(t, err, runtime.DeadlineExceeded, tc.waits)
			said := make(chan struct{}, 1)
			request.Progress = func(string) {
				select {
				case said <- struct{}{}:
				default:
				}
			}
			done := make(chan error, 1)
			go func() {
				_, err := runtime.Wait(t.Context(), r, request)
				done <- err
			}()
			<-said
			c.report(t, plan.ID, tc.report)
			wantCode(t, <-done, "")
		})
	}
}

// A claim is bound, or waits for the first pod that uses it.
func TestClusterWaitForClaims(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	later := "later-" + rand.String(6)
	id := runtime.KubernetesID("storage.k8s.io/v1", "StorageClass", "", later)
	c.create(t, &runtime.Resource{ID: id, Attributes: map[string]any{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": map[string]any{"name": later},
		"provisioner": "example.dev/none", "volumeBindingMode": "WaitForFirstConsumer",
	}})
	t.Cleanup(func() {
		objects, key := c.objects(t, id)
		_ = objects.Delete(context.WithoutCancel(t.Context()), key.Name, metav1.DeleteOptions{})
	})
	cases := map[string]struct {
		fields, word string
	}{
		"at once":         {"spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}", "Bound"},
		"with first user": {"spec: {storageClassName: " + later + ", accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}", "first pod"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := c.runtime(t, kubernetes.Options{})
			plan := c.described(t, "v1", "PersistentVolumeClaim", c.namespace(t), "example", tc.fields)
			apply(t, r, c.stack, nil, plan)
			response, err := runtime.Wait(t.Context(), r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
			wantCode(t, err, "")
			wantWord(t, response.Message, tc.word)
		})
	}
}

// What is ready as soon as it exists costs no request.
func TestClusterWaitForNothing(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	namespace := c.namespace(t)
	r, requests := c.runtime(t, kubernetes.Options{})
	for name, plan := range map[string]*runtime.Resource{
		"selector":  c.described(t, "v1", "Service", namespace, "selector", "spec: {selector: {app: x}, ports: [{port: 80}]}"),
		"none":      c.described(t, "v1", "Service", namespace, "none", "spec: {ports: [{port: 80}]}"),
		"external":  c.described(t, "v1", "Service", namespace, "external", "spec: {type: ExternalName, externalName: x.example}"),
		"namespace": runtimetest.Object(c.stack, "v1", "Namespace", "", "test-"+rand.String(10), nil),
		"cronjob": c.described(t, "batch/v1", "CronJob", namespace, "cronjob",
			`spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}}}`),
	} {
		apply(t, r, c.stack, nil, plan)
		requests.take()
		_, err := runtime.Wait(t.Context(), r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
		wantCode(t, err, "")
		if diff := cmp.Diff(map[string]int{}, requests.take()); diff != "" {
			t.Errorf("%s: requests: -want, +got:\n%s", name, diff)
		}
		if name == "namespace" {
			objects, key := c.objects(t, plan.ID)
			if err := objects.Delete(t.Context(), key.Name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestClusterWaitForRoutes(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	namespace := c.namespace(t)
	gateway := func(name, class string) {
		c.create(t, &runtime.Resource{
			ID: runtime.KubernetesID("gateway.networking.k8s.io/v1", "Gateway", namespace, name),
			Attributes: map[string]any{
				"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": map[string]any{"name": name, "namespace": namespace},
				"spec": map[string]any{
					"gatewayClassName": class,
					"listeners":        []any{map[string]any{"name": "http", "protocol": "HTTP", "port": 80}},
				},
			},
		})
	}
	gateway("silent", "nobody")
	c.create(t, &runtime.Resource{
		ID: runtime.KubernetesID("v1", "Service", namespace, "backend"),
		Attributes: map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "backend", "namespace": namespace},
			"spec": map[string]any{"ports": []any{map[string]any{"port": 80}}},
		},
	})
	cases := map[string]struct {
		parent, section string
		code            runtime.Code
		words           []string
	}{
		"missing gateway": {"missing", "", runtime.RolloutFailed, []string{namespace + "/missing", "Accepted=False"}},
		"no controller":   {"silent", "", runtime.DeadlineExceeded, []string{"no controller answered for the parent gateway " + namespace + "/silent"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
			defer cancel()
			r, _ := c.runtime(t, kubernetes.Options{FailureGrace: time.Second})
			plan := runtimetest.Object(c.stack, "gateway.networking.k8s.io/v1", "HTTPRoute", namespace, tc.parent, map[string]any{
				"spec": map[string]any{
					"parentRefs": []any{map[string]any{"name": tc.parent}},
					"rules":      []any{map[string]any{"backendRefs": []any{map[string]any{"name": "backend", "port": 80}}}},
				},
			})
			apply(t, r, c.stack, nil, plan)
			_, err := runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
			wantCode(t, err, tc.code, tc.words...)
		})
	}
}
