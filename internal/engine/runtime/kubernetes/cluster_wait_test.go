// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

const (
	behavior = "devcluster.openplatform.dev/behavior"
	podLog   = "devcluster.openplatform.dev/log"
)

// behaving gives the pods of a workload annotations for the simulated node.
func behaving(resource *runtime.Resource, pairs ...string) *runtime.Resource {
	annotations := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		annotations[pairs[i]] = pairs[i+1]
	}
	runtimetest.Set(resource, annotations, "spec", "template", "metadata", "annotations")
	return resource
}

func job(stack *runtime.Stack, namespace, name string) *runtime.Resource {
	return runtimetest.Object(stack, "batch/v1", "Job", namespace, name, map[string]any{"spec": map[string]any{
		"backoffLimit": 0,
		"template": map[string]any{
			"metadata": map[string]any{},
			"spec": map[string]any{
				"restartPolicy": "Never",
				"containers":    []any{map[string]any{"name": "main", "image": "registry.example/app:1"}},
			},
		},
	}})
}

func statefulSet(stack *runtime.Stack, namespace string) *runtime.Resource {
	out := runtimetest.Deployment(stack, namespace, "example")
	out.ID = runtime.KubernetesID("apps/v1", "StatefulSet", namespace, "example")
	runtimetest.Set(out, "StatefulSet", "kind")
	runtimetest.Set(out, "example", "spec", "serviceName")
	return out
}

func daemonSet(stack *runtime.Stack, namespace string) *runtime.Resource {
	out := runtimetest.Deployment(stack, namespace, "example")
	out.ID = runtime.KubernetesID("apps/v1", "DaemonSet", namespace, "example")
	runtimetest.Set(out, "DaemonSet", "kind")
	runtimetest.Set(out, nil, "spec", "replicas")
	return out
}

func TestClusterWaitEnds(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	cases := map[string]struct {
		reason string
		build  func(namespace string) *runtime.Resource
		code   runtime.Code
		words  []string
	}{
		"image": {
			"an image that cannot be pulled does not come by itself",
			func(ns string) *runtime.Resource {
				return behaving(runtimetest.Deployment(c.stack, ns, "example"), behavior, "pull-error")
			},
			runtime.RolloutFailed,
			[]string{"container main", "Pull", "last events:"},
		},
		"crash": {
			"a container that crashes shows the log of the run that crashed",
			func(ns string) *runtime.Resource {
				return behaving(runtimetest.Deployment(c.stack, ns, "example"), behavior, "crash", podLog, "no database\nbye")
			},
			runtime.RolloutFailed,
			[]string{"container main", "exit code 1", "no database", "bye", "last log lines"},
		},
		"stateful crash": {
			"pods of a StatefulSet are found too",
			func(ns string) *runtime.Resource {
				return behaving(statefulSet(c.stack, ns), behavior, "crash", podLog, "no database")
			},
			runtime.RolloutFailed,
			[]string{"pod example-0", "no database"},
		},
		"job": {
			"a failed Job shows the log of its pod",
			func(ns string) *runtime.Resource {
				return behaving(job(c.stack, ns, "example"), behavior, "fail", podLog, "no luck")
			},
			runtime.RolloutFailed,
			[]string{"BackoffLimitExceeded", "no luck"},
		},
		"job image": {
			"a Job waits for ever for an image",
			func(ns string) *runtime.Resource {
				return behaving(job(c.stack, ns, "example"), behavior, "pull-error")
			},
			runtime.RolloutFailed,
			[]string{"container main"},
		},
		"progress": {
			"the controller gave up",
			func(ns string) *runtime.Resource {
				out := behaving(runtimetest.Deployment(c.stack, ns, "example"), behavior, "not-ready")
				runtimetest.Set(out, 1, "spec", "progressDeadlineSeconds")
				return out
			},
			runtime.RolloutFailed,
			[]string{"ProgressDeadlineExceeded"},
		},
		"job completes": {
			"a completed Job is ready",
			func(ns string) *runtime.Resource { return behaving(job(c.stack, ns, "example"), behavior, "complete") },
			"", nil,
		},
		"daemon crash": {
			"pods of a DaemonSet are found too",
			func(ns string) *runtime.Resource {
				return behaving(daemonSet(c.stack, ns), behavior, "crash", podLog, "no device")
			},
			runtime.RolloutFailed,
			[]string{"pod example-", "no device"},
		},
		"daemonset": {
			"a DaemonSet becomes ready",
			func(ns string) *runtime.Resource { return daemonSet(c.stack, ns) },
			"", nil,
		},
		"statefulset": {
			"a StatefulSet becomes ready",
			func(ns string) *runtime.Resource { return statefulSet(c.stack, ns) },
			"", nil,
		},
		"no replicas": {
			"none is complete at once",
			func(ns string) *runtime.Resource {
				out := runtimetest.Deployment(c.stack, ns, "example")
				runtimetest.Set(out, 0, "spec", "replicas")
				return out
			},
			"", nil,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
			defer cancel()
			r, _ := c.runtime(t, kubernetes.Options{FailureGrace: time.Second})
			plan := tc.build(c.namespace(t))
			apply(t, r, c.stack, nil, plan)
			_, err := runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
			wantCode(t, err, tc.code, tc.words...)
		})
	}
}

