// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Visibility says from where an endpoint is reached.
type Visibility string

// The visibilities.
const (
	// VisibilityProject is reached from the project's namespace only.
	VisibilityProject Visibility = "project"
	// VisibilityOrganization is reached from the organization's other namespaces
	// and through the data plane's organization gateway too.
	VisibilityOrganization Visibility = "organization"
	// VisibilityPublic is reached through the data plane's public gateway too.
	VisibilityPublic Visibility = "public"
)

// Visibilities returns the visibilities.
func Visibilities() []string {
	return []string{string(VisibilityProject), string(VisibilityOrganization), string(VisibilityPublic)}
}

// EndpointType is the protocol of an endpoint. It decides the kind of its routes.
type EndpointType string

// The endpoint types.
const (
	EndpointHTTP EndpointType = "http"
	EndpointGRPC EndpointType = "grpc"
	EndpointTCP  EndpointType = "tcp"
)

// EndpointTypes returns the endpoint types.
func EndpointTypes() []string {
	return []string{string(EndpointHTTP), string(EndpointGRPC), string(EndpointTCP)}
}

// Known tells whether the type is one of EndpointTypes.
func (t EndpointType) Known() bool { return slices.Contains(EndpointTypes(), string(t)) }

// HasPaths tells whether requests name a path.
func (t EndpointType) HasPaths() bool { return t == EndpointHTTP }

// HasHosts tells whether requests name a host. Otherwise a listener of a gateway
// leads to one endpoint only.
func (t EndpointType) HasHosts() bool { return t == EndpointHTTP || t == EndpointGRPC }

// Endpoint is a way into a deployment.
type Endpoint struct {
	Deployment  string            `json:"deployment"`
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Type        EndpointType      `json:"type"`
	// Port names one of the deployment's ports.
	Port string `json:"port"`
	// BasePath is the path prefix that is routed; empty is "/".
	BasePath string `json:"base_path,omitempty"`
	// Visibility is empty for the default of the component's type.
	Visibility Visibility `json:"visibility,omitempty"`
	// Hostnames are routed besides the host that is made of the names.
	Hostnames []string `json:"hostnames,omitempty"`
	// Listener is the gateway's listener to attach to; empty is the gateway's own.
	Listener string `json:"listener,omitempty"`
}

// Kind returns KindEndpoint.
func (*Endpoint) Kind() Kind { return KindEndpoint }

// ID returns deployment/name.
func (e *Endpoint) ID() string { return Join(e.Deployment, e.Name) }

// References returns the deployment.
func (e *Endpoint) References() []Reference {
	return []Reference{{Ref{KindDeployment, e.Deployment}, Path{"deployment"}}}
}

// Validate returns what is wrong with the endpoint.
func (e *Endpoint) Validate() []Problem {
	var c checker
	c.ref(Path{"deployment"}, e.Deployment, 4, "a deployment's id, project/component/track/environment")
	c.name(Path{"name"}, e.Name)
	c.labels(Path{"labels"}, e.Labels)
	c.required(Path{"type"}, string(e.Type))
	c.oneOf(Path{"type"}, string(e.Type), EndpointTypes())
	c.portName(Path{"port"}, e.Port)
	if e.BasePath != "" && e.Type.Known() && !e.Type.HasPaths() {
		c.add(Path{"base_path"}, "Path without HTTP", fmt.Sprintf("An endpoint of type %s has no paths. Remove the attribute, or use the type %s.", e.Type, EndpointHTTP))
	} else {
		c.basePath(Path{"base_path"}, e.BasePath)
	}
	c.oneOf(Path{"visibility"}, string(e.Visibility), Visibilities())
	e.validateHostnames(&c)
	if e.Listener != "" {
		c.objectName(Path{"listener"}, e.Listener)
	}
	return c.problems
}

// maxHostnames is what the routes of the Gateway API take, without the one that
// is made of the names.
const maxHostnames = 15

func (e *Endpoint) validateHostnames(c *checker) {
	at := Path{"hostnames"}
	switch {
	case len(e.Hostnames) > 0 && e.Type.Known() && !e.Type.HasHosts():
		c.add(at, "Hostnames without hosts", fmt.Sprintf("Connections of type %s name no host. Remove the attribute, or use another type.", e.Type))
		return
	case len(e.Hostnames) > maxHostnames:
		c.add(at, "Too many hostnames", fmt.Sprintf("%d hostnames are given; a route takes %d besides the one that is made of the names.", len(e.Hostnames), maxHostnames))
	}
	for i, hostname := range e.Hostnames {
		c.hostname(at.With(i), hostname)
		if slices.Contains(e.Hostnames[:i], hostname) {
			c.add(at.With(i), "Duplicate hostname", fmt.Sprintf("%q is given twice; remove one.", hostname))
		}
	}
}

// hostname checks a host of a route: a DNS name, whose first label may be a "*".
func (c *checker) hostname(at Path, value string) {
	_, err := netip.ParseAddr(value)
	if err == nil || len(validation.IsDNS1123Subdomain(strings.TrimPrefix(value, "*."))) > 0 {
		c.add(at, "Invalid hostname", fmt.Sprintf("%q is not a DNS name, such as shop.example.com or *.example.com, without scheme, port and path.", value))
	}
}

// PathPrefix returns the path prefix in force.
func (e *Endpoint) PathPrefix() string {
	if e.BasePath == "" {
		return "/"
	}
	return e.BasePath
}
