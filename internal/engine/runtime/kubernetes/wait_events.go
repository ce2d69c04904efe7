// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// eventsMax is how many events an error shows.
const eventsMax = 5

// eventScope selects the events about the object, for kinds whose status does
// not say why nothing happens.
func (w *waiter) eventScope() (scope, bool) {
	switch w.target.mapping.gvk.Kind {
	case "StatefulSet", "DaemonSet", "Job", "PersistentVolumeClaim", "Service", "Ingress":
	default:
		return scope{}, false
	}
	events, _ := builtinMapping(schema.GroupVersionKind{Version: "v1", Kind: "Event"})
	return scope{
		mapping: events, namespace: w.target.key.Namespace,
		fields: "involvedObject.uid=" + w.live.uid(), subject: "events of " + w.target.key.String(),
	}, true
}

// hear notes an event about the object. What happened before the wait says
// nothing about it; what goes on is told again.
func (w *waiter) hear(found change) {
	switch {
	case found.kind == watch.Bookmark:
		w.warned = true
	case !w.warned || found.kind == watch.Deleted:
	case found.object.text("type") == "Warning":
		w.warning = eventLine(found.object)
		w.refused = w.refused || found.object.text("reason") == "FailedCreate"
	case found.object.text("reason") == "SuccessfulCreate":
		w.warning, w.refused = "", false
	}
}

func eventLine(event object) string {
	return event.text("reason") + ": " + strings.TrimSpace(event.text("message"))
}

// eventsOf returns the last events about an object of a namespace; none if they
// cannot be had.
func (r *Runtime) eventsOf(ctx context.Context, about object) []string {
	if about.namespace() == "" {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, inquiry)
	defer cancel()
	out, err := r.client.do(limited, call{
		verb: "list", subject: "events of " + about.name(), access: "list events in namespace " + about.namespace(),
		method: http.MethodGet, path: "/api/v1/namespaces/" + about.namespace() + "/events",
		query: url.Values{"fieldSelector": {"involvedObject.uid=" + about.uid()}},
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
		line := event.text("type") + " " + eventLine(event)
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
