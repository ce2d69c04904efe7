// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// portReservation holds a TCP port of the loopback interface for one of our
// children. It is bound but does not listen: connections are refused unless
// the child listens, and nobody else can get the port while the child is away.
type portReservation struct {
	fd   int
	port int
}

// reservePort lets the kernel choose a free port and keeps it. The child has
// to share the port (SO_REUSEPORT), which the kernel grants to the same user.
func reservePort() (portReservation, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return portReservation{}, fmt.Errorf("open socket: %w", err)
	}
	reservation := portReservation{fd: fd}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		reservation.release()
		return portReservation{}, fmt.Errorf("share port: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		reservation.release()
		return portReservation{}, fmt.Errorf("bind port: %w", err)
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		reservation.release()
		return portReservation{}, fmt.Errorf("read port: %w", err)
	}
	inet, ok := address.(*unix.SockaddrInet4)
	if !ok {
		reservation.release()
		return portReservation{}, fmt.Errorf("read port: unexpected address %T", address)
	}
	reservation.port = inet.Port
	return reservation, nil
}

func (r portReservation) release() {
	_ = unix.Close(r.fd)
}
