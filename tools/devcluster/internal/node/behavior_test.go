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

func TestParseBehavior(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		text   string
		want   Behavior
		failed bool
	}{
		"Run":            {"the default can be asked for", "run", Behavior{Kind: Run}, false},
		"PullError":      {"it takes no parameter", "pull-error", Behavior{Kind: PullError}, false},
		"NotReady":       {"it takes no parameter", "not-ready", Behavior{Kind: NotReady}, false},
		"Crash":          {"it fails with code 1", "crash", Behavior{Kind: Crash, After: crashLife, ExitCode: 1}, false},
		"Fail":           {"it fails with code 1", "fail", Behavior{Kind: Fail, After: crashLife, ExitCode: 1}, false},
		"Complete":       {"it has a default duration", "complete", Behavior{Kind: Complete, After: completeLife}, false},
		"CompleteAfter":  {"the duration can be given", "complete=3s", Behavior{Kind: Complete, After: 3 * time.Second}, false},
		"ReadyAfter":     {"the duration can be given", "ready-after=2m", Behavior{Kind: ReadyAfter, After: 2 * time.Minute}, false},
		"Unknown":        {"a typing error is reported", "crahs", Behavior{}, true},
		"BadDuration":    {"a duration needs a unit", "complete=3", Behavior{}, true},
		"NeedlessNumber": {"an argument without meaning is reported", "crash=3s", Behavior{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseBehavior(tc.text)
			if (err != nil) != tc.failed {
				t.Errorf("%s: error %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBehaviorOfImage(t *testing.T) {
	t.Parallel()
	crash := func(code int32) Behavior { return Behavior{Kind: Crash, After: crashLife, ExitCode: code} }
	cases := map[string]struct {
		reason string
		image  string
		want   Behavior
		found  bool
	}{
		"WithRegistry":  {"the segment may stand behind a registry", "registry.example/devcluster/crash:v1", crash(1), true},
		"First":         {"the segment may come first", "devcluster/crash", crash(1), true},
		"WithPort":      {"the port of a registry is not a tag", "localhost:5000/devcluster/crash:1", crash(1), true},
		"WithDigest":    {"a digest says nothing", "r.example/devcluster/crash:1@sha256:abcd", crash(1), true},
		"ExitCode":      {"the tag may hold an exit code", "r.example/devcluster/crash:v2-exit-137", crash(137), true},
		"NoExitCode":    {"a word that ends like it is none", "r.example/devcluster/crash:noexit-3", crash(1), true},
		"Duration":      {"the tag may be a duration", "r.example/devcluster/complete:5s", Behavior{Kind: Complete, After: 5 * time.Second}, true},
		"OtherRegistry": {"an ordinary image has no behavior", "docker.io/library/nginx:1.27", Behavior{}, false},
		"OtherName":     {"a repository called devcluster is ordinary", "example.org/devcluster/api:v1", Behavior{}, false},
		"LastSegment":   {"nothing follows the segment", "example.org/devcluster:v1", Behavior{}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := behaviorOfImage(tc.image)
			if found != tc.found {
				t.Errorf("%s: found %t", tc.reason, found)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBehaviorOf(t *testing.T) {
	t.Parallel()
	const ordinary, failing = "nginx:1.27", "r.example/devcluster/crash:exit-4"
	job := []metav1.OwnerReference{{Kind: "Job", Name: "job"}}
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		owners      []metav1.OwnerReference
		image       string
		init        bool
		want        Behavior
	}{
		"Default": {
			reason: "a container runs",
			image:  ordinary, want: Behavior{Kind: Run},
		},
		"OfJob": {
			reason: "a container of a job completes",
			owners: job, image: ordinary, want: Behavior{Kind: Complete, After: completeLife},
		},
		"HangingJob": {
			reason:      "a container of a job runs on when it is told to",
			annotations: map[string]string{AnnotationBehavior: "run"},
			owners:      job, image: ordinary, want: Behavior{Kind: Run},
		},
		"Init": {
			reason:      "the annotation is not about init containers",
			annotations: map[string]string{AnnotationBehavior: "crash"},
			image:       ordinary, init: true, want: Behavior{Kind: Complete, After: initLife},
		},
		"InitByImage": {
			reason: "the image is",
			image:  failing, init: true, want: Behavior{Kind: Crash, After: crashLife, ExitCode: 4},
		},
		"AnnotationWins": {
			reason:      "an annotation is more specific than an image",
			annotations: map[string]string{AnnotationBehavior: "not-ready"},
			image:       failing, want: Behavior{Kind: NotReady},
		},
		"UnknownAnnotation": {
			reason:      "an annotation that cannot be read does not count",
			annotations: map[string]string{AnnotationBehavior: "crahs"},
			image:       failing, want: Behavior{Kind: Crash, After: crashLife, ExitCode: 4},
		},
		"ExitCode": {
			reason:      "the exit code applies to an image too",
			annotations: map[string]string{AnnotationExitCode: "9"},
			image:       failing, want: Behavior{Kind: Crash, After: crashLife, ExitCode: 9},
		},
		"ExitCodeOfSuccess": {
			reason:      "the exit code applies only to what fails",
			annotations: map[string]string{AnnotationExitCode: "9", AnnotationBehavior: "complete"},
			image:       ordinary, want: Behavior{Kind: Complete, After: completeLife},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: tc.annotations, OwnerReferences: tc.owners}}
			if diff := cmp.Diff(tc.want, behaviorOf(pod, tc.image, tc.init)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTerminateAfter(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		text   string
		grace  int64
		want   time.Duration
	}{
		"Default":     {"a pod goes at once", "", 30, 0},
		"Asked":       {"a pod may take its time", "3s", 30, 3 * time.Second},
		"BeyondGrace": {"but not more than its grace period", "3m", 30, 30 * time.Second},
		"Forced":      {"and none when it is deleted by force", "3s", 0, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Annotations:                map[string]string{AnnotationTerminateAfter: tc.text},
				DeletionGracePeriodSeconds: &tc.grace,
			}}
			if got := terminateAfter(pod); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
