// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// boutiqueService is what one service of the Online Boutique runs with.
type boutiqueService struct {
	Name           string            `json:"name"`
	Image          string            `json:"image"`
	ContainerPort  *int32            `json:"container_port"`
	ServicePort    *int32            `json:"service_port"`
	PortName       *string           `json:"port_name"`
	Env            map[string]string `json:"env"`
	Requests       map[string]string `json:"requests"`
	Limits         map[string]string `json:"limits"`
	Readiness      *boutiqueProbe    `json:"readiness"`
	Liveness       *boutiqueProbe    `json:"liveness"`
	Replicas       *int32            `json:"replicas"`
	Grace          *int64            `json:"termination_grace_period_seconds"`
	PodAnnotations map[string]string `json:"pod_annotations"`
	ComponentType  string            `json:"component_type"`
	Visibility     string            `json:"visibility"`
	Volumes        map[string]struct {
		EmptyDir  *struct{} `json:"empty_dir"`
		MountPath string    `json:"mount_path"`
	} `json:"volumes"`
}

type boutiqueProbe struct {
	Exec    []string `json:"exec"`
	HTTPGet *struct {
		Path    string            `json:"path"`
		Port    int32             `json:"port"`
		Headers map[string]string `json:"headers"`
	} `json:"http_get"`
	TCPSocket *struct {
		Port int32 `json:"port"`
	} `json:"tcp_socket"`
	PeriodSeconds       *int32 `json:"period_seconds"`
	InitialDelaySeconds *int32 `json:"initial_delay_seconds"`
}

