// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Wait blocks until the object is ready or cannot become so; see runtime.Waiter
// for the promise. What is ready as soon as it exists needs no request, what is
// ready already needs one.
func (r *Runtime) Wait(ctx context.Context, request *runtime.WaitRequest) *runtime.WaitResponse {
	response := &runtime.WaitResponse{}
	if request == nil {
		response.Status = runtime.Errorf(runtime.InvalidArgument, "wait: the request is nil")
		return response
	}
	t, served, err := r.resolve(ctx, request.Resource, request.Stack)
	if err == nil && !served {
		err = missingKind(t.key)
	}
	if err != nil {
		response.Status = asStatus(err)
		return response
	}
	judge := ruleFor(t.mapping.gvk, request.Resource.Attributes)
	if judge == nil {
		response.Message = "applied"
		return response
	}
	w := &waiter{
		runtime: r, target: t, judge: judge, progress: request.Progress,
		pods: map[string]object{}, since: map[string]time.Time{}, replicaSets: map[string]bool{},
	}
	response.Status = asStatus(w.run(ctx))
	response.Message = w.said
	return response
}

// waiter is a Wait under way. Only its run method's goroutine touches it.
type waiter struct {
	runtime  *Runtime
	target   target
	judge    rule
	progress func(string)

	live object
	pods map[string]object
	// since says when each state that may pass was first seen.
	since map[string]time.Time
	// replicaSets remembers which ReplicaSets are of the current revision.
	replicaSets map[string]bool
	// warned is true once the events that were there before the wait are known;
	// warning is the last one since, and refused says that no pods can be made.
	warned  bool
	warning string
	refused bool
	said    string
}

// source is what a wait hears from.
type source int

const (
	fromObject source = iota
	fromPods
	fromEvents
)

// news is a change of the object or of something that tells about it.
type news struct {
	change
	from source
	// failure says that the server refused to go on.
	failure error
}

func (w *waiter) run(ctx context.Context) error {
	// A list tells what is there, so that a resource that is ready costs no watch.
	first := &follower{
		client: w.runtime.client, scope: w.target.scope(), known: map[string]object{},
		handle: func(found change) bool { w.note(news{change: found}); return false },
	}
	if _, err := first.list(ctx); err != nil {
		return err
	}
	if w.live == nil {
		return runtime.Errorf(runtime.NotFound, "%s: is not there", w.target.key)
	}
	if w.bindsLater(ctx) {
		w.say("ready: its volume is made for its first pod")
		return nil
	}
	if done, err := w.evaluate(ctx); done {
		return err
	}
	following, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	events := make(chan news)
	start := func(s scope, version string, from source) {
		group.Go(func() {
			send := func(n news) bool {
				select {
				case events <- n:
					return false
				case <-following.Done():
					return true
				}
			}
			err := w.runtime.client.follow(following, s, version, func(found change) bool {
				return send(news{change: found, from: from})
			})
			if err != nil && following.Err() == nil {
				send(news{failure: err, from: from})
			}
		})
	}
	start(w.target.scope(), first.version, fromObject)
	if s, ok := w.podScope(); ok {
		start(s, "", fromPods)
	}
	if s, ok := w.eventScope(); ok {
		start(s, "", fromEvents)
	}
	return w.loop(ctx, events)
}

func (w *waiter) loop(ctx context.Context, events <-chan news) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(w.nextLook())
		select {
		case <-ctx.Done():
			return w.late(ctx)
		case <-timer.C:
		case event := <-events:
			if event.failure != nil && event.from == fromObject {
				return event.failure
			}
			// Pods and events that may not be seen only make the wait less clever.
			w.note(event)
		}
		if done, err := w.evaluate(ctx); done {
			return err
		}
	}
}

