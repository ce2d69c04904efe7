// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// binaryVariable names the CLI to the test framework, which without it looks for
// terraform only.
const binaryVariable = "TF_ACC_TERRAFORM_PATH"

// binary returns the path of the CLI: the one that the environment names, else
// terraform, else tofu.
func binary() (string, error) {
	candidates := []string{os.Getenv(binaryVariable)}
	if candidates[0] == "" {
		candidates = []string{"terraform", "tofu"}
	}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no %s", strings.Join(candidates, " and no "))
}

// chooseBinary lets the test framework run the same CLI as everything else here.
//
// Where Terraform and OpenTofu differ for a test:
//   - a provider without a host is from registry.opentofu.org on OpenTofu;
//   - identities are known from version 1.12 of either on, see Identities.
func chooseBinary() error {
	if os.Getenv(resource.EnvTfAcc) == "" {
		return nil
	}
	path, err := binary()
	if err != nil {
		return err
	}
	product, _, err := describe(path)
	if err != nil {
		return err
	}
	if err := os.Setenv(binaryVariable, path); err != nil {
		return fmt.Errorf("choose the CLI: %w", err)
	}
	if product != "OpenTofu" {
		return nil
	}
	if err := os.Setenv(resource.EnvTfAccProviderHost, "registry.opentofu.org"); err != nil {
		return fmt.Errorf("choose the registry: %w", err)
	}
	return nil
}

// describe returns what a CLI is, and the second number of its version 1.x.
func describe(path string) (product string, minor int, err error) {
	command := exec.CommandContext(context.Background(), path, "version")
	command.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1")
	output, err := command.Output()
	if err != nil {
		return "", 0, fmt.Errorf("%s version: %w", path, err)
	}
	// A warning about the CLI's configuration may come first.
	for line := range strings.Lines(string(output)) {
		if _, err := fmt.Sscanf(line, "%s v1.%d", &product, &minor); err == nil {
			return product, minor, nil
		}
	}
	return "", 0, fmt.Errorf("%s version: cannot read %q", path, output)
}

// Identities tells whether the CLI keeps identities and imports by them.
func Identities(t *testing.T) bool {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	_, minor, err := describe(path)
	if err != nil {
		t.Fatal(err)
	}
	return minor >= 12
}
