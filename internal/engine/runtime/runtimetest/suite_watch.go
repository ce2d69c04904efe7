// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func watchCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"follows creation and change": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			response, err := runtime.Watch(b.ctx, b.runtime, &runtime.WatchRequest{Resource: prior, Stack: b.Stack})
			b.wantCode(err, "")
			defer response.Stop()
			b.wantIDs(response, prior.ID)
			b.apply(nil, prior)
			b.awaitEvent(response.Watchers.Watchers[0], "the object is added", func(event watch.Event) bool {
				return event.Type == watch.Added
			})
			b.apply(prior, plan)
			b.awaitEvent(response.Watchers.Watchers[0], "the change", func(event watch.Event) bool {
				object, ok := event.Object.(*unstructured.Unstructured)
				if !ok {
					return false
				}
				value, _, _ := unstructured.NestedString(object.Object, "data", "a")
				return event.Type == watch.Modified && value == "2"
			})
			b.wantDeleted(&runtime.DeleteRequest{Resource: plan, Stack: b.Stack}, runtime.ActionDelete)
			b.awaitEvent(response.Watchers.Watchers[0], "the deletion", func(event watch.Event) bool {
				return event.Type == watch.Deleted
			})
		},
		"follows what a Deployment controls": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			b.apply(nil, plan)
			response, err := runtime.Watch(b.ctx, b.runtime, &runtime.WatchRequest{Resource: plan, Stack: b.Stack})
			b.wantCode(err, "")
			defer response.Stop()
			b.wantIDs(response, plan.ID,
				runtime.KubernetesID("apps/v1", "ReplicaSet", b.namespace, "*"), runtime.KubernetesID("v1", "Pod", b.namespace, "*"))
			for i, kind := range []string{"Deployment", "ReplicaSet", "Pod"} {
				b.awaitEvent(response.Watchers.Watchers[i], "a "+kind, func(event watch.Event) bool {
					return event.Object.GetObjectKind().GroupVersionKind().Kind == kind
				})
			}
		},
		"follows each of two readers": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			for range 2 {
				response, err := runtime.Watch(b.ctx, b.runtime, &runtime.WatchRequest{Resource: plan, Stack: b.Stack})
				b.wantCode(err, "")
				defer response.Stop()
				b.awaitEvent(response.Watchers.Watchers[0], "the object is added", func(event watch.Event) bool { return event.Type == watch.Added })
			}
		},
	})
}

func watchEndCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"ends with Stop, whether or not anybody reads": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			b.apply(nil, plan)
			b.wantNothingLeft(func(ctx context.Context) {
				response, err := runtime.Watch(ctx, b.runtime, &runtime.WatchRequest{Resource: plan, Stack: b.Stack})
				b.wantCode(err, "")
				response.Stop()
				response.Stop()
				b.wantClosed(response.Watchers)
			})
		},
		"ends although its reader stopped reading": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			b.apply(nil, prior)
			b.wantNothingLeft(func(ctx context.Context) {
				watching, cancel := context.WithCancel(ctx)
				response, err := runtime.Watch(watching, b.runtime, &runtime.WatchRequest{Resource: prior, Stack: b.Stack})
				b.wantCode(err, "")
				b.awaitEvent(response.Watchers.Watchers[0], "the object is added", func(watch.Event) bool { return true })
				for range 3 {
					b.apply(prior, plan)
					prior, plan = plan, prior
				}
				cancel()
				response.Stop()
				b.wantClosed(response.Watchers)
			})
		},
		"ends with the context": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			b.wantNothingLeft(func(ctx context.Context) {
				watching, cancel := context.WithCancel(ctx)
				response, err := runtime.Watch(watching, b.runtime, &runtime.WatchRequest{Resource: plan, Stack: b.Stack})
				b.wantCode(err, "")
				cancel()
				for range response.Watchers.Watchers[0] {
					// Whatever was on its way comes first.
					continue
				}
				response.Stop()
				b.wantClosed(response.Watchers)
			})
		},
	})
}

func waitCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"what has no readiness is ready": func(b *bench) {
			plan := b.configMap("a", "1")
			b.apply(nil, plan)
			_, err := runtime.Wait(b.ctx, b.runtime, &runtime.WaitRequest{Resource: plan, Stack: b.Stack})
			b.wantCode(err, "")
		},
		"a Deployment becomes ready": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			b.apply(nil, plan)
			var lines []string
			b.wantNothingLeft(func(ctx context.Context) {
				response, err := runtime.Wait(ctx, b.runtime, &runtime.WaitRequest{
					Resource: plan, Stack: b.Stack, Progress: func(line string) { lines = append(lines, line) },
				})
				b.wantCode(err, "")
				if response.Message == "" {
					b.Error("there is no message")
				}
			})
			for i := 1; i < len(lines); i++ {
				if lines[i] == lines[i-1] {
					b.Errorf("line %q was repeated", lines[i])
				}
			}
		},
		"a cancelled context ends it": func(b *bench) {
			plan := Deployment(b.Stack, b.namespace, "example")
			b.apply(nil, plan)
			ctx, cancel := context.WithCancel(b.ctx)
			cancel()
			_, err := runtime.Wait(ctx, b.runtime, &runtime.WaitRequest{Resource: plan, Stack: b.Stack})
			b.wantCode(err, runtime.Canceled)
		},
	})
}

func (b *bench) wantIDs(response *runtime.WatchResponse, want ...string) {
	b.Helper()
	b.wantPaths(response.Watchers.IDs, want...)
	if len(response.Watchers.Watchers) != len(want) {
		b.Fatalf("there are %d channels, want %d", len(response.Watchers.Watchers), len(want))
	}
}

func (b *bench) awaitEvent(events <-chan watch.Event, what string, match func(watch.Event) bool) {
	b.Helper()
	for {
		select {
		case event, ok := <-events:
			if !ok {
				b.Fatalf("the channel closed before %s", what)
			}
			if match(event) {
				return
			}
		case <-b.ctx.Done():
			b.Fatalf("%s did not come", what)
		}
	}
}

func (b *bench) wantClosed(watchers *runtime.SequentialWatchers) {
	b.Helper()
	for i, events := range watchers.Watchers {
		select {
		case _, ok := <-events:
			if ok {
				b.Errorf("channel %d holds an event after the end", i)
			}
		default:
			b.Errorf("channel %d is open after the end", i)
		}
	}
}

// wantNothingLeft checks that no goroutine of a runtime that was started in run
// is there when it returns. Profiler labels, which goroutines inherit, tell them
// from those of cases that run at the same time.
func (b *bench) wantNothingLeft(run func(context.Context)) {
	b.Helper()
	label := b.Name() + time.Now().String()
	pprof.Do(b.ctx, pprof.Labels("runtimetest", label), run)
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		b.Fatal(err)
	}
	for block := range strings.SplitSeq(profile.String(), "\n\n") {
		// Connections stay open for the next request.
		if strings.Contains(block, label) && strings.Contains(block, "/engine/runtime/") {
			b.Errorf("left behind:\n%s", block)
		}
	}
}
