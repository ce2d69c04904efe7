// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// ErrStopped means that no cluster takes orders in the directory.
var ErrStopped = errors.New("no running cluster")

// Client gives orders to the cluster of a directory.
type Client struct {
	layout Layout
	http   *http.Client
}

// NewClient returns a client. It connects with each order.
func NewClient(layout Layout) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dialControl(ctx, layout) }
	return &Client{
		layout: layout,
		http:   &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
	}
}

// Status asks how the cluster is.
func (c *Client) Status(ctx context.Context) (Status, error) {
	text, err := c.do(ctx, http.MethodGet, "/status")
	if err != nil {
		return Status{}, err
	}
	var status Status
	if err := json.Unmarshal(text, &status); err != nil {
		return Status{}, fmt.Errorf("decode status: %w", err)
	}
	return status, nil
}

// StopAPIServer takes the API server away. It returns when it is gone.
func (c *Client) StopAPIServer(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodPost, "/apiserver/stop")
	return err
}

// StartAPIServer brings the API server back. It returns when it is ready.
func (c *Client) StartAPIServer(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodPost, "/apiserver/start")
	return err
}

// Shutdown asks for the end of the cluster and does not wait for it.
func (c *Client) Shutdown(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodPost, "/shutdown")
	return err
}

func (c *Client) do(ctx context.Context, method, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://devcluster"+path, nil)
	if err != nil {
		return nil, fmt.Errorf("create request: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", c.layout.Dir, ErrStopped, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, errors.New(strings.TrimSpace(string(text)))
	}
	return text, nil
}