// nextLook is when a state that may pass will have lasted too long.
func (w *waiter) nextLook() time.Duration {
	next := time.Hour
	for _, since := range w.since {
		if left := time.Until(since.Add(w.runtime.options.FailureGrace)); left < next {
			next = max(left, 10*time.Millisecond)
		}
	}
	return next
}

func (w *waiter) note(event news) {
	switch {
	case event.failure != nil:
	case event.from == fromEvents:
		w.hear(event.change)
	case event.object == nil:
	case event.from == fromPods && event.kind == watch.Deleted:
		delete(w.pods, event.object.uid())
	case event.from == fromPods:
		w.pods[event.object.uid()] = event.object
	case event.kind == watch.Deleted:
		w.live = nil
	default:
		w.live = event.object
	}
}

// evaluate judges what is known; done ends the wait.
func (w *waiter) evaluate(ctx context.Context) (done bool, err error) {
	if w.live == nil {
		return true, runtime.Errorf(runtime.NotFound, "%s: was deleted while it was waited for", w.target.key)
	}
	judged := w.judge(w.live)
	if judged.ready {
		w.say("ready: " + judged.message)
		return true, nil
	}
	current := map[string]bool{}
	if judged.failed && w.lasted(judged.grace, judged.key, current) {
		return true, w.failure(ctx, judged.message)
	}
	line := judged.message
	if w.warning != "" {
		line += "; " + w.warning
	}
	if w.refused && w.lasted(true, "refused", current) {
		return true, w.failure(ctx, line)
	}
	// Only workloads of this group say which generation they have seen.
	seen := w.target.mapping.gvk.Group != "apps" || observed(w.live)
	for _, pod := range w.sortedPods() {
		found, ok := troubleOf(pod)
		if !ok || !seen || !w.isCurrent(ctx, pod) {
			if text := unschedulable(pod); text != "" && w.isCurrent(ctx, pod) {
				line = judged.message + "; " + text
			}
			continue
		}
		line = judged.message + "; " + found.String()
		if w.ends(found) && w.lasted(found.grace, found.key(), current) {
			return true, w.podFailure(ctx, judged.message, found)
		}
	}
	w.forgetPassed(current)
	w.say(line)
	return false, nil
}

// ends reports whether a trouble of a pod is one of the whole object: a Job
// starts its pods again as often as it was told to.
func (w *waiter) ends(found trouble) bool {
	return w.target.mapping.gvk.Kind != "Job" || found.grace
}

// lasted reports whether a state has been there for longer than the grace.
func (w *waiter) lasted(grace bool, key string, current map[string]bool) bool {
	if !grace {
		return true
	}
	current[key] = true
	since, ok := w.since[key]
	if !ok {
		w.since[key] = time.Now()
		return w.runtime.options.FailureGrace < 0
	}
	return time.Since(since) >= w.runtime.options.FailureGrace
}

func (w *waiter) forgetPassed(current map[string]bool) {
	for key := range w.since {
		if !current[key] {
			delete(w.since, key)
		}
	}
}

// say reports a line if it is news.
func (w *waiter) say(line string) {
	line = strings.TrimSpace(line)
	if line == w.said {
		return
	}
	w.said = line
	if w.progress != nil {
		w.progress(w.target.key.String() + ": " + line)
	}
}

func (w *waiter) sortedPods() []object {
	out := make([]object, 0, len(w.pods))
	for _, pod := range w.pods {
		out = append(out, pod)
	}
	slices.SortFunc(out, func(a, b object) int { return strings.Compare(a.name(), b.name()) })
	return out
}

// podScope selects the pods of a workload.
func (w *waiter) podScope() (scope, bool) {
	pods, _ := builtinMapping(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	out := scope{mapping: pods, namespace: w.target.key.Namespace, subject: "pods of " + w.target.key.String()}
	if w.target.mapping.gvk.Kind == "Pod" {
		out.fields = "metadata.name=" + w.target.key.Name
		return out, true
	}
	out.labels = selectorOf(w.live)
	return out, out.labels != ""
}
