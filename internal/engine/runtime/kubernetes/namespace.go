// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const (
	// namedObjects is how many objects an error message names.
	namedObjects = 5
	// scanners is how many types of a namespace are listed at once.
	scanners = 8

	acceptMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// errEnough ends a scan that found as many objects as are named.
var errEnough = errors.New("enough objects found")

func namespaceMapping() mapping {
	return mapping{gvk: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, resource: "namespaces"}
}

// checkNamespaceIsOurs refuses a namespace that holds objects of others.
func (r *Runtime) checkNamespaceIsOurs(ctx context.Context, t target) error {
	held, err := r.contents(ctx, t.key.Name, func(item object, kind string) string {
		if !isForeign(item, kind, t.stack.Organization) {
			return ""
		}
		return kind + "/" + item.name()
	})
	if err != nil {
		return err
	}
	if len(held) == 0 {
		return nil
	}
	return runtime.Errorf(runtime.Conflict, "%s: holds objects that were not made here, such as %s: move them away or force the deletion",
		t.key, strings.Join(held, ", "))
}

// isForeign reports an object that would be lost with a namespace: not ours, not
// some other object's, and not what Kubernetes itself puts into every namespace.
func isForeign(item object, kind, organization string) bool {
	if item.label(naming.LabelManagedBy) == naming.ManagedBy && item.label(naming.LabelOrganization) == organization {
		return false
	}
	if len(item.list("metadata", "ownerReferences")) > 0 {
		return false
	}
	switch kind {
	case "Event", "Lease", "Endpoints", "EndpointSlice":
		return false
	case "ConfigMap":
		return item.name() != "kube-root-ca.crt"
	case "ServiceAccount":
		return item.name() != "default"
	case "Secret":
		// The token of a service account goes with it.
		return item.annotation("kubernetes.io/service-account.name") == ""
	}
	return true
}

// contents describes a few objects of a namespace, all those there are if they
// are few; describe gets an object and its kind and returns "" for one that does
// not count. A type that cannot be listed because its server is broken is passed
// over; one that we may not list is an error, since it might hold anything.
func (r *Runtime) contents(ctx context.Context, namespace string, describe func(object, string) string) ([]string, error) {
	kinds, err := r.listable(ctx)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var found []string
	group, grouped := errgroup.WithContext(ctx)
	group.SetLimit(scanners)
	for _, kind := range kinds {
		group.Go(func() error {
			return r.scan(grouped, kind, namespace, func(item object) error {
				text := describe(item, kind.gvk.Kind)
				if text == "" {
					return nil
				}
				mu.Lock()
				defer mu.Unlock()
				// Some objects are served under two types.
				if !slices.Contains(found, text) {
					found = append(found, text)
				}
				if len(found) >= namedObjects {
					return errEnough
				}
				return nil
			})
		})
	}
	err = group.Wait()
	slices.Sort(found)
	found = found[:min(len(found), namedObjects)]
	if len(found) > 0 || errors.Is(err, errEnough) {
		return found, nil
	}
	return nil, err
}

// scan calls each with the metadata of every object of a kind in a namespace.
func (r *Runtime) scan(ctx context.Context, kind mapping, namespace string, each func(object) error) error {
	var stop error
	err := r.client.pages(ctx, call{
		verb: "list", subject: kind.groupResource(), access: "list " + kind.groupResource() + " in namespace " + namespace,
		method: http.MethodGet, path: kind.path(namespace, ""), accept: acceptMetadata,
	}, func() {}, func(raw json.RawMessage) error {
		item, err := decodeObject(raw)
		if err != nil {
			return err
		}
		stop = each(item)
		return stop
	})
	if stop != nil {
		return stop
	}
	if code := runtime.CodeOf(err); code == runtime.NotFound || code == runtime.Unavailable || code == runtime.Internal {
		return nil
	}
	return err
}

// listable returns the namespaced types that the server can list, once per
// process. Groups whose server does not answer are left out, and asked for again
// the next time.
func (r *Runtime) listable(ctx context.Context) ([]mapping, error) {
	r.types.mu.Lock()
	defer r.types.mu.Unlock()
	if r.types.found != nil {
		return r.types.found, nil
	}
	if _, err := r.client.version(ctx); err != nil {
		return nil, err
	}
	client, err := discovery.NewDiscoveryClientForConfigAndClient(r.client.config, r.client.http)
	if err != nil {
		return nil, runtime.Errorf(runtime.Internal, "discovery: %w", err)
	}
	lists, err := r.preferred(ctx, client)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, runtime.Errorf(runtime.Unavailable, "discovery of the namespaced types of %s: %w", r.client.base.Host, err)
	}
	found := listableOf(lists)
	if err == nil {
		r.types.found = found
	}
	return found, nil
}

// preferred asks for the namespaced types, again while the server is busy: the
// discovery client repeats nothing by itself.
func (r *Runtime) preferred(ctx context.Context, client *discovery.DiscoveryClient) ([]*metav1.APIResourceList, error) {
	ctx, cancel := context.WithTimeout(ctx, retryLimit)
	defer cancel()
	backoff := firstBackoff
	for attempt := 1; ; attempt++ {
		lists, err := client.ServerPreferredNamespacedResourcesWithContext(ctx)
		if err == nil || discovery.IsGroupDiscoveryFailedError(err) || !r.client.again(ctx, err, attempt, 0) {
			return lists, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

func listableOf(lists []*metav1.APIResourceList) []mapping {
	out := []mapping{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		// Metrics are computed, not stored.
		if err != nil || strings.HasSuffix(gv.Group, "metrics.k8s.io") {
			continue
		}
		for _, entry := range list.APIResources {
			if slices.Contains(entry.Verbs, "list") && !strings.Contains(entry.Name, "/") {
				out = append(out, mapping{gvk: gv.WithKind(entry.Kind), resource: entry.Name, namespaced: true})
			}
		}
	}
	return out
}
