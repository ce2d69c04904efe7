// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package gateway

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// address is the address of every gateway, from a range kept for documentation.
const address = "192.0.2.10"

const (
	conditionAccepted     = "Accepted"
	conditionProgrammed   = "Programmed"
	conditionResolvedRefs = "ResolvedRefs"
)

func (c *Controller) classStatus(object runtime.Object) (map[string]any, error) {
	var spec class
	if err := decode(object, &spec); err != nil {
		return nil, err
	}
	if spec.Spec.ControllerName != ControllerName {
		return nil, nil //nolint:nilnil // Not ours: there is nothing to write.
	}
	raw, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, nil //nolint:nilnil // decode has refused it already.
	}
	return c.conditionsOf(raw, conditionAccepted)
}

// ourClass reports whether gateways of the class are served here.
func (c *Controller) ourClass(name string) bool {
	object, err := c.listers["gatewayclasses"].Get(name)
	if err != nil {
		return false
	}
	var spec class
	return decode(object, &spec) == nil && spec.Spec.ControllerName == ControllerName
}

func (c *Controller) gatewayStatus(object runtime.Object) (map[string]any, error) {
	var gateway gatewayObject
	if err := decode(object, &gateway); err != nil {
		return nil, err
	}
	raw, ok := object.(*unstructured.Unstructured)
	if !ok || !c.ourClass(gateway.Spec.GatewayClassName) {
		return nil, nil //nolint:nilnil // Not ours: there is nothing to write.
	}
	status, err := c.conditionsOf(raw, conditionAccepted, conditionProgrammed)
	if err != nil {
		return nil, err
	}
	counts := c.attachedRoutes(gateway.ObjectMeta)
	listeners := make([]any, 0, len(gateway.Spec.Listeners))
	for _, spec := range gateway.Spec.Listeners {
		entry := listenerStatus{Name: spec.Name, SupportedKinds: supportedKinds(spec), AttachedRoutes: counts[spec.Name]}
		for _, before := range gateway.Status.Listeners {
			if before.Name == spec.Name {
				entry.Conditions = before.Conditions
			}
		}
		for _, kind := range []string{conditionAccepted, conditionProgrammed, conditionResolvedRefs} {
			c.setCondition(&entry.Conditions, kind, true, kind, "", gateway.Generation)
		}
		encoded, err := encode(&entry)
		if err != nil {
			return nil, err
		}
		listeners = append(listeners, encoded)
	}
	status["listeners"] = listeners
	status["addresses"] = []any{map[string]any{"type": "IPAddress", "value": address}}
	return status, nil
}

// conditionsOf returns the conditions of the object with the given ones true.
func (c *Controller) conditionsOf(object *unstructured.Unstructured, kinds ...string) (map[string]any, error) {
	var before struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := decode(object, &before); err != nil {
		return nil, err
	}
	conditions := before.Status.Conditions
	for _, kind := range kinds {
		c.setCondition(&conditions, kind, true, kind, "", object.GetGeneration())
	}
	return encode(&struct {
		Conditions []metav1.Condition `json:"conditions"`
	}{conditions})
}

func (c *Controller) setCondition(
	conditions *[]metav1.Condition, kind string, value bool, reason, message string, generation int64,
) {
	status := metav1.ConditionFalse
	if value {
		status = metav1.ConditionTrue
	}
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: generation,
		LastTransitionTime: metav1.NewTime(c.now()),
	})
}

// attachedRoutes counts the routes of each listener of the gateway.
func (c *Controller) attachedRoutes(gateway metav1.ObjectMeta) map[string]int32 {
	counts := map[string]int32{}
	for _, resource := range routeResources() {
		for _, object := range c.list(resource) {
			var r route
			if decode(object, &r) != nil {
				continue
			}
			for name := range c.listenersOf(r, gateway) {
				counts[name]++
			}
		}
	}
	return counts
}

// listenersOf returns the listeners of the gateway that the route is attached
// to. Several references of the route may lead to the same one.
func (c *Controller) listenersOf(r route, gateway metav1.ObjectMeta) map[string]bool {
	attached := map[string]bool{}
	for _, parent := range r.Spec.ParentRefs {
		if parent.Name != gateway.Name || parent.namespace(r) != gateway.Namespace {
			continue
		}
		for _, name := range c.judge(r, parent).listeners {
			attached[name] = true
		}
	}
	return attached
}

// supportedKinds returns the kinds of routes that a listener takes: those it
// names, else those that its protocol carries.
func supportedKinds(l listener) []routeGroupKind {
	kinds := []routeGroupKind{}
	for _, named := range l.AllowedRoutes.Kinds {
		kinds = append(kinds, routeGroupKind{Group: group, Kind: named.Kind})
	}
	if len(kinds) > 0 {
		return kinds
	}
	switch l.Protocol {
	case "HTTP", "HTTPS":
		return []routeGroupKind{{group, "HTTPRoute"}, {group, "GRPCRoute"}}
	case "TLS":
		return []routeGroupKind{{group, "TLSRoute"}, {group, "TCPRoute"}}
	case "TCP":
		return []routeGroupKind{{group, "TCPRoute"}}
	case "UDP":
		return []routeGroupKind{{group, "UDPRoute"}}
	default:
		return kinds
	}
}
