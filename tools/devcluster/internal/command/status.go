// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/cluster"
)

// status shows the cluster of a directory.
func status(ctx context.Context, args []string) (int, error) {
	o, err := parse("status", args)
	if err != nil {
		return exitUsage, err
	}
	layout, err := cluster.NewLayout(o.dir)
	if err != nil {
		return exitFailure, err
	}
	s, err := cluster.NewClient(layout).Status(ctx)
	if errors.Is(err, cluster.ErrStopped) {
		fmt.Fprintln(os.Stdout, "stopped")
		return exitStopped, nil
	}
	if err != nil {
		return exitFailure, err
	}
	fmt.Fprintln(os.Stdout, "running")
	fmt.Fprintf(os.Stdout, "endpoint: %s\nkubeconfig: %s\n", s.Endpoint, s.Kubeconfig)
	if s.AuditLog != "" {
		fmt.Fprintf(os.Stdout, "audit log: %s\n", s.AuditLog)
	}
	if !s.Ready {
		fmt.Fprintln(os.Stdout, "api server: stopped")
	}
	names := make([]string, 0, len(s.PIDs))
	for name := range s.PIDs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(os.Stdout, "%s: process %d\n", name, s.PIDs[name])
	}
	return exitOK, nil
}

// apiServer takes the API server away or brings it back.
func apiServer(ctx context.Context, args []string) (int, error) {
	if len(args) == 0 || (args[0] != "stop" && args[0] != "start") {
		return exitUsage, errors.New("apiserver needs stop or start")
	}
	o, err := parse("apiserver", args[1:])
	if err != nil {
		return exitUsage, err
	}
	layout, err := cluster.NewLayout(o.dir)
	if err != nil {
		return exitFailure, err
	}
	client := cluster.NewClient(layout)
	if args[0] == "stop" {
		return exitOK, client.StopAPIServer(ctx)
	}
	return exitOK, client.StartAPIServer(ctx)
}
