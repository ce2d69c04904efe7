// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
)

const (
	downGrace    = 10 * time.Second
	downInterval = 20 * time.Millisecond
)

// down stops the cluster of a directory, if it runs, and removes the directory.
func down(ctx context.Context, args []string) error {
	o, err := parse("down", args)
	if err != nil {
		return err
	}
	layout, err := cluster.NewLayout(o.dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(layout.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !cluster.IsClusterDir(layout) {
		return fmt.Errorf("%s is not the directory of a cluster", layout.Dir)
	}

	// First by request, then by signal, last by force.
	steps := []func() error{
		func() error { return cluster.NewClient(layout).Shutdown(ctx) },
		func() error { return signalOwner(layout, syscall.SIGTERM) },
		func() error { return signalOwner(layout, syscall.SIGKILL) },
	}
	var errs []error
	for _, step := range steps {
		if err := step(); err != nil {
			errs = append(errs, err)
			if _, alive, ownerErr := cluster.Owner(layout); ownerErr == nil && alive {
				continue
			}
		}
		lock, err := waitForLock(ctx, layout)
		if errors.Is(err, cluster.ErrLocked) {
			errs = append(errs, err)
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // The owner has removed the directory itself.
		}
		if err != nil {
			return err
		}
		defer lock.Release()
		if err := os.RemoveAll(layout.Dir); err != nil {
			return fmt.Errorf("remove directory: %w", err)
		}
		return nil
	}
	return fmt.Errorf("could not stop the cluster: %w", errors.Join(errs...))
}

// signalOwner signals the recorded owner of the directory. The handle is taken
// before the identity is checked, so the signal cannot hit a process that got
// the same number in between.
func signalOwner(layout cluster.Layout, signal syscall.Signal) error {
	pid, alive, err := cluster.Owner(layout)
	if err != nil || !alive {
		return err
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("find owner: %w", err)
	}
	defer func() { _ = process.Release() }()
	again, alive, err := cluster.Owner(layout)
	if err != nil || !alive || again != pid {
		return err
	}
	if err := process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal owner: %w", err)
	}
	return nil
}

// waitForLock waits until the owner has given the directory up. The error is
// ErrLocked when it does not.
func waitForLock(ctx context.Context, layout cluster.Layout) (*cluster.Lock, error) {
	ctx, cancel := context.WithTimeout(ctx, downGrace)
	defer cancel()
	for {
		lock, err := cluster.AcquireLock(layout)
		if !errors.Is(err, cluster.ErrLocked) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(downInterval):
		}
	}
}
