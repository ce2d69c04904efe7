// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/node"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/seed"
)

const pollInterval = 20 * time.Millisecond

// poll calls check until it says yes, the context ends or a component of the
// cluster fails. An error of check means: not yet. A cluster that starts has
// many ways to say so, and the last one is reported if it stays that way.
func (c *Cluster) poll(ctx context.Context, what string, check func(context.Context) (bool, error)) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		done, last := check(ctx)
		if done && last == nil {
			c.options.Progress("%s", what)
			return nil
		}
		select {
		case <-ticker.C:
		case err := <-c.failed:
			return fmt.Errorf("wait for %s: %w", what, errors.Join(err, last))
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, errors.Join(context.Cause(ctx), last))
		}
	}
}

// waitPath waits until the API server answers a health check with success.
func (c *Cluster) waitPath(ctx context.Context, what, path string) error {
	return c.poll(ctx, what, func(ctx context.Context) (bool, error) {
		_, err := c.client.Discovery().RESTClient().Get().AbsPath(path).DoRaw(ctx)
		return true, err
	})
}

// waitUsable waits until a user can create a pod and attach a route.
func (c *Cluster) waitUsable(ctx context.Context) error {
	err := c.poll(ctx, "default service account exists", func(ctx context.Context) (bool, error) {
		_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return true, err
	})
	if err != nil {
		return err
	}
	err = c.poll(ctx, "node is registered", func(ctx context.Context) (bool, error) {
		_, err := c.client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
		return true, err
	})
	if err != nil {
		return err
	}
	return c.poll(ctx, "gateways have addresses", func(ctx context.Context) (bool, error) {
		return seed.GatewaysReady(ctx, c.dynamic)
	})
}

// seed installs what every cluster starts with.
func (c *Cluster) seed(ctx context.Context) error {
	var served seed.Served
	err := c.poll(ctx, "custom resource definitions are created", func(ctx context.Context) (bool, error) {
		var err error
		served, err = seed.Definitions(ctx, c.dynamic)
		return true, err
	})
	if err != nil {
		return err
	}
	err = c.poll(ctx, "custom resource definitions are served", func(context.Context) (bool, error) {
		return served.Check(c.client.Discovery())
	})
	if err != nil {
		return err
	}
	return c.poll(ctx, "objects are created", func(ctx context.Context) (bool, error) {
		return true, seed.Objects(ctx, c.dynamic)
	})
}
