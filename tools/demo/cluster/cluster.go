// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

// cluster is an API server.
type cluster struct {
	objects dynamic.Interface
	types   discovery.DiscoveryInterface
}

// lacks says what a public endpoint on the Gateway would miss, or "".
func (c cluster) lacks(ctx context.Context, namespace, name, listener string) (string, error) {
	api := schema.GroupVersion{Group: "gateway.networking.k8s.io", Version: "v1"}
	served, err := c.types.ServerResourcesForGroupVersion(api.String())
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("ask for %s: %w", api, err)
	}
	for _, resource := range []string{"gateways", "httproutes"} {
		if served == nil || !slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == resource }) {
			return fmt.Sprintf("the cluster does not serve the Gateway API (%s, %s)", resource, api), nil
		}
	}
	gateway, err := c.objects.Resource(api.WithResource("gateways")).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("the cluster has no Gateway %s/%s", namespace, name), nil
	}
	if err != nil {
		return "", fmt.Errorf("get Gateway %s/%s: %w", namespace, name, err)
	}
	listeners, _, err := unstructured.NestedSlice(gateway.Object, "spec", "listeners")
	if err != nil {
		return "", fmt.Errorf("read Gateway %s/%s: %w", namespace, name, err)
	}
	for _, entry := range listeners {
		fields, _ := entry.(map[string]any)
		if fields["name"] != listener {
			continue
		}
		from, _, _ := unstructured.NestedString(fields, "allowedRoutes", "namespaces", "from")
		if from == "All" || from == "Selector" {
			return "", nil
		}
		return fmt.Sprintf("the listener %s of the Gateway %s/%s takes no routes of other namespaces", listener, namespace, name), nil
	}
	return fmt.Sprintf("the Gateway %s/%s has no listener %s", namespace, name, listener), nil
}

func (c cluster) namespaces() dynamic.ResourceInterface {
	return c.objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
}

// namespace returns the UID of a namespace, or "".
func (c cluster) namespace(ctx context.Context, name string) (string, error) {
	found, err := c.namespaces().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("get namespace %s: %w", name, err)
	}
	return string(found.GetUID()), nil
}

// forget deletes a namespace that holds nothing but what Kubernetes itself puts
// into every namespace.
func (c cluster) forget(ctx context.Context, name string) (string, error) {
	uid, err := c.namespace(ctx, name)
	if err != nil || uid == "" {
		return "", err
	}
	held, err := c.holds(ctx, name)
	if err != nil {
		return "", err
	}
	if held != "" {
		return fmt.Sprintf("The namespace %s stays: it holds %s.", name, held), nil
	}
	err = c.namespaces().Delete(ctx, name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(uid)})
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("delete namespace %s: %w", name, err)
	}
	gone := func(ctx context.Context) (bool, error) {
		now, err := c.namespace(ctx, name)
		return now != uid, err
	}
	if err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, gone); err != nil {
		return "", fmt.Errorf("wait until namespace %s is gone: %w", name, err)
	}
	return fmt.Sprintf("The namespace %s is gone.", name), nil
}

// holds names an object that would be lost with a namespace, or returns "".
func (c cluster) holds(ctx context.Context, namespace string) (string, error) {
	// What cannot be listed might be there, so a type that fails is an error.
	lists, err := c.types.ServerPreferredNamespacedResources()
	if err != nil {
		return "", fmt.Errorf("ask for the types of objects: %w", err)
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return "", fmt.Errorf("read a type of objects: %w", err)
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || version.Group == "metrics.k8s.io" {
				continue
			}
			found, err := c.objects.Resource(version.WithResource(resource.Name)).Namespace(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return "", fmt.Errorf("list %s in the namespace %s: %w", resource.Name, namespace, err)
			}
			for _, object := range found.Items {
				if !standard(resource.Kind, object) {
					return resource.Kind + "/" + object.GetName(), nil
				}
			}
		}
	}
	return "", nil
}

// standard reports what Kubernetes makes by itself.
func standard(kind string, object unstructured.Unstructured) bool {
	switch kind {
	case "Event":
		return true
	case "ConfigMap":
		return object.GetName() == "kube-root-ca.crt"
	case "ServiceAccount":
		return object.GetName() == "default"
	case "Secret":
		return object.GetAnnotations()["kubernetes.io/service-account.name"] == "default"
	}
	return false
}
