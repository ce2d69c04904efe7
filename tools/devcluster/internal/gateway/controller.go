// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package gateway answers for the data plane of the Gateway API: it accepts
// gateways and routes as an implementation would, and moves no traffic.
package gateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/reconcile"
)

const (
	// ControllerName is what a GatewayClass names to be served here.
	ControllerName = "openplatform.dev/devcluster"

	group   = "gateway.networking.k8s.io"
	workers = 4
	// syncTimeout bounds the wait for kinds whose definition was deleted.
	syncTimeout = 5 * time.Second
	// countDelay collects routes that come together into one update of the
	// gateway's counters.
	countDelay = 100 * time.Millisecond
)

// key is an object to look after: the plural of its resource and its name.
type key struct {
	resource string
	name     cache.ObjectName
}

// Controller writes the status of gateway classes, gateways and routes.
type Controller struct {
	client    dynamic.Interface
	now       func() time.Time
	informers dynamicinformer.DynamicSharedInformerFactory
	listers   map[string]cache.GenericLister
	loop      *reconcile.Loop[key]
}

// NewController returns a controller.
func NewController(client dynamic.Interface) *Controller {
	c := &Controller{
		client:    client,
		now:       time.Now,
		informers: dynamicinformer.NewDynamicSharedInformerFactory(client, 0),
		listers:   map[string]cache.GenericLister{},
	}
	c.loop = reconcile.NewLoop(c.sync)
	return c
}

// Run writes statuses until the context ends.
func (c *Controller) Run(ctx context.Context) error {
	everyRoute := func(cache.ObjectName) { c.addRoutes("") }
	inNamespace := func(name cache.ObjectName) { c.addRoutes(name.Namespace) }
	changed := map[string]func(cache.ObjectName){
		"gatewayclasses":  func(name cache.ObjectName) { c.loop.Add(key{"gatewayclasses", name}); c.addGateways() },
		"gateways":        func(name cache.ObjectName) { c.loop.Add(key{"gateways", name}); c.addRoutes("") },
		"services":        inNamespace,
		"referencegrants": everyRoute,
		"namespaces":      everyRoute,
	}
	for _, resource := range routeResources() {
		changed[resource] = func(name cache.ObjectName) { c.loop.Add(key{resource, name}) }
	}
	for resource, handler := range changed {
		informer := c.informers.ForResource(resourceOf(resource))
		c.listers[resource] = informer.Lister()
		if _, err := informer.Informer().AddEventHandler(reconcile.OnChange(handler)); err != nil {
			return fmt.Errorf("watch %s: %w", resource, err)
		}
	}
	c.informers.Start(ctx.Done())
	defer c.informers.Shutdown()

	syncing, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	c.informers.WaitForCacheSync(syncing.Done())
	c.loop.Run(ctx, workers)
	return nil
}

func routeResources() []string {
	return []string{"httproutes", "grpcroutes", "tcproutes", "tlsroutes", "udproutes"}
}

func resourceOf(plural string) schema.GroupVersionResource {
	if plural == "services" || plural == "namespaces" {
		return schema.GroupVersionResource{Version: "v1", Resource: plural}
	}
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural}
}

// addRoutes looks at the routes of a namespace again, or at all of them.
func (c *Controller) addRoutes(namespace string) {
	for _, resource := range routeResources() {
		c.addAll(resource, namespace)
	}
}

func (c *Controller) addGateways() { c.addAll("gateways", "") }

func (c *Controller) addAll(resource, namespace string) {
	for _, object := range c.list(resource) {
		name, err := cache.ObjectToName(object)
		if err == nil && (namespace == "" || name.Namespace == namespace) {
			c.loop.Add(key{resource, name})
		}
	}
}

// list returns the objects of a resource from the cache, which is empty until
// it has been filled.
func (c *Controller) list(resource string) []runtime.Object {
	objects, err := c.listers[resource].List(labels.Everything())
	if err != nil {
		return nil // A cache does not fail.
	}
	return objects
}

func (c *Controller) sync(ctx context.Context, k key) (time.Duration, error) {
	object, err := c.get(k)
	if apierrors.IsNotFound(err) {
		if slices.Contains(routeResources(), k.resource) {
			c.countSoon()
		}
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("get from cache: %w", err)
	}
	var status map[string]any
	switch k.resource {
	case "gatewayclasses":
		status, err = c.classStatus(object)
	case "gateways":
		status, err = c.gatewayStatus(object)
	default:
		status, err = c.routeStatus(object)
		c.countSoon()
	}
	if err != nil || status == nil {
		return 0, err
	}
	return 0, c.write(ctx, k, object, status)
}

func (c *Controller) get(k key) (runtime.Object, error) {
	if k.name.Namespace == "" {
		return c.listers[k.resource].Get(k.name.Name)
	}
	return c.listers[k.resource].ByNamespace(k.name.Namespace).Get(k.name.Name)
}

// countSoon has every gateway count its routes again.
func (c *Controller) countSoon() {
	for _, object := range c.list("gateways") {
		if name, err := cache.ObjectToName(object); err == nil {
			c.loop.AddAfter(key{"gateways", name}, countDelay)
		}
	}
}

// write replaces the given fields of the status.
func (c *Controller) write(ctx context.Context, k key, object runtime.Object, fields map[string]any) error {
	raw, ok := object.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("unexpected object %T", object)
	}
	updated := raw.DeepCopy()
	status, _, _ := unstructured.NestedMap(updated.Object, "status")
	if status == nil {
		status = map[string]any{}
	}
	for name, value := range fields {
		status[name] = value
	}
	updated.Object["status"] = status
	if equality.Semantic.DeepEqual(raw.Object["status"], updated.Object["status"]) {
		return nil
	}
	_, err := c.client.Resource(resourceOf(k.resource)).Namespace(k.name.Namespace).
		UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // The cache is behind; the change that it will see comes here again.
	}
	if err != nil {
		return fmt.Errorf("update status: %w", err)
	}
	return nil
}
