// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
)

const (
	parentInterval = 250 * time.Millisecond
	// stopGrace is what the command gets to finish when its cluster must go.
	stopGrace = 10 * time.Second
	// signalExit is what shells add to the number of a signal.
	signalExit = 128
)

// errParentGone means that whoever started us has ended.
var errParentGone = errors.New("parent process has ended")

// run starts a cluster for one command, and returns the command's exit code.
func run(ctx context.Context, args []string) (int, error) {
	o, err := parse("run", args)
	if err != nil {
		return exitUsage, err
	}
	if len(o.rest) == 0 {
		return exitUsage, errors.New("run needs a command")
	}
	// A command that does not exist should not cost the start of a cluster.
	path, err := exec.LookPath(o.rest[0])
	if err != nil {
		return exitFailure, fmt.Errorf("find command: %w", err)
	}
	tell := progress(o.verbose)
	if err := cluster.RemoveStale(); err != nil {
		tell("could not clean up after earlier runs: %v", err)
	}
	layout, lock, err := cluster.NewTempDir()
	if err != nil {
		return exitFailure, err
	}
	defer lock.Release()
	defer os.RemoveAll(layout.Dir)
	log, err := logTo(layout)
	if err != nil {
		return exitFailure, err
	}
	defer log.Close()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	go watchParent(ctx, cancel)

	spawner := cluster.NewSpawner()
	running, err := startInterruptibly(ctx, signals, layout, spawner, o, tell)
	if err != nil {
		return exitFailure, err
	}
	defer running.Stop()
	control, err := cluster.ServeControl(running, func() { cancel(errors.New("cluster was told to stop")) })
	if err != nil {
		return exitFailure, err
	}
	defer control.Close()

	cmd := userCommand(path, o, layout)
	if err := spawner.Start(cmd); err != nil {
		return exitFailure, fmt.Errorf("start command: %w", err)
	}
	return waitFor(ctx, cmd, signals, running)
}

// startInterruptibly starts the cluster, and gives up on a signal: as long as
// there is no command to pass it on to, it is for us.
func startInterruptibly(
	ctx context.Context, signals <-chan os.Signal, layout cluster.Layout, spawner *cluster.Spawner,
	o options, tell func(string, ...any),
) (*cluster.Cluster, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	started := make(chan struct{})
	defer close(started)
	go func() {
		select {
		case received := <-signals:
			cancel(fmt.Errorf("stopped by signal: %s", received))
		case <-started:
		}
	}()
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own binary: %w", err)
	}
	return cluster.Start(ctx, layout, cluster.Options{
		Executable: executable, AuditLog: o.auditLog, Progress: tell, Spawner: spawner,
	})
}

func userCommand(path string, o options, layout cluster.Layout) *exec.Cmd {
	env := append(os.Environ(), envKubeconfig+"="+layout.Kubeconfig(), envDir+"="+layout.Dir)
	if o.auditLog != "" {
		env = append(env, envAuditLog+"="+o.auditLog)
	}
	return &exec.Cmd{Path: path, Args: o.rest, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
}

// waitFor waits for the command to end, passes signals on to it, and tells it
// to end when the cluster cannot go on.
func waitFor(ctx context.Context, cmd *exec.Cmd, signals <-chan os.Signal, running *cluster.Cluster) (int, error) {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()

	var cause error
	stopped, kill := ctx.Done(), (<-chan time.Time)(nil)
	failed := running.Failed()
	for {
		select {
		case err := <-done:
			code, err := exitCode(err)
			if cause != nil {
				return max(code, exitFailure), cause
			}
			return code, err
		case received := <-signals:
			if received != syscall.SIGINT || !inForeground() {
				pass(cmd, received)
			}
			continue
		case cause = <-failed:
			failed = nil
		case <-stopped:
			cause, stopped = context.Cause(ctx), nil
		case <-kill:
			pass(cmd, syscall.SIGKILL)
			continue
		}
		pass(cmd, syscall.SIGTERM)
		kill = time.After(stopGrace)
	}
}

func pass(cmd *exec.Cmd, received os.Signal) {
	if err := cmd.Process.Signal(received); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintf(os.Stderr, "devcluster: pass on signal: %v\n", err)
	}
}

// inForeground reports whether Ctrl-C in our terminal reaches the command by
// itself. Passing it on then would interrupt the command twice, which for many
// programs means to give up without cleaning up.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if err == nil {
		return exitOK, nil
	}
	if !errors.As(err, &exit) {
		return exitFailure, fmt.Errorf("wait for command: %w", err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalExit + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}

// watchParent cancels when the process that started us has ended: nobody would
// ever read the command's result.
func watchParent(ctx context.Context, cancel context.CancelCauseFunc) {
	parent := os.Getppid()
	ticker := time.NewTicker(parentInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if os.Getppid() != parent {
				cancel(errParentGone)
				return
			}
		}
	}
}
