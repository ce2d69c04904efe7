// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"log"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/openplatform/terraform-provider-platform/internal/provider"
)

// serveVariable turns a test binary into the provider.
const serveVariable = "PLATFORM_ACCTEST_SERVE"

// Main runs the tests of a package, or serves the provider when a CLI that a
// test started runs this very binary as its plugin. So a test needs no build.
func Main(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		if err := chooseBinary(); err != nil {
			log.Fatal(err)
		}
		os.Exit(m.Run())
	}
	err := providerserver.Serve(context.Background(), provider.New("test"), providerserver.ServeOpts{
		Address: provider.Address, ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
