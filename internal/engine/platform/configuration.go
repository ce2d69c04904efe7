// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

// Configuration is how an image runs.
type Configuration struct {
	Command                       []string          `json:"command,omitempty"`
	Args                          []string          `json:"args,omitempty"`
	Ports                         map[string]Port   `json:"ports,omitempty"`
	Env                           map[string]string `json:"env,omitempty"`
	Resources                     *Resources        `json:"resources,omitempty"`
	Probes                        *Probes           `json:"probes,omitempty"`
	Scaling                       *Scaling          `json:"scaling,omitempty"`
	Schedule                      *Schedule         `json:"schedule,omitempty"`
	Volumes                       map[string]Volume `json:"volumes,omitempty"`
	PodAnnotations                map[string]string `json:"pod_annotations,omitempty"`
	TerminationGracePeriodSeconds *int64            `json:"termination_grace_period_seconds,omitempty"`
}

// Port is a port of the container and of the Service before it.
type Port struct {
	// Port is what clients of the Service connect to.
	Port int64 `json:"port"`
	// TargetPort is what the container listens on; nil is Port.
	TargetPort *int64 `json:"target_port,omitempty"`
	// Protocol is one of Protocols; empty is the first.
	Protocol string `json:"protocol,omitempty"`
}

// Protocols returns the values of Port.Protocol, the default first.
func Protocols() []string { return []string{"TCP", "UDP", "SCTP"} }

// ContainerPort returns the port the container listens on.
func (p Port) ContainerPort() int64 {
	if p.TargetPort != nil {
		return *p.TargetPort
	}
	return p.Port
}

// TransportProtocol returns the protocol in force.
func (p Port) TransportProtocol() string {
	if p.Protocol != "" {
		return p.Protocol
	}
	return Protocols()[0]
}

// Resources are what a container asks for and may not exceed.
type Resources struct {
	Requests *Quantities `json:"requests,omitempty"`
	Limits   *Quantities `json:"limits,omitempty"`
}

// Quantities are Kubernetes quantities, such as 250m and 64Mi.
type Quantities struct {
	CPU    string `json:"cpu,omitempty"`
	Memory string `json:"memory,omitempty"`
}

// Probes tell Kubernetes how the container does.
type Probes struct {
	Readiness *Probe `json:"readiness,omitempty"`
	Liveness  *Probe `json:"liveness,omitempty"`
	Startup   *Probe `json:"startup,omitempty"`
}

// Probe is one check; exactly one of Exec, HTTP, TCP and GRPC is set. A nil
// timing leaves the API server's default.
type Probe struct {
	Exec *ExecProbe `json:"exec,omitempty"`
	HTTP *HTTPProbe `json:"http,omitempty"`
	TCP  *TCPProbe  `json:"tcp,omitempty"`
	GRPC *GRPCProbe `json:"grpc,omitempty"`

	InitialDelaySeconds           *int64 `json:"initial_delay_seconds,omitempty"`
	PeriodSeconds                 *int64 `json:"period_seconds,omitempty"`
	TimeoutSeconds                *int64 `json:"timeout_seconds,omitempty"`
	SuccessThreshold              *int64 `json:"success_threshold,omitempty"`
	FailureThreshold              *int64 `json:"failure_threshold,omitempty"`
	TerminationGracePeriodSeconds *int64 `json:"termination_grace_period_seconds,omitempty"`
}

// ExecProbe runs a command in the container.
type ExecProbe struct {
	Command []string `json:"command"`
}

// HTTPProbe sends a GET request.
type HTTPProbe struct {
	Path string `json:"path,omitempty"`
	// Port is a port number, or the name of one of the configuration's ports.
	Port    string            `json:"port"`
	Scheme  string            `json:"scheme,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// ProbeSchemes returns the values of HTTPProbe.Scheme, the default first.
func ProbeSchemes() []string { return []string{"HTTP", "HTTPS"} }

// TCPProbe opens a connection.
type TCPProbe struct {
	// Port is a port number, or the name of one of the configuration's ports.
	Port string `json:"port"`
}

// GRPCProbe calls the gRPC health service.
type GRPCProbe struct {
	// Port is a port number: the API takes no name here.
	Port    int64  `json:"port"`
	Service string `json:"service,omitempty"`
}

// Scaling says how many replicas run: a number of them, or as many as an
// autoscaler finds right.
type Scaling struct {
	// Replicas is nil when somebody else decides.
	Replicas *int64 `json:"replicas,omitempty"`

	// MinReplicas and MaxReplicas are the autoscaler's limits. Without a maximum
	// there is none; without a minimum it is the API server's default, 1.
	MinReplicas *int64 `json:"min_replicas,omitempty"`
	MaxReplicas *int64 `json:"max_replicas,omitempty"`
	// The targets are averages over all pods, in percent of what they request.
	TargetCPUUtilizationPercentage    *int64 `json:"target_cpu_utilization_percentage,omitempty"`
	TargetMemoryUtilizationPercentage *int64 `json:"target_memory_utilization_percentage,omitempty"`
}

// Autoscales tells whether an autoscaler decides how many replicas run.
func (s *Scaling) Autoscales() bool { return s != nil && s.MaxReplicas != nil }

// under returns the scaling without what the other way to scale, which is merged
// over it, has no room for: a number of replicas ends an autoscaler, and the
// other way round.
func (s *Scaling) under(over *Scaling) *Scaling {
	switch {
	case s == nil || over == nil:
		return s
	case over.Replicas != nil:
		return &Scaling{Replicas: s.Replicas}
	case *over != (Scaling{}):
		out := *s
		out.Replicas = nil
		return &out
	}
	return s
}

// Schedule says when a task runs.
type Schedule struct {
	// Cron has five fields, or is a macro such as @daily. Only overrides leave
	// it out.
	Cron string `json:"cron,omitempty"`
	// Timezone is an IANA name; empty is that of the cluster, mostly UTC.
	Timezone string `json:"timezone,omitempty"`
	// Disabled lets no run start. A run under way goes on.
	Disabled *bool `json:"disabled,omitempty"`
}

// Volume is a directory in the container; exactly one of EmptyDir, Secret and
// ConfigMap is set.
type Volume struct {
	MountPath string `json:"mount_path"`
	ReadOnly  bool   `json:"read_only,omitempty"`
	// EmptyDir lives as long as the pod.
	EmptyDir *EmptyDir `json:"empty_dir,omitempty"`
	// Secret and ConfigMap name an existing object of the cell.
	Secret    string `json:"secret,omitempty"`
	ConfigMap string `json:"config_map,omitempty"`
}

// EmptyDir is scratch space.
type EmptyDir struct {
	// Medium is empty for disk, or Memory.
	Medium string `json:"medium,omitempty"`
	// SizeLimit is a Kubernetes quantity.
	SizeLimit string `json:"size_limit,omitempty"`
}
