// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// logText is all that a container prints in one attempt.
func logText(pod *corev1.Pod, container corev1.Container, behavior Behavior) string {
	if text := pod.Annotations[AnnotationLog]; text != "" {
		return strings.TrimSuffix(text, "\n") + "\n"
	}
	switch behavior.Kind {
	case Crash, Fail:
		return fmt.Sprintf("starting %s\npanic: boom\n", container.Image)
	default:
		return fmt.Sprintf("started %s\n", container.Image)
	}
}

// logOptions are the parameters of a request for logs.
type logOptions struct {
	tail, limit *int64
	since       time.Time
	timestamps  bool
	previous    bool
	follow      bool
}

func parseLogOptions(query url.Values, now time.Time) (logOptions, error) {
	options := logOptions{
		timestamps: query.Get("timestamps") == "true",
		previous:   query.Get("previous") == "true",
		follow:     query.Get("follow") == "true",
	}
	for name, target := range map[string]**int64{"tailLines": &options.tail, "limitBytes": &options.limit} {
		if text := query.Get(name); text != "" {
			value, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return logOptions{}, fmt.Errorf("parameter %s: %w", name, err)
			}
			*target = &value
		}
	}
	if text := query.Get("sinceSeconds"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return logOptions{}, fmt.Errorf("parameter sinceSeconds: %w", err)
		}
		options.since = now.Add(-time.Duration(seconds) * time.Second)
	}
	if text := query.Get("sinceTime"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return logOptions{}, fmt.Errorf("parameter sinceTime: %w", err)
		}
		options.since = since
	}
	return options, nil
}

// apply cuts the text down to what was asked for. Every line was printed when
// the container started.
func (o logOptions) apply(text string, printed time.Time) string {
	if !o.since.IsZero() && printed.Before(o.since.Truncate(time.Second)) {
		return ""
	}
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1] // The text ends with a line break.
	if o.tail != nil && *o.tail >= 0 {
		lines = lines[max(0, len(lines)-int(*o.tail)):]
	}
	if o.timestamps {
		for i := range lines {
			lines[i] = printed.UTC().Format(time.RFC3339Nano) + " " + lines[i]
		}
	}
	text = strings.Join(lines, "")
	if o.limit != nil && int64(len(text)) > *o.limit {
		text = text[:*o.limit]
	}
	return text
}
