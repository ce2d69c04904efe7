// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
)

func TestClusters(t *testing.T) {
	t.Parallel()
	c := newClusters(settings{
		organization: "acme", namespace: "platform-acme", standard: kubernetes.Connection{Host: "https://one.example"},
		named: map[string]kubernetes.Connection{
			"same": {Name: "same", Source: "elsewhere", Host: "https://one.example"},
			"two":  {Name: "two", Host: "https://two.example"}, "three": {Name: "three", Host: "https://three.example"}, "bad": {Name: "bad"},
		},
	}, "test", slog.New(slog.DiscardHandler))
	standard, err := c.Runtime("")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.Runtime(""); err != nil || again != standard {
		t.Errorf("A connection is opened once, got %v.", err)
	}
	if two, err := c.Runtime("two"); err != nil || two == standard {
		t.Errorf("Another connection is another runtime, got %v.", err)
	}
	if same, err := c.Runtime("same"); err != nil || same == standard {
		t.Errorf("Equal settings under another name are shared, and called by that name, got %v.", err)
	}
	if len(c.shared) != 2 {
		t.Errorf("Three connections of two servers make two runtimes, got %d.", len(c.shared))
	}
	if _, err := c.Documents(); err != nil {
		t.Errorf("The records are kept in the default connection, got %v.", err)
	}
	if _, err := c.Runtime("gone"); err == nil || !strings.Contains(err.Error(), "bad, same, three, two") {
		t.Errorf("A connection that is not there is an error that names those that are, got %v.", err)
	}
	if _, err := c.Runtime("bad"); err == nil {
		t.Error("A connection that cannot work is an error.")
	}
	none := newClusters(settings{}, "test", slog.New(slog.DiscardHandler))
	if _, err := none.Runtime("gone"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("Without named connections the error says so, got %v.", err)
	}
	if _, err := none.Documents(); err == nil {
		t.Error("Without a default connection there are no records.")
	}
}

func TestLogHandler(t *testing.T) {
	t.Parallel()
	log := slog.New(logHandler{}).With("a", 1).WithGroup("g")
	// Without a sink in the context, lines go nowhere.
	log.DebugContext(t.Context(), "line")
	log.InfoContext(t.Context(), "line", "b", 2)
	log.WarnContext(t.Context(), "line")
	log.ErrorContext(t.Context(), "line")
	if !log.Enabled(t.Context(), slog.LevelDebug) {
		t.Error("Terraform decides which lines to keep.")
	}
}
