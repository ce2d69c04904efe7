// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"testing"
)

func TestLock(t *testing.T) {
	t.Parallel()
	layout := Layout{Dir: t.TempDir()}
	if _, alive, err := Owner(layout); alive || err != nil {
		t.Errorf("owner of an empty directory: alive %t, error %v", alive, err)
	}
	lock, err := AcquireLock(layout)
	if err != nil {
		t.Fatalf("lock: %v", err)
	}
	if _, err := AcquireLock(layout); !errors.Is(err, ErrLocked) {
		t.Errorf("second lock: got %v, want %v", err, ErrLocked)
	}
	if pid, alive, err := Owner(layout); pid != os.Getpid() || !alive || err != nil {
		t.Errorf("owner: process %d, alive %t, error %v", pid, alive, err)
	}
	lock.Release()
	again, err := AcquireLock(layout)
	if err != nil {
		t.Fatalf("lock after release: %v", err)
	}
	again.Release()
}

func TestOwnerOfReusedNumber(t *testing.T) {
	t.Parallel()
	layout := Layout{Dir: t.TempDir()}
	// The process exists, but it did not start with the machine.
	if err := os.WriteFile(layout.lock(), []byte("1 99999999999\n"), fileMode); err != nil {
		t.Fatalf("write lock: %v", err)
	}
	if _, alive, err := Owner(layout); alive || err != nil {
		t.Errorf("owner: alive %t, error %v", alive, err)
	}
}

func TestProcessStart(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Run(); err != nil {
		t.Fatalf("run: %v", err)
	}
	if _, err := processStart(cmd.Process.Pid); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("start of a dead process: got %v, want %v", err, fs.ErrNotExist)
	}
}

// TestRemoveStale checks that only directories without an owner go. It sets the
// environment, so it runs alone.
func TestRemoveStale(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead, lock, err := NewTempDir()
	if err != nil {
		t.Fatalf("create directory: %v", err)
	}
	lock.Release()
	alive, lock, err := NewTempDir()
	if err != nil {
		t.Fatalf("create directory: %v", err)
	}
	defer lock.Release()

	if err := RemoveStale(); err != nil {
		t.Fatalf("remove: %v", err)
	}
	if _, err := os.Stat(dead.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory of a dead run: got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := os.Stat(alive.Dir); err != nil {
		t.Errorf("directory of a living run: %v", err)
	}
}
