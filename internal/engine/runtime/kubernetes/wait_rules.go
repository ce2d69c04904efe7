// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// verdict is what an object's status says about its readiness.
type verdict struct {
	ready bool
	// failed says that the object cannot become ready any more; with grace it
	// may yet, if the state does not last.
	failed bool
	grace  bool
	// message is one line about the state.
	message string
	// key changes with whatever counts as progress, so that a state that lasts
	// can be told from one that comes back.
	key string
}

// rule judges an object whose controller has seen its current generation.
type rule func(object) verdict

// ruleFor returns how an object becomes ready, or nil for one that is ready as
// soon as it exists. Which of them a Service is depends on its type.
func ruleFor(gvk schema.GroupVersionKind, desired object) rule {
	switch gvk.Group {
	case "apps":
		if gvk.Kind == "Deployment" {
			return judgeDeployment
		}
		return judgeStandard
	case "batch":
		if gvk.Kind == "Job" {
			return judgeJob
		}
		return nil
	case "gateway.networking.k8s.io":
		switch {
		case gvk.Kind == "Gateway":
			return judgeGateway
		case strings.HasSuffix(gvk.Kind, "Route"):
			return judgeRoute
		}
		return judgeStandard
	}
	switch gvk.GroupKind() {
	case schema.GroupKind{Kind: "Pod"}:
		return judgeStandard
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return judgeClaim
	case schema.GroupKind{Kind: "Service"}:
		if desired.text("spec", "type") == "LoadBalancer" {
			return judgeBalanced
		}
		return nil
	case schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}:
		return judgeBalanced
	case schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:
		return judgeAutoscaler
	}
	if _, ok := builtinMapping(gvk); ok {
		return nil
	}
	return judgeStandard
}

// judgeStandard follows the conventions that kstatus knows.
func judgeStandard(live object) verdict {
	result, err := status.Compute(&unstructured.Unstructured{Object: live})
	if err != nil {
		return verdict{message: "its status cannot be understood: " + err.Error()}
	}
	return verdict{
		ready:   result.Status == status.CurrentStatus,
		failed:  result.Status == status.FailedStatus,
		message: result.Message,
	}
}

func judgeDeployment(live object) verdict {
	if !observed(live) {
		return verdict{message: "the controller has not seen the change yet"}
	}
	updated, available := live.number(0, "status", "updatedReplicas"), live.number(0, "status", "availableReplicas")
	total, wanted := live.number(0, "status", "replicas"), live.number(1, "spec", "replicas")
	for _, condition := range live.list("status", "conditions") {
		message := condition.text("reason") + ": " + condition.text("message")
		switch {
		case condition.text("type") == "Progressing" && condition.text("reason") == "ProgressDeadlineExceeded":
			return verdict{failed: true, message: message}
		case condition.text("type") == "ReplicaFailure" && condition.text("status") == "True" && updated < wanted:
			return verdict{failed: true, grace: true, message: message, key: fmt.Sprint("ReplicaFailure", updated, total)}
		}
	}
	message := fmt.Sprintf("%d of %d updated, %d available, %d in all", updated, wanted, available, total)
	if paused, _ := live.at("spec", "paused").(bool); paused {
		message += "; its rollout is paused"
	}
	return verdict{ready: updated == wanted && available == wanted && total == wanted, message: message}
}

func judgeJob(live object) verdict {
	if suspended, _ := live.at("spec", "suspend").(bool); suspended {
		return verdict{ready: true, message: "suspended"}
	}
	for _, condition := range live.list("status", "conditions") {
		if condition.text("status") != "True" {
			continue
		}
		switch condition.text("type") {
		case "Complete":
			return verdict{ready: true, message: "completed"}
		case "Failed":
			return verdict{failed: true, message: condition.text("reason") + ": " + condition.text("message")}
		}
	}
	return verdict{message: fmt.Sprintf("%d active, %d succeeded, %d failed",
		live.number(0, "status", "active"), live.number(0, "status", "succeeded"), live.number(0, "status", "failed"))}
}

// judgeClaim asks for a volume; see bindsLater for claims that get none yet.
func judgeClaim(live object) verdict {
	phase := live.text("status", "phase")
	if phase == "" {
		phase = "Pending"
	}
	return verdict{ready: phase == "Bound", failed: phase == "Lost", message: phase}
}

