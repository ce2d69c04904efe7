// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// validation is one change of a valid object and what it makes wrong.
type validation[T any] struct {
	reason string
	change func(*T)
	want   []found
}

func validate[T any, P interface {
	*T
	platform.Object
}](t *testing.T, valid func() P, cases map[string]validation[T],
) {
	t.Helper()
	cases["Valid"] = validation[T]{reason: "The valid object, from which the cases start, has no problem.", change: func(*T) {}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := valid()
			tc.change(object)
			list := object.Validate()
			if diff := cmp.Diff(tc.want, problems(list)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			for _, p := range list {
				if !strings.HasSuffix(p.Detail, ".") || strings.HasSuffix(p.Title, ".") {
					t.Errorf("A title is a phrase and a detail is a sentence, got %q and %q.", p.Title, p.Detail)
				}
			}
		})
	}
}

func TestDataPlane(t *testing.T) {
	t.Parallel()
	type dp = platform.DataPlane
	validate(t, validDataPlane, map[string]validation[dp]{
		"Minimal":        {reason: "A name is all that a data plane needs.", change: func(d *dp) { *d = dp{Name: "lab"} }},
		"NoName":         {reason: "A name is required.", change: func(d *dp) { d.Name = "" }, want: []found{{"name", "Invalid name"}}},
		"DigitFirst":     {reason: "Names start with a letter.", change: func(d *dp) { d.Name = "1st" }, want: []found{{"name", "Invalid name"}}},
		"UpperCase":      {reason: "Names are lower case.", change: func(d *dp) { d.Name = "Lab" }, want: []found{{"name", "Invalid name"}}},
		"HyphenLast":     {reason: "Names end with a letter or digit.", change: func(d *dp) { d.Name = "lab-" }, want: []found{{"name", "Invalid name"}}},
		"TwoHyphens":     {reason: "Two hyphens join a component and its track.", change: func(d *dp) { d.Name = "a--b" }, want: []found{{"name", "Invalid name"}}},
		"LongName":       {reason: "Names have at most 63 characters.", change: func(d *dp) { d.Name = strings.Repeat("a", 64) }, want: []found{{"name", "Invalid name"}}},
		"LongestName":    {reason: "A name may have 63 characters.", change: func(d *dp) { d.Name = strings.Repeat("a", 63) }},
		"Reserved":       {reason: "The name default is reserved.", change: func(d *dp) { d.Name = "default" }, want: []found{{"name", "Reserved name"}}},
		"LabelKey":       {reason: "Label keys are qualified names.", change: func(d *dp) { d.Labels = map[string]string{"a b": "x"} }, want: []found{{"labels.a b", "Invalid label key"}}},
		"LabelValue":     {reason: "Label values are short words.", change: func(d *dp) { d.Labels = map[string]string{"a": "x y"} }, want: []found{{"labels.a", "Invalid label value"}}},
		"LongLabelValue": {reason: "Label values have at most 63 characters.", change: func(d *dp) { d.Labels = map[string]string{"a": strings.Repeat("x", 64)} }, want: []found{{"labels.a", "Invalid label value"}}},
		"OurLabel":       {reason: "Labels of the platform's domain are the provider's.", change: func(d *dp) { d.Labels = map[string]string{"openplatform.dev/owner": "x"} }, want: []found{{"labels.openplatform.dev/owner", "Reserved label key"}}},
		"ManagedBy":      {reason: "The provider says who manages.", change: func(d *dp) { d.Labels = map[string]string{"app.kubernetes.io/managed-by": "x"} }, want: []found{{"labels.app.kubernetes.io/managed-by", "Reserved label key"}}},
		"NameLabel":      {reason: "The provider names the application.", change: func(d *dp) { d.Labels = map[string]string{"app.kubernetes.io/name": "x"} }, want: []found{{"labels.app.kubernetes.io/name", "Reserved label key"}}},
		"Subdomain":      {reason: "A subdomain of the platform's domain is not reserved.", change: func(d *dp) { d.Labels = map[string]string{"test.openplatform.dev/x": "y"} }},
		"NetworkPolicy":  {reason: "Network policies are of a known kind.", change: func(d *dp) { d.NetworkPolicy = "other" }, want: []found{{"network_policy", "Unsupported value"}}},
		"NoPolicies":     {reason: "Network policies can be switched off.", change: func(d *dp) { d.NetworkPolicy = "none" }},
		"SeveralInOrder": {
			reason: "All problems are reported, in the order of the fields and of the keys.",
			change: func(d *dp) { d.Name, d.Labels = "", map[string]string{"b": "x y", "a": "x y"} },
			want:   []found{{"name", "Invalid name"}, {"labels.a", "Invalid label value"}, {"labels.b", "Invalid label value"}},
		},
	})
}

