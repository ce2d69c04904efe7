// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"os"
	"testing"
)

// Kubeconfig returns the kubeconfig file of the cluster for tests. Without one
// the test is skipped, or fails where PLATFORM_REQUIRE_CLUSTER=1 says that there
// must be one.
func Kubeconfig(t testing.TB) string {
	t.Helper()
	path := os.Getenv("KUBECONFIG")
	if path != "" {
		return path
	}
	if os.Getenv("PLATFORM_REQUIRE_CLUSTER") == "1" {
		t.Fatal("KUBECONFIG is not set, and PLATFORM_REQUIRE_CLUSTER=1 asks for a cluster")
	}
	t.Skip("KUBECONFIG is not set: this test needs a cluster")
	return ""
}
