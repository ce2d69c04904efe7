// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package component names the components of the control plane.
package component

// The names of the components, which are also the names of their subcommands.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
)

// Is reports whether name is the name of a component.
func Is(name string) bool {
	switch name {
	case Etcd, APIServer, ControllerManager, Scheduler:
		return true
	default:
		return false
	}
}
