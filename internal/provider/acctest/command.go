// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

//go:build unix

package acctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Victim is what of a command is killed.
type Victim string

// The victims. All are killed at once, but for Interrupted, which is what a
// terminal does when its user types Ctrl-C.
const (
	VictimCLI      Victim = "SIGKILL of the CLI"
	VictimProvider Victim = "SIGKILL of the provider"
	VictimBoth     Victim = "SIGKILL of the CLI and the provider"
	Interrupted    Victim = "SIGINT"
)

// Command is a command that runs while the test goes on, in a process group of
// its own, which it shares with its providers.
type Command struct {
	command   *exec.Cmd
	text      string
	output    string
	processes string

	mu    sync.Mutex
	ended bool
}

// Start starts a command. At the end of the test nothing of it runs any more.
func (c *CLI) Start(t *testing.T, arguments ...string) *Command {
	t.Helper()
	directory := t.TempDir()
	k := &Command{text: strings.Join(arguments, " "), output: filepath.Join(directory, "output"), processes: filepath.Join(directory, "processes")}
	if err := os.Mkdir(k.processes, 0o700); err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(k.output)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	k.command = exec.CommandContext(t.Context(), c.binary, arguments...)
	k.command.Dir, k.command.Stdout, k.command.Stderr = c.Dir, output, output
	k.command.Env = append(c.environment[:len(c.environment):len(c.environment)], processesVariable+"="+k.processes)
	k.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := k.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !k.ended {
			_ = k.Kill(VictimBoth)
			_ = k.command.Wait()
		}
		// A provider outlives a CLI that was killed.
		if err := k.killProviders(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// Kill kills what runs of the command; what has ended already is fine.
func (k *Command) Kill(victim Victim) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	group := k.command.Process.Pid
	switch {
	case k.ended:
		return nil
	case victim == VictimCLI:
		return signal(group, syscall.SIGKILL)
	case victim == VictimProvider:
		return k.killProviders()
	case victim == VictimBoth:
		return signal(-group, syscall.SIGKILL)
	}
	return signal(-group, syscall.SIGINT)
}

// killProviders kills the providers that the command started and that run.
func (k *Command) killProviders() error {
	entries, err := os.ReadDir(k.processes)
	if err != nil {
		return fmt.Errorf("find the providers: %w", err)
	}
	for _, entry := range entries {
		process, err := strconv.Atoi(entry.Name())
		if err != nil {
			return fmt.Errorf("find the providers: %w", err)
		}
		// Another process that has got the number is not of the group.
		if group, err := syscall.Getpgid(process); err != nil || group != k.command.Process.Pid {
			continue
		}
		if err := signal(process, syscall.SIGKILL); err != nil {
			return err
		}
	}
	return nil
}

func signal(process int, with syscall.Signal) error {
	if err := syscall.Kill(process, with); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill %d: %w", process, err)
	}
	return nil
}

// Wait waits until the CLI has ended, however, and returns what it printed.
func (k *Command) Wait(t *testing.T) string {
	t.Helper()
	end := "exit status 0"
	if err := k.command.Wait(); err != nil {
		end = err.Error()
	}
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	output, err := os.ReadFile(k.output)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s: %s\n%s", k.text, end, output)
}

// RestoreState does what a user has to do when a CLI was killed between emptying
// the file of its state and writing it: it puts back the state that the command
// began with, of which the CLI keeps a copy. It tells whether that was needed.
func (c *CLI) RestoreState(t *testing.T) bool {
	t.Helper()
	file := filepath.Join(c.Dir, "terraform.tfstate")
	if now, err := os.ReadFile(file); errors.Is(err, os.ErrNotExist) || json.Valid(now) {
		return false
	}
	before, err := os.ReadFile(file + ".backup")
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