// bindsLater reports an unbound claim whose volume is made for its first pod, so
// that nothing happens to it before. A class that may not be read is taken for
// one of these: a wait for nothing would be worse than none.
func (w *waiter) bindsLater(ctx context.Context) bool {
	class := w.live.text("spec", "storageClassName")
	if w.target.mapping.gvk.Kind != "PersistentVolumeClaim" || class == "" || w.live.text("status", "phase") == "Bound" {
		return false
	}
	found, err := w.runtime.getRelated(ctx, "storage.k8s.io/v1", "StorageClass", "", class)
	if err != nil {
		return runtime.CodeOf(err) == runtime.PermissionDenied
	}
	return found.text("volumeBindingMode") == "WaitForFirstConsumer"
}

// judgeBalanced asks for the address of a load balancer.
func judgeBalanced(live object) verdict {
	for _, entry := range live.list("status", "loadBalancer", "ingress") {
		if address := entry.text("ip") + entry.text("hostname"); address != "" {
			return verdict{ready: true, message: address}
		}
	}
	return verdict{message: "no load balancer has given it an address yet"}
}

// judgeAutoscaler believes an autoscaler unless it says that it cannot scale. It
// is heard only every 15 seconds, so that one that has not spoken yet, or repeats
// what it said of the target before, is no failure.
func judgeAutoscaler(live object) verdict {
	for _, condition := range live.list("status", "conditions") {
		if condition.text("type") == "AbleToScale" && condition.text("status") == "False" {
			return verdict{message: condition.text("reason") + ": " + condition.text("message")}
		}
	}
	return verdict{ready: true, message: fmt.Sprintf("%d to %d replicas", live.number(1, "spec", "minReplicas"), live.number(1, "spec", "maxReplicas"))}
}

func judgeGateway(live object) verdict {
	if condition, ok := conditionOf(live.list("status", "conditions"), "Accepted", live.number(0, "metadata", "generation")); ok &&
		condition.text("status") == "False" {
		message := condition.text("reason") + ": " + condition.text("message")
		return verdict{failed: true, grace: true, message: message, key: message}
	}
	condition, ok := conditionOf(live.list("status", "conditions"), "Programmed", live.number(0, "metadata", "generation"))
	if !ok {
		return verdict{message: "no controller has programmed the gateway yet"}
	}
	return verdict{ready: condition.text("status") == "True", message: condition.text("reason") + ": " + condition.text("message")}
}

// judgeRoute asks every parent whether it accepts the route.
func judgeRoute(live object) verdict {
	parents := live.list("status", "parents")
	for _, wanted := range live.list("spec", "parentRefs") {
		name := parentName(wanted, live.namespace())
		found := verdict{message: fmt.Sprintf("no controller answered for the parent gateway %s", name)}
		for _, parent := range parents {
			ref := object{}
			if fields, ok := parent["parentRef"].(map[string]any); ok {
				ref = fields
			}
			if parentName(ref, live.namespace()) != name {
				continue
			}
			found = judgeParent(parent, name, live.number(0, "metadata", "generation"))
			if found.ready {
				break
			}
		}
		if !found.ready {
			return found
		}
	}
	return verdict{ready: true, message: "accepted"}
}

func judgeParent(parent object, name string, generation int64) verdict {
	for _, kind := range []string{"Accepted", "ResolvedRefs"} {
		condition, ok := conditionOf(parent.list("conditions"), kind, generation)
		if !ok {
			return verdict{message: fmt.Sprintf("the parent gateway %s has not decided about this generation yet", name)}
		}
		if condition.text("status") == "True" {
			continue
		}
		message := fmt.Sprintf("the parent gateway %s reports %s=%s: %s: %s", name, kind, condition.text("status"),
			condition.text("reason"), condition.text("message"))
		// A reference may resolve as soon as the object it names exists.
		refused := kind == "Accepted" && condition.text("status") == "False"
		return verdict{failed: refused, grace: refused, message: message, key: message}
	}
	return verdict{ready: true}
}

func conditionOf(conditions []object, kind string, generation int64) (object, bool) {
	for _, condition := range conditions {
		if condition.text("type") == kind && condition.number(generation, "observedGeneration") >= generation {
			return condition, true
		}
	}
	return nil, false
}

// parentName identifies the part of a gateway that a route attaches to.
func parentName(ref object, namespace string) string {
	if own := ref.text("namespace"); own != "" {
		namespace = own
	}
	name := namespace + "/" + ref.text("name")
	if section := ref.text("sectionName"); section != "" {
		name += "/" + section
	}
	if port := ref.number(0, "port"); port != 0 {
		name += fmt.Sprintf(":%d", port)
	}
	return name
}

func observed(live object) bool {
	return live.number(0, "status", "observedGeneration") >= live.number(0, "metadata", "generation")
}
