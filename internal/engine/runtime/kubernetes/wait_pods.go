// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import "fmt"

// trouble is why a pod does not run.
type trouble struct {
	pod       object
	container string
	reason    string
	message   string
	// crashed says that the container ran and ended, so that its previous run's
	// log tells why.
	crashed bool
	// grace says that the state may pass by itself.
	grace bool
}

func (t trouble) String() string {
	out := "pod " + t.pod.name()
	if t.container != "" {
		out += ", container " + t.container
	}
	out += ": " + t.reason
	if t.message != "" {
		out += ": " + t.message
	}
	return out
}

// key identifies the state, whatever its message says just now. The reasons of
// a failing image pull alternate.
func (t trouble) key() string {
	reason := t.reason
	if isPullFailure(reason) {
		reason = "image"
	}
	return t.pod.uid() + "/" + t.container + "/" + reason
}

// crashesAllowed is how often a container may end with an error before it counts
// as one that cannot start.
const crashesAllowed = 2

// troubleOf returns what keeps a pod from running, or false.
func troubleOf(pod object) (trouble, bool) {
	if pod.terminating() {
		return trouble{}, false
	}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, container := range pod.list("status", list) {
			if found, ok := containerTrouble(pod, container); ok {
				return found, true
			}
		}
	}
	return trouble{}, false
}

func containerTrouble(pod, container object) (trouble, bool) {
	out := trouble{pod: pod, container: container.text("name")}
	out.reason, out.message = container.text("state", "waiting", "reason"), container.text("state", "waiting", "message")
	restarts := container.number(0, "restartCount")
	out.crashed = restarts > 0
	switch {
	case isPullFailure(out.reason), out.reason == "CreateContainerConfigError", out.reason == "CreateContainerError",
		out.reason == "RunContainerError":
		out.grace = true
		return out, true
	case out.reason == "CrashLoopBackOff":
		return withExit(out, container), true
	}
	ready, _ := container["ready"].(bool)
	failed := container.number(0, "lastState", "terminated", "exitCode") != 0
	if restarts >= crashesAllowed && failed && !ready {
		out.reason = "Error"
		return withExit(out, container), true
	}
	return trouble{}, false
}

// unready returns the first container of a pod that is not ready, or the pod when
// it has none yet.
func unready(pod object) (trouble, bool) {
	if pod.terminating() {
		return trouble{}, false
	}
	containers := pod.list("status", "containerStatuses")
	for _, container := range containers {
		if ready, _ := container["ready"].(bool); !ready {
			return trouble{pod: pod, container: container.text("name"), grace: container.at("state", "running") == nil}, true
		}
	}
	return trouble{pod: pod, grace: true}, len(containers) == 0
}

// withExit adds how the container ended.
func withExit(out trouble, container object) trouble {
	for _, state := range []string{"lastState", "state"} {
		if container.at(state, "terminated") == nil {
			continue
		}
		text := fmt.Sprintf("exit code %d", container.number(0, state, "terminated", "exitCode"))
		if reason := container.text(state, "terminated", "reason"); reason != "" && reason != "Error" {
			text += " (" + reason + ")"
		}
		if out.message == "" {
			out.message = text
		} else {
			out.message = text + ": " + out.message
		}
		return out
	}
	return out
}

func isPullFailure(reason string) bool {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable":
		return true
	}
	return false
}

// unschedulable returns why no node takes the pod. A node may yet come, so that
// this is only told.
func unschedulable(pod object) string {
	for _, condition := range pod.list("status", "conditions") {
		if condition.text("type") == "PodScheduled" && condition.text("status") == "False" {
			return "pod " + pod.name() + ": " + condition.text("reason") + ": " + condition.text("message")
		}
	}
	return ""
}
