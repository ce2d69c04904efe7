// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The annotations by which a pod chooses what happens to it.
const (
	// AnnotationBehavior holds a behavior, such as "crash" or "ready-after=2s".
	AnnotationBehavior = "devcluster.openplatform.dev/behavior"
	// AnnotationExitCode is the exit code of a container that fails.
	AnnotationExitCode = "devcluster.openplatform.dev/exit-code"
	// AnnotationLog is what the containers print.
	AnnotationLog = "devcluster.openplatform.dev/log"
	// AnnotationTerminateAfter is how long the pod takes to go when deleted.
	AnnotationTerminateAfter = "devcluster.openplatform.dev/terminate-after"
)

// Kind is what a container does.
type Kind string

// The kinds of behavior.
const (
	Run        Kind = "run"
	PullError  Kind = "pull-error"
	Crash      Kind = "crash"
	NotReady   Kind = "not-ready"
	ReadyAfter Kind = "ready-after"
	Complete   Kind = "complete"
	Fail       Kind = "fail"
)

const (
	initLife     = 20 * time.Millisecond
	completeLife = 200 * time.Millisecond
	crashLife    = 50 * time.Millisecond
	readyDelay   = time.Second

	imageSegment = "devcluster"
)

// Behavior is what one container does.
type Behavior struct {
	Kind Kind
	// After is how long the container takes to become ready or to complete.
	After time.Duration
	// ExitCode is the code with which the container ends, if it does.
	ExitCode int32
}

// ParseBehavior reads the value of the annotation: a kind, and for ready-after
// and complete a duration behind an equals sign.
func ParseBehavior(text string) (Behavior, error) {
	name, argument, hasArgument := strings.Cut(text, "=")
	behavior, err := newBehavior(Kind(name))
	if err != nil {
		return Behavior{}, err
	}
	if !hasArgument {
		return behavior, nil
	}
	if behavior.Kind != ReadyAfter && behavior.Kind != Complete {
		return Behavior{}, fmt.Errorf("behavior %q takes no argument", name)
	}
	behavior.After, err = time.ParseDuration(argument)
	if err != nil {
		return Behavior{}, fmt.Errorf("behavior %q: %w", name, err)
	}
	return behavior, nil
}

func newBehavior(kind Kind) (Behavior, error) {
	switch kind {
	case Run, PullError, NotReady:
		return Behavior{Kind: kind}, nil
	case ReadyAfter:
		return Behavior{Kind: kind, After: readyDelay}, nil
	case Complete:
		return Behavior{Kind: kind, After: completeLife}, nil
	case Crash, Fail:
		return Behavior{Kind: kind, After: crashLife, ExitCode: 1}, nil
	default:
		return Behavior{}, fmt.Errorf("unknown behavior %q", kind)
	}
}

// behaviorOfImage reads an image such as registry.example/devcluster/crash:v1.
// The tag may hold a duration for the kinds that take one, or exit-<n>. The
// second result is false for any other image.
func behaviorOfImage(image string) (Behavior, bool) {
	image, _, _ = strings.Cut(image, "@")
	segments := strings.Split(image, "/")
	for i := range len(segments) - 1 {
		if segments[i] != imageSegment {
			continue
		}
		name, tag, _ := strings.Cut(segments[i+1], ":")
		behavior, err := newBehavior(Kind(name))
		if err != nil {
			return Behavior{}, false
		}
		if after, err := time.ParseDuration(tag); err == nil && (behavior.Kind == ReadyAfter || behavior.Kind == Complete) {
			behavior.After = after
		}
		if code, ok := exitCodeOfTag(tag); ok {
			behavior.ExitCode = code
		}
		return behavior, true
	}
	return Behavior{}, false
}

func exitCodeOfTag(tag string) (int32, bool) {
	match := regexp.MustCompile(`(?:^|[^a-z])exit-(\d{1,3})(?:\D|$)`).FindStringSubmatch(tag)
	if match == nil {
		return 0, false
	}
	code, err := strconv.ParseInt(match[1], 10, 32)
	return int32(code), err == nil
}

// behaviorOf decides what a container of the pod does: what the annotation
// says, else what the image says, else what such containers usually do. The
// annotation does not speak for init containers, or no pod would get past them.
func behaviorOf(pod *corev1.Pod, image string, isInit bool) Behavior {
	behavior, found := Behavior{}, false
	if text := pod.Annotations[AnnotationBehavior]; text != "" && !isInit {
		parsed, err := ParseBehavior(text)
		behavior, found = parsed, err == nil
	}
	if !found {
		behavior, found = behaviorOfImage(image)
	}
	if !found {
		behavior = defaultBehavior(pod, isInit)
	}
	fails := behavior.Kind == Crash || behavior.Kind == Fail
	if code, err := strconv.ParseInt(pod.Annotations[AnnotationExitCode], 10, 32); err == nil && fails && !isInit {
		behavior.ExitCode = int32(code)
	}
	return behavior
}

func defaultBehavior(pod *corev1.Pod, isInit bool) Behavior {
	if isInit {
		return Behavior{Kind: Complete, After: initLife}
	}
	for _, owner := range pod.OwnerReferences {
		if owner.Kind == "Job" {
			return Behavior{Kind: Complete, After: completeLife}
		}
	}
	return Behavior{Kind: Run}
}

// terminateAfter is how long the pod takes to go: no time unless it asks for
// some, and never more than its grace period, after which it would be killed.
func terminateAfter(pod *corev1.Pod) time.Duration {
	wanted, err := time.ParseDuration(pod.Annotations[AnnotationTerminateAfter])
	if err != nil || pod.DeletionGracePeriodSeconds == nil {
		return 0
	}
	return min(wanted, time.Duration(*pod.DeletionGracePeriodSeconds)*time.Second)
}
