// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// Put makes an object exist as its attributes say, written by "somebody".
func (f *Fake) Put(resource *runtime.Resource) error {
	key, err := runtime.ParseKubernetesID(resource.ID)
	if err != nil {
		return err
	}
	desired, err := fields.Normalize(resource.Attributes)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	empty := &fakeObject{key: key, body: map[string]any{}, managers: fieldpath.ManagedFields{}}
	made, err := empty.write(desired, "somebody", false, false)
	if err != nil {
		return err
	}
	made.uid = "uid-of-" + resource.ID
	f.put(resource.ID, made, watch.Added)
	return nil
}

// Edit changes one field of an object as another manager; nil removes it. An
// edit by Apply forces its value.
func (f *Fake) Edit(id, manager string, operation metav1.ManagedFieldsOperationType, value any, path ...string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.objects[id]
	if !ok {
		return runtime.Errorf(runtime.NotFound, "%s: is not there", id)
	}
	apply := operation == metav1.ManagedFieldsOperationApply
	desired := &runtime.Resource{Attributes: map[string]any{}}
	if !apply {
		desired.Attributes = found.live()
	}
	Set(desired, value, path...)
	after, err := found.write(desired.Attributes, manager, apply, apply)
	if err != nil {
		return err
	}
	// Whoever waits for the object to go holds on to it.
	found.body, found.managers = after.body, after.managers
	f.put(id, found, watch.Modified)
	if found.terminating && len(found.finalizers()) == 0 {
		f.drop(id)
	}
	return nil
}

// put stores an object and tells its watchers.
func (f *Fake) put(id string, object *fakeObject, kind watch.EventType) {
	f.objects[id] = object
	f.touch(object)
	f.tell(id, kind, object.live())
	if object.key.Kind != "Deployment" || kind != watch.Added {
		return
	}
	for i, child := range childrenOf(object) {
		f.tell(childIDs(object.key)[i], watch.Added, child)
	}
}

func (f *Fake) drop(id string) {
	object, ok := f.objects[id]
	if !ok {
		return
	}
	delete(f.objects, id)
	f.touch(object)
	f.tell(id, watch.Deleted, object.live())
}

// childIDs are the channels below a Deployment.
func childIDs(key runtime.ObjectKey) []string {
	return []string{
		runtime.KubernetesID("apps/v1", "ReplicaSet", key.Namespace, "*"), runtime.KubernetesID("v1", "Pod", key.Namespace, "*"),
	}
}

// childrenOf makes up the ReplicaSet and the Pod of a Deployment.
func childrenOf(object *fakeObject) []map[string]any {
	child := func(apiVersion, kind, name string) map[string]any {
		return map[string]any{
			"apiVersion": apiVersion, "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": object.key.Namespace, "uid": object.uid + "/" + kind},
		}
	}
	return []map[string]any{
		child("apps/v1", "ReplicaSet", object.key.Name+"-1"), child("v1", "Pod", object.key.Name+"-1-a"),
	}
}

// subscription is one channel of a Watch. Events queue up until they are read.
type subscription struct {
	id string

	mu     sync.Mutex
	queue  []watch.Event
	queued chan struct{}
}

func (s *subscription) add(kind watch.EventType, object map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, watch.Event{Type: kind, Object: &unstructured.Unstructured{Object: object}})
	select {
	case s.queued <- struct{}{}:
	default:
	}
}

// pump sends what is queued until the context ends.
func (s *subscription) pump(ctx context.Context, events chan<- watch.Event) {
	for {
		s.mu.Lock()
		queue := s.queue
		s.queue = nil
		s.mu.Unlock()
		for _, event := range queue {
			select {
			case events <- event:
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-s.queued:
		case <-ctx.Done():
			return
		}
	}
}

func (f *Fake) tell(id string, kind watch.EventType, object map[string]any) {
	for subscribed := range f.watchers {
		if subscribed.id == id {
			subscribed.add(kind, fields.Clone(object))
		}
	}
}

// Watch streams the events of the resource; below a Deployment also those of a
// ReplicaSet and a Pod that are made up.
func (f *Fake) Watch(ctx context.Context, request *runtime.WatchRequest) *runtime.WatchResponse {
	f.count(VerbWatch)
	if f.WatchFunc != nil {
		if response := f.WatchFunc(ctx, request); response != nil {
			return response
		}
	}
	response := &runtime.WatchResponse{}
	if request == nil {
		response.Status = runtime.Errorf(runtime.InvalidArgument, "watch: the request is nil")
		return response
	}
	s, err := f.resolve(ctx, request.Resource, request.Stack)
	if err != nil {
		response.Status = statusOf(err)
		return response
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	following, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	response.Watchers = runtime.NewWatchers()
	found := f.objects[s.id]
	f.subscribe(following, &group, response.Watchers, s.id, func(add func(map[string]any)) {
		if found != nil {
			add(found.live())
		}
	})
	if s.key.Kind == "Deployment" {
		for i, id := range childIDs(s.key) {
			f.subscribe(following, &group, response.Watchers, id, func(add func(map[string]any)) {
				if found != nil {
					add(childrenOf(found)[i])
				}
			})
		}
	}
	response.Stop = func() {
		cancel()
		group.Wait()
	}
	return response
}

func (f *Fake) subscribe(ctx context.Context, group *sync.WaitGroup, watchers *runtime.SequentialWatchers, id string,
	initial func(add func(map[string]any)),
) {
	subscribed := &subscription{id: id, queued: make(chan struct{}, 1)}
	f.watchers[subscribed] = true
	initial(func(object map[string]any) { subscribed.add(watch.Added, object) })
	events := make(chan watch.Event)
	watchers.Insert(id, events)
	group.Go(func() {
		defer close(events)
		subscribed.pump(ctx, events)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, subscribed)
	})
}
