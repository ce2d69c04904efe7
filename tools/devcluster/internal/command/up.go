// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
)

const (
	upTimeout  = 150 * time.Second
	upInterval = 50 * time.Millisecond

	// What the supervisor reports to the process that started it.
	reportReady = "ready"
	reportBusy  = "busy"
)

// up starts a cluster that keeps running, unless there is one already.
func up(ctx context.Context, args []string) error {
	o, err := parse("up", args)
	if err != nil {
		return err
	}
	layout, err := cluster.NewLayout(o.dir)
	if err != nil {
		return err
	}
	if err := checkUsable(layout); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, upTimeout)
	defer cancel()
	client := cluster.NewClient(layout)
	for {
		if status, err := client.Status(ctx); err == nil {
			fmt.Fprintln(os.Stdout, status.Kubeconfig)
			return nil
		}
		_, alive, err := cluster.Owner(layout)
		if err != nil {
			return err
		}
		if !alive {
			if err := startSupervisor(ctx, layout, o); err != nil {
				return err
			}
			continue
		}
		// Somebody else is about to bring it up or to take it down.
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: cluster is neither up nor down: %w", layout.Dir, context.Cause(ctx))
		case <-time.After(upInterval):
		}
	}
}

// checkUsable refuses a directory with content that is not ours: it would be
// removed.
func checkUsable(layout cluster.Layout) error {
	entries, err := os.ReadDir(layout.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read directory: %w", err)
	}
	if len(entries) > 0 && !cluster.IsClusterDir(layout) {
		return fmt.Errorf("%s is not empty and not the directory of a cluster", layout.Dir)
	}
	return nil
}

// startSupervisor starts this program again as the owner of the cluster, in a
// session of its own, and waits for its report.
func startSupervisor(ctx context.Context, layout cluster.Layout, o options) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own binary: %w", err)
	}
	report, writer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open pipe: %w", err)
	}
	defer report.Close()

	cmd := &exec.Cmd{
		Path:        executable,
		Args:        []string{executable, superviseCommand, "--dir", layout.Dir},
		Dir:         "/",
		ExtraFiles:  []*os.File{writer},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if o.auditLog != "" {
		cmd.Args = append(cmd.Args, "--audit-log", o.auditLog)
	}
	if o.verbose {
		cmd.Args = append(cmd.Args, "--verbose")
		cmd.Stderr = os.Stderr
	}
	err = cmd.Start()
	_ = writer.Close() // Only the child may keep the pipe open.
	if err != nil {
		return fmt.Errorf("start supervisor: %w", err)
	}
	// The supervisor is not waited for: it is meant to outlive this process.
	defer func() { _ = cmd.Process.Release() }()

	stop := context.AfterFunc(ctx, func() { _ = report.SetReadDeadline(time.Now()) })
	defer stop()
	text, err := io.ReadAll(report)
	switch {
	case err != nil:
		return fmt.Errorf("wait for supervisor: %w", err)
	case string(text) == reportReady, string(text) == reportBusy:
		return nil
	case len(text) == 0:
		return fmt.Errorf("supervisor ended without a word, see %s", layout.Log("devcluster"))
	default:
		return errors.New(strings.TrimSpace(string(text)))
	}
}