func TestGateway(t *testing.T) {
	t.Parallel()
	type dp = platform.DataPlane
	at := func(field, title string) []found { return []found{{"gateways.public." + field, title}} }
	peers := func(p platform.Peers) func(*dp) { return func(d *dp) { d.Gateways.Public.Peers = &p } }
	validate(t, validDataPlane, map[string]validation[dp]{
		"Minimal": {
			reason: "A gateway needs a name, a namespace and a domain.",
			change: func(d *dp) {
				d.Gateways.Public = &platform.Gateway{Name: "public", Namespace: "gateways", VirtualHost: "localhost"}
			},
		},
		"NoName":        {reason: "A gateway has a name.", change: func(d *dp) { d.Gateways.Public.Name = "" }, want: at("name", "Invalid object name")},
		"BadName":       {reason: "A gateway's name is that of an object.", change: func(d *dp) { d.Gateways.Public.Name = "a_b" }, want: at("name", "Invalid object name")},
		"NoNamespace":   {reason: "A gateway is in a namespace.", change: func(d *dp) { d.Gateways.Public.Namespace = "" }, want: at("namespace", "Invalid label")},
		"BadNamespace":  {reason: "A namespace has no dots.", change: func(d *dp) { d.Gateways.Public.Namespace = "a.b" }, want: at("namespace", "Invalid label")},
		"BadListener":   {reason: "A listener has a name of its own.", change: func(d *dp) { d.Gateways.Public.Listener = "A" }, want: at("listener", "Invalid object name")},
		"NoDomain":      {reason: "A gateway has a domain.", change: func(d *dp) { d.Gateways.Public.VirtualHost = "" }, want: at("virtual_host", "Invalid domain")},
		"URL":           {reason: "A domain is no URL.", change: func(d *dp) { d.Gateways.Public.VirtualHost = "https://apps.example.com" }, want: at("virtual_host", "Invalid domain")},
		"DomainPort":    {reason: "A domain has no port.", change: func(d *dp) { d.Gateways.Public.VirtualHost = "apps.example.com:443" }, want: at("virtual_host", "Invalid domain")},
		"Wildcard":      {reason: "A domain is no pattern.", change: func(d *dp) { d.Gateways.Public.VirtualHost = "*.example.com" }, want: at("virtual_host", "Invalid domain")},
		"Scheme":        {reason: "A scheme is http or https.", change: func(d *dp) { d.Gateways.Public.Scheme = "tcp" }, want: at("scheme", "Unsupported value")},
		"NegativePort":  {reason: "A port is positive.", change: func(d *dp) { d.Gateways.Public.Port = new(int64(-1)) }, want: at("port", "Invalid port")},
		"LargePort":     {reason: "A port has 16 bits.", change: func(d *dp) { d.Gateways.Public.Port = new(int64(65536)) }, want: at("port", "Invalid port")},
		"ListenerName":  {reason: "A listener's port goes by a name.", change: func(d *dp) { d.Gateways.Public.ListenerPorts = map[string]int64{"A": 1} }, want: at("listener_ports.A", "Invalid object name")},
		"ListenerPort":  {reason: "A listener's port is one.", change: func(d *dp) { d.Gateways.Public.ListenerPorts["grpc"] = 0 }, want: at("listener_ports.grpc", "Invalid port")},
		"OwnListener":   {reason: "The own listener's port stands in one place.", change: func(d *dp) { d.Gateways.Public.ListenerPorts["https"] = 1 }, want: at("listener_ports.https", "Port of the gateway's own listener")},
		"Organization":  {reason: "The organization's gateway is checked like the public one.", change: func(d *dp) { d.Gateways.Organization = &platform.Gateway{Name: "a", Namespace: "b"} }, want: []found{{"gateways.organization.virtual_host", "Invalid domain"}}},
		"NoPeers":       {reason: "Peers are optional.", change: func(d *dp) { d.Gateways.Public.Peers = nil }},
		"PeerNamespace": {reason: "Peers are in namespaces.", change: peers(platform.Peers{Namespaces: []string{"a", "B"}}), want: at("peers.namespaces[1]", "Invalid label")},
		"PeerKey":       {reason: "Peers have labels.", change: peers(platform.Peers{PodLabels: map[string]string{"a b": "x"}}), want: at("peers.pod_labels.a b", "Invalid label")},
		"PeerValue":     {reason: "Peers have labels with values.", change: peers(platform.Peers{PodLabels: map[string]string{"a": "x y"}}), want: at("peers.pod_labels.a", "Invalid label")},
		"Address":       {reason: "A range is not an address.", change: peers(platform.Peers{CIDRs: []string{"10.0.0.1"}}), want: at("peers.cidrs[0]", "Invalid CIDR")},
		"RangeLength":   {reason: "A range fits its family.", change: peers(platform.Peers{CIDRs: []string{"10.0.0.0/33"}}), want: at("peers.cidrs[0]", "Invalid CIDR")},
	})
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	type env = platform.Environment
	validate(t, validEnvironment, map[string]validation[env]{
		"Name":      {reason: "A name is required.", change: func(e *env) { e.Name = "" }, want: []found{{"name", "Invalid name"}}},
		"Labels":    {reason: "Labels are checked.", change: func(e *env) { e.Labels = map[string]string{"": "x"} }, want: []found{{"labels.", "Invalid label key"}}},
		"DataPlane": {reason: "A data plane is required.", change: func(e *env) { e.DataPlane = "" }, want: []found{{"data_plane", "Invalid reference"}}},
		"Path":      {reason: "A data plane has a name of one part.", change: func(e *env) { e.DataPlane = "a/b" }, want: []found{{"data_plane", "Invalid reference"}}},
		"DNSPrefix": {reason: "A prefix is one label of a host.", change: func(e *env) { e.DNSPrefix = "a.b" }, want: []found{{"dns_prefix", "Invalid label"}}},
		"NoPrefix":  {reason: "A prefix is optional.", change: func(e *env) { e.DNSPrefix = "" }},
	})
}

