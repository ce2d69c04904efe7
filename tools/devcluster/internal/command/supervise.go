// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
)

const (
	// superviseCommand is the command that up starts in the background. It is
	// not for people.
	superviseCommand = "supervise"
	// reportFD is the first file after the standard ones.
	reportFD = 3
)

// supervise owns a cluster until it is told to stop. It reports the result of
// the start on an inherited pipe.
func supervise(ctx context.Context, args []string) error {
	o, err := parse(superviseCommand, args)
	if err != nil {
		return err
	}
	layout, err := cluster.NewLayout(o.dir)
	if err != nil {
		return err
	}
	unix.CloseOnExec(reportFD)
	report := os.NewFile(reportFD, "report")
	tell := func(text string) {
		_, _ = report.WriteString(text) // If nobody reads it, nobody wants it.
		_ = report.Close()
	}

	if err := os.MkdirAll(layout.Dir, 0o700); err != nil {
		tell(err.Error())
		return fmt.Errorf("create directory: %w", err)
	}
	lock, err := cluster.AcquireLock(layout)
	if errors.Is(err, cluster.ErrLocked) || errors.Is(err, fs.ErrNotExist) {
		// Somebody else is at work there; the caller looks again.
		tell(reportBusy)
		return nil
	}
	if err != nil {
		tell(err.Error())
		return err
	}
	defer lock.Release()
	if err := own(ctx, layout, o, tell); err != nil {
		tell(err.Error()) // After a successful start the pipe is closed, and this does nothing.
		return err
	}
	return nil
}

func own(ctx context.Context, layout cluster.Layout, o options, tell func(string)) error {
	if err := removeRemains(layout); err != nil {
		return err
	}
	log, err := logTo(layout)
	if err != nil {
		return err
	}
	defer log.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own binary: %w", err)
	}
	running, err := cluster.Start(ctx, layout, cluster.Options{
		Executable: executable, AuditLog: o.auditLog, Progress: progress(o.verbose), Spawner: cluster.NewSpawner(),
	})
	if err != nil {
		return err
	}
	defer running.Stop()
	control, err := cluster.ServeControl(running, func() { cancel(nil) })
	if err != nil {
		return err
	}
	defer control.Close()
	if err := detachOutput(log); err != nil {
		return err
	}
	tell(reportReady)

	select {
	case <-ctx.Done():
		return nil
	case err := <-running.Failed():
		return err
	}
}

// removeRemains removes what a dead owner has left in the directory, except the lock,
// which is ours by now.
func removeRemains(layout cluster.Layout) error {
	entries, err := os.ReadDir(layout.Dir)
	if err != nil {
		return fmt.Errorf("read directory: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		if !cluster.IsLock(layout, entry.Name()) {
			errs = append(errs, os.RemoveAll(filepath.Join(layout.Dir, entry.Name())))
		}
	}
	return errors.Join(errs...)
}

// detachOutput sends all further output to the log, so that the terminal or
// pipe of the caller is not kept open.
func detachOutput(log *os.File) error {
	for _, fd := range []int{unix.Stdout, unix.Stderr} {
		if err := unix.Dup3(int(log.Fd()), fd, 0); err != nil {
			return fmt.Errorf("redirect output: %w", err)
		}
	}
	return nil
}
