// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// inquiry bounds the questions that are asked after a deadline, to say in the
// error what stood in the way.
const inquiry = 5 * time.Second

// awaitGone blocks until the object of that UID no longer exists. live is its
// last known state.
func (r *Runtime) awaitGone(ctx context.Context, t target, live object, uid string) error {
	present := true
	err := r.client.follow(ctx, t.scope(), live.resourceVersion(), func(news change) bool {
		switch {
		case news.kind == watch.Bookmark:
			return !present
		case news.object.uid() != uid:
			// The name is taken by another object, so that ours is gone.
			present = false
			return true
		case news.kind == watch.Deleted:
			present = false
			return true
		}
		live, present = news.object, true
		return false
	})
	if err == nil {
		r.cache.forget(t)
		return nil
	}
	if ctx.Err() == nil {
		return err
	}
	if fresh := r.lastLook(ctx, t); fresh != nil {
		live = fresh
	}
	return runtime.Errorf(runtime.CodeOf(ctx.Err()), "%s: is still being deleted: %s: %w",
		t.key, r.obstacles(ctx, t, live), ctx.Err())
}

// lastLook reads the object although the time is up.
func (r *Runtime) lastLook(ctx context.Context, t target) object {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), inquiry)
	defer cancel()
	live, err := r.get(late, t)
	if err != nil {
		return nil
	}
	return live
}

// obstacles says what keeps an object from going.
func (r *Runtime) obstacles(ctx context.Context, t target, live object) string {
	var out []string
	finalizers, _ := live.at("metadata", "finalizers").([]any)
	if len(finalizers) > 0 {
		out = append(out, fmt.Sprintf("finalizers %v", finalizers))
	}
	if isNamespace(t.key) {
		finalizers, _ := live.at("spec", "finalizers").([]any)
		if len(finalizers) > 0 {
			out = append(out, fmt.Sprintf("finalizers %v", finalizers))
		}
		for _, condition := range live.list("status", "conditions") {
			if condition.text("status") == "True" {
				out = append(out, condition.text("type")+": "+condition.text("message"))
			}
		}
		if held := r.remaining(ctx, t.key.Name); len(held) > 0 {
			out = append(out, "it still holds "+strings.Join(held, ", "))
		}
	}
	if len(out) == 0 {
		return "the server has not removed it yet"
	}
	return strings.Join(out, "; ")
}

// remaining names what is left in a namespace that is being deleted: what
// finalizers hold, or else whatever is there.
func (r *Runtime) remaining(ctx context.Context, namespace string) []string {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), inquiry)
	defer cancel()
	held, err := r.contents(late, namespace, func(item object, kind string) string {
		finalizers, _ := item.at("metadata", "finalizers").([]any)
		if len(finalizers) == 0 {
			return ""
		}
		return fmt.Sprintf("%s/%s (finalizers %v)", kind, item.name(), finalizers)
	})
	if err == nil && len(held) == 0 {
		held, err = r.contents(late, namespace, func(item object, kind string) string { return kind + "/" + item.name() })
	}
	if err != nil {
		return nil
	}
	return held
}

// awaitNamespace blocks until the namespace of the target is no longer being deleted.
func (r *Runtime) awaitNamespace(ctx context.Context, t target) error {
	key := runtime.ObjectKey{APIVersion: "v1", Kind: "Namespace", Name: t.key.Namespace}
	gvk := namespaceMapping()
	namespace := target{key: key, mapping: gvk, stack: t.stack, manager: t.manager}
	live, err := r.get(ctx, namespace)
	if err != nil || live == nil || !live.terminating() {
		return err
	}
	return r.awaitGone(ctx, namespace, live, live.uid())
}
