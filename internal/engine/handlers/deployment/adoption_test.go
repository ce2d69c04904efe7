// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/handlertest"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// legacy is a Deployment and its Service that somebody else made.
func legacy() (workload, service map[string]any) {
	labels := map[string]any{"app": "legacy", "tier": "web"}
	metadata := func() map[string]any {
		return map[string]any{"name": "legacy", "namespace": "team", "labels": map[string]any{}}
	}
	workload = map[string]any{"metadata": metadata(), "spec": map[string]any{
		"selector": map[string]any{
			"matchLabels":      map[string]any{"app": "legacy"},
			"matchExpressions": []any{map[string]any{"key": "tier", "operator": "In", "values": []any{"web", "front"}}},
		},
		"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec": map[string]any{"containers": []any{map[string]any{
				"name": "app", "image": "legacy:1", "env": []any{map[string]any{"name": "B"}, map[string]any{"name": "A"}},
				"volumeMounts": []any{map[string]any{"name": "data"}, map[string]any{"name": "cache"}},
				"ports": []any{
					map[string]any{"name": "web", "containerPort": 8080, "protocol": "TCP"}, map[string]any{"containerPort": 53, "protocol": "UDP"},
				},
			}}, "volumes": []any{map[string]any{"name": "cache"}, map[string]any{"name": "data"}}},
		},
	}}
	service = map[string]any{"metadata": metadata(), "spec": map[string]any{"selector": map[string]any{"app": "legacy"}}}
	return workload, service
}

