// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"maps"
	"slices"
)

// DataPlane is a Kubernetes cluster that runs workloads.
type DataPlane struct {
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// Cluster names a connection of the provider block; empty is the default one.
	Cluster  string   `json:"cluster,omitempty"`
	Gateways Gateways `json:"gateways,omitzero"`
	// NetworkPolicy is one of NetworkPolicies; empty is the first.
	NetworkPolicy string `json:"network_policy,omitempty"`
}

// Gateways are the entry points of a data plane by visibility.
type Gateways struct {
	Public       *Gateway `json:"public,omitempty"`
	Organization *Gateway `json:"organization,omitempty"`
}

// For returns the gateway of a visibility; nil when there is none, or the
// visibility needs none.
func (g Gateways) For(visibility Visibility) *Gateway {
	switch visibility {
	case VisibilityPublic:
		return g.Public
	case VisibilityOrganization:
		return g.Organization
	case VisibilityProject:
	}
	return nil
}

// Gateway is a Gateway API Gateway that routes attach to.
type Gateway struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Listener restricts routes to one listener; empty attaches to all.
	Listener string `json:"listener,omitempty"`
	// VirtualHost is the domain under which endpoints get their hosts.
	VirtualHost string `json:"virtual_host"`
	// Scheme is one of Schemes; empty is the first.
	Scheme string `json:"scheme,omitempty"`
	// Port completes addresses; nil is the scheme's default port.
	Port *int64 `json:"port,omitempty"`
	// ListenerPorts completes the addresses of endpoints that attach to another
	// listener than Listener, by the listener's name.
	ListenerPorts map[string]int64 `json:"listener_ports,omitempty"`
	// Peers are the gateway's pods, from which traffic is let in; empty means
	// the gateway's namespace.
	Peers *Peers `json:"peers,omitempty"`
}

// Peers says where allowed traffic comes from. Namespaces and PodLabels
// restrict each other; CIDRs are allowed besides.
type Peers struct {
	Namespaces []string          `json:"namespaces,omitempty"`
	PodLabels  map[string]string `json:"pod_labels,omitempty"`
	CIDRs      []string          `json:"cidrs,omitempty"`
}

// NetworkPolicies returns the values of DataPlane.NetworkPolicy, the default first.
func NetworkPolicies() []string { return []string{"kubernetes", "none"} }

// Schemes returns the values of Gateway.Scheme, the default first.
func Schemes() []string { return []string{"https", "http"} }

// Kind returns KindDataPlane.
func (*DataPlane) Kind() Kind { return KindDataPlane }

// ID returns the name.
func (d *DataPlane) ID() string { return d.Name }

// References returns nothing: a data plane stands at the top.
func (*DataPlane) References() []Reference { return nil }

// Validate returns what is wrong with the data plane.
func (d *DataPlane) Validate() []Problem {
	var c checker
	c.name(Path{"name"}, d.Name)
	c.labels(Path{"labels"}, d.Labels)
	c.oneOf(Path{"network_policy"}, d.NetworkPolicy, NetworkPolicies())
	d.Gateways.Public.validate(&c, Path{"gateways", "public"})
	d.Gateways.Organization.validate(&c, Path{"gateways", "organization"})
	return c.problems
}

func (g *Gateway) validate(c *checker, at Path) {
	if g == nil {
		return
	}
	c.objectName(at.With("name"), g.Name)
	c.label(at.With("namespace"), g.Namespace)
	c.domain(at.With("virtual_host"), g.VirtualHost)
	c.oneOf(at.With("scheme"), g.Scheme, Schemes())
	if g.Port != nil {
		c.port(at.With("port"), *g.Port)
	}
	if g.Listener != "" {
		c.objectName(at.With("listener"), g.Listener)
	}
	for _, name := range slices.Sorted(maps.Keys(g.ListenerPorts)) {
		c.objectName(at.With("listener_ports", name), name)
		c.port(at.With("listener_ports", name), g.ListenerPorts[name])
		if name == g.Listener {
			c.add(at.With("listener_ports", name), "Port of the gateway's own listener", fmt.Sprintf("%q is the listener of the gateway's own, whose port is given by port. Move the number there.", name))
		}
	}
	c.peers(at.With("peers"), g.Peers)
}

// Environment is a stage on one data plane.
type Environment struct {
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	DataPlane   string            `json:"data_plane"`
	// Production marks the environment's namespaces.
	Production bool `json:"production,omitempty"`
	// DNSPrefix is the part of endpoint hosts that names the environment; empty
	// is the name.
	DNSPrefix string `json:"dns_prefix,omitempty"`
}

// Kind returns KindEnvironment.
func (*Environment) Kind() Kind { return KindEnvironment }

// ID returns the name.
func (e *Environment) ID() string { return e.Name }

// References returns the data plane.
func (e *Environment) References() []Reference {
	return []Reference{{Ref{KindDataPlane, e.DataPlane}, Path{"data_plane"}}}
}

// Validate returns what is wrong with the environment.
func (e *Environment) Validate() []Problem {
	var c checker
	c.name(Path{"name"}, e.Name)
	c.labels(Path{"labels"}, e.Labels)
	c.ref(Path{"data_plane"}, e.DataPlane, 1, "a data plane's name")
	if e.DNSPrefix != "" {
		c.label(Path{"dns_prefix"}, e.DNSPrefix)
	}
	return c.problems
}

// Prefix returns the DNS prefix in force.
func (e *Environment) Prefix() string {
	if e.DNSPrefix != "" {
		return e.DNSPrefix
	}
	return e.Name
}
