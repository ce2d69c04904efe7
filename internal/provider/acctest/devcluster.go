// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/rand"
)

// devclusterVariable names the program that starts clusters.
const devclusterVariable = "PLATFORM_DEVCLUSTER"

// Devcluster is a cluster that a test has for itself: it may take the API server
// away, and change what concerns the whole cluster.
type Devcluster struct {
	// Kubeconfig is the path of the administrator's kubeconfig.
	Kubeconfig string

	binary string
	dir    string
}

// NewDevcluster starts a cluster that ends with the test, however that ends.
// Where the program is not known the test is skipped, or fails where a cluster
// is required.
func NewDevcluster(t *testing.T) *Devcluster {
	t.Helper()
	accepting(t)
	d := &Devcluster{binary: os.Getenv(devclusterVariable)}
	if d.binary == "" {
		if os.Getenv(requireVariable) == "1" {
			t.Fatalf("%s is not set, and %s=1 asks for acceptance tests", devclusterVariable, requireVariable)
		}
		t.Skipf("%s is not set: this test starts a cluster", devclusterVariable)
	}
	// The command lives as long as its standard input: longer than the context of
	// the test, which ends before what cleans up.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), d.binary, "run", "--", "sh", "-c", `echo "$DEVCLUSTER_DIR"; echo "$KUBECONFIG"; cat`)
	command.Stderr = os.Stderr
	command.Env = append(os.Environ(), "DEVCLUSTER_DIR=", "KUBECONFIG=")
	end, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = end.Close()
		_ = command.Wait()
	})
	lines := bufio.NewReader(output)
	for _, line := range []*string{&d.dir, &d.Kubeconfig} {
		text, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the cluster did not start: %v", err)
		}
		*line = strings.TrimSpace(text)
	}
	return d
}

// APIServer stops or starts the API server.
func (d *Devcluster) APIServer(t *testing.T, verb string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), d.binary, "apiserver", verb, "--dir", d.dir).CombinedOutput()
	if err != nil {
		t.Fatalf("apiserver %s: %v\n%s", verb, err, output)
	}
}

// New returns a tenant of the cluster.
func (d *Devcluster) New(t *testing.T) *Env {
	t.Helper()
	return tenantOf(t, d.Kubeconfig, "acc-"+rand.String(8))
}

// Beside returns the part of a tenant of another cluster that is in this one.
func (d *Devcluster) Beside(t *testing.T, e *Env) *Env {
	t.Helper()
	return tenantOf(t, d.Kubeconfig, e.Organization)
}
