// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package reconcile holds the loop that every simulated part of the cluster
// runs: take the key of an object that changed, bring the object to where it
// should be, look again later if need be.
package reconcile

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// retryDelay is constant: the API server is on the same machine, and either
// answers at once or is away for a while.
const retryDelay = 50 * time.Millisecond

// Sync handles one key. It returns after how long the key has to be handled
// again, zero meaning only when it is added again. An error is logged and the
// key is handled again soon. Two calls for one key never overlap.
type Sync[K comparable] func(ctx context.Context, key K) (again time.Duration, err error)

// Loop hands keys to a Sync function.
type Loop[K comparable] struct {
	sync  Sync[K]
	queue workqueue.TypedDelayingInterface[K]
}

// NewLoop returns a loop, which does nothing until it is run.
func NewLoop[K comparable](sync Sync[K]) *Loop[K] {
	return &Loop[K]{sync: sync, queue: workqueue.NewTypedDelayingQueue[K]()}
}

// Add asks for the key to be handled. It does not block.
func (l *Loop[K]) Add(key K) { l.queue.Add(key) }

// AddAfter asks for the key to be handled after a while.
func (l *Loop[K]) AddAfter(key K, delay time.Duration) { l.queue.AddAfter(key, delay) }

// Run handles keys until the context ends, several at a time. A loop runs once.
func (l *Loop[K]) Run(ctx context.Context, workers int) {
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() { l.work(ctx) })
	}
	<-ctx.Done()
	l.queue.ShutDown()
	wait.Wait()
}

func (l *Loop[K]) work(ctx context.Context) {
	for {
		key, shutdown := l.queue.Get()
		if shutdown {
			return
		}
		again, err := l.sync(ctx, key)
		if err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "Sync failed", "key", key)
			again = retryDelay
		}
		if again > 0 {
			l.queue.AddAfter(key, again)
		}
		l.queue.Done(key)
	}
}

// OnChange returns an event handler that calls changed with the name of every
// object that is added, updated or deleted.
func OnChange(changed func(cache.ObjectName)) cache.ResourceEventHandler {
	notify := func(object any) {
		if name, err := cache.DeletionHandlingObjectToName(object); err == nil {
			changed(name)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    notify,
		UpdateFunc: func(_, object any) { notify(object) },
		DeleteFunc: notify,
	}
}
