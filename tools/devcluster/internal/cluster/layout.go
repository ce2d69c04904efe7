// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Layout knows where the files of a cluster are inside its directory.
type Layout struct {
	// Dir is the absolute path of the directory.
	Dir string
}

// NewLayout returns the layout of the cluster in dir, which need not exist.
func NewLayout(dir string) (Layout, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Layout{}, fmt.Errorf("resolve %s: %w", dir, err)
	}
	return Layout{Dir: abs}, nil
}

// Kubeconfig is the kubeconfig file of the cluster administrator.
func (l Layout) Kubeconfig() string { return filepath.Join(l.Dir, "kubeconfig") }

// Log is the log file of the named component.
func (l Layout) Log(name string) string { return filepath.Join(l.Dir, "logs", name+".log") }

func (l Layout) auditPolicy() string { return filepath.Join(l.Dir, "audit-policy.yaml") }

func (l Layout) lock() string { return filepath.Join(l.Dir, "devcluster.lock") }

func (l Layout) pki(name string) string { return filepath.Join(l.Dir, "pki", name) }

func (l Layout) componentKubeconfig(name string) string {
	return filepath.Join(l.Dir, "pki", name+".kubeconfig")
}

func (l Layout) create() error {
	for _, dir := range []string{l.Dir, filepath.Join(l.Dir, "logs"), filepath.Join(l.Dir, "pki")} {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return fmt.Errorf("create %s: %w", dir, err)
		}
	}
	return nil
}