func TestAdopted(t *testing.T) {
	t.Parallel()
	full := &platform.Adopted{
		Objects:  []string{"apps/v1:Deployment:team:legacy", "v1:Service:team:legacy"},
		Workload: "legacy", Service: "legacy", Container: "app",
		Selector: platform.Selector{
			Labels:       map[string]string{"app": "legacy"},
			Requirements: []platform.Requirement{{Key: "tier", Operator: "In", Values: []string{"web", "front"}}},
		},
		PodLabels: map[string]string{"app": "legacy", "tier": "web"}, ServiceSelector: map[string]string{"app": "legacy"},
		ContainerPorts: map[string]string{"8080/TCP": "web", "53/UDP": ""},
		Order: platform.Order{
			Env: []string{"B", "A"}, Ports: []string{"8080/TCP", "53/UDP"}, Volumes: []string{"cache", "data"}, VolumeMounts: []string{"data", "cache"},
		},
	}
	alone := *full
	alone.Objects, alone.Service, alone.ServiceSelector = full.Objects[:1], "", nil
	sidecar := func(workload, _ map[string]any) {
		pod := workload["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)   //nolint:forcetypeassert // see legacy
		pod["containers"] = append([]any{map[string]any{"name": "proxy"}}, pod["containers"].([]any)...) //nolint:forcetypeassert // see legacy
	}
	labelled := func(labels map[string]any) func(workload, service map[string]any) {
		return func(workload, _ map[string]any) {
			maps.Copy(workload["metadata"].(map[string]any)["labels"].(map[string]any), labels) //nolint:forcetypeassert // see legacy
		}
	}
	owned := func(id string) map[string]any {
		labels := map[string]any{}
		for key, value := range naming.OwnerLabels(handlertest.Organization, "deployment", id) {
			labels[key] = value
		}
		return labels
	}
	cases := map[string]struct {
		reason string
		adopt  platform.Adoption
		change func(workload, service map[string]any)
		want   *platform.Adopted
		at     [2]string
	}{
		"Both": {
			reason: "Names, selectors, pod labels, the only container and the names of its ports are kept.",
			adopt:  platform.Adoption{Workload: "legacy", Service: "legacy"}, want: full,
		},
		"WorkloadAlone": {
			reason: "Without a Service there is nothing of one to keep.",
			adopt:  platform.Adoption{Workload: "legacy"}, want: &alone,
		},
		"NamedContainer": {
			reason: "One of several containers is meant.",
			adopt:  platform.Adoption{Workload: "legacy", Container: "app"}, change: sidecar, want: &alone,
		},
		"SeveralContainers": {
			reason: "Which of several containers is meant has to be said.",
			adopt:  platform.Adoption{Workload: "legacy"}, change: sidecar, at: [2]string{"adopt.container", "Unknown container"},
		},
		"UnknownContainer": {
			reason: "A container has to be there.",
			adopt:  platform.Adoption{Workload: "legacy", Container: "main"}, at: [2]string{"adopt.container", "Unknown container"},
		},
		"Helm": {
			reason: "What Helm made can be taken over.",
			adopt:  platform.Adoption{Workload: "legacy"}, change: labelled(map[string]any{"app.kubernetes.io/managed-by": "Helm"}), want: &alone,
		},
		"Own": {
			reason: "What was to be taken over in vain can be taken over again.",
			adopt:  platform.Adoption{Workload: "legacy"}, change: labelled(owned("shop/cart/main/dev")), want: &alone,
		},
		"OtherDeployment": {
			reason: "What another deployment has stays there.",
			adopt:  platform.Adoption{Workload: "legacy"}, change: labelled(owned("shop/pay/main/dev")),
			at: [2]string{"adopt.workload", "Object of another owner"},
		},
		"Controlled": {
			reason: "What an operator looks after would be changed back.",
			adopt:  platform.Adoption{Workload: "legacy"},
			change: func(workload, _ map[string]any) {
				workload["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"kind": "Database", "name": "main", "controller": true}} //nolint:forcetypeassert // see legacy
			},
			at: [2]string{"adopt.workload", "Object of another owner"},
		},
		"NoWorkload": {
			reason: "There has to be a Deployment.",
			adopt:  platform.Adoption{Workload: "missing"}, change: func(workload, _ map[string]any) { clear(workload) },
			at: [2]string{"adopt.workload", "Nothing to take over"},
		},
		"NoService": {
			reason: "There has to be a Service.",
			adopt:  platform.Adoption{Workload: "legacy", Service: "missing"}, change: func(_, service map[string]any) { clear(service) },
			at: [2]string{"adopt.service", "Nothing to take over"},
		},
		"OtherPods": {
			reason: "A Service of other pods belongs elsewhere.",
			adopt:  platform.Adoption{Workload: "legacy", Service: "legacy"},
			change: func(_, service map[string]any) {
				service["spec"] = map[string]any{"selector": map[string]any{"app": "legacy", "tier": "back"}}
			},
			at: [2]string{"adopt.service", "Service of other pods"},
		},
		"NoPods": {
			reason: "A Service without a selector has its addresses from somewhere else.",
			adopt:  platform.Adoption{Workload: "legacy", Service: "legacy"}, change: func(_, service map[string]any) { delete(service, "spec") },
			at: [2]string{"adopt.service", "Service of other pods"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workload, service := legacy()
			if tc.change != nil {
				tc.change(workload, service)
			}
			resource := func(attributes map[string]any) *runtime.Resource {
				if len(attributes) == 0 {
					return nil
				}
				return &runtime.Resource{Attributes: attributes}
			}
			adoptee := Adoptee{
				Organization: handlertest.Organization, Namespace: "team", Workload: resource(workload), Service: resource(service),
				Deployment: &platform.Deployment{Component: "shop/cart", Environment: "dev", Adopt: &tc.adopt},
			}
			got, err := adoptee.Adopted()
			problem, ok := errors.AsType[*platform.ProblemError](err)
			switch {
			case tc.want == nil && !ok:
				t.Errorf("%s\ngot %v, %v, want a problem at %v", tc.reason, got, err, tc.at)
			case tc.want == nil:
				if diff := cmp.Diff([][2]string{tc.at}, at(problem.Problems)); diff != "" {
					t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
				}
			case err != nil:
				t.Errorf("%s\n%v", tc.reason, err)
			default:
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}
