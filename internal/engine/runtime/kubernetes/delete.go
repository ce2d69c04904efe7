// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Delete removes the object and waits until it is gone; see runtime.Runtime for
// the promise. A namespace that holds objects of others is refused with CONFLICT
// unless forced. An object that stays is named with what holds it when the
// context ends.
func (r *Runtime) Delete(ctx context.Context, request *runtime.DeleteRequest) *runtime.DeleteResponse {
	response := &runtime.DeleteResponse{Action: runtime.ActionNoOp}
	response.Status = asStatus(r.delete(ctx, request, response))
	return response
}

func (r *Runtime) delete(ctx context.Context, request *runtime.DeleteRequest, response *runtime.DeleteResponse) error {
	if request == nil {
		return runtime.Errorf(runtime.InvalidArgument, "delete: the request is nil")
	}
	t, served, err := r.resolve(ctx, request.Resource, request.Stack)
	if err != nil || !served {
		return err
	}
	for range applyRounds {
		live, err := r.get(ctx, t)
		if err != nil || live == nil {
			return err
		}
		if warning := t.spared(live, request.UID); warning != "" {
			response.Warnings = append(response.Warnings, warning)
			return nil
		}
		if isNamespace(t.key) && !request.Force && !live.terminating() {
			if err := r.checkNamespaceIsOurs(ctx, t); err != nil {
				return err
			}
		}
		response.Action = runtime.ActionDelete
		if request.DryRun {
			return nil
		}
		gone, err := r.remove(ctx, t, live)
		if err == nil || gone {
			return err
		}
		if runtime.CodeOf(err) != runtime.Conflict {
			return err
		}
		// Another object took the name since it was read.
		response.Action = runtime.ActionNoOp
	}
	return runtime.Errorf(runtime.Conflict, "%s: others keep creating and deleting it", t.key)
}

// spared says why a live object is left alone, or "".
func (t target) spared(live object, uid string) string {
	if uid != "" && live.uid() != uid {
		return t.key.String() + " was left alone: it is not the object that was made (its UID is another)"
	}
	if !t.owned(live, uid != "") {
		return t.key.String() + " was left alone: it belongs to " + ownerOf(live)
	}
	return ""
}

// remove deletes exactly the live object and waits until it is gone.
func (r *Runtime) remove(ctx context.Context, t target, live object) (gone bool, err error) {
	uid := live.uid()
	if !live.terminating() {
		request := t.call("delete", http.MethodDelete)
		request.content = contentJSON
		request.body = encode(metav1.DeleteOptions{
			TypeMeta:          metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
			Preconditions:     metav1.NewUIDPreconditions(uid),
			PropagationPolicy: propagation(t.key),
		})
		out, err := r.client.do(ctx, request)
		if runtime.CodeOf(err) == runtime.NotFound {
			r.cache.forget(t)
			return true, nil
		}
		if err != nil {
			return false, err
		}
		live, err = decodeObject(out.body)
		if err != nil {
			return false, err
		}
		if live.text("kind") == "Status" || !live.terminating() {
			// The answer is a Status or the object as it last was: it is gone, and
			// a watch that started at its version would wait for ever.
			r.cache.forget(t)
			return true, nil
		}
	}
	return false, r.awaitGone(ctx, t, live, uid)
}

// propagation is foreground where the object has children that must be gone with
// it; anything else vanishes sooner without the garbage collector.
func propagation(key runtime.ObjectKey) *metav1.DeletionPropagation {
	policy := metav1.DeletePropagationForeground
	switch key.Kind {
	case "ConfigMap", "Secret", "ServiceAccount", "Service", "NetworkPolicy", "Role", "RoleBinding", "ClusterRole",
		"ClusterRoleBinding", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Ingress", "HTTPRoute", "GRPCRoute",
		"TCPRoute", "TLSRoute", "UDPRoute", "PersistentVolumeClaim", "Namespace":
		policy = metav1.DeletePropagationBackground
	}
	return &policy
}

func isNamespace(key runtime.ObjectKey) bool {
	return key.APIVersion == "v1" && key.Kind == "Namespace"
}
