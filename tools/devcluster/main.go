// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Command devcluster is a Kubernetes cluster in one binary, for tests and for
// trying things out. The control plane is the real one; the node is simulated.
package main

import (
	"os"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:]))
}
