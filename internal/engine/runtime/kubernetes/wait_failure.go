// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const (
	logLines = "20"
	logBytes = "16384"

	revisionAnnotation = "deployment.kubernetes.io/revision"
)

// isCurrent reports whether a pod belongs to what is being rolled out, and not to
// what it replaces.
func (w *waiter) isCurrent(ctx context.Context, pod object) bool {
	switch w.target.mapping.gvk.Kind {
	case "Pod":
		return pod.uid() == w.live.uid()
	case "Deployment":
		return w.isCurrentReplicaSet(ctx, pod.controller(), pod)
	case "StatefulSet":
		revision := w.live.text("status", "updateRevision")
		return pod.controller() == w.live.uid() && (revision == "" || pod.label("controller-revision-hash") == revision)
	default:
		return pod.controller() == w.live.uid()
	}
}

func (w *waiter) isCurrentReplicaSet(ctx context.Context, uid string, pod object) bool {
	if uid == "" {
		return false
	}
	revision := w.live.annotation(revisionAnnotation)
	key := uid + "/" + revision
	if known, ok := w.replicaSets[key]; ok {
		return known
	}
	var name string
	for _, owner := range pod.list("metadata", "ownerReferences") {
		if owner.text("uid") == uid && owner.text("kind") == "ReplicaSet" {
			name = owner.text("name")
		}
	}
	if name == "" {
		return false
	}
	set, err := w.runtime.getRelated(ctx, "apps/v1", "ReplicaSet", w.target.key.Namespace, name)
	if err != nil {
		// Whether the pod counts is asked again with the next change.
		return false
	}
	current := set.uid() == uid && set.controller() == w.live.uid() && set.annotation(revisionAnnotation) == revision
	w.replicaSets[key] = current
	return current
}

// getRelated reads an object that is not ours, past the cache.
func (r *Runtime) getRelated(ctx context.Context, apiVersion, kind, namespace, name string) (object, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	found, _ := builtinMapping(gv.WithKind(kind))
	t := target{key: runtime.ObjectKey{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}, mapping: found}
	out, err := r.client.do(ctx, t.call("get", http.MethodGet))
	if err != nil {
		return nil, err
	}
	return decodeObject(out.body)
}

// failure is the Status of an object that cannot become ready. It shows a pod
// that tells more, if there is one.
func (w *waiter) failure(ctx context.Context, message string) error {
	homeless := ""
	for _, pod := range w.sortedPods() {
		if !w.isCurrent(ctx, pod) {
			continue
		}
		if found, ok := troubleOf(pod); ok {
			return w.podFailure(ctx, message, found)
		}
		if found, ok := failedRun(pod); ok {
			return w.podFailure(ctx, message, found)
		}
		if text := unschedulable(pod); text != "" {
			homeless = "; " + text
		}
	}
	message += homeless
	w.say("failed: " + message)
	return runtime.Errorf(runtime.RolloutFailed, "%s: was applied and cannot become ready: %s%s", w.target.key, message, w.evidence(ctx))
}

// failedRun finds a container of a pod that ended with an error for good.
func failedRun(pod object) (trouble, bool) {
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, container := range pod.list("status", list) {
			if container.number(0, "state", "terminated", "exitCode") != 0 {
				return withExit(trouble{pod: pod, container: container.text("name"), reason: "Error"}, container), true
			}
		}
	}
	return trouble{}, false
}

func (w *waiter) podFailure(ctx context.Context, message string, found trouble) error {
	w.say("failed: " + found.String())
	if message != "" {
		message = "\n" + message
	}
	return runtime.Errorf(runtime.RolloutFailed, "%s: was applied and cannot become ready: %s%s%s",
		w.target.key, found, message, w.runtime.details(ctx, found))
}

// late is the Status of an object that was not ready when the context ended. A
// deadline leaves time to ask why; who cancels wants no answer.
func (w *waiter) late(ctx context.Context) error {
	evidence := ""
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), inquiry)
		defer cancel()
		evidence = w.evidence(asking)
	}
	return runtime.Errorf(runtime.CodeOf(ctx.Err()), "%s: was applied and is not ready: %s: %w%s", w.target.key, w.said, ctx.Err(), evidence)
}

// evidence is what the first pod that is not ready tells, or else the object
// itself.
func (w *waiter) evidence(ctx context.Context) string {
	for _, pod := range w.sortedPods() {
		if found, ok := unready(pod); ok && w.isCurrent(ctx, pod) {
			return w.runtime.details(ctx, found)
		}
	}
	return w.runtime.details(ctx, trouble{pod: w.live, grace: true})
}

// details are the last events about a pod and the last lines of the log of its
// container.
func (r *Runtime) details(ctx context.Context, found trouble) string {
	var text strings.Builder
	if events := r.eventsOf(ctx, found.pod); len(events) > 0 {
		text.WriteString("\nlast events:")
		for _, line := range events {
			text.WriteString("\n  " + line)
		}
	}
	if lines := r.logsOf(ctx, found); lines != "" {
		fmt.Fprintf(&text, "\nlast log lines of container %s:\n  %s", found.container, strings.ReplaceAll(lines, "\n", "\n  "))
	}
	return text.String()
}

// logsOf returns the last lines of the container's log; none if it never ran.
func (r *Runtime) logsOf(ctx context.Context, found trouble) string {
	if found.container == "" || (found.grace && !found.crashed) {
		return ""
	}
	limited, cancel := context.WithTimeout(ctx, inquiry)
	defer cancel()
	pod := found.pod
	request := call{
		verb: "get", subject: "log of pod " + pod.name(), access: "get pods/log in namespace " + pod.namespace(),
		method: http.MethodGet, path: "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name() + "/log",
		accept: "text/plain, application/json",
		query:  url.Values{"container": {found.container}, "tailLines": {logLines}, "limitBytes": {logBytes}},
	}
	if found.crashed {
		request.query.Set("previous", "true")
	}
	out, err := r.client.do(limited, request)
	if err != nil && found.crashed {
		// The previous container may be removed already.
		request.query.Del("previous")
		out, err = r.client.do(limited, request)
	}
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(out.body), "\n")
}

// selectorOf writes a workload's label selector as a query, or "".
func selectorOf(live object) string {
	encoded, err := json.Marshal(live.at("spec", "selector"))
	if err != nil {
		return ""
	}
	var selector metav1.LabelSelector
	if json.Unmarshal(encoded, &selector) != nil {
		return ""
	}
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil || parsed.Empty() {
		return ""
	}
	return parsed.String()
}
