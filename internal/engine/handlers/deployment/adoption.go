// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package deployment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/handlers/render"
	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// WorkloadID and ServiceID are the IDs of the objects that can be taken over.
func WorkloadID(namespace, name string) string {
	return runtime.KubernetesID("apps/v1", "Deployment", namespace, name)
}

// ServiceID is the ID of a Service.
func ServiceID(namespace, name string) string {
	return runtime.KubernetesID("v1", "Service", namespace, name)
}

// Adoptee is what is there of what a deployment takes over.
type Adoptee struct {
	Organization string
	Deployment   *platform.Deployment
	Namespace    string
	// Workload and Service are the objects as they are; nil when absent.
	Workload, Service *runtime.Resource
}

// Adopted returns what stays of the objects as it was found. Its error is a
// *platform.ProblemError when they cannot be taken over.
func (a Adoptee) Adopted() (*platform.Adopted, error) {
	at := platform.Path{"adopt"}
	workload := &appsv1.Deployment{}
	if err := a.decode(at.With("workload"), "Deployment", a.Deployment.Adopt.Workload, a.Workload, workload); err != nil {
		return nil, err
	}
	main, err := a.container(at.With("container"), workload)
	if err != nil {
		return nil, err
	}
	adopted := &platform.Adopted{
		Objects:  []string{WorkloadID(a.Namespace, workload.Name)},
		Workload: workload.Name, Container: main.Name,
		Selector: selectorOf(workload.Spec.Selector), PodLabels: workload.Spec.Template.Labels,
		ContainerPorts: map[string]string{},
	}
	for _, one := range main.Env {
		adopted.Order.Env = append(adopted.Order.Env, one.Name)
	}
	for _, one := range workload.Spec.Template.Spec.Volumes {
		adopted.Order.Volumes = append(adopted.Order.Volumes, one.Name)
	}
	for _, one := range main.VolumeMounts {
		adopted.Order.VolumeMounts = append(adopted.Order.VolumeMounts, one.Name)
	}
	for _, port := range main.Ports {
		protocol := port.Protocol
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		key := portKey(int64(port.ContainerPort), string(protocol))
		adopted.ContainerPorts[key] = port.Name
		adopted.Order.Ports = append(adopted.Order.Ports, key)
	}
	if a.Deployment.Adopt.Service == "" {
		return adopted, nil
	}
	service := &corev1.Service{}
	if err := a.decode(at.With("service"), "Service", a.Deployment.Adopt.Service, a.Service, service); err != nil {
		return nil, err
	}
	if !selects(service.Spec.Selector, adopted.PodLabels) {
		return nil, render.Problem(at.With("service"), "Service of other pods", fmt.Sprintf(
			"The Service %q does not select the pods of the Deployment %q; name the one that does.", service.Name, workload.Name))
	}
	adopted.Objects = append(adopted.Objects, ServiceID(a.Namespace, service.Name))
	adopted.Service, adopted.ServiceSelector = service.Name, service.Spec.Selector
	return adopted, nil
}

// decode reads an object that may be taken over.
func (a Adoptee) decode(at platform.Path, kind, name string, found *runtime.Resource, into metav1.Object) error {
	if found == nil {
		return render.Problem(at, "Nothing to take over", fmt.Sprintf(
			"There is no %s %q in the namespace %q. Name an existing one, or remove adopt so that the provider makes its own.", kind, name, a.Namespace))
	}
	raw, err := json.Marshal(found.Attributes)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", found.ID, err)
	}
	if owner := a.claimant(into); owner != "" {
		return render.Problem(at, "Object of another owner", fmt.Sprintf(
			"The %s %q in the namespace %q belongs to %s, which would change it back. Name an object that nothing else looks after.", kind, name, a.Namespace, owner))
	}
	return nil
}

// claimant returns who else looks after an object and will not let go of it: an
// object of the platform, or a controller.
func (a Adoptee) claimant(object metav1.Object) string {
	labels := object.GetLabels()
	own := naming.OwnerLabels(a.Organization, string(a.Deployment.Kind()), a.Deployment.ID())
	if labels[naming.LabelManagedBy] == naming.ManagedBy && labels[naming.LabelOwner] != own[naming.LabelOwner] {
		return fmt.Sprintf("the %s %q of the organization %q", labels[naming.LabelOwnerKind],
			object.GetAnnotations()[naming.AnnotationOwnerID], labels[naming.LabelOrganization])
	}
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		return fmt.Sprintf("the %s %q", controller.Kind, controller.Name)
	}
	return ""
}

// container returns the container that the configuration is about.
func (a Adoptee) container(at platform.Path, workload *appsv1.Deployment) (*corev1.Container, error) {
	containers := workload.Spec.Template.Spec.Containers
	var names []string
	for i := range containers {
		if wanted := a.Deployment.Adopt.Container; wanted == containers[i].Name || (wanted == "" && len(containers) == 1) {
			return &containers[i], nil
		}
		names = append(names, containers[i].Name)
	}
	what := fmt.Sprintf("The pods of the Deployment %q have no container %q", workload.Name, a.Deployment.Adopt.Container)
	if a.Deployment.Adopt.Container == "" {
		what = fmt.Sprintf("The pods of the Deployment %q have several containers, and the configuration is about one of them", workload.Name)
	}
	return nil, render.Problem(at, "Unknown container", fmt.Sprintf("%s. Name one of: %s.", what, strings.Join(names, ", ")))
}

func selectorOf(selector *metav1.LabelSelector) platform.Selector {
	out := platform.Selector{}
	if selector == nil {
		return out
	}
	out.Labels = selector.MatchLabels
	for _, one := range selector.MatchExpressions {
		out.Requirements = append(out.Requirements, platform.Requirement{
			Key: one.Key, Operator: string(one.Operator), Values: slices.Clone(one.Values),
		})
	}
	return out
}

// selects tells whether a Service sends traffic to pods with the labels.
func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}
