// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package flowtest_test

import (
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/flowtest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// policy returns a policy of the namespace "a" with the given spec.
func policy(spec map[string]any) runtime.Resource {
	return runtime.Resource{
		ID: runtime.KubernetesID("networking.k8s.io/v1", "NetworkPolicy", "a", "p"),
		Attributes: map[string]any{
			"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
			"metadata": map[string]any{"namespace": "a", "name": "p"}, "spec": spec,
		},
	}
}

// ingress returns the spec of a policy on all pods with one ingress rule.
func ingress(rule map[string]any) map[string]any {
	return map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Ingress"}, "ingress": []any{rule}}
}

func from(peer map[string]any) map[string]any {
	return ingress(map[string]any{"from": []any{peer}})
}

func open(port map[string]any) map[string]any {
	return ingress(map[string]any{"ports": []any{port}})
}

func TestAllows(t *testing.T) {
	t.Parallel()
	here := flowtest.Pod{Namespace: "a", NamespaceLabels: map[string]string{"name": "a"}, Labels: map[string]string{"app": "x"}, IP: "10.0.0.1"}
	there := flowtest.Pod{Namespace: "b", NamespaceLabels: map[string]string{"name": "b"}, Labels: map[string]string{"app": "y"}, IP: "10.0.1.1"}
	world := flowtest.Pod{IP: "192.0.2.7"}
	web := flowtest.Port{Number: 80}

	cases := map[string]struct {
		reason   string
		spec     map[string]any
		from, to flowtest.Pod
		port     flowtest.Port
		want     bool
	}{
		"NotSelected": {
			reason: "A pod that no policy selects is open.",
			spec:   map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"app": "z"}}, "policyTypes": []any{"Ingress"}},
			from:   there, to: here, port: web, want: true,
		},
		"OtherNamespace": {
			reason: "A policy reaches no further than its namespace.",
			spec:   map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Ingress"}},
			from:   here, to: there, port: web, want: true,
		},
		"Isolated": {
			reason: "A pod that a policy without rules selects is closed.",
			spec:   map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Ingress"}},
			from:   here, to: here, port: web, want: false,
		},
		"AnyPeer": {
			reason: "A rule without peers lets everybody in, which is why rendered peers are never empty.",
			spec:   ingress(map[string]any{}),
			from:   world, to: here, port: web, want: true,
		},
		"PodsOfTheNamespace": {
			reason: "A pod selector alone selects pods of the policy's namespace.",
			spec:   from(map[string]any{"podSelector": map[string]any{}}),
			from:   there, to: here, port: web, want: false,
		},
		"Namespace": {
			reason: "A namespace selector selects all pods of matching namespaces.",
			spec:   from(map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{"name": "b"}}}),
			from:   there, to: here, port: web, want: true,
		},
		"WorldIsNoNamespace": {
			reason: "An outside address is in no namespace, not even for a selector that takes all.",
			spec:   from(map[string]any{"namespaceSelector": map[string]any{}}),
			from:   world, to: here, port: web, want: false,
		},
		"Except": {
			reason: "An exception is cut out of a range.",
			spec:   from(map[string]any{"ipBlock": map[string]any{"cidr": "192.0.2.0/24", "except": []any{"192.0.2.0/28"}}}),
			from:   world, to: here, port: web, want: false,
		},
		"Range": {
			reason: "An address of the range is let in.",
			spec:   from(map[string]any{"ipBlock": map[string]any{"cidr": "192.0.2.0/24", "except": []any{"192.0.2.64/28"}}}),
			from:   world, to: here, port: web, want: true,
		},
		"NoAddress": {
			reason: "Without an address no range matches.",
			spec:   from(map[string]any{"ipBlock": map[string]any{"cidr": "0.0.0.0/0"}}),
			from:   flowtest.Pod{Namespace: "b"}, to: here, port: web, want: false,
		},
		"PortRange": {
			reason: "An end port opens a range of ports.",
			spec:   open(map[string]any{"port": 70, "endPort": 90}),
			from:   there, to: here, port: web, want: true,
		},
		"AllPorts": {
			reason: "A protocol alone opens all its ports.",
			spec:   open(map[string]any{"protocol": "UDP"}),
			from:   there, to: here, port: flowtest.Port{Protocol: "UDP", Number: 53}, want: true,
		},
		"OtherProtocol": {
			reason: "A port is TCP unless it says otherwise.",
			spec:   open(map[string]any{"port": 53}),
			from:   there, to: here, port: flowtest.Port{Protocol: "UDP", Number: 53}, want: false,
		},
		"EgressClosed": {
			reason: "An egress policy without rules lets nothing out.",
			spec:   map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Egress"}},
			from:   here, to: there, port: web, want: false,
		},
		"EgressOpen": {
			reason: "An egress rule lets out what it names.",
			spec: map[string]any{
				"podSelector": map[string]any{}, "policyTypes": []any{"Egress"},
				"egress": []any{map[string]any{"to": []any{map[string]any{"ipBlock": map[string]any{"cidr": "10.0.0.0/8"}}}}},
			},
			from: here, to: there, port: web, want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policies, err := flowtest.New([]runtime.Resource{policy(tc.spec)})
			if err != nil {
				t.Fatal(err)
			}
			got, err := policies.Allows(tc.from, tc.to, tc.port)
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("%s\nallowed is %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	pod := flowtest.Pod{Namespace: "a", IP: "10.0.0.1"}
	cases := map[string]struct {
		reason string
		spec   map[string]any
		from   flowtest.Pod
	}{
		"NamedPort":   {reason: "A named port cannot be evaluated.", spec: open(map[string]any{"port": "web"}), from: pod},
		"BadRange":    {reason: "A bad range is an error, not a miss.", spec: from(map[string]any{"ipBlock": map[string]any{"cidr": "x"}}), from: pod},
		"BadAddress":  {reason: "A bad address is an error.", spec: from(map[string]any{"ipBlock": map[string]any{"cidr": "10.0.0.0/8"}}), from: flowtest.Pod{IP: "x"}},
		"BadSelector": {reason: "A bad selector is an error.", spec: map[string]any{"policyTypes": []any{"Ingress"}, "podSelector": map[string]any{"matchExpressions": []any{map[string]any{"key": "a", "operator": "x"}}}}, from: pod},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policies, err := flowtest.New([]runtime.Resource{policy(tc.spec)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := policies.Allows(tc.from, pod, flowtest.Port{Number: 80}); err == nil {
				t.Error(tc.reason)
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := flowtest.New([]runtime.Resource{{ID: "nonsense"}}); err == nil {
		t.Error("A resource whose id cannot be read is an error.")
	}
	bad := policy(map[string]any{"podSelector": 1})
	if _, err := flowtest.New([]runtime.Resource{bad}); err == nil {
		t.Error("A policy that cannot be decoded is an error.")
	}
	service := runtime.Resource{ID: runtime.KubernetesID("v1", "Service", "a", "s")}
	if _, err := flowtest.New([]runtime.Resource{service}); err != nil {
		t.Errorf("Other kinds are passed over, got %v.", err)
	}
}
