// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReservedPort checks the three promises of a reservation: clients are
// refused, strangers cannot take the port, and a child that shares it can.
func TestReservedPort(t *testing.T) {
	t.Parallel()
	reservation, err := reservePort()
	if err != nil {
		t.Fatalf("reserve: %v", err)
	}
	defer reservation.release()
	address := fmt.Sprintf("127.0.0.1:%d", reservation.port)

	if _, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connect while nobody listens: got %v, want %v", err, syscall.ECONNREFUSED)
	}
	if _, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("listen as a stranger: got %v, want %v", err, syscall.EADDRINUSE)
	}
	listener, err := sharing().Listen(context.Background(), "tcp", address)
	if err != nil {
		t.Fatalf("listen as a child: %v", err)
	}
	defer listener.Close()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("connect to the child: %v", err)
	}
	_ = connection.Close()
}

func sharing() *net.ListenConfig {
	return &net.ListenConfig{Control: func(_, _ string, connection syscall.RawConn) error {
		var err error
		controlErr := connection.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		})
		return errors.Join(err, controlErr)
	}}
}
