// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"fmt"
	"strings"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
)

const (
	etcdSocket        = "client:0"
	serviceRange      = "10.96.0.0/16"
	kubernetesService = "10.96.0.1"

	adminUser     = "devcluster-admin"
	agentUser     = "devcluster-agent"
	kubeletClient = "kube-apiserver-kubelet-client"
	mastersGroup  = "system:masters"

	// Client-side throttling would be the slowest part of a small cluster.
	clientQPS   = "2000"
	clientBurst = "4000"

	// Tests wait for autoscalers, whose default is 15 s.
	autoscalerSync = "1s"
)

func etcdArgs() []string {
	return []string{"--data-dir=etcd", "--socket=" + etcdSocket}
}

func apiServerArgs(layout Layout, port int, auditLog string) []string {
	args := []string{
		"--etcd-servers=unix://" + etcdSocket,
		"--bind-address=127.0.0.1",
		// Without it the server looks for a network, which a sandbox may not have.
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		// The supervisor keeps the port bound, see portReservation.
		"--permit-port-sharing=true",
		"--cert-dir=" + layout.pki(""),
		"--tls-cert-file=" + layout.pki("apiserver.crt"),
		"--tls-private-key-file=" + layout.pki("apiserver.key"),
		"--client-ca-file=" + layout.pki("ca.crt"),
		"--service-account-key-file=" + layout.pki("service-account.key"),
		"--service-account-signing-key-file=" + layout.pki("service-account.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range=" + serviceRange,
		"--authorization-mode=RBAC",
		"--allow-privileged=true",
		"--endpoint-reconciler-type=none",
		// No controller removes the taint of a new node.
		"--disable-admission-plugins=TaintNodesByCondition",
		"--kubelet-client-certificate=" + layout.pki("kubelet-client.crt"),
		"--kubelet-client-key=" + layout.pki("kubelet-client.key"),
		"--kubelet-certificate-authority=" + layout.pki("ca.crt"),
		"--kubelet-preferred-address-types=InternalIP",
		"--event-ttl=1h",
		"--profiling=false",
	}
	if auditLog != "" {
		args = append(args,
			"--audit-log-path="+auditLog,
			"--audit-log-format=json",
			"--audit-policy-file="+layout.auditPolicy(),
		)
	}
	return args
}

func controllerManagerArgs(layout Layout) []string {
	return []string{
		"--kubeconfig=" + layout.componentKubeconfig(component.ControllerManager),
		"--service-account-private-key-file=" + layout.pki("service-account.key"),
		"--root-ca-file=" + layout.pki("ca.crt"),
		"--use-service-account-credentials=false",
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=" + clientQPS,
		"--kube-api-burst=" + clientBurst,
		"--horizontal-pod-autoscaler-sync-period=" + autoscalerSync,
		"--concurrent-deployment-syncs=20",
		"--concurrent-replicaset-syncs=20",
		"--concurrent-statefulset-syncs=20",
		"--concurrent-job-syncs=20",
		"--concurrent-namespace-syncs=20",
		"--concurrent-service-endpoint-syncs=20",
		"--controllers=" + strings.Join(controllers(), ","),
	}
}

func controllers() []string {
	names := []string{
		"namespace", "serviceaccount", "serviceaccount-token", "root-ca-certificate-publisher",
		"clusterrole-aggregation", "deployment", "replicaset", "statefulset", "daemonset", "job", "cronjob",
		"ttl-after-finished", "horizontal-pod-autoscaler", "disruption", "garbage-collector",
		"pod-garbage-collector", "endpoints", "endpointslice", "resourcequota", "ephemeral-volume",
		// Without these two, deleted claims keep their finalizer for ever.
		"persistentvolume-protection", "persistentvolumeclaim-protection",
	}
	for i := range names {
		names[i] += "-controller"
	}
	return names
}

func schedulerArgs(layout Layout) []string {
	return []string{
		"--kubeconfig=" + layout.componentKubeconfig(component.Scheduler),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=" + clientQPS,
		"--kube-api-burst=" + clientBurst,
	}
}

// auditPolicy records what the users of the cluster ask for, once a request.
// The cluster's own components would only drown it.
func auditPolicy() string {
	return `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: None
  users:
  - system:apiserver
  - system:kube-controller-manager
  - system:kube-scheduler
  - ` + agentUser + `
- level: None
  nonResourceURLs: [/readyz, /livez, /healthz]
- level: Metadata
`
}
