// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const controlSocket = "control.sock"

// ControlServer takes orders for a cluster from other processes, on a unix
// socket in the directory of the cluster.
type ControlServer struct {
	server *http.Server
}

// ServeControl starts to take orders. The function shutdown is called when the
// whole cluster is to stop; it must not block.
func ServeControl(c *Cluster, shutdown func()) (*ControlServer, error) {
	listener, err := listenControl(c.layout)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(writer).Encode(c.Status()) // A client that has gone needs no answer.
	})
	mux.HandleFunc("POST /apiserver/stop", func(writer http.ResponseWriter, _ *http.Request) {
		c.StopAPIServer()
		answer(writer, nil)
	})
	mux.HandleFunc("POST /apiserver/start", func(writer http.ResponseWriter, request *http.Request) {
		// Half a start is worse than none, so it does not end with the client.
		answer(writer, c.StartAPIServer(context.WithoutCancel(request.Context())))
	})
	mux.HandleFunc("POST /shutdown", func(writer http.ResponseWriter, _ *http.Request) {
		shutdown()
		answer(writer, nil)
	})
	s := &ControlServer{server: &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}}
	go func() {
		_ = s.server.Serve(listener) // It returns when the server is closed.
	}()
	return s, nil
}

// Close stops taking orders.
func (s *ControlServer) Close() {
	_ = s.server.Close() // Nobody is left to be served.
}

func answer(writer http.ResponseWriter, err error) {
	if err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
		return
	}
	writer.WriteHeader(http.StatusNoContent)
}

// withSocketPath calls use with a path of the socket that is short enough for
// the kernel, however long the path of the directory is.
func withSocketPath(layout Layout, use func(path string) error) error {
	dir, err := os.Open(layout.Dir)
	if err != nil {
		return fmt.Errorf("open directory of the cluster: %w", err)
	}
	defer dir.Close()
	return use(filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), controlSocket))
}

func listenControl(layout Layout) (net.Listener, error) {
	var listener *net.UnixListener
	err := withSocketPath(layout, func(path string) error {
		var err error
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			return fmt.Errorf("listen for orders: %w", err)
		}
		// The path means nothing any more when the directory is closed.
		listener.SetUnlinkOnClose(false)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listener, nil
}

func dialControl(ctx context.Context, layout Layout) (net.Conn, error) {
	var connection net.Conn
	err := withSocketPath(layout, func(path string) error {
		var err error
		connection, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
		return err
	})
	return connection, err
}
