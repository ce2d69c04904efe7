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
func apiServer(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("apiserver needs stop or start")
	}
	verb, args := args[0], args[1:]
	o, err := parse("apiserver", args)
	if err != nil {
		return err
	}
	layout, err := cluster.NewLayout(o.dir)
	if err != nil {
		return err
	}
	client := cluster.NewClient(layout)
	switch verb {
	case "stop":
		return client.StopAPIServer(ctx)
	case "start":
		return client.StartAPIServer(ctx)
	default:
		return fmt.Errorf("apiserver needs stop or start, not %q", verb)
	}
}
