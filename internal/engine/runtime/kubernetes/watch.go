// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// anyName stands for the name in the ID of a channel that carries the events of
// all objects of a kind that the watched object controls.
const anyName = "*"

// Watch streams the events of the object and of what it controls; see
// runtime.Runtime for the promise. The first channel carries the object itself,
// each further one all objects of one kind that the object controls, through
// those of the channel before where they lie in between; its ID has the name "*".
// Each channel starts with one Added event per object that exists. Events wait
// for their reader and are not dropped; an object belongs to its readers.
func (r *Runtime) Watch(ctx context.Context, request *runtime.WatchRequest) *runtime.WatchResponse {
	response := &runtime.WatchResponse{}
	if request == nil {
		response.Status = runtime.Errorf(runtime.InvalidArgument, "watch: the request is nil")
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
	// A server that cannot be reached, or refuses, is told now and not by channels
	// that close.
	live, err := r.get(ctx, t)
	if err != nil {
		response.Status = asStatus(err)
		return response
	}
	following, cancel := context.WithCancel(ctx)
	w := &watching{runtime: r, target: t, ctx: following, watchers: runtime.NewWatchers()}
	w.start(live)
	response.Watchers = w.watchers
	response.Stop = func() {
		cancel()
		w.group.Wait()
	}
	return response
}

// watching is a Watch under way. Its context ends all of its goroutines.
type watching struct {
	runtime  *Runtime
	target   target
	ctx      context.Context //nolint:containedctx // It is the lifetime of the goroutines, and ends with Stop.
	group    sync.WaitGroup
	watchers *runtime.SequentialWatchers
}

// kinship is one kind of object that others control.
type kinship struct {
	gvk schema.GroupVersionKind
	// service selects by the label that names a Service instead of by owner.
	service bool
}

// kinshipsOf returns what objects of a kind control, from the top down.
func kinshipsOf(gvk schema.GroupVersionKind) []kinship {
	pods := kinship{gvk: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}}
	jobs := kinship{gvk: schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}}
	switch gvk.GroupKind() {
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}:
		return []kinship{{gvk: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}}, pods}
	case schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
		schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, schema.GroupKind{Group: "batch", Kind: "Job"}:
		return []kinship{pods}
	case schema.GroupKind{Group: "batch", Kind: "CronJob"}:
		return []kinship{jobs, pods}
	case schema.GroupKind{Kind: "Service"}:
		return []kinship{{gvk: schema.GroupVersionKind{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"}, service: true}}
	}
	return nil
}

func (w *watching) start(live object) {
	root := newFamily()
	if live != nil {
		root.note(live.uid(), true)
	}
	self := w.target.key
	w.channel(runtime.KubernetesID(self.APIVersion, self.Kind, self.Namespace, self.Name), w.target.scope(),
		func(object) bool { return true }, root)
	owners, isOwner := root, w.isRoot
	for _, kin := range kinshipsOf(w.target.mapping.gvk) {
		found, ok := builtinMapping(kin.gvk)
		if !ok {
			continue
		}
		s := scope{mapping: found, namespace: self.Namespace, subject: found.resource + " of " + self.String()}
		parents, isParent := owners, isOwner
		belongs := func(child object) bool { return w.controls(parents, isParent, child) }
		if kin.service {
			s.labels = "kubernetes.io/service-name=" + self.Name
			belongs = func(object) bool { return true }
		}
		children := newFamily()
		id := runtime.KubernetesID(kin.gvk.GroupVersion().String(), kin.gvk.Kind, self.Namespace, anyName)
		w.channel(id, s, belongs, children)
		owners, isOwner = children, belongs
	}
}

// channel follows a scope and sends what belongs to it. The UIDs of what belongs
// join the family, for the channel below.
func (w *watching) channel(id string, s scope, belongs func(object) bool, members *family) {
	events := make(chan watch.Event)
	w.watchers.Insert(id, events)
	w.group.Go(func() {
		defer close(events)
		// An error ends the channel: there will be no more events.
		_ = w.runtime.client.follow(w.ctx, s, "", func(news change) bool {
			if news.kind == watch.Bookmark || !belongs(news.object) {
				return false
			}
			members.note(news.object.uid(), true)
			select {
			case events <- watch.Event{Type: news.kind, Object: &unstructured.Unstructured{Object: news.object}}:
				return false
			case <-w.ctx.Done():
				return true
			}
		})
	})
}
