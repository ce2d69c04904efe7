// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package gateway

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// AnnotationRoute set to refused has every gateway refuse a route.
	AnnotationRoute = "devcluster.openplatform.dev/route"
	routeRefused    = "refused"

	reasonAccepted         = "Accepted"
	reasonNoMatchingParent = "NoMatchingParent"
	reasonNotAllowed       = "NotAllowedByListeners"
	reasonResolved         = "ResolvedRefs"
	reasonBackendNotFound  = "BackendNotFound"
	reasonRefNotPermitted  = "RefNotPermitted"
	reasonInvalidKind      = "InvalidKind"
)

// verdict is the answer of a gateway to a route.
type verdict struct {
	// listeners are the listeners that the route is attached to.
	listeners []string
	reason    string
	message   string
}

func refuse(reason, format string, args ...any) verdict {
	return verdict{reason: reason, message: fmt.Sprintf(format, args...)}
}

func (p parentRef) namespace(r route) string {
	if p.Namespace != "" {
		return p.Namespace
	}
	return r.Namespace
}

// routeStatus answers for every parent of the route, and keeps what other
// controllers have said.
func (c *Controller) routeStatus(object runtime.Object) (map[string]any, error) {
	var r route
	if err := decode(object, &r); err != nil {
		return nil, err
	}
	parents := []any{}
	for _, entry := range c.parentStatuses(r) {
		encoded, err := encode(&entry)
		if err != nil {
			return nil, err
		}
		parents = append(parents, encoded)
	}
	return map[string]any{"parents": parents}, nil
}

func (c *Controller) parentStatuses(r route) []parentStatus {
	var list []parentStatus
	for _, entry := range r.Status.Parents {
		if entry.ControllerName != ControllerName {
			list = append(list, entry)
		}
	}
	backends := c.judgeBackends(r)
	for _, parent := range r.Spec.ParentRefs {
		if !c.answersFor(r, parent) {
			continue
		}
		entry := parentStatus{ParentRef: parent, ControllerName: ControllerName}
		for _, before := range r.Status.Parents {
			if before.ControllerName == ControllerName && before.ParentRef == parent {
				entry.Conditions = slices.Clone(before.Conditions)
			}
		}
		answer := c.judge(r, parent)
		c.setCondition(&entry.Conditions, conditionAccepted, answer.reason == reasonAccepted,
			answer.reason, answer.message, r.Generation)
		c.setCondition(&entry.Conditions, conditionResolvedRefs, backends.reason == reasonResolved,
			backends.reason, backends.message, r.Generation)
		list = append(list, entry)
	}
	return list
}

// answersFor reports whether the parent is a gateway that is served here, or
// one that does not exist and that nobody else will answer for.
func (c *Controller) answersFor(r route, parent parentRef) bool {
	if parent.Kind != "Gateway" {
		return false
	}
	gateway, found := c.gateway(parent.namespace(r), parent.Name)
	return !found || c.ourClass(gateway.Spec.GatewayClassName)
}

func (c *Controller) gateway(namespace, name string) (gatewayObject, bool) {
	var gateway gatewayObject
	object, err := c.listers["gateways"].ByNamespace(namespace).Get(name)
	if err != nil || decode(object, &gateway) != nil {
		return gatewayObject{}, false
	}
	return gateway, true
}

// judge decides whether the parent takes the route, and at which listeners.
func (c *Controller) judge(r route, parent parentRef) verdict {
	namespace := parent.namespace(r)
	if r.Annotations[AnnotationRoute] == routeRefused {
		return refuse(reasonNotAllowed, "the route asks to be refused")
	}
	gateway, found := c.gateway(namespace, parent.Name)
	if !found {
		return refuse(reasonNoMatchingParent, "gateway %s/%s does not exist", namespace, parent.Name)
	}
	matching, allowed := 0, []string{}
	for _, l := range gateway.Spec.Listeners {
		if (parent.SectionName != "" && parent.SectionName != l.Name) || (parent.Port != 0 && parent.Port != l.Port) {
			continue
		}
		matching++
		if slices.Contains(supportedKinds(l), routeGroupKind{group, r.Kind}) && c.admits(l, namespace, r.Namespace) {
			allowed = append(allowed, l.Name)
		}
	}
	switch {
	case matching == 0:
		return refuse(reasonNoMatchingParent, "gateway %s/%s has no such listener", namespace, parent.Name)
	case len(allowed) == 0:
		return refuse(reasonNotAllowed, "no listener of gateway %s/%s takes a %s from namespace %s",
			namespace, parent.Name, r.Kind, r.Namespace)
	default:
		return verdict{listeners: allowed, reason: reasonAccepted}
	}
}

