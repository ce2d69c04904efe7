// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/openplatform/terraform-provider-platform/internal/provider"
)

const (
	// serveVariable turns a test binary into the provider.
	serveVariable = "PLATFORM_ACCTEST_SERVE"
	// processesVariable names a directory in which the provider puts a file named
	// by its process id.
	processesVariable = "PLATFORM_ACCTEST_PROCESSES"
)

// Main runs the tests of a package, or serves the provider when a CLI that a
// test started runs this very binary as its plugin. So a test needs no build.
func Main(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(m.Run())
	}
	if directory := os.Getenv(processesVariable); directory != "" {
		if err := os.WriteFile(filepath.Join(directory, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
			log.Fatal(err)
		}
	}
	err := providerserver.Serve(context.Background(), provider.New("test"), providerserver.ServeOpts{
		Address: provider.Address, ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
