// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

func parse(t *testing.T, text string) object {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := fields.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJudgeDeployment(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		object string
		want   verdict
	}{
		"not seen":      {"numbers of an older generation say nothing", "metadata: {generation: 2}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", verdict{}},
		"no status":     {"the controller has not begun", "metadata: {generation: 1}\nspec: {replicas: 1}", verdict{}},
		"complete":      {"all are new and available", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", verdict{ready: true}},
		"default":       {"one replica unless told", "metadata: {generation: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}", verdict{ready: true}},
		"zero":          {"none is complete", "metadata: {generation: 1}\nspec: {replicas: 0}\nstatus: {observedGeneration: 1}", verdict{ready: true}},
		"old ones left": {"an old pod is still there", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 1}", verdict{}},
		"unavailable":   {"the new one is not available", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}", verdict{}},
		"gave up":       {"the controller gave up", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]}", verdict{failed: true}},
		"quota":         {"pods are refused, for now", "metadata: {generation: 1}\nspec: {replicas: 1}\nstatus: {observedGeneration: 1, conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate}]}", verdict{failed: true, grace: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeDeployment(parse(t, tc.object))
			got.message, got.key = "", ""
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestJudgeJob(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		object string
		want   verdict
	}{
		"running":   {"it works", "status: {active: 1}", verdict{}},
		"complete":  {"it is done", "status: {conditions: [{type: Complete, status: 'True'}]}", verdict{ready: true}},
		"failed":    {"it gave up", "status: {conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded}]}", verdict{failed: true}},
		"not yet":   {"the condition is not true", "status: {conditions: [{type: Failed, status: 'False'}]}", verdict{}},
		"suspended": {"nothing is to be done", "spec: {suspend: true}", verdict{ready: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeJob(parse(t, tc.object))
			got.message = ""
			if got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestJudgeRoute(t *testing.T) {
	t.Parallel()
	const head = "metadata: {namespace: n, generation: 2}\nspec: {parentRefs: [{name: g, namespace: gw}]}\n"
	parent := func(accepted, resolved, generation string) string {
		return "status: {parents: [{parentRef: {name: g, namespace: gw, kind: Gateway}, conditions: [" +
			"{type: Accepted, status: '" + accepted + "', reason: NotAllowed, observedGeneration: " + generation + "}, " +
			"{type: ResolvedRefs, status: '" + resolved + "', reason: BackendNotFound, observedGeneration: " + generation + "}]}]}"
	}
	cases := map[string]struct {
		reason string
		object string
		want   verdict
		word   string
	}{
		"no answer":      {"nobody cares", head, verdict{}, "no controller answered for the parent gateway gw/g"},
		"accepted":       {"it is in use", head + parent("True", "True", "2"), verdict{ready: true}, "accepted"},
		"older answer":   {"it is about another generation", head + parent("True", "True", "1"), verdict{}, "not decided"},
		"refused":        {"it says no", head + parent("False", "True", "2"), verdict{failed: true, grace: true}, "NotAllowed"},
		"no backend":     {"the backend may come", head + parent("True", "False", "2"), verdict{}, "BackendNotFound"},
		"other parent":   {"the answer is about another gateway", strings.Replace(head, "name: g,", "name: h,", 1) + parent("True", "True", "2"), verdict{}, "gw/h"},
		"no parents":     {"nobody is asked", "metadata: {generation: 1}\nspec: {}", verdict{ready: true}, ""},
		"own namespace":  {"a reference without a namespace", "metadata: {namespace: gw, generation: 2}\nspec: {parentRefs: [{name: g}]}\n" + parent("True", "True", "2"), verdict{ready: true}, ""},
		"other listener": {"the answer is about all listeners", strings.Replace(head, "name: g,", "name: g, sectionName: s,", 1) + parent("True", "True", "2"), verdict{}, "gw/g/s"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeRoute(parse(t, tc.object))
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

func TestJudgeGateway(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		object string
		want   verdict
	}{
		"silent":     {"metadata: {generation: 1}", verdict{}},
		"programmed": {"metadata: {generation: 1}\nstatus: {conditions: [{type: Programmed, status: 'True', observedGeneration: 1}]}", verdict{ready: true}},
		"older":      {"metadata: {generation: 2}\nstatus: {conditions: [{type: Programmed, status: 'True', observedGeneration: 1}]}", verdict{}},
		"refused":    {"metadata: {generation: 1}\nstatus: {conditions: [{type: Accepted, status: 'False', observedGeneration: 1}]}", verdict{failed: true, grace: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judgeGateway(parse(t, tc.object))
			got.message, got.key = "", ""
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestTroubleOf(t *testing.T) {
	t.Parallel()
	status := func(text string) string {
		return "metadata: {name: p, uid: u}\nstatus: {containerStatuses: [{name: c, " + text + "}]}"
	}
	cases := map[string]struct {
		reason  string
		pod     string
		found   bool
		grace   bool
		crashed bool
		text    string
	}{
		"running":         {"all is well", status("ready: true, state: {running: {}}"), false, false, false, ""},
		"creating":        {"it is on its way", status("state: {waiting: {reason: ContainerCreating}}"), false, false, false, ""},
		"pull error":      {"a registry may be slow", status("state: {waiting: {reason: ErrImagePull, message: not found}}"), true, true, false, "pod p, container c: ErrImagePull: not found"},
		"pull back-off":   {"the same later", status("state: {waiting: {reason: ImagePullBackOff}}"), true, true, false, "pod p, container c: ImagePullBackOff"},
		"image name":      {"no registry is asked", status("state: {waiting: {reason: InvalidImageName}}"), true, true, false, "pod p, container c: InvalidImageName"},
		"config":          {"a Secret is missing, and may come", status("state: {waiting: {reason: CreateContainerConfigError, message: secret x}}"), true, true, false, "pod p, container c: CreateContainerConfigError: secret x"},
		"crash loop":      {"it ends again and again", status("restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 3, reason: Error}}"), true, false, true, "pod p, container c: CrashLoopBackOff: exit code 3"},
		"out of memory":   {"the reason is told", status("restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}"), true, false, true, "pod p, container c: CrashLoopBackOff: exit code 137 (OOMKilled)"},
		"restarting":      {"it ended twice with an error", status("restartCount: 2, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"), true, false, true, "pod p, container c: Error: exit code 1"},
		"restarted once":  {"once may be bad luck", status("restartCount: 1, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"), false, false, false, ""},
		"recovered":       {"it is ready now", status("restartCount: 5, ready: true, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"), false, false, false, ""},
		"deliberate ends": {"it ends well each time", status("restartCount: 5, state: {running: {}}, lastState: {terminated: {exitCode: 0}}"), false, false, false, ""},
		"being deleted":   {"it does not count any more", "metadata: {name: p, deletionTimestamp: x}\nstatus: {containerStatuses: [{name: c, state: {waiting: {reason: ErrImagePull}}}]}", false, false, false, ""},
		"init container":  {"these count too", "metadata: {name: p}\nstatus: {initContainerStatuses: [{name: i, state: {waiting: {reason: ErrImagePull}}}]}", true, true, false, "pod p, container i: ErrImagePull"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := troubleOf(parse(t, tc.pod))
			if found != tc.found || got.grace != tc.grace || got.crashed != tc.crashed {
				t.Errorf("%s: got %t, %+v", tc.reason, found, got)
			}
			if found && got.String() != tc.text {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.text)
			}
		})
	}
}

func TestRuleFor(t *testing.T) {
	t.Parallel()
	core := func(kind string) schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: kind} }
	gateway := func(kind string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: kind}
	}
	cases := map[string]struct {
		gvk     schema.GroupVersionKind
		desired string
		want    bool
	}{
		"ConfigMap":        {core("ConfigMap"), "", false},
		"Namespace":        {core("Namespace"), "", false},
		"claim":            {core("PersistentVolumeClaim"), "", true},
		"Service":          {core("Service"), "spec: {ports: [{port: 1}]}", false},
		"external Service": {core("Service"), "spec: {type: ExternalName, externalName: x.example}", false},
		"balanced Service": {core("Service"), "spec: {type: LoadBalancer}", true},
		"unknown Service":  {core("Service"), "", false},
		"Pod":              {core("Pod"), "", true},
		"Deployment":       {schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, "", true},
		"StatefulSet":      {schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}, "", true},
		"DaemonSet":        {schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"}, "", true},
		"Job":              {schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}, "", true},
		"CronJob":          {schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}, "", false},
		"policy":           {schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, "", false},
		"Ingress":          {schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"}, "", true},
		"autoscaler":       {schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, "", true},
		"route":            {gateway("TCPRoute"), "", true},
		"Gateway":          {gateway("Gateway"), "", true},
		"grant":            {gateway("ReferenceGrant"), "", true},
		"custom resource":  {schema.GroupVersionKind{Group: "external-secrets.io", Version: "v1", Kind: "ExternalSecret"}, "", true},
		"their Service":    {schema.GroupVersionKind{Group: "serving.knative.dev", Version: "v1", Kind: "Service"}, "", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var desired object
			if tc.desired != "" {
				desired = parse(t, tc.desired)
			}
			if got := ruleFor(tc.gvk, desired) != nil; got != tc.want {
				t.Errorf("waits: %t, want %t", got, tc.want)
			}
		})
	}
}
