// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const (
	logLines  = "20"
	logBytes  = "16384"
	eventsMax = 5

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
	w.say(ctx, "failed: "+message)
	return runtime.Errorf(runtime.RolloutFailed, "%s: was applied and cannot become ready: %s", w.target.key, message)
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
	w.say(ctx, "failed: "+found.String())
	var text strings.Builder
	fmt.Fprintf(&text, "%s: was applied and cannot become ready: %s", w.target.key, found)
	if message != "" {
		fmt.Fprintf(&text, "\n%s", message)
	}
	if events := w.runtime.eventsOf(ctx, found.pod); len(events) > 0 {
		text.WriteString("\nlast events:")
		for _, line := range events {
			text.WriteString("\n  " + line)
		}
	}
	if lines := w.runtime.logsOf(ctx, found); lines != "" {
		fmt.Fprintf(&text, "\nlast log lines of container %s:\n  %s", found.container, strings.ReplaceAll(lines, "\n", "\n  "))
	}
	return runtime.Errorf(runtime.RolloutFailed, "%s", text.String())
}

// eventsOf returns the last events about a pod; none if they cannot be had.
func (r *Runtime) eventsOf(ctx context.Context, pod object) []string {
	limited, cancel := context.WithTimeout(ctx, inquiry)
	defer cancel()
	out, err := r.client.do(limited, call{
		verb: "list", subject: "events of pod " + pod.name(), access: "list events in namespace " + pod.namespace(),
		method: http.MethodGet, path: "/api/v1/namespaces/" + pod.namespace() + "/events",
		query: url.Values{"fieldSelector": {"involvedObject.uid=" + pod.uid()}},
	})
	if err != nil {
		return nil
	}
	body, err := decodeObject(out.body)
	if err != nil {
		return nil
	}
	events := body.list("items")
	slices.SortStableFunc(events, func(a, b object) int { return strings.Compare(eventTime(a), eventTime(b)) })
	var lines []string
	for _, event := range events[max(0, len(events)-eventsMax):] {
		line := event.text("type") + " " + event.text("reason") + ": " + strings.TrimSpace(event.text("message"))
		if count := event.number(1, "count"); count > 1 {
			line += " (" + strconv.FormatInt(count, 10) + " times)"
		}
		lines = append(lines, line)
	}
	return lines
}

// eventTime compares as text, because the server writes all times in one form.
func eventTime(event object) string {
	for _, field := range []string{"lastTimestamp", "eventTime", "firstTimestamp"} {
		if value := event.text(field); value != "" {
			return value
		}
	}
	return event.metaString("creationTimestamp")
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
