// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// TestJudge holds the kinds that have no table of their own.
func TestJudge(t *testing.T) {
	t.Parallel()
	const (
		stateful = "apiVersion: apps/v1\nkind: StatefulSet\n"
		daemon   = "apiVersion: apps/v1\nkind: DaemonSet\n"
		pod      = "apiVersion: v1\nkind: Pod\n"
		balanced = "apiVersion: v1\nkind: Service\nspec: {type: LoadBalancer}\n"
		ingress  = "apiVersion: networking.k8s.io/v1\nkind: Ingress\n"
		claim    = "apiVersion: v1\nkind: PersistentVolumeClaim\n"
		scaler   = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nspec: {minReplicas: 2, maxReplicas: 5}\n"
		custom   = "apiVersion: example.dev/v1\nkind: Thing\n"
	)
	cases := map[string]struct {
		reason string
		object string
		want   verdict
		word   string
	}{
		"stateful new":       {"the controller has not begun", stateful + "metadata: {generation: 1}\nspec: {replicas: 1}", verdict{}, "0/1"},
		"stateful not seen":  {"numbers of an older generation say nothing", stateful + "metadata: {generation: 2}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 1, currentRevision: a, updateRevision: a}", verdict{}, "generation"},
		"stateful rolling":   {"the old revision is still there", stateful + "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, readyReplicas: 1, currentReplicas: 1, currentRevision: a, updateRevision: b}", verdict{}, "revision"},
		"stateful complete":  {"all are new and ready", stateful + "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 1, currentRevision: a, updateRevision: a}", verdict{ready: true}, ""},
		"stateful zero":      {"none is complete", stateful + "metadata: {generation: 1}\nspec: {replicas: 0}\nstatus: {observedGeneration: 1, replicas: 0, currentRevision: a, updateRevision: a}", verdict{ready: true}, ""},
		"daemon new":         {"0 of 0 before the controller has looked is not complete", daemon + "metadata: {generation: 1}", verdict{}, ""},
		"daemon not seen":    {"numbers of an older generation say nothing", daemon + "metadata: {generation: 2}\nstatus: {observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1, numberReady: 1}", verdict{}, "generation"},
		"daemon rolling":     {"the new pod is not there", daemon + "metadata: {generation: 1}\nstatus: {observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2, numberReady: 2}", verdict{}, "1/2"},
		"daemon complete":    {"all are new and ready", daemon + "metadata: {generation: 1}\nstatus: {observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1, numberReady: 1}", verdict{ready: true}, ""},
		"daemon nowhere":     {"no node is to run it", daemon + "metadata: {generation: 1}\nstatus: {observedGeneration: 1, desiredNumberScheduled: 0}", verdict{ready: true}, ""},
		"pod running":        {"it is ready", pod + "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}", verdict{ready: true}, ""},
		"pod done":           {"a completed pod is as good", pod + "status: {phase: Succeeded}", verdict{ready: true}, ""},
		"pod starting":       {"it is not ready yet", pod + "status: {phase: Running, conditions: [{type: Ready, status: 'False'}]}", verdict{}, ""},
		"balancer pending":   {"nobody gave it an address", balanced, verdict{}, "no load balancer"},
		"balancer address":   {"it has one", balanced + "status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}", verdict{ready: true}, "192.0.2.1"},
		"balancer host":      {"a name is one too", balanced + "status: {loadBalancer: {ingress: [{hostname: lb.example}]}}", verdict{ready: true}, "lb.example"},
		"ingress pending":    {"nobody serves it", ingress, verdict{}, "no load balancer"},
		"ingress address":    {"somebody does", ingress + "status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}", verdict{ready: true}, "192.0.2.1"},
		"claim new":          {"nobody has looked", claim, verdict{}, "Pending"},
		"claim pending":      {"there is no volume", claim + "status: {phase: Pending}", verdict{}, "Pending"},
		"claim bound":        {"there is one", claim + "status: {phase: Bound}", verdict{ready: true}, "Bound"},
		"claim lost":         {"its volume is gone for good", claim + "status: {phase: Lost}", verdict{failed: true}, "Lost"},
		"autoscaler new":     {"it speaks only now and then", scaler, verdict{ready: true}, "2 to 5 replicas"},
		"autoscaler able":    {"it does its work", scaler + "status: {conditions: [{type: AbleToScale, status: 'True'}]}", verdict{ready: true}, ""},
		"autoscaler blind":   {"metrics may come later", scaler + "status: {conditions: [{type: AbleToScale, status: 'True'}, {type: ScalingActive, status: 'False', reason: FailedGetResourceMetric}]}", verdict{ready: true}, ""},
		"autoscaler lost":    {"it has nothing to scale", scaler + "status: {conditions: [{type: AbleToScale, status: 'False', reason: FailedGetScale, message: not found}]}", verdict{}, "FailedGetScale: not found"},
		"custom not seen":    {"its controller has not looked", custom + "metadata: {generation: 2}\nstatus: {observedGeneration: 1}", verdict{}, "generation"},
		"custom ready":       {"its controller says so", custom + "metadata: {generation: 1}\nstatus: {conditions: [{type: Ready, status: 'True'}]}", verdict{ready: true}, ""},
		"custom not ready":   {"its controller says why not", custom + "metadata: {generation: 1}\nstatus: {conditions: [{type: Ready, status: 'False', message: no store}]}", verdict{}, "no store"},
		"custom stalled":     {"it will not go on", custom + "metadata: {generation: 1}\nstatus: {conditions: [{type: Stalled, status: 'True', message: bad store}]}", verdict{failed: true}, "bad store"},
		"custom of no state": {"it says nothing of itself", custom, verdict{ready: true}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := parse(t, tc.object)
			gv, err := schema.ParseGroupVersion(live.text("apiVersion"))
			if err != nil {
				t.Fatal(err)
			}
			judge := ruleFor(gv.WithKind(live.text("kind")), live)
			if judge == nil {
				t.Fatal("the kind has no rule")
			}
			got := judge(live)
			if !strings.Contains(got.message, tc.word) {
				t.Errorf("message is %q, want %q in it", got.message, tc.word)
			}
			got.message, got.key = "", ""
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestHear(t *testing.T) {
	t.Parallel()
	event := func(kind watch.EventType, text string) change {
		return change{kind: kind, object: parse(t, text)}
	}
	const refusal = "{type: Warning, reason: FailedCreate, message: exceeded quota}"
	cases := map[string]struct {
		reason  string
		changes []change
		warning string
		refused bool
	}{
		"before the wait": {"it is about another rollout", []change{event(watch.Added, refusal), {kind: watch.Bookmark}}, "", false},
		"again":           {"it goes on", []change{event(watch.Added, refusal), {kind: watch.Bookmark}, event(watch.Modified, refusal)}, "FailedCreate: exceeded quota", true},
		"overcome":        {"a pod was made after all", []change{{kind: watch.Bookmark}, event(watch.Added, refusal), event(watch.Added, "{type: Normal, reason: SuccessfulCreate}")}, "", false},
		"another":         {"the last one is told, and pods are still refused", []change{{kind: watch.Bookmark}, event(watch.Added, refusal), event(watch.Added, "{type: Warning, reason: Other, message: x}")}, "Other: x", true},
		"expired":         {"the server forgets events", []change{{kind: watch.Bookmark}, event(watch.Deleted, refusal)}, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &waiter{}
			for _, found := range tc.changes {
				w.hear(found)
			}
			if w.warning != tc.warning || w.refused != tc.refused {
				t.Errorf("%s: warning %q, refused %t", tc.reason, w.warning, w.refused)
			}
		})
	}
}

func TestUnready(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason    string
		pod       string
		found     bool
		container string
		grace     bool
	}{
		"all ready":   {"nothing is to be told", "status: {containerStatuses: [{name: a, ready: true}]}", false, "", true},
		"one is not":  {"its log may tell why", "status: {containerStatuses: [{name: a, ready: true}, {name: b, ready: false, state: {running: {}}}]}", true, "b", false},
		"not started": {"it has no log", "status: {containerStatuses: [{name: a, ready: false, state: {waiting: {reason: ContainerCreating}}}]}", true, "a", true},
		"no node":     {"it has no container", "status: {phase: Pending}", true, "", true},
		"going":       {"it does not count any more", "metadata: {deletionTimestamp: x}\nstatus: {containerStatuses: [{name: a}]}", false, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := unready(parse(t, tc.pod))
			if found != tc.found || (found && (got.container != tc.container || got.grace != tc.grace)) {
				t.Errorf("%s: got %t, %+v", tc.reason, found, got)
			}
		})
	}
}
