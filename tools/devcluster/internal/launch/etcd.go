// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package launch

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
)

const (
	etcdTickMs     = 20
	etcdElectionMs = 200
)

// runEtcd serves a single-member etcd on a unix socket in the working
// directory, which needs no port and cannot be reached from elsewhere.
func runEtcd(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet(component.Etcd, flag.ContinueOnError)
	dataDir := flags.String("data-dir", "etcd", "directory of the database")
	socket := flags.String("socket", "client:0", "unix socket of the client API, as name:number")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("parse flags: %w", err)
	}

	cfg := embed.NewConfig()
	cfg.Dir = *dataDir
	cfg.ListenClientUrls = []url.URL{{Scheme: "unix", Host: *socket}}
	cfg.AdvertiseClientUrls = cfg.ListenClientUrls
	cfg.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: "peer:0"}}
	cfg.AdvertisePeerUrls = cfg.ListenPeerUrls
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.LogLevel = "error"
	cfg.LogOutputs = []string{"stderr"}
	cfg.TickMs = etcdTickMs
	cfg.ElectionMs = etcdElectionMs
	// The data never outlives the machine, so it need not survive a crash of it.
	cfg.UnsafeNoFsync = true

	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer server.Close()

	select {
	case <-ctx.Done():
		return nil
	case <-server.Server.StopNotify():
		return errors.New("server stopped by itself")
	case err := <-server.Err():
		return fmt.Errorf("serve: %w", err)
	}
}
