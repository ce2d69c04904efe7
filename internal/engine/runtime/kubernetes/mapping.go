// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// mapping is where the server keeps the objects of a kind.
type mapping struct {
	gvk        schema.GroupVersionKind
	resource   string
	namespaced bool
}

// builtin is one row of the table of kinds that need no discovery.
type builtin struct {
	group    string
	version  string
	resource string
	cluster  bool
}

// builtins maps kinds, by group and version, to what every supported server calls
// them. The routes and gateways are here because their definitions are installed
// under these names only.
func builtins(kind string) []builtin {
	const rbac, gateway = "rbac.authorization.k8s.io", "gateway.networking.k8s.io"
	switch kind {
	case "ConfigMap", "Secret", "Service", "ServiceAccount", "PersistentVolumeClaim", "Pod", "Event":
		return []builtin{{version: "v1", resource: strings.ToLower(kind) + "s"}}
	case "Namespace":
		return []builtin{{version: "v1", resource: "namespaces", cluster: true}}
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet":
		return []builtin{{group: "apps", version: "v1", resource: strings.ToLower(kind) + "s"}}
	case "Job", "CronJob":
		return []builtin{{group: "batch", version: "v1", resource: strings.ToLower(kind) + "s"}}
	case "NetworkPolicy":
		return []builtin{{group: "networking.k8s.io", version: "v1", resource: "networkpolicies"}}
	case "Ingress":
		return []builtin{{group: "networking.k8s.io", version: "v1", resource: "ingresses"}}
	case "HorizontalPodAutoscaler":
		return []builtin{
			{group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers"},
			{group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers"},
		}
	case "PodDisruptionBudget":
		return []builtin{{group: "policy", version: "v1", resource: "poddisruptionbudgets"}}
	case "Role", "RoleBinding":
		return []builtin{{group: rbac, version: "v1", resource: strings.ToLower(kind) + "s"}}
	case "ClusterRole", "ClusterRoleBinding":
		return []builtin{{group: rbac, version: "v1", resource: strings.ToLower(kind) + "s", cluster: true}}
	case "HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute", "Gateway":
		return []builtin{{group: gateway, version: "v1", resource: strings.ToLower(kind) + "s"}}
	case "StorageClass":
		return []builtin{{group: "storage.k8s.io", version: "v1", resource: "storageclasses", cluster: true}}
	case "EndpointSlice":
		return []builtin{{group: "discovery.k8s.io", version: "v1", resource: "endpointslices"}}
	}
	return nil
}

func builtinMapping(gvk schema.GroupVersionKind) (mapping, bool) {
	for _, row := range builtins(gvk.Kind) {
		if row.group == gvk.Group && row.version == gvk.Version {
			return mapping{gvk: gvk, resource: row.resource, namespaced: !row.cluster}, true
		}
	}
	return mapping{}, false
}

// path returns the URL path of the kind's collection or, with a name, of an object.
func (m mapping) path(namespace, name string) string {
	parts := []string{"", "apis", m.gvk.Group, m.gvk.Version}
	if m.gvk.Group == "" {
		parts = []string{"", "api", m.gvk.Version}
	}
	if m.namespaced && namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}
	parts = append(parts, m.resource)
	if name != "" {
		parts = append(parts, name)
	}
	return strings.Join(parts, "/")
}

// groupResource names the kind's collection as access rules do.
func (m mapping) groupResource() string {
	return schema.GroupResource{Group: m.gvk.Group, Resource: m.resource}.String()
}

// mapper finds mappings: of the kinds we render without a request, of others by
// one discovery request per group and version, so that a group whose server is
// broken harms nobody else.
type mapper struct {
	client *client
	*atlas
}

// atlas holds the mappings that were found.
type atlas struct {
	mu    sync.Mutex
	found map[schema.GroupVersionKind]mapping
}

func newMapper(client *client) *mapper {
	return &mapper{client: client, atlas: &atlas{found: map[schema.GroupVersionKind]mapping{}}}
}

// lookup returns the mapping of a kind; ok is false when the server does not
// serve it. Absence is not remembered: a definition may be installed meanwhile.
func (m *mapper) lookup(ctx context.Context, apiVersion, kind string) (found mapping, ok bool, err error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return mapping{}, false, runtime.Errorf(runtime.InvalidArgument, "apiVersion %q: %w", apiVersion, err)
	}
	gvk := gv.WithKind(kind)
	if found, ok := builtinMapping(gvk); ok {
		return found, true, nil
	}
	m.mu.Lock()
	found, ok = m.found[gvk]
	m.mu.Unlock()
	if ok {
		return found, true, nil
	}
	if err := m.discover(ctx, gv); err != nil {
		if isMissingType(err) {
			return mapping{}, false, nil
		}
		return mapping{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok = m.found[gvk]
	return found, ok, nil
}

func (m *mapper) discover(ctx context.Context, gv schema.GroupVersion) error {
	path := "/apis/" + gv.String()
	if gv.Group == "" {
		path = "/api/" + gv.Version
	}
	out, err := m.client.do(ctx, call{
		verb: "discovery", subject: gv.String(), access: "discover " + gv.String(),
		method: http.MethodGet, path: path,
	})
	if err != nil {
		return err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(out.body, &list); err != nil {
		return runtime.Errorf(runtime.Internal, "discovery of %s: %w", gv, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, entry := range list.APIResources {
		if strings.Contains(entry.Name, "/") {
			continue
		}
		gvk := gv.WithKind(entry.Kind)
		m.found[gvk] = mapping{gvk: gvk, resource: entry.Name, namespaced: entry.Namespaced}
	}
	return nil
}

// missingKind is the Status of an Apply of a kind that the server does not serve.
func missingKind(key runtime.ObjectKey) error {
	hint := "install the CustomResourceDefinition that provides it"
	gv, _ := schema.ParseGroupVersion(key.APIVersion)
	switch {
	case gv.Group == "gateway.networking.k8s.io":
		hint = "install the standard Gateway API definitions (v1.5 or later for TCPRoute, TLSRoute and UDPRoute)"
	case gv.Group == "gateway.envoyproxy.io":
		hint = "install Envoy Gateway"
	case gv.Group == "external-secrets.io":
		hint = "install the External Secrets Operator"
	case strings.HasSuffix(gv.Group, ".k8s.io") || !strings.Contains(gv.Group, "."):
		hint = "check that this version of Kubernetes has it"
	}
	return runtime.Errorf(runtime.NotFound, "%s: the cluster does not serve %s %s: %s", key, key.APIVersion, key.Kind, hint)
}
