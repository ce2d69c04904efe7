// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/command"
)

const (
	// patience is what a test waits for something that takes a second on an
	// idle machine.
	patience = time.Minute
	interval = 50 * time.Millisecond
)

// TestMain makes the test binary a devcluster of its own: the cluster starts
// its components by running the binary that it was started from.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && command.IsCommand(os.Args[1]) {
		os.Exit(command.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// devcluster returns the command line as a process that is yet to be started.
func devcluster(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatalf("find test binary: %v", err)
	}
	return exec.CommandContext(t.Context(), executable, args...)
}

// mustRun runs the command line and returns what it prints.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	output, code := runWith(t, nil, args...)
	if code != 0 {
		t.Fatalf("devcluster %s: exit code %d", strings.Join(args, " "), code)
	}
	return output
}

// runWith runs the command line with more environment, and returns what it
// prints and its exit code.
func runWith(t *testing.T, env []string, args ...string) (string, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := devcluster(t, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // The exit code says it all.
	if stderr.Len() > 0 {
		t.Logf("devcluster %s: %s", strings.Join(args, " "), stderr.String())
	}
	return strings.TrimSpace(stdout.String()), cmd.ProcessState.ExitCode()
}

// fixture is a running cluster with clients for it.
type fixture struct {
	dir     string
	client  kubernetes.Interface
	dynamic dynamic.Interface
}

// newFixture starts a cluster that lives as long as the test.
func newFixture(t *testing.T, flags ...string) fixture {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cluster")
	kubeconfig := mustRun(t, append([]string{"up", "--dir", dir}, flags...)...)
	t.Cleanup(func() {
		// The context of the test has ended by now.
		executable, err := os.Executable()
		if err != nil {
			t.Errorf("find test binary: %v", err)
			return
		}
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), executable, "down", "--dir", dir)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("devcluster down: %v: %s", err, output)
		}
	})

	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatalf("read kubeconfig: %v", err)
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	f := fixture{dir: dir}
	if f.client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatalf("create client: %v", err)
	}
	if f.dynamic, err = dynamic.NewForConfig(config); err != nil {
		t.Fatalf("create dynamic client: %v", err)
	}
	return f
}

// eventually waits until check finds nothing wrong.
func eventually(t *testing.T, check func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("gave up after %s: %v", patience, err)
		case <-time.After(interval):
		}
	}
}

// podEvents returns the reasons of the events of a pod.
func (f fixture) podEvents(ctx context.Context, pod string) ([]string, error) {
	events, err := f.client.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.name=" + pod,
	})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	var reasons []string
	for _, event := range events.Items {
		reasons = append(reasons, event.Reason)
	}
	return reasons, nil
}
