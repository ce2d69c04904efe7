// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// checker collects problems. Each method looks at one field and adds at most
// one problem.
type checker struct {
	problems []Problem
}

func (c *checker) add(at Path, title, detail string) {
	c.problems = append(c.problems, Problem{Path: at, Title: title, Detail: detail})
}

// name checks the name of a platform object: an RFC 1035 label without "--",
// which joins component and track.
func (c *checker) name(at Path, value string) {
	switch problems := validation.IsDNS1035Label(value); {
	case len(problems) > 0:
		c.add(at, "Invalid name", fmt.Sprintf("%q is not a name: use at most 63 lower-case letters, digits and hyphens, starting with a letter and ending with a letter or digit.", value))
	case strings.Contains(value, "--"):
		c.add(at, "Invalid name", fmt.Sprintf("%q contains %q, which joins a component and its track in the names of objects. Use single hyphens.", value, "--"))
	case value == "default":
		c.add(at, "Reserved name", `"default" is reserved; choose another name.`)
	}
}

// label checks a DNS label of somebody else's making.
func (c *checker) label(at Path, value string) {
	if len(validation.IsDNS1123Label(value)) > 0 {
		c.add(at, "Invalid label", fmt.Sprintf("%q is not a DNS label: use at most 63 lower-case letters, digits and hyphens, starting and ending with a letter or digit.", value))
	}
}

func (c *checker) objectName(at Path, value string) {
	if len(validation.IsDNS1123Subdomain(value)) > 0 {
		c.add(at, "Invalid object name", fmt.Sprintf("%q is not the name of a Kubernetes object: use lower-case letters, digits, hyphens and dots.", value))
	}
}

func (c *checker) domain(at Path, value string) {
	if len(validation.IsDNS1123Subdomain(value)) > 0 {
		c.add(at, "Invalid domain", fmt.Sprintf("%q is not a domain name, such as apps.example.com, without scheme and port.", value))
	}
}

// ref checks a reference to another object: n parts, each a name.
func (c *checker) ref(at Path, value string, n int, want string) {
	parts, ok := Split(value, n)
	if ok {
		for _, part := range parts {
			ok = ok && len(validation.IsDNS1123Label(part)) == 0
		}
	}
	if !ok {
		c.add(at, "Invalid reference", fmt.Sprintf("%q is not %s. Refer to the attribute of the resource, such as its id.", value, want))
	}
}

func (c *checker) required(at Path, value string) {
	if value == "" {
		c.add(at, "Missing value", "This attribute must not be empty.")
	}
}

func (c *checker) oneOf(at Path, value string, allowed []string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.add(at, "Unsupported value", fmt.Sprintf("%q is not one of %s.", value, strings.Join(allowed, ", ")))
	}
}

func (c *checker) labels(at Path, labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		switch value := labels[key]; {
		case len(validation.IsQualifiedName(key)) > 0:
			c.add(at.With(key), "Invalid label key", fmt.Sprintf("%q is not a label key: use [prefix/]name, the name at most 63 letters, digits, '-', '_' and '.'.", key))
		case reserved(key):
			c.add(at.With(key), "Reserved label key", fmt.Sprintf("The provider sets %q itself; choose another key.", key))
		case len(validation.IsValidLabelValue(value)) > 0:
			c.add(at.With(key), "Invalid label value", fmt.Sprintf("%q is not a label value: use at most 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit.", value))
		}
	}
}

func (c *checker) annotations(at Path, annotations map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		switch {
		case len(validation.IsQualifiedName(strings.ToLower(key))) > 0:
			c.add(at.With(key), "Invalid annotation key", fmt.Sprintf("%q is not an annotation key: use [prefix/]name, the name at most 63 letters, digits, '-', '_' and '.'.", key))
		case reserved(key):
			c.add(at.With(key), "Reserved annotation key", fmt.Sprintf("The provider sets %q itself; choose another key.", key))
		}
	}
}

// reserved tells whether a label or annotation key belongs to the provider. A
// subdomain of the domain, which tests use, does not.
func reserved(key string) bool {
	return strings.HasPrefix(key, "openplatform.dev/") ||
		key == "app.kubernetes.io/managed-by" || key == "app.kubernetes.io/name"
}

func (c *checker) image(at Path, value string) {
	if value == "" {
		return
	}
	if _, err := reference.ParseNormalizedNamed(value); err != nil {
		c.add(at, "Invalid image", fmt.Sprintf("%q is not an image reference, such as registry.example.com/team/app:1.2.3: %s.", value, err))
	}
}

