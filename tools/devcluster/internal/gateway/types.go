// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package gateway

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// The parts of the Gateway API's objects that decide about their status. Fields
// that the API gives a default are never empty.

type class struct {
	Spec struct {
		ControllerName string `json:"controllerName"`
	} `json:"spec"`
}

type gatewayObject struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		GatewayClassName string     `json:"gatewayClassName"`
		Listeners        []listener `json:"listeners"`
	} `json:"spec"`
	Status struct {
		Listeners []listenerStatus `json:"listeners"`
	} `json:"status"`
}

type listener struct {
	Name          string `json:"name"`
	Port          int32  `json:"port"`
	Protocol      string `json:"protocol"`
	AllowedRoutes struct {
		Namespaces struct {
			From     string                `json:"from"`
			Selector *metav1.LabelSelector `json:"selector"`
		} `json:"namespaces"`
		Kinds []routeGroupKind `json:"kinds"`
	} `json:"allowedRoutes"`
}

type routeGroupKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

type listenerStatus struct {
	Name           string             `json:"name"`
	SupportedKinds []routeGroupKind   `json:"supportedKinds"`
	AttachedRoutes int32              `json:"attachedRoutes"`
	Conditions     []metav1.Condition `json:"conditions"`
}

type route struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		ParentRefs []parentRef `json:"parentRefs"`
		Rules      []struct {
			BackendRefs []backendRef `json:"backendRefs"`
		} `json:"rules"`
	} `json:"spec"`
	Status struct {
		Parents []parentStatus `json:"parents"`
	} `json:"status"`
}

type parentRef struct {
	Group       string `json:"group,omitempty"`
	Kind        string `json:"kind,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	SectionName string `json:"sectionName,omitempty"`
	Port        int32  `json:"port,omitempty"`
}

type backendRef struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Port      int32  `json:"port"`
}

type parentStatus struct {
	ParentRef      parentRef          `json:"parentRef"`
	ControllerName string             `json:"controllerName"`
	Conditions     []metav1.Condition `json:"conditions"`
}

type referenceGrant struct {
	Spec struct {
		From []struct {
			Group     string `json:"group"`
			Kind      string `json:"kind"`
			Namespace string `json:"namespace"`
		} `json:"from"`
		To []struct {
			Group string `json:"group"`
			Kind  string `json:"kind"`
			Name  string `json:"name"`
		} `json:"to"`
	} `json:"spec"`
}

// decode reads an object into one of the structs above.
func decode(object runtime.Object, into any) error {
	raw, ok := object.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("unexpected object %T", object)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw.Object, into); err != nil {
		return fmt.Errorf("decode %s %s: %w", raw.GetKind(), raw.GetName(), err)
	}
	return nil
}

// encode turns a struct into what an unstructured object holds.
func encode(value any) (map[string]any, error) {
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(value)
	if err != nil {
		return nil, fmt.Errorf("encode status: %w", err)
	}
	return raw, nil
}
