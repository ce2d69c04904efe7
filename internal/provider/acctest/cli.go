// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider"
)

// CLI is a working directory of the command line tool. What the test framework
// cannot see, such as warnings, is seen here, and every command has provider
// processes of its own.
type CLI struct {
	// Dir is the working directory.
	Dir string

	binary      string
	environment []string
}

// CLI returns an empty working directory. At the end of the test nothing may be
// left; a test that failed is cleaned up after.
func (e *Env) CLI(t *testing.T) *CLI {
	t.Helper()
	plugins, folder := os.Getenv(pluginVariable), t.TempDir()
	if plugins == "" {
		t.Fatal("the package has no TestMain that calls acctest.Main")
	}
	var overrides strings.Builder
	for _, source := range []string{strings.TrimPrefix(provider.Address, "registry.terraform.io/"), "hashicorp/platform"} {
		fmt.Fprintf(&overrides, "    %q = %q\n", source, plugins)
	}
	settings := filepath.Join(folder, "cli.tfrc")
	text := "provider_installation {\n  dev_overrides {\n" + overrides.String() + "  }\n  direct {}\n}\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	binary, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	c := &CLI{Dir: t.TempDir(), binary: binary}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "KUBE_") {
			c.environment = append(c.environment, variable)
		}
	}
	c.Setenv("TF_CLI_CONFIG_FILE", settings)
	c.Setenv("KUBECONFIG", e.kubeconfig)
	c.Setenv("TF_IN_AUTOMATION", "1")
	c.Setenv("CHECKPOINT_DISABLE", "1")
	return c
}

// Setenv sets a variable of the commands to come.
func (c *CLI) Setenv(name, value string) { c.environment = append(c.environment, name+"="+value) }

// Write writes a file of the working directory.
func (c *CLI) Write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Run runs a command and returns what it printed.
func (c *CLI) Run(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), c.binary, arguments...)
	command.Dir, command.Env = c.Dir, c.environment
	var output, errors bytes.Buffer
	command.Stdout, command.Stderr = &output, &errors
	if err := command.Run(); err != nil {
		return output.String(), fmt.Errorf("%s: %w\n%s", strings.Join(arguments, " "), err, errors.String())
	}
	return output.String(), nil
}

// planFile is where Plan leaves the plan.
const planFile = "plan"

// Plan plans, and leaves the plan for Show.
func (c *CLI) Plan(t *testing.T, arguments ...string) *Result {
	t.Helper()
	return c.report(t, append([]string{"plan", "-json", "-input=false", "-out=" + planFile}, arguments...)...)
}

// Apply plans and applies.
func (c *CLI) Apply(t *testing.T, arguments ...string) *Result {
	t.Helper()
	return c.report(t, append([]string{"apply", "-json", "-input=false", "-auto-approve"}, arguments...)...)
}

// ApplyPlan applies what Plan left.
func (c *CLI) ApplyPlan(t *testing.T) *Result {
	t.Helper()
	return c.report(t, "apply", "-json", "-input=false", planFile)
}

// Destroy destroys everything.
func (c *CLI) Destroy(t *testing.T, arguments ...string) *Result {
	t.Helper()
	return c.report(t, append([]string{"destroy", "-json", "-input=false", "-auto-approve"}, arguments...)...)
}

// Show returns what Plan left.
func (c *CLI) Show(t *testing.T) *Plan {
	t.Helper()
	output, err := c.Run(t, "show", "-json", planFile)
	if err != nil {
		t.Fatal(err)
	}
	plan := &Plan{}
	if err := json.Unmarshal([]byte(output), plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

// State returns the addresses of the state, a line each.
func (c *CLI) State(t *testing.T) []string {
	t.Helper()
	output, err := c.Run(t, "state", "list")
	if err != nil && !strings.Contains(err.Error(), "No state file") {
		t.Fatal(err)
	}
	return strings.Fields(output)
}

func (c *CLI) report(t *testing.T, arguments ...string) *Result {
	t.Helper()
	output, err := c.Run(t, arguments...)
	result := &Result{Failed: err != nil, command: arguments[0]}
	for line := range strings.Lines(output) {
		var message message
		if json.Unmarshal([]byte(line), &message) != nil {
			continue
		}
		result.add(message)
	}
	if err != nil && len(result.Errors) == 0 {
		t.Fatalf("%s\n%s", err, output)
	}
	return result
}

// Values returns the attributes of a resource of the state.
func (c *CLI) Values(t *testing.T, address string) map[string]any {
	t.Helper()
	values, ok := c.All(t)[address]
	if !ok {
		t.Fatalf("the state has no %s", address)
	}
	return values
}

// All returns the attributes of every resource of the state by address. It reads
// the file, which costs no process.
func (c *CLI) All(t *testing.T) map[string]map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Resources []struct {
			Module    string `json:"module"`
			Type      string `json:"type"`
			Name      string `json:"name"`
			Instances []struct {
				IndexKey   any            `json:"index_key"`
				Attributes map[string]any `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(raw, &state); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{}
	for _, found := range state.Resources {
		address := strings.TrimPrefix(found.Module+"."+found.Type+"."+found.Name, ".")
		for _, instance := range found.Instances {
			switch key := instance.IndexKey.(type) {
			case nil:
				all[address] = instance.Attributes
			case string:
				all[fmt.Sprintf("%s[%q]", address, key)] = instance.Attributes
			default:
				all[fmt.Sprintf("%s[%v]", address, key)] = instance.Attributes
			}
		}
	}
	return all
}

// OpenTofu tells whether the tool is OpenTofu, which can do more.
func (c *CLI) OpenTofu(t *testing.T) bool {
	t.Helper()
	output, err := c.Run(t, "version")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(output, "OpenTofu")
}
