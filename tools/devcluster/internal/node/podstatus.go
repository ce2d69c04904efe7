// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sandboxDelay is what a pod takes from the node's first sight of it to the
// start of its first container.
const sandboxDelay = 50 * time.Millisecond

// moment is the place of a pod on the time line.
type moment struct {
	// seen is when the pod came to the node, elapsed the time since then.
	seen    time.Time
	elapsed time.Duration
	// address is the pod's IP address.
	address string
}

func (m moment) clock(offset time.Duration) metav1.Time {
	return metav1.NewTime(m.seen.Add(offset).Truncate(time.Second))
}

// cast is all containers of a pod with what can be seen of them.
type cast struct {
	init, main []actor
	// initialized says that the last init container has done its part.
	initialized bool
	// next is when something changes; zero when nothing will.
	next time.Duration
}

// actor is one container.
type actor struct {
	container corev1.Container
	program   program
	view      view
}

// perform lays the containers of the pod out on the time line: init containers
// one after the other, then the others at the same time.
func perform(pod *corev1.Pod, elapsed time.Duration) cast {
	offset, blocked := sandboxDelay, false
	c := cast{}
	waiting := view{waiting: reasonInitializing}

	for _, container := range pod.Spec.InitContainers {
		a := actor{container: container, program: program{
			behavior: initBehavior(pod, container),
			start:    offset,
			policy:   initPolicy(pod, container),
		}}
		if blocked {
			a.view = waiting
			c.init = append(c.init, a)
			continue
		}
		a.view = a.program.at(elapsed)
		c.init = append(c.init, a)
		c.wake(a.view.next)
		switch finished, ok := a.program.succeededAt(); {
		case isSidecar(container):
			blocked = a.program.behavior.Kind == PullError
		case ok:
			offset = finished
		default:
			blocked = true
		}
	}

	c.initialized = !blocked && elapsed >= offset
	for _, container := range pod.Spec.Containers {
		a := actor{container: container, program: program{
			behavior: behaviorOf(pod, container.Image, false),
			start:    offset,
			policy:   pod.Spec.RestartPolicy,
		}, view: waiting}
		if !blocked {
			a.view = a.program.at(elapsed)
			c.wake(a.view.next)
		}
		if !c.initialized && len(c.init) > 0 {
			a.view.waiting = reasonInitializing
		}
		c.main = append(c.main, a)
	}
	return c
}

func (c *cast) wake(at time.Duration) {
	if at != 0 && (c.next == 0 || at < c.next) {
		c.next = at
	}
}

func isSidecar(container corev1.Container) bool {
	return container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

func initBehavior(pod *corev1.Pod, container corev1.Container) Behavior {
	if isSidecar(container) {
		if behavior, found := behaviorOfImage(container.Image); found {
			return behavior
		}
		return Behavior{Kind: Run}
	}
	return behaviorOf(pod, container.Image, true)
}

func initPolicy(pod *corev1.Pod, container corev1.Container) corev1.RestartPolicy {
	switch {
	case isSidecar(container):
		return corev1.RestartPolicyAlways
	case pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
		return corev1.RestartPolicyNever
	default:
		return corev1.RestartPolicyOnFailure
	}
}

// phase derives the phase of the pod from its containers, by the rules of a
// kubelet.
func (c cast) phase(policy corev1.RestartPolicy) corev1.PodPhase {
	for _, a := range c.init {
		if a.view.final && a.program.behavior.ExitCode != 0 {
			return corev1.PodFailed
		}
	}
	if !c.initialized {
		return corev1.PodPending
	}
	final, failed := 0, false
	for _, a := range c.main {
		if a.view.waiting != "" && a.view.last == nil {
			return corev1.PodPending
		}
		if a.view.final {
			final++
			failed = failed || a.program.behavior.ExitCode != 0
		}
	}
	switch {
	case policy == corev1.RestartPolicyAlways || final < len(c.main):
		return corev1.PodRunning
	case failed:
		return corev1.PodFailed
	default:
		return corev1.PodSucceeded
	}
}

func (c cast) ready() bool {
	for _, a := range c.main {
		if !a.view.ready {
			return false
		}
	}
	for _, a := range c.init {
		if isSidecar(a.container) && !a.view.ready {
			return false
		}
	}
	return true
}

// podStatus returns the status of the pod at the moment, as an edit of the one
// that it has, so that what others have written stays.
func podStatus(pod *corev1.Pod, c cast, m moment) corev1.PodStatus {
	status := *pod.Status.DeepCopy()
	status.ObservedGeneration = pod.Generation
	status.Phase = c.phase(pod.Spec.RestartPolicy)
	if status.StartTime == nil {
		started := m.clock(0)
		status.StartTime = &started
	}
	status.HostIP = hostAddress
	status.HostIPs = []corev1.HostIP{{IP: hostAddress}}
	status.PodIP = m.address
	status.PodIPs = []corev1.PodIP{{IP: m.address}}
	status.InitContainerStatuses = containerStatuses(pod, c.init, pod.Status.InitContainerStatuses, m)
	status.ContainerStatuses = containerStatuses(pod, c.main, pod.Status.ContainerStatuses, m)
	setConditions(pod, &status, c, metav1.NewTime(m.seen.Add(m.elapsed).Truncate(time.Second)))
	return status
}

func setConditions(pod *corev1.Pod, status *corev1.PodStatus, c cast, now metav1.Time) {
	finished := status.Phase == corev1.PodSucceeded || status.Phase == corev1.PodFailed
	containersReady := c.ready() && !finished
	reason := ""
	switch {
	case finished:
		reason = "PodCompleted"
	case !containersReady:
		reason = "ContainersNotReady"
	}
	ready, readyReason := containersReady, reason
	for _, gate := range pod.Spec.ReadinessGates {
		if !conditionTrue(status, gate.ConditionType) && ready {
			ready, readyReason = false, "ReadinessGatesNotReady"
		}
	}
	initReason := ""
	if !c.initialized {
		initReason = "ContainersNotInitialized"
	}
	setCondition(pod, status, now, corev1.PodReadyToStartContainers, !finished, "")
	setCondition(pod, status, now, corev1.PodInitialized, c.initialized, initReason)
	setCondition(pod, status, now, corev1.ContainersReady, containersReady, reason)
	setCondition(pod, status, now, corev1.PodReady, ready, readyReason)
}

func conditionTrue(status *corev1.PodStatus, kind corev1.PodConditionType) bool {
	for _, condition := range status.Conditions {
		if condition.Type == kind {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func setCondition(
	pod *corev1.Pod, status *corev1.PodStatus, now metav1.Time,
	kind corev1.PodConditionType, value bool, reason string,
) {
	wanted := corev1.PodCondition{
		Type: kind, Status: corev1.ConditionFalse, Reason: reason,
		LastTransitionTime: now, ObservedGeneration: pod.Generation,
	}
	if value {
		wanted.Status = corev1.ConditionTrue
	}
	for i, condition := range status.Conditions {
		if condition.Type != kind {
			continue
		}
		if condition.Status == wanted.Status {
			wanted.LastTransitionTime = condition.LastTransitionTime
		}
		status.Conditions[i] = wanted
		return
	}
	status.Conditions = append(status.Conditions, wanted)
}