func TestClusterWaitSaysWhatItWaitedFor(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{})
	plan := behaving(runtimetest.Deployment(c.stack, c.namespace(t), "example"), behavior, "not-ready", podLog, "still looking")
	apply(t, r, c.stack, nil, plan)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
	wantCode(t, err, runtime.DeadlineExceeded, "0 available", "last events:", "Normal Scheduled", "last log lines of container main", "still looking")
}

// forbidPods sets a quota that no pod fits into, and waits until it counts.
func (c *cluster) forbidPods(t *testing.T, namespace string) {
	t.Helper()
	quota := runtime.KubernetesID("v1", "ResourceQuota", namespace, "none")
	c.create(t, &runtime.Resource{
		ID: quota,
		Attributes: map[string]any{
			"apiVersion": "v1", "kind": "ResourceQuota", "metadata": map[string]any{"name": "none", "namespace": namespace},
			"spec": map[string]any{"hard": map[string]any{"pods": "0"}},
		},
	})
	for {
		if _, counted, _ := unstructured.NestedMap(c.get(t, quota).Object, "status", "hard"); counted {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestClusterWaitForQuota(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	namespace := c.namespace(t)
	c.forbidPods(t, namespace)
	for kind, plan := range map[string]*runtime.Resource{
		"Deployment":  runtimetest.Deployment(c.stack, namespace, "example"),
		"StatefulSet": statefulSet(c.stack, namespace),
		"DaemonSet":   daemonSet(c.stack, namespace),
		"Job":         job(c.stack, namespace, "example"),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r, _ := c.runtime(t, kubernetes.Options{FailureGrace: time.Second})
			apply(t, r, c.stack, nil, plan)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, err := runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
			wantCode(t, err, runtime.RolloutFailed, "exceeded quota")
		})
	}
}

func TestClusterWaitLooksAtNewPodsOnly(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, _ := c.runtime(t, kubernetes.Options{FailureGrace: -1})
	namespace := c.namespace(t)
	bad := behaving(runtimetest.Deployment(c.stack, namespace, "example"), behavior, "crash")
	good := behaving(runtimetest.Deployment(c.stack, namespace, "example"), behavior, "ready-after=3s")
	ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
	defer cancel()
	apply(t, r, c.stack, nil, bad)
	_, err := runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: bad, Stack: c.stack})
	wantCode(t, err, runtime.RolloutFailed)
	apply(t, r, c.stack, bad, good)
	_, err = runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: good, Stack: c.stack})
	wantCode(t, err, "")
	apply(t, r, c.stack, good, bad)
	_, err = runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: bad, Stack: c.stack})
	wantCode(t, err, runtime.RolloutFailed)
}
