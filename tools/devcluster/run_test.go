// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
)

func TestRunPassesExitCode(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	output, code := runWith(t, []string{"TMPDIR=" + temp}, "run", "--", "sh", "-c", `test -f "$KUBECONFIG" && echo "$DEVCLUSTER_DIR"; exit 7`)
	if code != 7 {
		t.Errorf("exit code: got %d, want 7", code)
	}
	if filepath.Dir(output) != temp {
		t.Errorf("directory: got %q, want one in %s", output, temp)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

func TestRunOfMissingCommand(t *testing.T) {
	t.Parallel()
	output, code := runWith(t, nil, "run", "--", "no-such-command")
	if code != 1 || output != "" {
		t.Errorf("exit code: got %d, want 1; output %q", code, output)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"UnknownFlag":    {"run", "--no-such-flag"},
		"NoCommand":      {"run", "--"},
		"AbsentArgument": {"apiserver"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if output, code := runWith(t, nil, args...); code != 2 || output != "" {
				t.Errorf("exit code: got %d, want 2; output %q", code, output)
			}
		})
	}
}

// TestRunPassesSignal checks that the command can clean up, with the cluster
// still there, before everything ends.
func TestRunPassesSignal(t *testing.T) {
	t.Parallel()
	script := `trap '"$0" status | head -n1; exit 5' TERM; echo started; while :; do sleep 0.1; done`
	executable, err := os.Executable()
	if err != nil {
		t.Fatalf("find test binary: %v", err)
	}
	cmd := devcluster(t, "run", "--", "sh", "-c", script, executable)
	lines := startReading(t, cmd)
	if got := <-lines; got != "started" {
		t.Fatalf("first line: got %q", got)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("signal: %v", err)
	}
	if got := <-lines; got != "running" {
		t.Errorf("state of the cluster during clean-up: got %q, want running", got)
	}
	_ = cmd.Wait() // The exit code says it all.
	if code := cmd.ProcessState.ExitCode(); code != 5 {
		t.Errorf("exit code: got %d, want 5", code)
	}
}

// TestKilledSupervisor checks that nothing survives the one signal that cannot
// be handled, and that the next run removes the files.
func TestKilledSupervisor(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	cmd := devcluster(t, "run", "--", "sh", "-c", `echo "$DEVCLUSTER_DIR"; echo $$; exec sleep 1000`)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	lines := startReading(t, cmd)
	dir, pid := <-lines, <-lines
	status, err := cluster.NewClient(cluster.Layout{Dir: dir}).Status(t.Context())
	if err != nil {
		t.Fatalf("status: %v", err)
	}
	command, err := strconv.Atoi(pid)
	if err != nil || len(status.PIDs) != 4 {
		t.Fatalf("processes: command %q, components %v", pid, status.PIDs)
	}
	status.PIDs["command"] = command

	if err := cmd.Process.Kill(); err != nil {
		t.Fatalf("kill: %v", err)
	}
	_ = cmd.Wait() // It was killed.
	for name, pid := range status.PIDs {
		eventually(t, func(context.Context) error { return checkDead(name, pid) })
	}

	if _, code := runWith(t, []string{"TMPDIR=" + temp}, "run", "--", "true"); code != 0 {
		t.Errorf("exit code of the next run: %d", code)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory of the killed run is still there: %v", err)
	}
}

func checkDead(name string, pid int) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil || strings.Contains(string(text), ") Z ") {
		return nil //nolint:nilerr // Gone, or dead and not yet collected by its new parent.
	}
	return fmt.Errorf("%s is alive", name)
}

func TestUpStatusDown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	kubeconfig := filepath.Join(f.dir, "kubeconfig")
	if got := mustRun(t, "up", "--dir", f.dir); got != kubeconfig {
		t.Errorf("second up: got %q, want %q", got, kubeconfig)
	}
	output, code := runWith(t, []string{"DEVCLUSTER_DIR=" + f.dir}, "status")
	if code != 0 || !strings.HasPrefix(output, "running\n") || !strings.Contains(output, "kubeconfig: "+kubeconfig) {
		t.Errorf("status of a running cluster: code %d, output %q", code, output)
	}
	mustRun(t, "down", "--dir", f.dir)
	if output, code := runWith(t, nil, "status", "--dir", f.dir); code != 3 || output != "stopped" {
		t.Errorf("status of a stopped cluster: code %d, output %q", code, output)
	}
	if _, err := os.Stat(f.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory is still there: %v", err)
	}

	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "precious"), nil, 0o600); err != nil {
		t.Fatalf("write file: %v", err)
	}
	for _, verb := range []string{"up", "down"} {
		if _, code := runWith(t, nil, verb, "--dir", foreign); code != 1 {
			t.Errorf("%s of a foreign directory: exit code %d, want 1", verb, code)
		}
	}
}

// TestOutage takes the API server away and brings it back, and checks with the
// audit log that only users of the cluster are in there.
func TestOutage(t *testing.T) {
	t.Parallel()
	audit := filepath.Join(t.TempDir(), "audit.log")
	f := newFixture(t, "--audit-log", audit)
	f.createPod(t, "before", "registry.example/app:v1", nil)
	f.waitUntilReady(t, "before")

	mustRun(t, "apiserver", "stop", "--dir", f.dir)
	mustRun(t, "apiserver", "stop", "--dir", f.dir)
	if _, err := f.client.CoreV1().Pods(namespace).Get(t.Context(), "before", metav1.GetOptions{}); err == nil {
		t.Errorf("the api server still answers")
	}
	mustRun(t, "apiserver", "start", "--dir", f.dir)
	mustRun(t, "apiserver", "start", "--dir", f.dir)
	f.waitUntilReady(t, "before")
	f.createPod(t, "after", "registry.example/app:v1", nil)
	f.waitUntilReady(t, "after")

	users := auditedUsers(t, audit)
	if users["devcluster-admin"] == 0 || len(users) != 1 {
		t.Errorf("users in the audit log: %v", users)
	}
}

func auditedUsers(t *testing.T, path string) map[string]int {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("open audit log: %v", err)
	}
	defer file.Close()
	users := map[string]int{}
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var event struct {
			User struct {
				Username string `json:"username"`
			} `json:"user"`
		}
		if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
			t.Fatalf("decode audit log: %v", err)
		}
		users[event.User.Username]++
	}
	return users
}

func (f fixture) waitUntilReady(t *testing.T, pod string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		got, err := f.client.CoreV1().Pods(namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, status := range got.Status.ContainerStatuses {
			if status.Ready {
				return nil
			}
		}
		return fmt.Errorf("container statuses are %+v", got.Status.ContainerStatuses)
	})
}

// startReading starts the command and delivers the lines that it prints. The
// channel is closed at the end of the output.
func startReading(t *testing.T, cmd *exec.Cmd) <-chan string {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("open pipe: %v", err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatalf("start: %v", err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(stdout)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}
