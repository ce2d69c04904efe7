// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
)

// clusters opens the connections of the provider block, each once. Those of equal
// settings share what the first of them opened.
type clusters struct {
	settings settings
	options  kubernetes.Options

	mu sync.Mutex
	// runtimes are by the name of the connection, shared by its hash.
	runtimes, shared map[string]*kubernetes.Runtime
}

var _ engine.Clusters = (*clusters)(nil)

func newClusters(s settings, version string, logger *slog.Logger) *clusters {
	return &clusters{
		settings: s, runtimes: map[string]*kubernetes.Runtime{}, shared: map[string]*kubernetes.Runtime{},
		options: kubernetes.Options{
			Organization: s.organization, Namespace: s.namespace,
			UserAgent: "terraform-provider-platform/" + version, Logger: logger,
		},
	}
}

// Runtime returns the runtime of a connection.
func (c *clusters) Runtime(name string) (runtime.Runtime, error) { return c.open(name) }

// Documents returns the store of the default connection.
func (c *clusters) Documents() (runtime.Documents, error) {
	rt, err := c.open("")
	if err != nil {
		return nil, err
	}
	return rt.Documents(), nil
}

func (c *clusters) open(name string) (*kubernetes.Runtime, error) {
	connection := c.settings.standard
	if name != "" {
		named, ok := c.settings.named[name]
		if !ok {
			known := slices.Sorted(maps.Keys(c.settings.named))
			return nil, fmt.Errorf("the provider block has no connection %q; it has: %s", name, orNone(known))
		}
		connection = named
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if rt, ok := c.runtimes[name]; ok {
		return rt, nil
	}
	hash := connection.Hash()
	if _, ok := c.shared[hash]; !ok {
		rt, err := kubernetes.New(connection, c.options)
		if err != nil {
			return nil, err
		}
		c.shared[hash] = rt
	}
	c.runtimes[name] = c.shared[hash].As(connection)
	return c.runtimes[name], nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// logger writes to Terraform's log.
func logger() *slog.Logger { return slog.New(logHandler{}) }

// logHandler hands the engine's lines to tflog, which finds its sink in the
// context of the request.
type logHandler struct {
	fields []slog.Attr
}

var _ slog.Handler = logHandler{}

// Enabled is always true: tflog knows the level.
func (logHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle writes a line.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	fields := map[string]any{}
	for _, field := range h.fields {
		fields[field.Key] = field.Value.Any()
	}
	record.Attrs(func(field slog.Attr) bool {
		fields[field.Key] = field.Value.Any()
		return true
	})
	switch {
	case record.Level >= slog.LevelError:
		tflog.Error(ctx, record.Message, fields)
	case record.Level >= slog.LevelWarn:
		tflog.Warn(ctx, record.Message, fields)
	case record.Level >= slog.LevelInfo:
		tflog.Info(ctx, record.Message, fields)
	default:
		tflog.Debug(ctx, record.Message, fields)
	}
	return nil
}

// WithAttrs adds fields to every line.
func (h logHandler) WithAttrs(fields []slog.Attr) slog.Handler {
	return logHandler{fields: append(slices.Clone(h.fields), fields...)}
}

// WithGroup is not used by the engine; names stay flat.
func (h logHandler) WithGroup(string) slog.Handler { return h }
