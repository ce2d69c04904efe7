// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"crypto/sha256"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	reasonCompleted = "Completed"
	reasonError     = "Error"
)

func containerStatuses(pod *corev1.Pod, actors []actor, before []corev1.ContainerStatus, m moment) []corev1.ContainerStatus {
	var list []corev1.ContainerStatus
	for _, a := range actors {
		var previous corev1.ContainerStatus
		for _, candidate := range before {
			if candidate.Name == a.container.Name {
				previous = candidate
			}
		}
		list = append(list, containerStatus(pod, a, previous, m))
	}
	return list
}

func containerStatus(pod *corev1.Pod, a actor, previous corev1.ContainerStatus, m moment) corev1.ContainerStatus {
	v := a.view
	status := corev1.ContainerStatus{
		Name:  a.container.Name,
		Image: a.container.Image,
		Ready: v.ready || (v.ended && v.final && a.program.behavior.ExitCode == 0 && isInit(pod, a)),
		// The count never falls, also when an annotation changes the program.
		RestartCount: max(v.restarts, previous.RestartCount),
		Started:      &v.running,
	}
	if v.waiting == "" || v.last != nil {
		status.ImageID = imageID(a.container.Image)
		status.ContainerID = containerID(pod, a, status.RestartCount)
	}
	switch {
	case v.waiting != "":
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: v.waiting, Message: waitingMessage(pod, a)}
	case v.running:
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: m.clock(v.current.started)}
	case v.ended:
		status.State.Terminated = terminated(pod, a, v.current, status.RestartCount, m)
	}
	if v.last != nil {
		restart := status.RestartCount
		if v.waiting == "" {
			restart-- // It runs again, so the last attempt is the one before.
		}
		status.LastTerminationState.Terminated = terminated(pod, a, *v.last, restart, m)
	}
	keepTimes(&status, previous)
	return status
}

// keepTimes takes times over from the status before, when they tell of the same
// attempt. An agent that was started anew knows them less precisely.
func keepTimes(status *corev1.ContainerStatus, previous corev1.ContainerStatus) {
	if status.State.Running != nil && previous.State.Running != nil && status.ContainerID == previous.ContainerID {
		status.State.Running.StartedAt = previous.State.Running.StartedAt
	}
	for _, now := range []*corev1.ContainerStateTerminated{status.State.Terminated, status.LastTerminationState.Terminated} {
		for _, then := range []*corev1.ContainerStateTerminated{
			previous.State.Terminated, previous.LastTerminationState.Terminated,
		} {
			if now != nil && then != nil && now.ContainerID == then.ContainerID {
				now.StartedAt, now.FinishedAt = then.StartedAt, then.FinishedAt
			}
		}
	}
}

func terminated(pod *corev1.Pod, a actor, s span, restart int32, m moment) *corev1.ContainerStateTerminated {
	code := a.program.behavior.ExitCode
	state := &corev1.ContainerStateTerminated{
		ExitCode:    code,
		Reason:      reasonCompleted,
		StartedAt:   m.clock(s.started),
		FinishedAt:  m.clock(s.finished),
		ContainerID: containerID(pod, a, restart),
	}
	if code != 0 {
		state.Reason = reasonError
		if a.container.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
			state.Message = logText(pod, a.container, a.program.behavior)
		}
	}
	return state
}

func waitingMessage(pod *corev1.Pod, a actor) string {
	switch a.view.waiting {
	case reasonErrPull:
		return pullErrorText(a.container.Image)
	case reasonPullBackOff:
		return fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", a.container.Image, pullErrorText(a.container.Image))
	case reasonCrashBackOff:
		return fmt.Sprintf("back-off %s restarting failed container=%s pod=%s_%s(%s)",
			restartDelay(a.view.restarts), a.container.Name, pod.Name, pod.Namespace, pod.UID)
	default:
		return ""
	}
}

func pullErrorText(image string) string {
	return fmt.Sprintf("failed to pull and unpack image %q: failed to resolve reference %q: %s: not found", image, image, image)
}

func isInit(pod *corev1.Pod, a actor) bool {
	for _, container := range pod.Spec.InitContainers {
		if container.Name == a.container.Name {
			return true
		}
	}
	return false
}

// imageID is the image by digest, as a node reports it. The digest depends on
// the name only.
func imageID(image string) string {
	if strings.Contains(image, "@") {
		return image
	}
	repository := image
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		repository = image[:colon]
	}
	return fmt.Sprintf("%s@sha256:%x", repository, sha256.Sum256([]byte(image)))
}

func containerID(pod *corev1.Pod, a actor, restart int32) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", pod.UID, a.container.Name, restart))
	return fmt.Sprintf("containerd://%x", sum)
}
