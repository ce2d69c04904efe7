// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package flowtest answers which traffic rendered network policies let through.
// It evaluates the policies as the API documents them and needs no cluster,
// whose network may enforce none.
package flowtest

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Pod is one end of a flow. An address outside the cluster is a Pod without a
// namespace.
type Pod struct {
	Namespace       string
	NamespaceLabels map[string]string
	Labels          map[string]string
	IP              string
}

// Port is where a flow leads.
type Port struct {
	// Protocol is empty for TCP.
	Protocol string
	Number   int32
}

// Policies are the network policies of a cluster.
type Policies struct {
	list []networkingv1.NetworkPolicy
}

// New collects the network policies among rendered resources.
func New(resources []runtime.Resource) (*Policies, error) {
	policies := &Policies{}
	for _, resource := range resources {
		key, err := runtime.ParseKubernetesID(resource.ID)
		if err != nil {
			return nil, err
		}
		if key.Kind != "NetworkPolicy" {
			continue
		}
		raw, err := json.Marshal(resource.Attributes)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", key, err)
		}
		var policy networkingv1.NetworkPolicy
		if err := json.Unmarshal(raw, &policy); err != nil {
			return nil, fmt.Errorf("decode %s: %w", key, err)
		}
		policies.list = append(policies.list, policy)
	}
	return policies, nil
}

// Allows tells whether a flow passes: the policies of the sender let it out and
// those of the receiver let it in. A pod that no policy selects is open.
func (p *Policies) Allows(from, to Pod, port Port) (bool, error) {
	out, err := p.passes(networkingv1.PolicyTypeEgress, from, to, port)
	if err != nil || !out {
		return false, err
	}
	return p.passes(networkingv1.PolicyTypeIngress, to, from, port)
}

// rule is what ingress and egress rules have in common.
type rule struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

func rules(direction networkingv1.PolicyType, spec networkingv1.NetworkPolicySpec) []rule {
	var list []rule
	if direction == networkingv1.PolicyTypeEgress {
		for _, r := range spec.Egress {
			list = append(list, rule{peers: r.To, ports: r.Ports})
		}
		return list
	}
	for _, r := range spec.Ingress {
		list = append(list, rule{peers: r.From, ports: r.Ports})
	}
	return list
}

// passes evaluates one direction on the pod at whose side it applies.
func (p *Policies) passes(direction networkingv1.PolicyType, pod, other Pod, port Port) (bool, error) {
	isolated := false
	for _, policy := range p.list {
		if policy.Namespace != pod.Namespace || !slices.Contains(policy.Spec.PolicyTypes, direction) {
			continue
		}
		selected, err := matches(&policy.Spec.PodSelector, pod.Labels)
		if err != nil {
			return false, err
		}
		if !selected {
			continue
		}
		isolated = true
		for _, r := range rules(direction, policy.Spec) {
			allowed, err := r.allows(policy.Namespace, other, port)
			if err != nil || allowed {
				return allowed, err
			}
		}
	}
	return !isolated, nil
}

func (r rule) allows(namespace string, other Pod, port Port) (bool, error) {
	open, err := portMatches(r.ports, port)
	if err != nil || !open {
		return false, err
	}
	if len(r.peers) == 0 {
		return true, nil
	}
	for _, peer := range r.peers {
		matched, err := peerMatches(peer, namespace, other)
		if err != nil || matched {
			return matched, err
		}
	}
	return false, nil
}

func portMatches(ports []networkingv1.NetworkPolicyPort, port Port) (bool, error) {
	if len(ports) == 0 {
		return true, nil
	}
	protocol := corev1.Protocol(port.Protocol)
	if protocol == "" {
		protocol = corev1.ProtocolTCP
	}
	for _, open := range ports {
		want := corev1.ProtocolTCP
		if open.Protocol != nil {
			want = *open.Protocol
		}
		if want != protocol {
			continue
		}
		if open.Port == nil {
			return true, nil
		}
		first := open.Port.IntVal
		if first == 0 {
			return false, fmt.Errorf("port %q is named, which the evaluator cannot resolve", open.Port.StrVal)
		}
		last := first
		if open.EndPort != nil {
			last = *open.EndPort
		}
		if first <= port.Number && port.Number <= last {
			return true, nil
		}
	}
	return false, nil
}

func peerMatches(peer networkingv1.NetworkPolicyPeer, namespace string, other Pod) (bool, error) {
	if peer.IPBlock != nil {
		return blockMatches(peer.IPBlock, other.IP)
	}
	if other.Namespace == "" {
		return false, nil
	}
	if peer.NamespaceSelector == nil {
		if other.Namespace != namespace {
			return false, nil
		}
	} else if ok, err := matches(peer.NamespaceSelector, other.NamespaceLabels); err != nil || !ok {
		return false, err
	}
	if peer.PodSelector == nil {
		return true, nil
	}
	return matches(peer.PodSelector, other.Labels)
}

func blockMatches(block *networkingv1.IPBlock, ip string) (bool, error) {
	if ip == "" {
		return false, nil
	}
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return false, fmt.Errorf("address of the flow: %w", err)
	}
	inside := func(cidr string) (bool, error) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return false, fmt.Errorf("range of a policy: %w", err)
		}
		return prefix.Contains(address), nil
	}
	if ok, err := inside(block.CIDR); err != nil || !ok {
		return false, err
	}
	for _, except := range block.Except {
		if ok, err := inside(except); err != nil || ok {
			return false, err
		}
	}
	return true, nil
}

func matches(selector *metav1.LabelSelector, set map[string]string) (bool, error) {
	compiled, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return false, fmt.Errorf("selector of a policy: %w", err)
	}
	return compiled.Matches(labels.Set(set)), nil
}
