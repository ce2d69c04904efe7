// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/gateway"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/node"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/volume"
)

// agents are the simulated parts of the cluster. They keep nothing that they
// cannot learn from the API server, so they may be stopped and started anew.
type agents struct {
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// startAgents starts the agents, which outlive the context of the start.
func startAgents(
	ctx context.Context, client kubernetes.Interface, dynamicClient dynamic.Interface, logs *node.LogServer,
) *agents {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a := &agents{cancel: cancel}
	a.run(ctx, "node", node.NewAgent(client, logs.Port()).Run)
	a.run(ctx, "volume", volume.NewBinder(client).Run)
	a.run(ctx, "gateway", gateway.NewController(dynamicClient).Run)
	return a
}

func (a *agents) run(ctx context.Context, name string, run func(context.Context) error) {
	a.wait.Go(func() {
		if err := run(ctx); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "Agent failed", "agent", name)
		}
	})
}

// stop ends all agents and waits for them. There may be none.
func (a *agents) stop() {
	if a == nil {
		return
	}
	a.cancel()
	a.wait.Wait()
}
