// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package launch runs one control-plane component in this process. The
// supervisor starts its own executable again with the name of a component as
// the first argument, so that a single binary is the whole cluster.
package launch

import (
	"context"
	"fmt"
	"io"
	"os"
	// CronJobs may name a time zone on machines that have no zone files.
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	// Registers the JSON log format, as the official binaries do.
	_ "k8s.io/component-base/logs/json/register"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
)

// Run runs the named component until it is told to stop by a signal or until
// its standard input closes, and returns the exit code of the process.
func Run(ctx context.Context, name string, args []string) int {
	go exitWithParent(os.Stdin)

	switch name {
	case component.Etcd:
		if err := runEtcd(ctx, args); err != nil {
			fmt.Fprintf(os.Stderr, "etcd: %v\n", err)
			return 1
		}
		return 0
	case component.APIServer:
		return runCommand(apiserver.NewAPIServerCommand(), args)
	case component.ControllerManager:
		return runCommand(controllermanager.NewControllerManagerCommand(), args)
	case component.Scheduler:
		return runCommand(scheduler.NewSchedulerCommand(), args)
	default:
		fmt.Fprintf(os.Stderr, "unknown component %q\n", name)
		return 2
	}
}

func runCommand(cmd *cobra.Command, args []string) int {
	cmd.SetArgs(args)
	return cli.Run(cmd)
}

// exitWithParent ends the process when the supervisor is gone. The supervisor
// keeps the other end of the pipe open and never writes to it, so the read
// returns only when the kernel has closed that end. It is the second net: the
// parent-death signal is lost when a process in between is killed first.
func exitWithParent(stdin io.Reader) {
	_, err := io.Copy(io.Discard, stdin)
	_ = err // Whatever ended the read, nobody is left to serve.
	os.Exit(1)
}
