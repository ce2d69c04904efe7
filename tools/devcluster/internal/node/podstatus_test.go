// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	runs     = "nginx:1.27"
	pulls    = "r.example/devcluster/pull-error:v1"
	crashes  = "r.example/devcluster/crash:v1"
	ends     = "r.example/devcluster/complete:v1"
	notReady = "r.example/devcluster/not-ready:v1"
)

func newPod(policy corev1.RestartPolicy, init []string, images ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default", UID: "uid"}}
	pod.Spec.RestartPolicy = policy
	for _, image := range init {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{Name: "init-" + image, Image: image})
	}
	for _, image := range images {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "main-" + image, Image: image})
	}
	return pod
}

func statusAt(pod *corev1.Pod, elapsed time.Duration) corev1.PodStatus {
	seen := time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC)
	return podStatus(pod, perform(pod, elapsed), moment{seen: seen, elapsed: elapsed, address: "10.244.0.1"})
}

func TestPodStatus(t *testing.T) {
	t.Parallel()
	always, never, onFailure := corev1.RestartPolicyAlways, corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure
	type want struct {
		Phase       corev1.PodPhase
		Ready       bool
		Initialized bool
	}
	cases := map[string]struct {
		reason string
		pod    *corev1.Pod
		after  time.Duration
		want   want
	}{
		"Runs":       {"a pod is ready at its first moment", newPod(always, nil, runs), sandboxDelay, want{corev1.PodRunning, true, true}},
		"NotReady":   {"it may run and not be ready", newPod(always, nil, notReady), time.Hour, want{corev1.PodRunning, false, true}},
		"OneNotPull": {"one image that is missing holds the pod up", newPod(always, nil, runs, pulls), time.Hour, want{corev1.PodPending, false, true}},
		"OneCrashes": {"one crash loop makes the pod unready", newPod(always, nil, runs, crashes), time.Hour, want{corev1.PodRunning, false, true}},
		"Initializing": {
			"init containers come first", newPod(always, []string{runs, runs}, runs), sandboxDelay + initLife,
			want{corev1.PodPending, false, false},
		},
		"Initialized": {
			"and then the others", newPod(always, []string{runs, runs}, runs), sandboxDelay + 2*initLife,
			want{corev1.PodRunning, true, true},
		},
		"InitCrashes": {
			"an init container that crashes holds the pod up", newPod(always, []string{crashes}, runs), time.Hour,
			want{corev1.PodPending, false, false},
		},
		"InitFails": {
			"or fails it when it may not be restarted", newPod(never, []string{crashes}, runs), time.Hour,
			want{corev1.PodFailed, false, false},
		},
		"Succeeds": {"a pod succeeds with its last container", newPod(never, nil, ends, ends), time.Hour, want{corev1.PodSucceeded, false, true}},
		"Fails":    {"and fails with any", newPod(never, nil, ends, crashes), time.Hour, want{corev1.PodFailed, false, true}},
		"Retries":  {"unless that is started again", newPod(onFailure, nil, ends, crashes), time.Hour, want{corev1.PodRunning, false, true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := statusAt(tc.pod, tc.after)
			got := want{
				Phase:       status.Phase,
				Ready:       conditionTrue(&status, corev1.PodReady),
				Initialized: conditionTrue(&status, corev1.PodInitialized),
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSidecarDoesNotHoldThePodUp(t *testing.T) {
	t.Parallel()
	pod := newPod(corev1.RestartPolicyAlways, []string{runs}, runs)
	always := corev1.ContainerRestartPolicyAlways
	pod.Spec.InitContainers[0].RestartPolicy = &always
	status := statusAt(pod, sandboxDelay)
	if !conditionTrue(&status, corev1.PodReady) || status.InitContainerStatuses[0].State.Running == nil {
		t.Errorf("a sidecar runs beside the others: got %+v", status)
	}
}

// TestCrashStatus checks the fields by which clients tell why a pod fails.
func TestCrashStatus(t *testing.T) {
	t.Parallel()
	pod := newPod(corev1.RestartPolicyAlways, nil, crashes)
	pod.Annotations = map[string]string{AnnotationExitCode: "5", AnnotationLog: "bye"}
	pod.Spec.Containers[0].TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	status := statusAt(pod, 310*ms).ContainerStatuses[0]
	last := status.LastTerminationState.Terminated
	if status.State.Waiting == nil || status.State.Waiting.Reason != reasonCrashBackOff || last == nil {
		t.Fatalf("status: got %+v", status)
	}
	got := []any{status.RestartCount, last.ExitCode, last.Reason, last.Message, last.ContainerID == status.ContainerID}
	if diff := cmp.Diff([]any{int32(1), int32(5), "Error", "bye\n", true}, got); diff != "" {
		t.Errorf("restarts, exit code, reason, message, same container: -want, +got:\n%s", diff)
	}
}

// TestStatusIsStable checks that an agent that has lost its memory, and knows
// the start to the second only, does not change what is written already.
func TestStatusIsStable(t *testing.T) {
	t.Parallel()
	pod := newPod(corev1.RestartPolicyAlways, nil, runs)
	seen := time.Date(2024, time.May, 1, 12, 0, 0, 970_000_000, time.UTC)
	pod.Status = podStatus(pod, perform(pod, time.Minute), moment{seen: seen, elapsed: time.Minute, address: "10.244.0.1"})
	again := pod.Status.StartTime.Time
	got := podStatus(pod, perform(pod, 2*time.Minute), moment{seen: again, elapsed: 2 * time.Minute, address: "10.244.0.1"})
	if diff := cmp.Diff(pod.Status, got); diff != "" {
		t.Errorf("status changes: -first, +second:\n%s", diff)
	}
}

func TestRestartCountNeverFalls(t *testing.T) {
	t.Parallel()
	pod := newPod(corev1.RestartPolicyAlways, nil, crashes)
	pod.Status = statusAt(pod, 10*time.Second)
	before := pod.Status.ContainerStatuses[0].RestartCount
	pod.Annotations = map[string]string{AnnotationBehavior: "run"}
	after := statusAt(pod, 11*time.Second).ContainerStatuses[0]
	if after.RestartCount != before || !after.Ready {
		t.Errorf("after the cure: restarts %d, want %d, ready %t", after.RestartCount, before, after.Ready)
	}
}
