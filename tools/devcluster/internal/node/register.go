// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/version"
)

// Name is the name of the simulated node.
const Name = "node-1"

// hostAddress is where the API server finds the node's log server.
const hostAddress = "127.0.0.1"

// register creates the node. It may exist from before an outage.
func (a *Agent) register(ctx context.Context) error {
	_, err := a.client.CoreV1().Nodes().Create(ctx, a.node(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("register node: %w", err)
	}
	return nil
}

func (a *Agent) node() *corev1.Node {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("64"),
		corev1.ResourceMemory:           resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("1000"),
	}
	kubelet := version.Get().GitVersion
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: Name,
			Labels: map[string]string{
				corev1.LabelHostname:           Name,
				corev1.LabelOSStable:           "linux",
				corev1.LabelArchStable:         "amd64",
				corev1.LabelTopologyRegion:     "region-1",
				corev1.LabelTopologyZone:       "zone-1",
				corev1.LabelInstanceTypeStable: "simulated",
			},
		},
		Spec: corev1.NodeSpec{PodCIDR: podNetwork + ".0.0/16", PodCIDRs: []string{podNetwork + ".0.0/16"}},
		Status: corev1.NodeStatus{
			Capacity:    capacity,
			Allocatable: capacity,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: hostAddress},
				{Type: corev1.NodeHostName, Address: Name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{
				KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(a.logPort)}, //nolint:gosec // A TCP port.
			},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID:               "devcluster",
				SystemUUID:              "devcluster",
				BootID:                  "devcluster",
				KernelVersion:           "simulated",
				OSImage:                 "devcluster (nothing runs here)",
				ContainerRuntimeVersion: "containerd://simulated",
				KubeletVersion:          kubelet,
				OperatingSystem:         "linux",
				Architecture:            "amd64",
			},
			Conditions: nodeConditions(a.now()),
		},
	}
}

func nodeConditions(now time.Time) []corev1.NodeCondition {
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) corev1.NodeCondition {
		return corev1.NodeCondition{
			Type: kind, Status: status, Reason: reason,
			LastHeartbeatTime: metav1.NewTime(now), LastTransitionTime: metav1.NewTime(now),
		}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"),
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"),
	}
}