// admits reports whether the listener takes routes from the namespace.
func (c *Controller) admits(l listener, gatewayNamespace, routeNamespace string) bool {
	switch l.AllowedRoutes.Namespaces.From {
	case "All":
		return true
	case "Selector":
		selector, err := metav1.LabelSelectorAsSelector(l.AllowedRoutes.Namespaces.Selector)
		if err != nil {
			return false
		}
		object, err := c.listers["namespaces"].Get(routeNamespace)
		if err != nil {
			return false
		}
		namespace, ok := object.(*unstructured.Unstructured)
		return ok && selector.Matches(labels.Set(namespace.GetLabels()))
	case "None":
		return false
	default:
		return gatewayNamespace == routeNamespace
	}
}

// judgeBackends decides whether all backends of the route can be used.
func (c *Controller) judgeBackends(r route) verdict {
	for _, rule := range r.Spec.Rules {
		for _, backend := range rule.BackendRefs {
			if answer := c.judgeBackend(r, backend); answer.reason != reasonResolved {
				return answer
			}
		}
	}
	return verdict{reason: reasonResolved}
}

func (c *Controller) judgeBackend(r route, backend backendRef) verdict {
	namespace := backend.Namespace
	if namespace == "" {
		namespace = r.Namespace
	}
	if namespace != r.Namespace && !c.granted(r, backend, namespace) {
		return refuse(reasonRefNotPermitted, "no grant in namespace %s for %s %s", namespace, backend.Kind, backend.Name)
	}
	if backend.Group == "gateway.envoyproxy.io" && backend.Kind == "Backend" {
		return verdict{reason: reasonResolved}
	}
	if backend.Group != "" || backend.Kind != "Service" {
		return refuse(reasonInvalidKind, "backends of kind %s.%s are not supported", backend.Kind, backend.Group)
	}
	object, err := c.listers["services"].ByNamespace(namespace).Get(backend.Name)
	if err != nil {
		return refuse(reasonBackendNotFound, "service %s/%s does not exist", namespace, backend.Name)
	}
	var service corev1.Service
	if err := decode(object, &service); err != nil {
		return refuse(reasonBackendNotFound, "service %s/%s: %v", namespace, backend.Name, err)
	}
	hasPort := func(port corev1.ServicePort) bool { return port.Port == backend.Port }
	if !slices.ContainsFunc(service.Spec.Ports, hasPort) {
		return refuse(reasonBackendNotFound, "service %s/%s has no port %d", namespace, backend.Name, backend.Port)
	}
	return verdict{reason: reasonResolved}
}

// granted reports whether the namespace of the backend lets the route use it.
func (c *Controller) granted(r route, backend backendRef, namespace string) bool {
	for _, object := range c.list("referencegrants") {
		var grant referenceGrant
		raw, ok := object.(*unstructured.Unstructured)
		if !ok || raw.GetNamespace() != namespace || decode(object, &grant) != nil {
			continue
		}
		from, to := false, false
		for _, entry := range grant.Spec.From {
			from = from || (entry.Group == group && entry.Kind == r.Kind && entry.Namespace == r.Namespace)
		}
		for _, entry := range grant.Spec.To {
			to = to || (entry.Group == backend.Group && entry.Kind == backend.Kind &&
				(entry.Name == "" || entry.Name == backend.Name))
		}
		if from && to {
			return true
		}
	}
	return false
}
