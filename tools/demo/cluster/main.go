// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Command cluster looks at the cluster of a user that "make demo" runs on, and
// clears away what the provider leaves there.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const usage = `usage:
  cluster lacks KUBECONFIG NAMESPACE/GATEWAY LISTENER
      Say why the Gateway cannot be used; nothing if it can
  cluster namespace KUBECONFIG NAME
      Print the UID of the namespace; nothing if there is none
  cluster forget KUBECONFIG NAME
      Delete the namespace unless it holds anything, and say so`

// timeout is how long a command may take.
const timeout = 2 * time.Minute

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	answer, err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if answer != "" {
		fmt.Println(answer)
	}
}

func run(ctx context.Context, args []string) (string, error) {
	if len(args) < 3 {
		return "", errors.New(usage)
	}
	config, err := clientcmd.BuildConfigFromFlags("", args[1])
	if err != nil {
		return "", fmt.Errorf("read %s: %w", args[1], err)
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", fmt.Errorf("use %s: %w", args[1], err)
	}
	types, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return "", fmt.Errorf("use %s: %w", args[1], err)
	}
	c := cluster{objects: objects, types: types}
	switch {
	case args[0] == "lacks" && len(args) == 4:
		namespace, name, _ := strings.Cut(args[2], "/")
		return c.lacks(ctx, namespace, name, args[3])
	case args[0] == "namespace" && len(args) == 3:
		return c.namespace(ctx, args[2])
	case args[0] == "forget" && len(args) == 3:
		return c.forget(ctx, args[2])
	}
	return "", errors.New(usage)
}
