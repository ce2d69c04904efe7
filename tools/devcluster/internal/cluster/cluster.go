// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package cluster starts, supervises and stops a Kubernetes control plane on
// the loopback interface, together with the simulated parts around it.
package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/node"
)

const (
	startTimeout = 2 * time.Minute
	// The API server closes its watches before it exits; more than this means
	// that a client holds a request open.
	apiServerGrace = 3 * time.Second
)

// Options says how a cluster is started.
type Options struct {
	// Executable is the binary whose subcommands are the components.
	Executable string
	// AuditLog is the absolute path of the audit log; empty for none.
	AuditLog string
	// Progress is told about each step of the start.
	Progress func(format string, args ...any)
	// Spawner starts the components.
	Spawner *Spawner
}

// Cluster is a running cluster.
type Cluster struct {
	layout   Layout
	options  Options
	port     portReservation
	endpoint string
	client   kubernetes.Interface
	dynamic  dynamic.Interface
	logs     *node.LogServer
	failed   chan error

	// mu guards everything below, and serialises stopping and starting.
	mu       sync.Mutex
	children map[string]*child
	agents   *agents
}

// Status describes a cluster to the outside.
type Status struct {
	Endpoint   string         `json:"endpoint"`
	Kubeconfig string         `json:"kubeconfig"`
	AuditLog   string         `json:"auditLog,omitempty"`
	Ready      bool           `json:"ready"`
	PIDs       map[string]int `json:"pids"`
}

// Start starts a cluster in the directory and waits until it is ready for use.
// The caller holds the lock of the directory and calls Stop in any case where
// the error is nil.
func Start(ctx context.Context, layout Layout, options Options) (*Cluster, error) {
	if err := layout.create(); err != nil {
		return nil, err
	}
	port, err := reservePort()
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		layout:   layout,
		options:  options,
		port:     port,
		endpoint: fmt.Sprintf("https://127.0.0.1:%d", port.port),
		failed:   make(chan error, 1),
		children: map[string]*child{},
	}
	limited, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := c.boot(limited); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // Nothing went wrong, the caller has changed its mind.
		} else {
			err = c.explain(err)
		}
		c.Stop()
		return nil, err
	}
	return c, nil
}

// boot brings the parts up in the order in which each finds what it needs at
// its first try, which is the fastest one.
func (c *Cluster) boot(ctx context.Context) error {
	credentials, err := issueCredentials(c.layout, c.endpoint)
	if err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(credentials.agent); err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	if c.dynamic, err = dynamic.NewForConfig(credentials.agent); err != nil {
		return fmt.Errorf("create dynamic client: %w", err)
	}
	if c.logs, err = node.NewLogServer(ctx, c.client, credentials.logServer); err != nil {
		return err
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.startChild(component.Etcd, etcdArgs()); err != nil {
		return err
	}
	return c.startAPI(ctx, c.seed)
}

// startAPI starts the API server and what needs it. The function prepare runs
// as soon as the API server takes requests.
func (c *Cluster) startAPI(ctx context.Context, prepare func(context.Context) error) error {
	args := apiServerArgs(c.layout, c.port.port, c.options.AuditLog)
	if err := c.startChild(component.APIServer, args); err != nil {
		return err
	}
	if err := c.waitPath(ctx, "api server listens", "/livez/ping"); err != nil {
		return err
	}
	if err := prepare(ctx); err != nil {
		return err
	}
	if err := c.waitPath(ctx, "api server is ready", "/readyz"); err != nil {
		return err
	}
	if err := c.startChild(component.ControllerManager, controllerManagerArgs(c.layout)); err != nil {
		return err
	}
	if err := c.startChild(component.Scheduler, schedulerArgs(c.layout)); err != nil {
		return err
	}
	c.agents = startAgents(ctx, c.client, c.dynamic, c.logs)
	if err := c.waitUsable(ctx); err != nil {
		return err
	}
	c.options.Progress("cluster is ready")
	return nil
}

// StopAPIServer takes the API server away, and with it everything that works
// through it. The data stays with etcd. It does nothing if that is done already.
func (c *Cluster) StopAPIServer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAPI(apiServerGrace)
}

// StartAPIServer brings the API server back on the same port. The controllers
// are started anew too: after an outage their clients would wait up to half a
// minute before they look again. It does nothing if the API server is there.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.children[component.APIServer] != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	nothing := func(context.Context) error { return nil }
	if err := c.startAPI(ctx, nothing); err != nil {
		err = c.explain(err)
		c.stopAPI(0)
		return err
	}
	return nil
}

// Stop ends every process and agent of the cluster. The data is not needed any
// more, so nothing is given time to finish.
func (c *Cluster) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAPI(0)
	c.stopChild(component.Etcd, 0)
	if c.logs != nil {
		c.logs.Close()
	}
	c.port.release()
}

// Failed delivers an error when a component ends that nobody stopped.
func (c *Cluster) Failed() <-chan error { return c.failed }

// Kubeconfig is the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.layout.Kubeconfig() }

// Status describes the cluster as it is now.
func (c *Cluster) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	pids := make(map[string]int, len(c.children))
	for name, running := range c.children {
		pids[name] = running.cmd.Process.Pid
	}
	return Status{
		Endpoint:   c.endpoint,
		Kubeconfig: c.layout.Kubeconfig(),
		AuditLog:   c.options.AuditLog,
		Ready:      pids[component.APIServer] != 0,
		PIDs:       pids,
	}
}
