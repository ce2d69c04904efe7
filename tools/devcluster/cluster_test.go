// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const namespace = metav1.NamespaceDefault

// TestCluster checks what a user meets in a fresh cluster. Each subtest uses
// objects of its own name.
func TestCluster(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, test := range map[string]func(*testing.T, fixture){
		"NodeIsReady":              testNode,
		"DeploymentBecomesReady":   testDeployment,
		"ImageCannotBePulled":      testPullError,
		"ContainerCrashes":         testCrash,
		"JobSucceeds":              testJobSucceeds,
		"JobFails":                 testJobFails,
		"DeletionTakesItsTime":     testTerminateAfter,
		"ClaimIsBoundGrowsAndGoes": testClaim,
		"ClaimStaysPending":        testPendingClaim,
		"RouteIsAccepted":          testRoute,
		"RouteIsRefused":           testRefusedRoutes,
		"SmallDefinitions":         testSmallDefinitions,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, f)
		})
	}
}

func testNode(t *testing.T, f fixture) {
	nodes, err := f.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("list nodes: %v", err)
	}
	ready := map[string]corev1.ConditionStatus{}
	for _, node := range nodes.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady {
				ready[node.Name] = condition.Status
			}
		}
	}
	if diff := cmp.Diff(map[string]corev1.ConditionStatus{"node-1": corev1.ConditionTrue}, ready); diff != "" {
		t.Errorf("ready nodes: -want, +got:\n%s", diff)
	}
}

func testDeployment(t *testing.T, f fixture) {
	labels := map[string]string{"app": "web"}
	replicas := int32(3)
	_, err := f.client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					InitContainers: []corev1.Container{{Name: "first", Image: "registry.example/first:1"}},
					Containers:     []corev1.Container{{Name: "web", Image: "registry.example/web:1"}},
				},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create deployment: %v", err)
	}
	eventually(t, func(ctx context.Context) error {
		web, err := f.client.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if web.Status.AvailableReplicas != replicas {
			return fmt.Errorf("%d replicas are available", web.Status.AvailableReplicas)
		}
		return nil
	})
	pods, err := f.client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		t.Fatalf("list pods: %v", err)
	}
	if got, want := f.logs(t, pods.Items[0].Name, false), "started registry.example/web:1\n"; got != want {
		t.Errorf("log: got %q, want %q", got, want)
	}
}

func testPullError(t *testing.T, f fixture) {
	f.createPod(t, "pull", "registry.example/devcluster/pull-error:v1", nil)
	f.waitForReason(t, "pull", "ImagePullBackOff")
	eventually(t, func(ctx context.Context) error {
		reasons, err := f.podEvents(ctx, "pull")
		if err == nil && (!slices.Contains(reasons, "Failed") || !slices.Contains(reasons, "BackOff")) {
			return fmt.Errorf("events are %q", reasons)
		}
		return err
	})
}

func testCrash(t *testing.T, f fixture) {
	f.createPod(t, "crash", "registry.example/app:v1", map[string]string{
		"devcluster.openplatform.dev/behavior":  "crash",
		"devcluster.openplatform.dev/exit-code": "3",
		"devcluster.openplatform.dev/log":       "one\ntwo\nthree",
	})
	status := f.waitForReason(t, "crash", "CrashLoopBackOff")
	last := status.LastTerminationState.Terminated
	if status.RestartCount == 0 || last == nil || last.ExitCode != 3 || last.Reason != "Error" {
		t.Errorf("status of a crashing container: restarts %d, last state %+v", status.RestartCount, last)
	}
	for _, previous := range []bool{false, true} {
		if got, want := f.logs(t, "crash", previous), "two\nthree\n"; got != want {
			t.Errorf("last two lines of the log, previous %t: got %q, want %q", previous, got, want)
		}
	}
}

func testJobSucceeds(t *testing.T, f fixture) {
	f.createJob(t, "good", "registry.example/task:v1")
	eventually(t, func(ctx context.Context) error { return f.jobCondition(ctx, "good", batchv1.JobComplete) })
}

func testJobFails(t *testing.T, f fixture) {
	f.createJob(t, "bad", "registry.example/devcluster/fail:exit-7")
	eventually(t, func(ctx context.Context) error { return f.jobCondition(ctx, "bad", batchv1.JobFailed) })
}

func testTerminateAfter(t *testing.T, f fixture) {
	f.createPod(t, "slow", "registry.example/app:v1", map[string]string{"devcluster.openplatform.dev/terminate-after": "1s"})
	f.waitUntilReady(t, "slow") // A pod without a node is deleted at once.
	if err := f.client.CoreV1().Pods(namespace).Delete(t.Context(), "slow", metav1.DeleteOptions{}); err != nil {
		t.Fatalf("delete pod: %v", err)
	}
	if _, err := f.client.CoreV1().Pods(namespace).Get(t.Context(), "slow", metav1.GetOptions{}); err != nil {
		t.Errorf("the pod has gone at once: %v", err)
	}
	f.waitUntilGone(t, func(ctx context.Context) error {
		_, err := f.client.CoreV1().Pods(namespace).Get(ctx, "slow", metav1.GetOptions{})
		return err
	})
}