func readBoutique(t *testing.T) []boutiqueService {
	t.Helper()
	text, err := os.ReadFile("testdata/online-boutique.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		About    string            `json:"about"`
		Services []boutiqueService `json:"services"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

// checkBoutique compares what the API server holds with the file, whole specs
// at a time: nothing of the file may be missing, and there may be nothing more
// than what the file says, the API server's defaults, and the baseline of
// security.
func checkBoutique(t *testing.T, e *acctest.Env, cli *acctest.CLI) {
	t.Helper()
	namespace := e.Namespace("boutique", "dev")
	services := readBoutique(t)
	var workloads, ways, routes []string
	options := cmp.Options{
		cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 }),
		cmpopts.EquateEmpty(),
	}
	for _, service := range services {
		workloads = append(workloads, service.Name)
		deployment := convert[appsv1.Deployment](t, e.Get(t, "Deployment", namespace, service.Name))
		want := service.deployment()
		want.Selector = deployment.Spec.Selector
		want.Template.Labels = deployment.Spec.Template.Labels
		// An environment is a set; a list is what carries it.
		for i := range deployment.Spec.Template.Spec.Containers {
			slices.SortFunc(deployment.Spec.Template.Spec.Containers[i].Env, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
		}
		if diff := cmp.Diff(want, deployment.Spec, options); diff != "" {
			t.Errorf("%s: -file +cluster:\n%s", service.Name, diff)
		}
		equal(t, service.Name+": ready replicas", *want.Replicas, deployment.Status.ReadyReplicas)
		equal(t, service.Name+": type", any(service.ComponentType), cli.Values(t, `platform_component.service["`+service.Name+`"]`)["type"])
		if service.Visibility == "public" {
			routes = append(routes, service.Name)
		}
		if service.ServicePort == nil {
			continue
		}
		ways = append(ways, service.Name)
		compareService(t, service, convert[corev1.Service](t, e.Get(t, "Service", namespace, service.Name)), deployment)
	}
	equal(t, "workloads", 12, len(workloads))
	equal(t, "Services", 11, len(ways))
	equal(t, "workloads", sorted(workloads), names(e.List(t, "Deployment", namespace, "")))
	equal(t, "Services", sorted(ways), names(e.List(t, "Service", namespace, "")))
	equal(t, "ConfigMaps", []string{"kube-root-ca.crt"}, names(e.List(t, "ConfigMap", namespace, "")))
	equal(t, "Secrets", []string(nil), names(e.List(t, "Secret", namespace, "")))
	var backends []string
	for _, route := range e.List(t, "HTTPRoute", namespace, "") {
		backends = append(backends, backendsOf(t, route)...)
	}
	equal(t, "public", routes, backends)
}

// compareService compares the Service before a workload.
func compareService(t *testing.T, service boutiqueService, got corev1.Service, deployment appsv1.Deployment) {
	t.Helper()
	want := corev1.ServiceSpec{
		Type: corev1.ServiceTypeClusterIP, SessionAffinity: corev1.ServiceAffinityNone,
		Ports: []corev1.ServicePort{{
			Name: *service.PortName, Port: *service.ServicePort, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(*service.ContainerPort),
		}},
	}
	for i, port := range got.Spec.Ports {
		got.Spec.Ports[i].TargetPort = intstr.FromInt32(resolvePort(t, port.TargetPort, deployment))
	}
	ignored := cmpopts.IgnoreFields(corev1.ServiceSpec{}, "ClusterIP", "ClusterIPs", "IPFamilies", "IPFamilyPolicy", "InternalTrafficPolicy", "Selector")
	if diff := cmp.Diff(want, got.Spec, ignored); diff != "" {
		t.Errorf("Service %s: -file +cluster:\n%s", service.Name, diff)
	}
	if len(got.Spec.Selector) == 0 || !labels.SelectorFromSet(got.Spec.Selector).Matches(labels.Set(deployment.Spec.Template.Labels)) {
		t.Errorf("Service %s does not select its pods: %v", service.Name, got.Spec.Selector)
	}
}

// resolvePort returns the number of a port of the first container.
func resolvePort(t *testing.T, port intstr.IntOrString, deployment appsv1.Deployment) int32 {
	t.Helper()
	if port.Type == intstr.Int {
		return port.IntVal
	}
	for _, known := range deployment.Spec.Template.Spec.Containers[0].Ports {
		if known.Name == port.StrVal {
			return known.ContainerPort
		}
	}
	t.Errorf("%s has no port %s", deployment.Name, port.StrVal)
	return 0
}

// deployment returns the whole spec that the API server must hold.
func (s boutiqueService) deployment() appsv1.DeploymentSpec {
	quarter := intstr.FromString("25%")
	replicas, grace := int32(1), int64(30)
	if s.Replicas != nil {
		replicas = *s.Replicas
	}
	if s.Grace != nil {
		grace = *s.Grace
	}
	var template corev1.PodTemplateSpec
	template.Annotations = s.PodAnnotations
	template.Spec = corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyAlways, DNSPolicy: corev1.DNSClusterFirst, SchedulerName: corev1.DefaultSchedulerName,
		TerminationGracePeriodSeconds: &grace, AutomountServiceAccountToken: new(false),
		SecurityContext: &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers:      []corev1.Container{s.container()},
	}
	for _, name := range slices.Sorted(maps.Keys(s.Volumes)) {
		template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{
			Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		})
	}
	return appsv1.DeploymentSpec{
		Replicas: &replicas, Template: template,
		RevisionHistoryLimit: new(int32(10)), ProgressDeadlineSeconds: new(int32(600)),
		Strategy: appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter},
		},
	}
}

func (s boutiqueService) container() corev1.Container {
	container := corev1.Container{
		Name: s.Name, Image: s.Image, ImagePullPolicy: corev1.PullIfNotPresent,
		TerminationMessagePath: corev1.TerminationMessagePathDefault, TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false)},
		Resources:       corev1.ResourceRequirements{Requests: quantities(s.Requests), Limits: quantities(s.Limits)},
		ReadinessProbe:  s.Readiness.probe(), LivenessProbe: s.Liveness.probe(),
	}
	if s.ContainerPort != nil {
		container.Ports = []corev1.ContainerPort{{Name: *s.PortName, ContainerPort: *s.ContainerPort, Protocol: corev1.ProtocolTCP}}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: s.Env[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Volumes)) {
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: s.Volumes[name].MountPath})
	}
	return container
}

// probe completes a probe with the API server's defaults.
func (p *boutiqueProbe) probe() *corev1.Probe {
	if p == nil {
		return nil
	}
	probe := &corev1.Probe{TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
	if p.PeriodSeconds != nil {
		probe.PeriodSeconds = *p.PeriodSeconds
	}
	if p.InitialDelaySeconds != nil {
		probe.InitialDelaySeconds = *p.InitialDelaySeconds
	}
	if p.Exec != nil {
		probe.Exec = &corev1.ExecAction{Command: p.Exec}
	}
	if p.TCPSocket != nil {
		probe.TCPSocket = &corev1.TCPSocketAction{Port: intstr.FromInt32(p.TCPSocket.Port)}
	}
	if p.HTTPGet != nil {
		probe.HTTPGet = &corev1.HTTPGetAction{Path: p.HTTPGet.Path, Port: intstr.FromInt32(p.HTTPGet.Port), Scheme: corev1.URISchemeHTTP}
		for _, name := range slices.Sorted(maps.Keys(p.HTTPGet.Headers)) {
			probe.HTTPGet.HTTPHeaders = append(probe.HTTPGet.HTTPHeaders, corev1.HTTPHeader{Name: name, Value: p.HTTPGet.Headers[name]})
		}
	}
	return probe
}

func quantities(texts map[string]string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, text := range texts {
		list[corev1.ResourceName(name)] = resource.MustParse(text)
	}
	return list
}

func convert[T any](t *testing.T, object *acctest.Object) T {
	t.Helper()
	var typed T
	if object == nil {
		t.Fatalf("there is no such %T", typed)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &typed); err != nil {
		t.Fatal(err)
	}
	return typed
}

func names(objects []acctest.Object) []string {
	var list []string
	for _, object := range objects {
		list = append(list, object.GetName())
	}
	return sorted(list)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// backendsOf returns the Services that a route leads to.
func backendsOf(t *testing.T, route acctest.Object) []string {
	t.Helper()
	typed := convert[struct {
		Spec struct {
			Rules []struct {
				BackendRefs []struct {
					Name string `json:"name"`
				} `json:"backendRefs"`
			} `json:"rules"`
		} `json:"spec"`
	}](t, &route)
	var list []string
	for _, rule := range typed.Spec.Rules {
		for _, backend := range rule.BackendRefs {
			list = append(list, backend.Name)
		}
	}
	return list
}
