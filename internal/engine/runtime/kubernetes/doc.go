// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package kubernetes implements runtime.Runtime on a Kubernetes API server:
// server-side apply with one field manager per platform object, reads served
// from one list per kind, deletion and readiness followed by watches, and small
// documents kept in ConfigMaps.
package kubernetes
