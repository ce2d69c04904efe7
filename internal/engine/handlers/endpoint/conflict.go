// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package endpoint

import (
	"fmt"
	"slices"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

// Conflict returns why a gateway could not tell the traffic for one endpoint from
// that for another, or nothing. Both are reached through gateways.
func Conflict(mine, theirs *dataplane.EndpointContext) []platform.Problem {
	if mine.Gateway() == nil || theirs.Gateway() == nil || !listenersOverlap(mine, theirs) {
		return nil
	}
	if !mine.Endpoint.Type.HasHosts() || !theirs.Endpoint.Type.HasHosts() {
		// A listener speaks one protocol, so the gateway refuses all other types.
		if mine.Endpoint.Type != theirs.Endpoint.Type || !sameGateway(mine, theirs) {
			return nil
		}
		return conflict(mine, theirs, "listener", fmt.Sprintf("the listener %q of the %s gateway, where connections name no host", mine.Listener(), mine.Visibility()),
			"Give each a listener of its own")
	}
	host := sharedHost(mine, theirs)
	if host == "" || (mine.Visibility() != theirs.Visibility() && !sameGateway(mine, theirs)) {
		return nil
	}
	switch {
	case mine.Endpoint.Type != theirs.Endpoint.Type:
		// The Gateway API has a gateway accept one of the two routes only.
		return conflict(mine, theirs, "listener", fmt.Sprintf("%s, and a gateway takes routes of one type for a host of a listener", host),
			"Give one of them another listener")
	case !mine.Endpoint.Type.HasPaths():
		return conflict(mine, theirs, "listener", host+", where nothing tells them apart", "Give one of them another listener, or their environments different values of dns_prefix")
	case mine.Endpoint.PathPrefix() != theirs.Endpoint.PathPrefix():
		return nil
	case host != Host(mine):
		return conflict(mine, theirs, "hostnames", host+mine.Endpoint.PathPrefix(), "Remove the name from one of them, or give one another base_path")
	}
	return conflict(mine, theirs, "base_path", host+mine.Endpoint.PathPrefix(),
		"Give one of them another base_path, or their environments different values of dns_prefix")
}

func conflict(mine, theirs *dataplane.EndpointContext, attribute, where, todo string) []platform.Problem {
	return []platform.Problem{{
		Path: platform.Path{attribute}, Title: "Duplicate route",
		Detail: fmt.Sprintf("The endpoints %q and %q both have their traffic at %s. %s.", mine.Endpoint.ID(), theirs.Endpoint.ID(), where, todo),
	}}
}

// sharedHost returns the first host that both have, or "".
func sharedHost(mine, theirs *dataplane.EndpointContext) string {
	others := hosts(theirs)
	for _, host := range hosts(mine) {
		if slices.Contains(others, host) {
			return host
		}
	}
	return ""
}

// listenersOverlap tells whether a listener takes the routes of both; one that
// names none attaches to all.
func listenersOverlap(mine, theirs *dataplane.EndpointContext) bool {
	return mine.Listener() == "" || theirs.Listener() == "" || mine.Listener() == theirs.Listener()
}

// sameGateway tells whether one Gateway serves both. Data planes may share it.
func sameGateway(mine, theirs *dataplane.EndpointContext) bool {
	a, b := mine.Gateway(), theirs.Gateway()
	return mine.DataPlane.Cluster == theirs.DataPlane.Cluster && a.Namespace == b.Namespace && a.Name == b.Name
}
