// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"strings"
	"testing"
)

func TestReadmeShowsTheExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../examples/hello/main.tf")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```terraform\n"+string(example)+"```\n") {
		t.Error("the example in README.md is not examples/hello/main.tf")
	}
	for _, name := range []string{"data_plane", "environment", "deployment_pipeline", "project", "component", "deployment", "endpoint"} {
		if !strings.Contains(string(readme), "docs/resources/"+name+".md") {
			t.Errorf("README.md does not list platform_%s", name)
		}
	}
}
