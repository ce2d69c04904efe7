// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Waiting reasons, spelled as a kubelet spells them.
const (
	reasonCreating     = "ContainerCreating"
	reasonInitializing = "PodInitializing"
	reasonErrPull      = "ErrImagePull"
	reasonPullBackOff  = "ImagePullBackOff"
	reasonCrashBackOff = "CrashLoopBackOff"
)

const (
	pullErrorLife   = 150 * time.Millisecond
	firstRestart    = 150 * time.Millisecond
	restartBackOff  = time.Second
	maxRestartDelay = 10 * time.Second
)

// program is the life of one container as a function of time, counted from the
// moment the pod came to the node. Being a function, it needs no memory: the
// agent may be stopped at any time and finds the pod where it should be.
type program struct {
	behavior Behavior
	// start is when the first attempt begins.
	start  time.Duration
	policy corev1.RestartPolicy
}

// span is one attempt that has ended.
type span struct {
	started, finished time.Duration
}

// view is what can be seen of a container at one moment.
type view struct {
	// waiting is the reason why it waits; empty when it runs or has ended.
	waiting string
	// running is set while it runs; ended is set when it has, for now or for good.
	running bool
	ended   bool
	// current is the attempt that runs (only started counts) or has ended.
	current span
	// last is the attempt before the current one.
	last *span
	// restarts counts the attempts before the current one.
	restarts int32
	ready    bool
	// final says that an ended container stays so.
	final bool
	// next is when the view changes; zero when it never does.
	next time.Duration
}

// at returns the view of the container at the given time.
func (p program) at(now time.Duration) view {
	if now < p.start {
		return view{waiting: reasonCreating, next: p.start}
	}
	switch p.behavior.Kind {
	case PullError:
		if broken := p.start + pullErrorLife; now < broken {
			return view{waiting: reasonErrPull, next: broken}
		}
		return view{waiting: reasonPullBackOff}
	case Crash, Fail, Complete:
		return p.attempts(now)
	case NotReady:
		return view{running: true, current: span{started: p.start}}
	case ReadyAfter:
		if ready := p.start + p.behavior.After; now < ready {
			return view{running: true, current: span{started: p.start}, next: ready}
		}
		return view{running: true, ready: true, current: span{started: p.start}}
	case Run:
		return view{running: true, ready: true, current: span{started: p.start}}
	default:
		return view{waiting: reasonCreating}
	}
}

// attempts is the view of a container that ends, and may be started again.
func (p program) attempts(now time.Duration) view {
	v := view{current: span{started: p.start}}
	for {
		v.current.finished = v.current.started + p.behavior.After
		if now < v.current.finished {
			v.running = true
			// A container that is about to fail never passes its probe, or a
			// Deployment would count it as available for a moment.
			v.ready = p.behavior.Kind == Complete
			v.next = v.current.finished
			return v
		}
		if !p.restarts() {
			v.ended, v.final = true, true
			return v
		}
		again := v.current.finished + restartDelay(v.restarts)
		ended := v.current
		if now < again {
			v.next = again
			if v.restarts == 0 {
				v.ended = true
				return v
			}
			v.waiting, v.last = reasonCrashBackOff, &ended
			return v
		}
		v.last = &ended
		v.current = span{started: again}
		v.restarts++
	}
}

// succeededAt returns when the container ends for good with exit code 0. The
// second result is false when it never does.
func (p program) succeededAt() (time.Duration, bool) {
	if p.behavior.Kind != Complete || p.behavior.ExitCode != 0 || p.restarts() {
		return 0, false
	}
	return p.start + p.behavior.After, true
}

func (p program) restarts() bool {
	switch p.policy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return p.behavior.ExitCode != 0
	default:
		return true
	}
}

func restartDelay(restarts int32) time.Duration {
	if restarts == 0 {
		return firstRestart
	}
	const doublings = 4 // More would pass the maximum anyway.
	return min(restartBackOff<<min(restarts-1, doublings), maxRestartDelay)
}
