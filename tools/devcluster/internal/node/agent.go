// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package node simulates one node of the cluster. Nothing runs on it: its agent
// writes the status that a kubelet would write if the containers of a pod did
// what their annotations or image names say.
package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/reconcile"
)

const (
	workers = 16
	// killedCode is the exit code of a process that ends on SIGTERM.
	killedCode = 143
)

// Agent is the kubelet of the simulated node.
type Agent struct {
	client  kubernetes.Interface
	logPort int
	now     func() time.Time

	pods     corelisters.PodLister
	loop     *reconcile.Loop[cache.ObjectName]
	recorder record.EventRecorder

	// mu guards the two below.
	mu        sync.Mutex
	memories  map[cache.ObjectName]*memory
	addresses *addressPool
}

// memory is what the agent remembers of a pod. Losing it only costs precision.
type memory struct {
	uid types.UID
	// seen is when the pod came to the node, to the millisecond; the API keeps
	// seconds only.
	seen time.Time
	// doomed is when the agent first saw that the pod is to go.
	doomed time.Time
	// told holds the events that have been sent.
	told map[string]bool
}

// NewAgent returns an agent whose node serves container logs on the port.
func NewAgent(client kubernetes.Interface, logPort int) *Agent {
	a := &Agent{
		client:    client,
		logPort:   logPort,
		now:       time.Now,
		memories:  map[cache.ObjectName]*memory{},
		addresses: newAddressPool(),
	}
	a.loop = reconcile.NewLoop(a.sync)
	return a
}

// Run registers the node and simulates its pods until the context ends.
func (a *Agent) Run(ctx context.Context) error {
	if err := a.register(ctx); err != nil {
		return err
	}
	events := record.NewBroadcaster(record.WithContext(ctx))
	defer events.Shutdown()
	a.recorder = newRecorder(events, a.client)

	factory := informers.NewSharedInformerFactoryWithOptions(a.client, 0,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", Name).String()
		}))
	pods := factory.Core().V1().Pods()
	a.pods = pods.Lister()
	if _, err := pods.Informer().AddEventHandler(reconcile.OnChange(a.loop.Add)); err != nil {
		return fmt.Errorf("watch pods: %w", err)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())

	a.loop.Run(ctx, workers)
	return nil
}

// sync brings the pod to where it should be now, and returns after how long it
// has to be looked at again, zero meaning only when it changes.
func (a *Agent) sync(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	pod, err := a.pods.Pods(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		a.forget(name)
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("get from cache: %w", err)
	}
	now := a.now()
	known := a.remember(name, pod, now)
	if pod.DeletionTimestamp != nil {
		return a.terminate(ctx, pod, known, now)
	}
	if finished(pod) {
		return 0, nil
	}

	elapsed := now.Sub(known.seen)
	if elapsed < sandboxDelay {
		return sandboxDelay - elapsed, nil
	}
	c := perform(pod, elapsed)
	status := podStatus(pod, c, moment{seen: known.seen, elapsed: elapsed, address: a.address(pod)})
	if err := a.patchStatus(ctx, pod, status); err != nil {
		return 0, err
	}
	a.tell(pod, c, known)
	if c.next == 0 {
		return 0, nil
	}
	return c.next - elapsed, nil
}

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// terminate lets the pod go when its time has come.
func (a *Agent) terminate(ctx context.Context, pod *corev1.Pod, known *memory, now time.Time) (time.Duration, error) {
	if known.doomed.IsZero() {
		known.doomed = now
	}
	if wait := terminateAfter(pod) - now.Sub(known.doomed); wait > 0 {
		return wait, nil
	}
	if len(pod.Finalizers) > 0 {
		// Whoever holds the finalizer wants to see how the pod ended. The Job
		// controller, for one, waits for a final phase.
		if err := a.patchStatus(ctx, pod, killedStatus(pod, now)); err != nil {
			return 0, err
		}
		if pod.DeletionGracePeriodSeconds != nil && *pod.DeletionGracePeriodSeconds == 0 {
			return 0, nil // It is deleted as far as the node can tell.
		}
	}
	uid := pod.UID
	err := a.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64),
		Preconditions:      &metav1.Preconditions{UID: &uid},
	})
	return 0, ignoreGone(err)
}

// killedStatus is the status of a pod whose containers were all told to stop.
func killedStatus(pod *corev1.Pod, now time.Time) corev1.PodStatus {
	status := *pod.Status.DeepCopy()
	if finished(pod) {
		return status
	}
	status.Phase = corev1.PodFailed
	for i := range status.ContainerStatuses {
		container := &status.ContainerStatuses[i]
		if container.State.Terminated != nil {
			continue
		}
		ended := &corev1.ContainerStateTerminated{
			ExitCode: killedCode, Reason: reasonError, FinishedAt: metav1.NewTime(now), ContainerID: container.ContainerID,
		}
		if container.State.Running != nil {
			ended.StartedAt = container.State.Running.StartedAt
		}
		container.State = corev1.ContainerState{Terminated: ended}
		container.Ready = false
	}
	setCondition(pod, &status, metav1.NewTime(now), corev1.ContainersReady, false, "PodFailed")
	setCondition(pod, &status, metav1.NewTime(now), corev1.PodReady, false, "PodFailed")
	return status
}

// patchStatus writes what differs. It never creates a conflict with others who
// write other parts of the status, and it never hits a successor of the pod.
func (a *Agent) patchStatus(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) error {
	if equality.Semantic.DeepEqual(pod.Status, status) {
		return nil
	}
	before, err := json.Marshal(corev1.Pod{Status: pod.Status})
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	after, err := json.Marshal(corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: pod.UID}, Status: status})
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, corev1.Pod{})
	if err != nil {
		return fmt.Errorf("compare status: %w", err)
	}
	_, err = a.client.CoreV1().Pods(pod.Namespace).Patch(
		ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return ignoreGone(err)
}

// ignoreGone drops the errors that mean that the pod has gone or was replaced
// by another one: the cache will say so in a moment.
func ignoreGone(err error) error {
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("write: %w", err)
}

// remember returns the memory of the pod, a fresh one for a pod that is new.
func (a *Agent) remember(name cache.ObjectName, pod *corev1.Pod, now time.Time) *memory {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.memories[name]
	if known != nil && known.uid == pod.UID {
		return known
	}
	if known != nil {
		a.addresses.release(known.uid)
	}
	known = &memory{uid: pod.UID, seen: now, told: map[string]bool{}}
	if pod.Status.StartTime != nil {
		known.seen = pod.Status.StartTime.Time
	}
	a.memories[name] = known
	return known
}

func (a *Agent) forget(name cache.ObjectName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.memories[name]; known != nil {
		a.addresses.release(known.uid)
		delete(a.memories, name)
	}
}

func (a *Agent) address(pod *corev1.Pod) string {
	if pod.Spec.HostNetwork {
		return hostAddress
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.addresses.get(pod.UID, pod.Status.PodIP)
}
