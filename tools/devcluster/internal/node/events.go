// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// The reasons of events, spelled as a kubelet spells them.
const (
	eventPulling   = "Pulling"
	eventFailed    = "Failed"
	eventBackOff   = "BackOff"
	eventUnhealthy = "Unhealthy"
	eventUnknown   = "UnknownBehavior"
)

func newRecorder(events record.EventBroadcaster, client kubernetes.Interface) record.EventRecorder {
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	return events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: Name})
}

// tell sends the events that belong to what can be seen of the pod, each once.
// A pod that does well sends none, so that a thousand of them cost nothing.
func (a *Agent) tell(pod *corev1.Pod, c cast, known *memory) {
	once := func(key, kind, reason, message string) {
		if !known.told[key+message] {
			known.told[key+message] = true
			a.recorder.Event(pod, kind, reason, message)
		}
	}
	if text := pod.Annotations[AnnotationBehavior]; text != "" {
		if _, err := ParseBehavior(text); err != nil {
			once("", corev1.EventTypeWarning, eventUnknown, err.Error())
		}
	}
	for _, a := range append(c.init, c.main...) {
		key := fmt.Sprintf("%s/%d/", a.container.Name, a.view.restarts)
		image := a.container.Image
		switch a.view.waiting {
		case reasonErrPull:
			once(key, corev1.EventTypeNormal, eventPulling, fmt.Sprintf("Pulling image %q", image))
			once(key, corev1.EventTypeWarning, eventFailed,
				fmt.Sprintf("Failed to pull image %q: %s", image, pullErrorText(image)))
			once(key, corev1.EventTypeWarning, eventFailed, "Error: "+reasonErrPull)
		case reasonPullBackOff:
			once(key, corev1.EventTypeNormal, eventBackOff, fmt.Sprintf("Back-off pulling image %q", image))
			once(key, corev1.EventTypeWarning, eventFailed, "Error: "+reasonPullBackOff)
		case reasonCrashBackOff:
			once(key, corev1.EventTypeWarning, eventBackOff, fmt.Sprintf(
				"Back-off restarting failed container %s in pod %s_%s(%s)",
				a.container.Name, pod.Name, pod.Namespace, pod.UID))
		}
		if a.program.behavior.Kind == NotReady && a.view.running {
			once(key, corev1.EventTypeWarning, eventUnhealthy, "Readiness probe failed: behavior is "+string(NotReady))
		}
	}
}
