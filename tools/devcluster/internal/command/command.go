// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package command is the command line of devcluster.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/launch"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitStopped = 3
)

const usage = `devcluster is a Kubernetes cluster on the loopback interface. Its node is simulated.

Usage:
  devcluster run [--verbose] [--audit-log FILE] -- COMMAND [ARGS...]
      Start a cluster, run the command with KUBECONFIG set, remove the cluster.
  devcluster up --dir DIR [--verbose] [--audit-log FILE]
      Start a cluster that keeps running, and print the path of its kubeconfig.
  devcluster down --dir DIR
      Stop the cluster and remove the directory.
  devcluster status --dir DIR
      Show the cluster. The exit code is 0 if it runs and 3 if it does not.
  devcluster apiserver stop|start [--dir DIR]
      Take the API server away and bring it back on the same port.

DIR is $DEVCLUSTER_DIR where it is not given.
`

// environment variables that tell a command about its cluster.
const (
	envKubeconfig = "KUBECONFIG"
	envDir        = "DEVCLUSTER_DIR"
	envAuditLog   = "DEVCLUSTER_AUDIT_LOG"
)

// errUsage means that the command line is wrong and has been explained.
var errUsage = errors.New("wrong usage")

// Main runs the command line without the name of the program, and returns the
// exit code of the process.
func Main(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return exitUsage
	}
	name, args := args[0], args[1:]
	if component.Is(name) {
		return launch.Run(context.Background(), name, args)
	}
	code, err := dispatch(context.Background(), name, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errUsage):
		return exitUsage
	case err != nil:
		fmt.Fprintf(os.Stderr, "devcluster: %v\n", err)
		return max(code, exitFailure)
	}
	return code
}

// IsCommand reports whether name is a command, and not something that a test
// binary would understand.
func IsCommand(name string) bool {
	switch name {
	case "run", "up", "down", "status", "apiserver", superviseCommand:
		return true
	default:
		return component.Is(name)
	}
}

func dispatch(ctx context.Context, name string, args []string) (int, error) {
	switch name {
	case "run":
		return run(ctx, args)
	case "up":
		return exitOK, up(ctx, args)
	case "down":
		return exitOK, down(ctx, args)
	case "status":
		return status(ctx, args)
	case "apiserver":
		return apiServer(ctx, args)
	case superviseCommand:
		return exitOK, supervise(ctx, args)
	case "help", "-h", "--help":
		fmt.Fprint(os.Stdout, usage)
		return exitOK, nil
	default:
		fmt.Fprint(os.Stderr, usage)
		return exitUsage, fmt.Errorf("unknown command %q", name)
	}
}

// options are the flags of all commands; each command uses some of them.
type options struct {
	dir      string
	auditLog string
	verbose  bool
	rest     []string
}

func parse(name string, args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	if name != "run" {
		flags.StringVar(&o.dir, "dir", os.Getenv(envDir), "directory of the cluster")
	}
	if name == "run" || name == "up" || name == superviseCommand {
		flags.StringVar(&o.auditLog, "audit-log", "", "file for a line of JSON for each request")
		flags.BoolVar(&o.verbose, "verbose", false, "tell about each step")
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return options{}, err
		}
		return options{}, errUsage // The flag package has printed the error.
	}
	o.rest = flags.Args()
	if o.auditLog != "" {
		abs, err := filepath.Abs(o.auditLog)
		if err != nil {
			return options{}, fmt.Errorf("resolve %s: %w", o.auditLog, err)
		}
		o.auditLog = abs
	}
	if name != "run" && o.dir == "" {
		return options{}, errors.New("--dir is missing")
	}
	return o, nil
}

// progress returns a function that tells about the steps of a start on stderr,
// each with the time that has passed.
func progress(verbose bool) func(string, ...any) {
	began := time.Now()
	return func(format string, args ...any) {
		if verbose {
			fmt.Fprintf(os.Stderr, "devcluster: %5.2fs %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		}
	}
}

// logTo sends what the client libraries log into a file, away from the output
// of the command that uses the cluster.
func logTo(layout cluster.Layout) (*os.File, error) {
	path := layout.Log("devcluster")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create directory of logs: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(file))))
	return file, nil
}
