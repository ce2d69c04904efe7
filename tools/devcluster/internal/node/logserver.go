// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const followInterval = 200 * time.Millisecond

// LogServer is the part of a kubelet's API through which the API server reads
// the logs of containers.
type LogServer struct {
	client   kubernetes.Interface
	listener net.Listener
	server   *http.Server
}

// NewLogServer starts a log server on a free port of the loopback interface. It
// serves until it is closed.
func NewLogServer(ctx context.Context, client kubernetes.Interface, config *tls.Config) (*LogServer, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(hostAddress, "0"))
	if err != nil {
		return nil, fmt.Errorf("start log server: %w", err)
	}
	s := &LogServer{client: client, listener: listener}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", s.serve)
	s.server = &http.Server{Handler: mux, TLSConfig: config, ReadHeaderTimeout: time.Minute}
	go func() {
		_ = s.server.ServeTLS(listener, "", "") // It returns when the server is closed.
	}()
	return s, nil
}

// Port is the TCP port of the server.
func (s *LogServer) Port() int {
	address, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return address.Port
}

// Close stops the server and drops its connections.
func (s *LogServer) Close() {
	_ = s.server.Close() // Nobody is left to be served.
}

func (s *LogServer) serve(writer http.ResponseWriter, request *http.Request) {
	options, err := parseLogOptions(request.URL.Query(), time.Now())
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	namespace, name, container := request.PathValue("namespace"), request.PathValue("pod"), request.PathValue("container")
	pod, err := s.client.CoreV1().Pods(namespace).Get(request.Context(), name, metav1.GetOptions{})
	if err != nil {
		http.Error(writer, err.Error(), http.StatusNotFound)
		return
	}
	attempt, err := findAttempt(pod, container, options.previous)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	writer.Header().Set("Content-Type", "text/plain")
	if _, err := fmt.Fprint(writer, options.apply(attempt.text, attempt.printed)); err != nil {
		return // The reader has gone.
	}
	if options.follow && attempt.running {
		_ = http.NewResponseController(writer).Flush() // If it fails the reader has gone.
		s.follow(request.Context(), pod, container)
	}
}

// follow keeps the answer open for as long as the container runs. It prints
// nothing more.
func (s *LogServer) follow(ctx context.Context, pod *corev1.Pod, container string) {
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, err := s.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil || now.UID != pod.UID {
			return
		}
		if status := findStatus(now, container); status == nil || status.State.Running == nil {
			return
		}
	}
}

// attempt is one run of a container, as far as its log goes.
type attempt struct {
	text    string
	printed time.Time
	running bool
}

// findAttempt returns the current run of the container, or the one before.
func findAttempt(pod *corev1.Pod, name string, previous bool) (attempt, error) {
	spec, init := findContainer(pod, name)
	status := findStatus(pod, name)
	if spec == nil {
		return attempt{}, fmt.Errorf("container %q not found in pod %q", name, pod.Name)
	}
	if status == nil {
		return attempt{}, fmt.Errorf("container %q in pod %q is waiting to start: %s", name, pod.Name, reasonCreating)
	}
	behavior := behaviorOf(pod, spec.Image, init)
	if init {
		behavior = initBehavior(pod, *spec)
	}
	found := attempt{text: logText(pod, *spec, behavior)}
	last := status.LastTerminationState.Terminated
	switch {
	case previous && last == nil:
		return attempt{}, fmt.Errorf("previous terminated container %q in pod %q not found", name, pod.Name)
	case previous:
		found.printed = last.StartedAt.Time
	case status.State.Running != nil:
		found.printed, found.running = status.State.Running.StartedAt.Time, true
	case status.State.Terminated != nil:
		found.printed = status.State.Terminated.StartedAt.Time
	case last != nil:
		found.printed = last.StartedAt.Time
	default:
		return attempt{}, fmt.Errorf("container %q in pod %q is waiting to start: %s",
			name, pod.Name, waitingToStart(status.State.Waiting))
	}
	return found, nil
}

func waitingToStart(waiting *corev1.ContainerStateWaiting) string {
	switch {
	case waiting == nil:
		return reasonCreating
	case waiting.Reason == reasonErrPull || waiting.Reason == reasonPullBackOff:
		return "trying and failing to pull image"
	default:
		return waiting.Reason
	}
}

func findContainer(pod *corev1.Pod, name string) (*corev1.Container, bool) {
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Name == name {
			return &pod.Spec.InitContainers[i], true
		}
	}
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i], false
		}
	}
	return nil, false
}

func findStatus(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}
