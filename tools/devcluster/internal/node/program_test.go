// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

const ms = time.Millisecond

func TestProgramAt(t *testing.T) {
	t.Parallel()
	crash, err := ParseBehavior("crash")
	if err != nil {
		t.Fatalf("parse behavior: %v", err)
	}
	type args struct {
		behavior Behavior
		policy   corev1.RestartPolicy
		now      time.Duration
	}
	cases := map[string]struct {
		reason string
		args   args
		want   view
	}{
		"BeforeTheStart": {
			reason: "a container waits for its start",
			args:   args{Behavior{Kind: Run}, corev1.RestartPolicyAlways, 10 * ms},
			want:   view{waiting: reasonCreating, next: 50 * ms},
		},
		"Runs": {
			reason: "it runs for ever and nothing more happens",
			args:   args{Behavior{Kind: Run}, corev1.RestartPolicyAlways, time.Hour},
			want:   view{running: true, ready: true, current: span{started: 50 * ms}},
		},
		"CannotBePulled": {
			reason: "the first error is shown for a moment",
			args:   args{Behavior{Kind: PullError}, corev1.RestartPolicyAlways, 60 * ms},
			want:   view{waiting: reasonErrPull, next: 200 * ms},
		},
		"BacksOff": {
			reason: "then the node backs off for ever",
			args:   args{Behavior{Kind: PullError}, corev1.RestartPolicyAlways, time.Hour},
			want:   view{waiting: reasonPullBackOff},
		},
		"NotYetReady": {
			reason: "it runs and becomes ready at its time",
			args:   args{Behavior{Kind: ReadyAfter, After: time.Second}, corev1.RestartPolicyAlways, 900 * ms},
			want:   view{running: true, current: span{started: 50 * ms}, next: 1050 * ms},
		},
		"AboutToCrash": {
			reason: "a container that will crash is never ready",
			args:   args{crash, corev1.RestartPolicyAlways, 60 * ms},
			want:   view{running: true, current: span{50 * ms, 100 * ms}, next: 100 * ms},
		},
		"CrashedOnce": {
			reason: "the first crash is shown as it is",
			args:   args{crash, corev1.RestartPolicyAlways, 120 * ms},
			want:   view{ended: true, current: span{50 * ms, 100 * ms}, next: 250 * ms},
		},
		"CrashedTwice": {
			reason: "from the second crash on the node backs off",
			args:   args{crash, corev1.RestartPolicyAlways, 310 * ms},
			want: view{
				waiting: reasonCrashBackOff, restarts: 1, next: 1300 * ms,
				current: span{250 * ms, 300 * ms}, last: &span{250 * ms, 300 * ms},
			},
		},
		"RunsAgain": {
			reason: "after the pause it is started again",
			args:   args{crash, corev1.RestartPolicyAlways, 1310 * ms},
			want: view{
				running: true, restarts: 2, next: 1350 * ms,
				current: span{1300 * ms, 1350 * ms}, last: &span{250 * ms, 300 * ms},
			},
		},
		"NotRestarted": {
			reason: "a failure is final when the policy says so",
			args:   args{crash, corev1.RestartPolicyNever, time.Hour},
			want:   view{ended: true, final: true, current: span{50 * ms, 100 * ms}},
		},
		"Succeeded": {
			reason: "success is final unless the container must always run",
			args:   args{Behavior{Kind: Complete, After: time.Second}, corev1.RestartPolicyOnFailure, time.Hour},
			want:   view{ended: true, final: true, current: span{50 * ms, 1050 * ms}},
		},
		"SucceededTooOften": {
			reason: "a container that must always run may not even succeed",
			args:   args{Behavior{Kind: Complete, After: 50 * ms}, corev1.RestartPolicyAlways, 310 * ms},
			want: view{
				waiting: reasonCrashBackOff, restarts: 1, next: 1300 * ms,
				current: span{250 * ms, 300 * ms}, last: &span{250 * ms, 300 * ms},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program{behavior: tc.args.behavior, start: 50 * ms, policy: tc.args.policy}
			got := p.at(tc.args.now)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(view{}, span{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestProgramMovesOn walks through a crash loop from change to change and
// checks that each one is announced and that the restarts are counted.
func TestProgramMovesOn(t *testing.T) {
	t.Parallel()
	p := program{behavior: Behavior{Kind: Crash, After: crashLife, ExitCode: 1}, policy: corev1.RestartPolicyAlways}
	restarts, now := int32(0), time.Duration(0)
	for now < time.Minute {
		v := p.at(now)
		if v.next <= now {
			t.Fatalf("at %s the next change is at %s", now, v.next)
		}
		if v.restarts < restarts || v.restarts > restarts+1 {
			t.Fatalf("at %s the restarts go from %d to %d", now, restarts, v.restarts)
		}
		restarts, now = v.restarts, v.next
	}
	if restarts < 5 {
		t.Errorf("restarts in a minute: got %d, want at least 5", restarts)
	}
}

func TestRestartDelay(t *testing.T) {
	t.Parallel()
	got := make([]time.Duration, 0, 8)
	for _, restarts := range []int32{0, 1, 2, 3, 4, 5, 6, 1 << 30} {
		got = append(got, restartDelay(restarts))
	}
	want := []time.Duration{
		firstRestart, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		maxRestartDelay, maxRestartDelay, maxRestartDelay,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("delays: -want, +got:\n%s", diff)
	}
}
