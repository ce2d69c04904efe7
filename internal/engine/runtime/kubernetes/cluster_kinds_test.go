// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// kinds are objects in spellings that the server does not keep: quantities,
// defaults inside lists that are owned as a whole, zeros that it drops.
func kinds() map[string]struct{ apiVersion, kind, fields string } {
	return map[string]struct{ apiVersion, kind, fields string }{
		"service": {"v1", "Service", `
spec:
  selector: {app: x}
  ports:
  - {name: http, port: 80, targetPort: http}
  - {name: dns, port: 53, protocol: UDP, targetPort: 5353}
`},
		"deployment": {"apps/v1", "Deployment", `
spec:
  replicas: 0
  selector: {matchLabels: {app: x}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: x}}
    spec:
      hostNetwork: false
      securityContext: {}
      serviceAccountName: default
      tolerations: [{key: a, operator: Exists}]
      containers:
      - name: second
        image: registry.example/app:1
        args: ["1000m", "1"]
        ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]
        resources: {limits: {cpu: 0.5, memory: 1024Mi}, requests: {cpu: "0.25"}}
        env:
        - {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: A, value: ""}
        - {name: C, valueFrom: {resourceFieldRef: {containerName: second, resource: limits.cpu}}}
        volumeMounts:
        - {name: files, mountPath: /b, readOnly: false}
        - {name: files, mountPath: /a, readOnly: true}
        readinessProbe: {httpGet: {path: /, port: 80}}
        securityContext: {readOnlyRootFilesystem: false}
      - name: first
        image: registry.example/app:1
      volumes:
      - name: files
        configMap: {name: files, items: [{key: a, path: a}]}
      - name: scratch
        emptyDir: {}
      - name: projected
        projected: {sources: [{configMap: {name: a}}]}
`},
		"statefulset": {"apps/v1", "StatefulSet", `
spec:
  replicas: 0
  serviceName: x
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      containers: [{name: main, image: "registry.example/app:1"}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 1024Mi}}
`},
		"cronjob": {"batch/v1", "CronJob", `
spec:
  schedule: "*/5 * * * *"
  suspend: true
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: "registry.example/app:1"}]
`},
		"networkpolicy": {"networking.k8s.io/v1", "NetworkPolicy", `
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
  - ports: [{port: 80}, {port: http, protocol: TCP}]
    from: [{podSelector: {}}, {namespaceSelector: {matchLabels: {a: b}}}]
`},
		"hpa": {"autoscaling/v2", "HorizontalPodAutoscaler", `
spec:
  minReplicas: 1
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
  - type: Resource
    resource: {name: memory, target: {type: AverageValue, averageValue: "1024Mi"}}
`},
		"pdb":         {"policy/v1", "PodDisruptionBudget", "spec: {minAvailable: 50%, selector: {matchLabels: {app: x}}}"},
		"role":        {"rbac.authorization.k8s.io/v1", "Role", `rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]`},
		"rolebinding": {"rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: x}\nsubjects: [{kind: ServiceAccount, name: x, namespace: default}]"},
		"sa":          {"v1", "ServiceAccount", "automountServiceAccountToken: false\nimagePullSecrets: [{name: b}, {name: a}]"},
		"pvc":         {"v1", "PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 0.5Gi}}}"},
		"secret":      {"v1", "Secret", "type: Opaque\ndata: {a: YQ==}"},
		"configmap":   {"v1", "ConfigMap", `data: {a: "1000m", b: ""}`},
		"ingress":     {"networking.k8s.io/v1", "Ingress", "spec: {rules: [{host: a.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: x, port: {number: 80}}}}]}}]}"},
		"httproute": {"gateway.networking.k8s.io/v1", "HTTPRoute", `
spec:
  parentRefs: [{name: public, namespace: gateways, sectionName: https}]
  hostnames: [b.example, a.example]
  rules:
  - matches: [{path: {value: /v1}}]
    backendRefs: [{name: x, port: 80}]
    timeouts: {request: 60s}
    filters:
    - type: URLRewrite
      urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}
`},
		"grpcroute": {"gateway.networking.k8s.io/v1", "GRPCRoute", "spec: {parentRefs: [{name: public}], rules: [{backendRefs: [{name: x, port: 80}]}]}"},
		"tcproute":  {"gateway.networking.k8s.io/v1", "TCPRoute", "spec: {parentRefs: [{name: public}], rules: [{backendRefs: [{name: x, port: 80}]}]}"},
		"job": {"batch/v1", "Job", `
spec:
  backoffLimit: 0
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example/app:1", resources: {requests: {memory: 0.5Gi}}}]
`},
	}
}

