// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Spawner starts processes that the kernel kills when this process ends. The
// kernel ties that promise to the thread that made the child, so one goroutine
// keeps one thread for as long as the process lives.
type Spawner struct {
	requests chan spawnRequest
}

type spawnRequest struct {
	cmd    *exec.Cmd
	result chan error
}

// NewSpawner returns a Spawner, which lives as long as the process.
func NewSpawner() *Spawner {
	s := &Spawner{requests: make(chan spawnRequest)}
	go func() {
		runtime.LockOSThread()
		for request := range s.requests {
			request.result <- request.cmd.Start()
		}
	}()
	return s
}

// Start starts cmd so that it cannot outlive this process.
func (s *Spawner) Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	request := spawnRequest{cmd: cmd, result: make(chan error, 1)}
	s.requests <- request
	return <-request.result
}

// child is a running component.
type child struct {
	name string
	cmd  *exec.Cmd
	// lifeline is the end of the child's standard input that we hold: the
	// child exits when it closes.
	lifeline *os.File
	// stopped says that we ended the child ourselves.
	stopped atomic.Bool
	// done is closed when the process is gone; err is then its result.
	done chan struct{}
	err  error
}

// startChild starts a component of this executable in the directory of the
// cluster. Its output is appended to the log file.
func startChild(spawner *Spawner, executable string, layout Layout, name string, args []string) (*child, error) {
	log, err := os.OpenFile(layout.Log(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", name, err)
	}
	defer log.Close()
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open lifeline of %s: %w", name, err)
	}
	defer stdin.Close()

	cmd := &exec.Cmd{
		Path:   executable,
		Args:   append([]string{executable, name}, args...),
		Dir:    layout.Dir,
		Stdin:  stdin,
		Stdout: log,
		Stderr: log,
		// A group of its own: Ctrl-C in a terminal is for the command that
		// uses the cluster, which needs the cluster to finish its work.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := spawner.Start(cmd); err != nil {
		_ = lifeline.Close()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}

	c := &child{name: name, cmd: cmd, lifeline: lifeline, done: make(chan struct{})}
	go func() {
		c.err = cmd.Wait()
		_ = lifeline.Close()
		close(c.done)
	}()
	return c, nil
}

// stop ends the child: politely while grace lasts, then by force.
func (c *child) stop(grace time.Duration) {
	c.stopped.Store(true)
	if grace > 0 {
		c.signal(syscall.SIGTERM)
		select {
		case <-c.done:
			return
		case <-time.After(grace):
		}
	}
	c.signal(syscall.SIGKILL)
	<-c.done
}

func (c *child) signal(signal syscall.Signal) {
	if err := c.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		// Only a process of another user refuses, and a child is ours.
		fmt.Fprintf(os.Stderr, "devcluster: signal %s: %v\n", c.name, err)
	}
}
