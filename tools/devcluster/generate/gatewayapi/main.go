// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Command gatewayapi packs the custom resource definitions of the Gateway API,
// as its Go module ships them, into one file that devcluster embeds. The module
// has no Go package that embeds them, so they cannot be imported.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// module is pinned here and not in go.mod: requiring it would raise the
// versions of the Kubernetes libraries, which must match each other.
const module = "sigs.k8s.io/gateway-api@v1.6.3"

func main() {
	output := flag.String("o", "gateway-api.jsonl.gz", "file to write")
	flag.Parse()
	if err := run(context.Background(), *output); err != nil {
		fmt.Fprintf(os.Stderr, "gatewayapi: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, output string) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "config", "crd", "standard", "gateway.networking.k8s.io_*.yaml"))
	if err != nil {
		return fmt.Errorf("list definitions: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no definitions", module)
	}

	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("open archive: %w", err)
	}
	for _, file := range files {
		if err := appendObjects(writer, file); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	if err := writer.Close(); err != nil {
		return fmt.Errorf("close archive: %w", err)
	}
	if err := os.WriteFile(output, packed.Bytes(), 0o644); err != nil { //nolint:gosec // Source file of the repository.
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

// moduleDir downloads the module, checked against the checksum database, and
// returns where it is.
func moduleDir(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(text, &info); err != nil {
		return "", fmt.Errorf("read answer of go mod download: %w", err)
	}
	return info.Dir, nil
}

// appendObjects writes each object of a YAML file as one line of JSON, which
// the cluster reads about twenty times as fast at its start.
func appendObjects(writer io.Writer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("split: %w", err)
		}
		object, err := yaml.ToJSON(document)
		if err != nil {
			return fmt.Errorf("convert: %w", err)
		}
		if string(object) == "null" {
			continue
		}
		if _, err := fmt.Fprintf(writer, "%s\n", object); err != nil {
			return fmt.Errorf("append: %w", err)
		}
	}
}
