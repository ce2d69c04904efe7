// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package handlertest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Golden compares resources with testdata/<situation>.golden.json, which it
// writes first when update is set.
func Golden(t *testing.T, update bool, situation string, resources []runtime.Resource) {
	t.Helper()
	got := encode(t, resources)
	path := filepath.Join("testdata", situation+".golden.json")
	if update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want +got, rewrite with -update if the change is meant:\n%s", path, diff)
	}
}

func encode(t *testing.T, resources []runtime.Resource) []byte {
	t.Helper()
	if resources == nil {
		resources = []runtime.Resource{}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(resources); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