func TestProject(t *testing.T) {
	t.Parallel()
	type project = platform.Project
	validate(t, validProject, map[string]validation[project]{
		"Name":            {reason: "A name is required.", change: func(p *project) { p.Name = "" }, want: []found{{"name", "Invalid name"}}},
		"Labels":          {reason: "Labels are checked.", change: func(p *project) { p.Labels = map[string]string{"a": "!"} }, want: []found{{"labels.a", "Invalid label value"}}},
		"NamespaceLabels": {reason: "Namespace labels are checked.", change: func(p *project) { p.NamespaceLabels = map[string]string{"a": "!"} }, want: []found{{"namespace_labels.a", "Invalid label value"}}},
		"Pipeline":        {reason: "A pipeline is required.", change: func(p *project) { p.DeploymentPipeline = "" }, want: []found{{"deployment_pipeline", "Invalid reference"}}},
	})
}

func TestComponent(t *testing.T) {
	t.Parallel()
	type component = platform.Component
	validate(t, validComponent, map[string]validation[component]{
		"Project":     {reason: "A project is required.", change: func(c *component) { c.Project = "" }, want: []found{{"project", "Invalid reference"}}},
		"ProjectID":   {reason: "A project's id is its name.", change: func(c *component) { c.Project = "/shop" }, want: []found{{"project", "Invalid reference"}}},
		"Name":        {reason: "A name is required.", change: func(c *component) { c.Name = "" }, want: []found{{"name", "Invalid name"}}},
		"Labels":      {reason: "Labels are checked.", change: func(c *component) { c.Labels = map[string]string{"a": "!"} }, want: []found{{"labels.a", "Invalid label value"}}},
		"NoType":      {reason: "A type is required.", change: func(c *component) { c.Type = "" }, want: []found{{"type", "Missing value"}}},
		"UnknownType": {reason: "A type is one of the known ones.", change: func(c *component) { c.Type = "worker" }, want: []found{{"type", "Unsupported value"}}},
		"NoImage":     {reason: "An image is optional.", change: func(c *component) { c.Image = "" }},
		"Image":       {reason: "An image is a reference.", change: func(c *component) { c.Image = "https://example.com/a:1" }, want: []found{{"image", "Invalid image"}}},
		"ImageCase":   {reason: "An image's path is lower case.", change: func(c *component) { c.Image = "registry.example.com/A" }, want: []found{{"image", "Invalid image"}}},
	})
}

