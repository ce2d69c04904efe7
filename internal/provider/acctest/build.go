// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

const (
	// pluginVariable names the folder of the plugin that Main built.
	pluginVariable = "PLATFORM_ACCTEST_PLUGIN"
	// processesVariable names a folder in which the plugin leaves a file named by
	// its process id.
	processesVariable = "PLATFORM_ACCTEST_PROCESSES"
)

// plugin is what the CLI starts: it leaves its process id if asked to, and
// becomes the provider.
const plugin = `#!/bin/sh
[ -z "$PLATFORM_ACCTEST_PROCESSES" ] || : >"$PLATFORM_ACCTEST_PROCESSES/$$"
exec "$0.real" "$@"
`

// Main runs the tests of a package. Acceptance tests that start the CLI need the
// provider as a plugin of its own, which is built first: as it is released, and
// not with the race detector, whose processes take long to start.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv(resource.EnvTfAcc) == "" {
		return m.Run()
	}
	if err := chooseBinary(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	folder, err := os.MkdirTemp("", "platform-acctest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "terraform-provider-platform")
	if err := os.WriteFile(name, []byte(plugin), 0o700); err != nil { //nolint:gosec // It is a program.
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	build := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false",
		"-o", name+".real", "github.com/openplatform/terraform-provider-platform")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the provider:", err)
		return 1
	}
	if err := os.Setenv(pluginVariable, folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	kubeconfig := os.Getenv("KUBECONFIG")
	if kubeconfig == "" {
		return m.Run()
	}
	remove, err := settleNeighbours(kubeconfig)
	if remove != nil {
		defer remove()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
