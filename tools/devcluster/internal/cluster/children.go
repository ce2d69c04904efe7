// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
)

const explainLines = 15

// startChild starts a component and watches it. The caller holds the mutex.
func (c *Cluster) startChild(name string, args []string) error {
	started, err := startChild(c.options.Spawner, c.options.Executable, c.layout, name, args)
	if err != nil {
		return err
	}
	c.children[name] = started
	go func() {
		<-started.done
		if started.stopped.Load() {
			return
		}
		select {
		case c.failed <- fmt.Errorf("%s ended by itself: %w", name, exitReason(started)):
		default: // The first failure is the one that explains the others.
		}
	}()
	return nil
}

// stopChild stops a component if it runs. The caller holds the mutex.
func (c *Cluster) stopChild(name string, grace time.Duration) {
	running := c.children[name]
	if running == nil {
		return
	}
	running.stop(grace)
	delete(c.children, name)
}

// stopAPI stops the API server and everything that needs it, in the order in
// which nobody complains. The caller holds the mutex.
func (c *Cluster) stopAPI(grace time.Duration) {
	c.agents.stop()
	c.agents = nil
	c.stopChild(component.ControllerManager, 0)
	c.stopChild(component.Scheduler, 0)
	c.stopChild(component.APIServer, grace)
}

func exitReason(c *child) error {
	if c.err == nil {
		return errors.New("exit status 0")
	}
	return c.err
}

// explain adds the last lines of the components' logs to an error of the start.
func (c *Cluster) explain(err error) error {
	var text strings.Builder
	for _, name := range []string{
		component.Etcd, component.APIServer, component.ControllerManager, component.Scheduler,
	} {
		content, readErr := os.ReadFile(c.layout.Log(name))
		if readErr != nil || len(content) == 0 {
			continue // Not started yet, or nothing to say.
		}
		lines := slices.Collect(strings.Lines(string(content)))
		lines = lines[max(0, len(lines)-explainLines):]
		fmt.Fprintf(&text, "\n--- %s\n%s", name, strings.Join(lines, ""))
	}
	return fmt.Errorf("%w%s", err, text.String())
}