func TestClusterKindsKeepTheirSpelling(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	namespace := c.namespace(t)
	for name, tc := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.fields), &fields); err != nil {
				t.Fatal(err)
			}
			plan := runtimetest.Object(c.stack, tc.apiVersion, tc.kind, namespace, name, fields)
			writer, _ := c.runtime(t, kubernetes.Options{})
			apply(t, writer, c.stack, nil, plan)
			if out := apply(t, writer, c.stack, plan, plan); out.Action != runtime.ActionNoOp {
				t.Errorf("a second apply is %s of %v", out.Action, out.ChangedPaths)
			}
			reader, _ := c.runtime(t, kubernetes.Options{})
			out, err := runtime.Read(t.Context(), reader, &runtime.ReadRequest{PriorResource: plan, Stack: c.stack})
			if err != nil || out.Resource == nil {
				t.Fatalf("read %v, %v", out.Resource, err)
			}
			if diff := cmp.Diff(plain(t, plan.Attributes), plain(t, out.Resource.Attributes)); diff != "" {
				t.Errorf("read: -applied, +read:\n%s", diff)
			}
			if _, err := runtime.Delete(t.Context(), writer, &runtime.DeleteRequest{Resource: plan, Stack: c.stack}); err != nil {
				t.Error(err)
			}
		})
	}
}

func plain(t *testing.T, value any) any {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(encoded, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestClusterImmutableFields(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	namespace := c.namespace(t)
	cases := map[string]struct {
		reason string
		kind   string
		change []string
		value  any
		code   runtime.Code
		paths  []string
	}{
		"selector":         {"a Deployment's selector", "deployment", []string{"spec", "selector", "matchLabels", "app"}, "y", runtime.ReplaceRequired, []string{"spec.selector"}},
		"claims":           {"a StatefulSet's service", "statefulset", []string{"spec", "serviceName"}, "y", runtime.ReplaceRequired, []string{"spec"}},
		"job template":     {"a Job's template", "job", []string{"spec", "template", "spec", "restartPolicy"}, "OnFailure", runtime.ReplaceRequired, []string{"spec.template"}},
		"role reference":   {"what a RoleBinding binds", "rolebinding", []string{"roleRef", "name"}, "y", runtime.ReplaceRequired, []string{"roleRef"}},
		"secret type":      {"a Secret's type", "secret", []string{"type"}, "other", runtime.ReplaceRequired, []string{"type"}},
		"storage class":    {"a claim's class", "pvc", []string{"spec", "storageClassName"}, "other", runtime.ReplaceRequired, []string{"spec"}},
		"plainly invalid":  {"no object may have it", "service", []string{"spec", "type"}, "Nothing", runtime.InvalidArgument, []string{"spec.type"}},
		"not in schema":    {"the server calls it an internal error", "service", []string{"spec", "nothing"}, "x", runtime.InvalidArgument, []string{"spec.nothing"}},
		"wrong type":       {"likewise", "deployment", []string{"spec", "replicas"}, "many", runtime.InvalidArgument, []string{"spec.replicas"}},
		"custom resources": {"their schema is checked by other code", "httproute", []string{"spec", "hostnames"}, []any{"NOT A HOST"}, runtime.InvalidArgument, []string{"spec.hostnames[0]"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := kinds()[tc.kind]
			build := func() *runtime.Resource {
				fields := map[string]any{}
				if err := yaml.Unmarshal([]byte(source.fields), &fields); err != nil {
					t.Fatal(err)
				}
				return runtimetest.Object(c.stack, source.apiVersion, source.kind, namespace, "x-"+plural(source.kind)+"-"+tc.change[len(tc.change)-1], fields)
			}
			prior, plan := build(), build()
			prior.ID, plan.ID = lower(prior), lower(plan)
			runtimetest.Set(plan, tc.value, tc.change...)
			if tc.kind == "deployment" && tc.code == runtime.ReplaceRequired {
				runtimetest.Set(plan, tc.value, "spec", "template", "metadata", "labels", "app")
			}
			r, _ := c.runtime(t, kubernetes.Options{})
			apply(t, r, c.stack, nil, prior)
			for _, dryRun := range []bool{true, false} {
				_, err := runtime.Apply(t.Context(), r, &runtime.ApplyRequest{PriorResource: prior, PlanResource: plan, Stack: c.stack, DryRun: dryRun})
				wantCode(t, err, tc.code)
				status, ok := err.(runtime.Status) //nolint:errorlint // The helper returns the Status itself.
				if !ok {
					t.Fatal("no Status")
				}
				if diff := cmp.Diff(tc.paths, status.Paths()); diff != "" {
					t.Errorf("%s: -want, +got:\n%s\n%v", tc.reason, diff, err)
				}
			}
		})
	}
}

// lower gives a resource a name that the server accepts.
func lower(resource *runtime.Resource) string {
	key, err := runtime.ParseKubernetesID(resource.ID)
	if err != nil {
		return resource.ID
	}
	name := kubernetesName(key.Name)
	runtimetest.Set(resource, name, "metadata", "name")
	return runtime.KubernetesID(key.APIVersion, key.Kind, key.Namespace, name)
}
