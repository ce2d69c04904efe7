// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
