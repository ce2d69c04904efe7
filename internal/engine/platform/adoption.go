// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import "strings"

// Adoption names the existing objects that a deployment takes over.
type Adoption struct {
	// Workload is the name of the Deployment.
	Workload string `json:"workload"`
	// Service is the name of the Service before it; empty takes over none.
	Service string `json:"service,omitempty"`
	// Container is the one that the configuration is about; empty is the only one.
	Container string `json:"container,omitempty"`
}

// Adopted is what stays, of the objects that a deployment took over, as it was
// found: what cannot change without a restart, and what others know them by.
type Adopted struct {
	// Objects are the IDs of the objects, for the runtime.
	Objects   []string `json:"objects"`
	Workload  string   `json:"workload"`
	Service   string   `json:"service,omitempty"`
	Container string   `json:"container"`
	// Selector selects the pods, and PodLabels are theirs.
	Selector  Selector          `json:"selector"`
	PodLabels map[string]string `json:"podLabels,omitempty"`
	// ServiceSelector is that of the Service.
	ServiceSelector map[string]string `json:"serviceSelector,omitempty"`
	// ContainerPorts are the names of the container's ports, by number and
	// protocol as in 8080/TCP; a port may have none.
	ContainerPorts map[string]string `json:"containerPorts,omitempty"`
	// Order is that of the container's lists, whose order is part of the pods.
	Order Order `json:"order,omitzero"`
}

// Order are the keys of lists as they were found.
type Order struct {
	Env          []string `json:"env,omitempty"`
	Ports        []string `json:"ports,omitempty"`
	Volumes      []string `json:"volumes,omitempty"`
	VolumeMounts []string `json:"volumeMounts,omitempty"`
}

// FoundOrder returns the order that is kept; the zero one where nothing was taken over.
func (a *Adopted) FoundOrder() Order {
	if a == nil {
		return Order{}
	}
	return a.Order
}

// Selector selects pods by their labels.
type Selector struct {
	Labels       map[string]string `json:"labels,omitempty"`
	Requirements []Requirement     `json:"requirements,omitempty"`
}

// Requirement is a condition that labels meet.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

func (a *Adoption) validate(c *checker, at Path) {
	if a == nil {
		return
	}
	c.objectName(at.With("workload"), a.Workload)
	if a.Service != "" {
		c.label(at.With("service"), a.Service)
	}
	if a.Container != "" {
		c.label(at.With("container"), a.Container)
	}
}

// Differs returns the attribute of an adoption that names something else than
// what was taken over, or "".
func (a *Adopted) Differs(from *Adoption) string {
	switch {
	case from == nil:
	case from.Workload != a.Workload:
		return "workload"
	case from.Service != a.Service:
		return "service"
	case from.Container != "" && from.Container != a.Container:
		return "container"
	}
	return ""
}

// String returns what was taken over in words.
func (a *Adopted) String() string {
	words := []string{"the Deployment " + a.Workload, "its container " + a.Container}
	if a.Service != "" {
		words = append(words, "the Service "+a.Service)
	}
	return strings.Join(words, ", ")
}
