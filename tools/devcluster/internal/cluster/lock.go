// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	runPrefix = "devcluster-run-"
	newPrefix = "devcluster-new-"
)

// ErrLocked means that a living process owns the directory.
var ErrLocked = errors.New("directory belongs to a running cluster")

// Lock is the claim of a process on the directory of a cluster. The kernel
// drops it when the process ends in any way, so a directory that can be locked
// is proof that its owner is dead.
type Lock struct {
	file *os.File
}

// AcquireLock claims the directory and records the identity of this process in
// it. It returns ErrLocked when another process holds the claim.
func AcquireLock(layout Layout) (*Lock, error) {
	for {
		lock, err := tryLock(layout)
		if err != nil {
			return nil, err
		}
		if lock.current(layout) {
			return lock, lock.record()
		}
		// The owner before us has removed the file after we had opened it.
		lock.Release()
	}
}

func tryLock(layout Layout) (*Lock, error) {
	file, err := os.OpenFile(layout.lock(), os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: %w", layout.Dir, ErrLocked)
		}
		return nil, fmt.Errorf("lock %s: %w", layout.Dir, err)
	}
	return &Lock{file: file}, nil
}

// current reports whether the locked file is still the one of the directory.
func (l *Lock) current(layout Layout) bool {
	ours, err := l.file.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(layout.lock())
	return err == nil && os.SameFile(ours, theirs)
}

// Release gives the claim up.
func (l *Lock) Release() {
	_ = l.file.Close() // Closing also unlocks; there is nothing to flush.
}

func (l *Lock) record() error {
	started, err := processStart(os.Getpid())
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("truncate lock: %w", err)
	}
	if _, err := l.file.WriteAt(fmt.Appendf(nil, "%d %s\n", os.Getpid(), started), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// Owner returns the process that runs the cluster in the directory. The second
// result is false when there is none, and also when the recorded process id
// now belongs to a process that started at another time.
func Owner(layout Layout) (int, bool, error) {
	text, err := os.ReadFile(layout.lock())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read lock: %w", err)
	}
	var (
		pid     int
		started string
	)
	if _, err := fmt.Sscan(string(text), &pid, &started); err != nil {
		return 0, false, nil //nolint:nilerr // A lock without identity was abandoned while being written.
	}
	now, err := processStart(pid)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && now != started) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return pid, true, nil
}

// IsClusterDir reports whether dir was made by devcluster.
func IsClusterDir(layout Layout) bool {
	_, err := os.Stat(layout.lock())
	return err == nil
}

// IsLock reports whether the entry of the directory is its lock.
func IsLock(layout Layout, entry string) bool {
	return entry == filepath.Base(layout.lock())
}

// NewTempDir makes a locked directory for a cluster that lives as long as one
// command. The directory gets its final name only when it is locked: whoever
// cleans up never sees it without an owner.
func NewTempDir() (Layout, *Lock, error) {
	dir, err := os.MkdirTemp("", newPrefix)
	if err != nil {
		return Layout{}, nil, fmt.Errorf("create directory: %w", err)
	}
	lock, err := AcquireLock(Layout{Dir: dir})
	if err != nil {
		return Layout{}, nil, errors.Join(err, os.RemoveAll(dir))
	}
	final := filepath.Join(filepath.Dir(dir), runPrefix+strings.TrimPrefix(filepath.Base(dir), newPrefix))
	if err := os.Rename(dir, final); err != nil {
		lock.Release()
		return Layout{}, nil, errors.Join(fmt.Errorf("rename directory: %w", err), os.RemoveAll(dir))
	}
	return Layout{Dir: final}, lock, nil
}

// RemoveStale removes the directories of earlier runs whose process is dead.
func RemoveStale() error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), runPrefix+"*"))
	if err != nil {
		return fmt.Errorf("list directories of earlier runs: %w", err)
	}
	var errs []error
	for _, dir := range dirs {
		layout := Layout{Dir: dir}
		if !IsClusterDir(layout) {
			continue
		}
		lock, err := AcquireLock(layout)
		if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, os.RemoveAll(dir))
		lock.Release()
	}
	return errors.Join(errs...)
}

// processStart returns the start time of a process in clock ticks since boot.
// Together with the process id it names a process for good. The error is
// fs.ErrNotExist when there is no such process, and a zombie counts as none.
func processStart(pid int) (string, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, syscall.ESRCH) {
		return "", fs.ErrNotExist
	}
	if err != nil {
		return "", fmt.Errorf("read process %d: %w", pid, err)
	}
	// The second field is the name in parentheses and may hold spaces.
	_, rest, found := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	const state, start = 0, 19 // Fields 3 and 22 of the line.
	if !found || len(fields) <= start {
		return "", fmt.Errorf("read process %d: unexpected text", pid)
	}
	if fields[state] == "Z" {
		return "", fs.ErrNotExist
	}
	return fields[start], nil
}