func testClaim(t *testing.T, f fixture) {
	claims := f.client.CoreV1().PersistentVolumeClaims(namespace)
	f.createClaim(t, "data", nil)
	var volume string
	eventually(t, func(ctx context.Context) error {
		claim, err := claims.Get(ctx, "data", metav1.GetOptions{})
		if err == nil && (claim.Status.Phase != corev1.ClaimBound || claim.Status.Capacity.Storage().String() != "1Gi") {
			return fmt.Errorf("phase is %q, capacity %s", claim.Status.Phase, claim.Status.Capacity.Storage())
		}
		volume = claim.Spec.VolumeName
		return err
	})
	grow := []byte(`{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`)
	if _, err := claims.Patch(t.Context(), "data", types.MergePatchType, grow, metav1.PatchOptions{}); err != nil {
		t.Fatalf("grow claim: %v", err)
	}
	eventually(t, func(ctx context.Context) error {
		claim, err := claims.Get(ctx, "data", metav1.GetOptions{})
		if err == nil && claim.Status.Capacity.Storage().String() != "2Gi" {
			return fmt.Errorf("capacity is %s", claim.Status.Capacity.Storage())
		}
		return err
	})
	if err := claims.Delete(t.Context(), "data", metav1.DeleteOptions{}); err != nil {
		t.Fatalf("delete claim: %v", err)
	}
	f.waitUntilGone(t, func(ctx context.Context) error {
		_, err := f.client.CoreV1().PersistentVolumes().Get(ctx, volume, metav1.GetOptions{})
		return err
	})
}

func testPendingClaim(t *testing.T, f fixture) {
	f.createClaim(t, "stuck", map[string]string{"devcluster.openplatform.dev/behavior": "pending"})
	f.createClaim(t, "after", nil)
	eventually(t, func(ctx context.Context) error {
		// The claims are handled in turn, so this one tells that the other was seen.
		claim, err := f.client.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, "after", metav1.GetOptions{})
		if err == nil && claim.Status.Phase != corev1.ClaimBound {
			return fmt.Errorf("phase is %q", claim.Status.Phase)
		}
		return err
	})
	claim, err := f.client.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), "stuck", metav1.GetOptions{})
	if err != nil || claim.Status.Phase != corev1.ClaimPending {
		t.Errorf("claim that is to stay pending: phase %q, error %v", claim.Status.Phase, err)
	}
}

func testSmallDefinitions(t *testing.T, f fixture) {
	for kind, resource := range map[string]schema.GroupVersionResource{
		"SecurityPolicy":       {Group: "gateway.envoyproxy.io", Version: "v1alpha1", Resource: "securitypolicies"},
		"BackendTrafficPolicy": {Group: "gateway.envoyproxy.io", Version: "v1alpha1", Resource: "backendtrafficpolicies"},
		"Backend":              {Group: "gateway.envoyproxy.io", Version: "v1alpha1", Resource: "backends"},
		"ExternalSecret":       {Group: "external-secrets.io", Version: "v1", Resource: "externalsecrets"},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": resource.GroupVersion().String(), "kind": kind,
			"metadata": map[string]any{"name": "small"},
			"spec":     map[string]any{"any": map[string]any{"field": "goes"}},
		}}
		created, err := f.dynamic.Resource(resource).Namespace(namespace).
			Apply(t.Context(), "small", object, metav1.ApplyOptions{FieldManager: "test"})
		if err != nil {
			t.Errorf("apply %s: %v", kind, err)
			continue
		}
		if diff := cmp.Diff(object.Object["spec"], created.Object["spec"]); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", kind, diff)
		}
	}
}

func (f fixture) createPod(t *testing.T, name, image string, annotations map[string]string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
	}
	if _, err := f.client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatalf("create pod: %v", err)
	}
}

func (f fixture) createJob(t *testing.T, name, image string) {
	t.Helper()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: image}},
		}}},
	}
	if _, err := f.client.BatchV1().Jobs(namespace).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatalf("create job: %v", err)
	}
}

func (f fixture) createClaim(t *testing.T, name string, annotations map[string]string) {
	t.Helper()
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}
	_, err := f.client.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), claim, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create claim: %v", err)
	}
}

func (f fixture) jobCondition(ctx context.Context, name string, wanted batchv1.JobConditionType) error {
	job, err := f.client.BatchV1().Jobs(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range job.Status.Conditions {
		if condition.Type == wanted && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("conditions are %+v", job.Status.Conditions)
}

func (f fixture) waitForReason(t *testing.T, pod, reason string) corev1.ContainerStatus {
	t.Helper()
	var found corev1.ContainerStatus
	eventually(t, func(ctx context.Context) error {
		got, err := f.client.CoreV1().Pods(namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, status := range got.Status.ContainerStatuses {
			if status.State.Waiting != nil && status.State.Waiting.Reason == reason {
				found = status
				return nil
			}
		}
		return fmt.Errorf("container statuses are %+v", got.Status.ContainerStatuses)
	})
	return found
}

// logs returns the last two lines of a pod's log.
func (f fixture) logs(t *testing.T, pod string, previous bool) string {
	t.Helper()
	tail := int64(2)
	options := &corev1.PodLogOptions{TailLines: &tail, Previous: previous}
	stream, err := f.client.CoreV1().Pods(namespace).GetLogs(pod, options).Stream(t.Context())
	if err != nil {
		t.Fatalf("read log of %s: %v", pod, err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatalf("read log of %s: %v", pod, err)
	}
	return string(text)
}
