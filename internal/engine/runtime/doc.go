// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package runtime is the seam between what should exist and the infrastructure
// that makes it so: one interface, one Resource at a time.
//
// It knows no Terraform plugin and no Kubernetes client; its subpackages
// implement the interface, and runtimetest states every promise of it as a
// conformance suite that all implementations pass.
package runtime