// digest checks a release: the SHA-256 digest that a deployment shows.
func (c *checker) digest(at Path, value string) {
	const prefix, hexDigits = "sha256:", 64
	digits, ok := strings.CutPrefix(value, prefix)
	if value != "" && (!ok || len(digits) != hexDigits || strings.Trim(digits, "0123456789abcdef") != "") {
		c.add(at, "Invalid release", fmt.Sprintf("%q is not a release, which is sha256: and %d hex digits. Take it from the release attribute of a deployment.", value, hexDigits))
	}
}

func (c *checker) port(at Path, value int64) {
	if value < 1 || value > 65535 {
		c.add(at, "Invalid port", fmt.Sprintf("%d is not a port: use a number from 1 to 65535.", value))
	}
}

// portName checks a port's name, which the API server limits to 15 characters
// (RFC 6335 service names).
func (c *checker) portName(at Path, value string) {
	if problems := validation.IsValidPortName(value); len(problems) > 0 {
		c.add(at, "Invalid port name", fmt.Sprintf("%q is not a port name: use at most 15 lower-case letters, digits and single hyphens, with at least one letter.", value))
	}
}

// maxPathLength is what the routes of the Gateway API take.
const maxPathLength = 1024

// basePath checks a path prefix: what a route takes literally, and what leads to
// no other path than it says.
func (c *checker) basePath(at Path, value string) {
	if value == "" || value == "/" {
		return
	}
	rest, ok := strings.CutPrefix(value, "/")
	ok = ok && len(value) <= maxPathLength
	for segment := range strings.SplitSeq(rest, "/") {
		ok = ok && segment != "" && segment != "." && segment != ".." && !strings.ContainsFunc(segment, notInPath)
	}
	if !ok {
		c.add(at, "Invalid path", fmt.Sprintf("%q is not a path prefix: start with a slash, do not end with one, and use no query, fragment, escape, space, or empty, \".\" or \"..\" segment.", value))
	}
}

func notInPath(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-._~!$&'()*+,;=:@", r)
}

func (c *checker) quantity(at Path, value string) {
	if value == "" {
		return
	}
	quantity, err := resource.ParseQuantity(value)
	switch {
	case err != nil:
		c.add(at, "Invalid quantity", fmt.Sprintf("%q is not a Kubernetes quantity, such as 250m, 0.5, 64Mi or 1Gi.", value))
	case quantity.Sign() < 0:
		c.add(at, "Invalid quantity", fmt.Sprintf("%q is negative.", value))
	}
}

// notAbove checks that a request does not exceed its limit.
func (c *checker) notAbove(at Path, request, limit string) {
	if request == "" || limit == "" {
		return
	}
	asked, err1 := resource.ParseQuantity(request)
	allowed, err2 := resource.ParseQuantity(limit)
	if err := cmp.Or(err1, err2); err == nil && asked.Cmp(allowed) > 0 {
		c.add(at, "Request above limit", fmt.Sprintf("The request %s exceeds the limit %s; raise the limit or lower the request.", request, limit))
	}
}

// atLeast checks a number that the API server holds in 32 bits.
func (c *checker) atLeast(at Path, value *int64, minimum int64) {
	switch {
	case value == nil:
	case *value < minimum:
		c.add(at, "Value too small", fmt.Sprintf("%d is below the minimum %d.", *value, minimum))
	case *value > math.MaxInt32:
		c.add(at, "Value too large", fmt.Sprintf("%d is above the maximum %d.", *value, math.MaxInt32))
	}
}

func (c *checker) peers(at Path, peers *Peers) {
	if peers == nil {
		return
	}
	for i, namespace := range peers.Namespaces {
		c.label(at.With("namespaces", i), namespace)
	}
	for _, key := range slices.Sorted(maps.Keys(peers.PodLabels)) {
		if len(validation.IsQualifiedName(key)) > 0 || len(validation.IsValidLabelValue(peers.PodLabels[key])) > 0 {
			c.add(at.With("pod_labels", key), "Invalid label", fmt.Sprintf("%s=%s is not a Kubernetes label.", key, peers.PodLabels[key]))
		}
	}
	for i, cidr := range peers.CIDRs {
		if _, err := netip.ParsePrefix(cidr); err != nil {
			c.add(at.With("cidrs", i), "Invalid CIDR", fmt.Sprintf("%q is not a range of addresses, such as 10.0.0.0/8 or fd00::/8.", cidr))
		}
	}
}