func TestDeploymentPipeline(t *testing.T) {
	t.Parallel()
	type pipeline = platform.DeploymentPipeline
	paths := func(list ...platform.PromotionPath) func(*pipeline) {
		return func(p *pipeline) { p.PromotionPaths = list }
	}
	path := func(source string, targets ...string) platform.PromotionPath {
		out := platform.PromotionPath{Source: source}
		for _, target := range targets {
			out.Targets = append(out.Targets, platform.PromotionTarget{Environment: target})
		}
		return out
	}
	validate(t, validPipeline, map[string]validation[pipeline]{
		"Name":            {reason: "A name is required.", change: func(p *pipeline) { p.Name = "" }, want: []found{{"name", "Invalid name"}}},
		"Labels":          {reason: "Labels are checked.", change: func(p *pipeline) { p.Labels = map[string]string{"a": "!"} }, want: []found{{"labels.a", "Invalid label value"}}},
		"Empty":           {reason: "A pipeline without paths leads nowhere.", change: paths(), want: []found{{"promotion_paths", "Empty pipeline"}}},
		"One":             {reason: "A single environment is a path without targets.", change: paths(path("dev"))},
		"Roots":           {reason: "A pipeline may have several roots.", change: paths(path("dev", "prod"), path("qa", "prod"))},
		"Source":          {reason: "A source is an environment.", change: paths(path("", "prod")), want: []found{{"promotion_paths[0].source", "Invalid reference"}}},
		"Target":          {reason: "A target is an environment.", change: paths(path("dev", "prod", "A")), want: []found{{"promotion_paths[0].targets[1].environment", "Invalid reference"}}},
		"DuplicateSource": {reason: "A source has one path.", change: paths(path("dev", "qa"), path("dev", "prod")), want: []found{{"promotion_paths[1].source", "Duplicate source"}}},
		"DuplicateTarget": {reason: "A target is named once.", change: paths(path("dev", "qa", "qa")), want: []found{{"promotion_paths[0].targets[1].environment", "Duplicate target"}}},
		"Self":            {reason: "An environment does not promote to itself.", change: paths(path("dev", "dev")), want: []found{{"promotion_paths", "Cycle in the pipeline"}}},
		"Cycle":           {reason: "A release does not come back.", change: paths(path("dev", "qa"), path("qa", "prod"), path("prod", "dev")), want: []found{{"promotion_paths", "Cycle in the pipeline"}}},
		"CycleBehindRoot": {reason: "A circle is found behind an environment that is not on it.", change: paths(path("dev", "qa"), path("qa", "prod"), path("prod", "qa")), want: []found{{"promotion_paths", "Cycle in the pipeline"}}},
	})
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	type endpoint = platform.Endpoint
	base := func(value string, ok bool, reason string) validation[endpoint] {
		v := validation[endpoint]{reason: reason, change: func(e *endpoint) { e.BasePath = value }}
		if !ok {
			v.want = []found{{"base_path", "Invalid path"}}
		}
		return v
	}
	validate(t, validEndpoint, map[string]validation[endpoint]{
		"NoDeployment": {reason: "A deployment is required.", change: func(e *endpoint) { e.Deployment = "" }, want: []found{{"deployment", "Invalid reference"}}},
		"ShortID":      {reason: "A deployment's id has four parts.", change: func(e *endpoint) { e.Deployment = "shop/cart/dev" }, want: []found{{"deployment", "Invalid reference"}}},
		"EmptyPart":    {reason: "No part of an id is empty.", change: func(e *endpoint) { e.Deployment = "shop/cart//dev" }, want: []found{{"deployment", "Invalid reference"}}},
		"Name":         {reason: "A name is required.", change: func(e *endpoint) { e.Name = "" }, want: []found{{"name", "Invalid name"}}},
		"Labels":       {reason: "Labels are checked.", change: func(e *endpoint) { e.Labels = map[string]string{"a": "!"} }, want: []found{{"labels.a", "Invalid label value"}}},
		"NoType":       {reason: "A type is required.", change: func(e *endpoint) { e.Type = "" }, want: []found{{"type", "Missing value"}}},
		"Type":         {reason: "A type is one of the known ones.", change: func(e *endpoint) { e.Type = "smtp" }, want: []found{{"type", "Unsupported value"}}},
		"NoPort":       {reason: "A port is required.", change: func(e *endpoint) { e.Port = "" }, want: []found{{"port", "Invalid port name"}}},
		"PortNumber":   {reason: "A port is a name, not a number.", change: func(e *endpoint) { e.Port = "8080" }, want: []found{{"port", "Invalid port name"}}},
		"Visibility":   {reason: "A visibility is one of the known ones.", change: func(e *endpoint) { e.Visibility = "internal" }, want: []found{{"visibility", "Unsupported value"}}},
		"NoVisibility": {reason: "A visibility is optional.", change: func(e *endpoint) { e.Visibility = "" }},
		"Organization": {reason: "The organization is a visibility.", change: func(e *endpoint) { e.Visibility = platform.VisibilityOrganization }},

		"GRPC":      {reason: "A gRPC endpoint has hosts and no path.", change: func(e *endpoint) { e.Type, e.BasePath = platform.EndpointGRPC, "" }},
		"GRPCPath":  {reason: "A path of gRPC is none to declare.", change: func(e *endpoint) { e.Type = platform.EndpointGRPC }, want: []found{{"base_path", "Path without HTTP"}}},
		"TCP":       {reason: "A TCP endpoint has neither hosts nor a path.", change: func(e *endpoint) { e.Type, e.BasePath, e.Hostnames = platform.EndpointTCP, "", nil }},
		"TCPAll":    {reason: "What TCP has not is refused.", change: func(e *endpoint) { e.Type = platform.EndpointTCP }, want: []found{{"base_path", "Path without HTTP"}, {"hostnames", "Hostnames without hosts"}}},
		"Listener":  {reason: "A listener's name is that of an object.", change: func(e *endpoint) { e.Listener = "A" }, want: []found{{"listener", "Invalid object name"}}},
		"Twice":     {reason: "A hostname is given once.", change: func(e *endpoint) { e.Hostnames = []string{"a.example.com", "a.example.com"} }, want: []found{{"hostnames[1]", "Duplicate hostname"}}},
		"URL":       {reason: "A hostname is no URL.", change: func(e *endpoint) { e.Hostnames = []string{"https://a.example.com"} }, want: []found{{"hostnames[0]", "Invalid hostname"}}},
		"HostPort":  {reason: "A hostname has no port.", change: func(e *endpoint) { e.Hostnames = []string{"a.example.com:443"} }, want: []found{{"hostnames[0]", "Invalid hostname"}}},
		"Address":   {reason: "An address is no hostname.", change: func(e *endpoint) { e.Hostnames = []string{"192.0.2.1"} }, want: []found{{"hostnames[0]", "Invalid hostname"}}},
		"Star":      {reason: "A star is the whole first label.", change: func(e *endpoint) { e.Hostnames = []string{"*", "a.*.com", "a*.com"} }, want: []found{{"hostnames[0]", "Invalid hostname"}, {"hostnames[1]", "Invalid hostname"}, {"hostnames[2]", "Invalid hostname"}}},
		"UpperCase": {reason: "A hostname is lower case.", change: func(e *endpoint) { e.Hostnames = []string{"Shop.example.com"} }, want: []found{{"hostnames[0]", "Invalid hostname"}}},
		"TooMany": {
			reason: "A route takes 16 hostnames, of which one is made of the names.",
			change: func(e *endpoint) {
				e.Hostnames = nil
				for i := range 16 {
					e.Hostnames = append(e.Hostnames, fmt.Sprintf("h%d.example.com", i))
				}
			},
			want: []found{{"hostnames", "Too many hostnames"}},
		},

		"NoPath":      base("", true, "A path is optional."),
		"Root":        base("/", true, "The root is a path."),
		"Relative":    base("api", false, "A path starts with a slash."),
		"Trailing":    base("/api/", false, "A path does not end with a slash."),
		"Empty":       base("/api//v1", false, "A path has no empty segment."),
		"Slashes":     base("//", false, "Slashes alone are no path."),
		"Query":       base("/api?x=1", false, "A path has no query."),
		"Fragment":    base("/api#x", false, "A path has no fragment."),
		"Escape":      base("/a%2fb", false, "A path has no escapes."),
		"Space":       base("/a b", false, "A path has no spaces."),
		"Tab":         base("/a\tb", false, "A path has no control characters."),
		"Umlaut":      base("/ä", false, "A path is ASCII."),
		"Braces":      base("/{id}", false, "A path is no template."),
		"Dot":         base("/a/./b", false, "A path says where it leads."),
		"DotDot":      base("/a/..", false, "A path does not go back."),
		"Dots":        base("/a..b/.well-known", true, "Dots may be part of a segment."),
		"LongestPath": base("/"+strings.Repeat("a", 1023), true, "A path may have 1024 characters."),
		"LongPath":    base("/"+strings.Repeat("a", 1024), false, "A path has at most 1024 characters."),
	})
}
