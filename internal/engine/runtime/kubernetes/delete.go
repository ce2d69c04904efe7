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
	for round := range rounds {
		if err := pause(ctx, t.key, round); err != nil {
			return err
		}
		again, err := r.deleteOnce(ctx, t, request, response)
		if !again {
			return err
		}
	}
	return runtime.Errorf(runtime.Conflict, "%s: others keep creating and deleting it", t.key)
}

// deleteOnce deletes what is there now; again says that something else was there
// when the request arrived.
func (r *Runtime) deleteOnce(ctx context.Context, t target, request *runtime.DeleteRequest, response *runtime.DeleteResponse) (again bool, err error) {
	response.Action = runtime.ActionNoOp
	live, err := r.get(ctx, t)
	if err != nil || live == nil {
		return false, err
	}
	if warning := t.spared(live, request.UID); warning != "" {
		response.Warnings = append(response.Warnings, warning)
		return false, nil
	}
	if isNamespace(t.key) && !request.Force && !live.terminating() {
		if err := r.checkNamespaceIsOurs(ctx, t); err != nil {
			return false, err
		}
	}
	response.Action = runtime.ActionDelete
	if request.DryRun {
		return false, nil
	}
	err = r.remove(ctx, t, live)
	return runtime.CodeOf(err) == runtime.Conflict, err
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
func (r *Runtime) remove(ctx context.Context, t target, live object) error {
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
			return nil
		}
		if err != nil {
			return err
		}
		live, err = decodeObject(out.body)
		if err != nil {
			return err
		}
		if live.text("kind") == "Status" || !live.terminating() {
			// The answer is a Status or the object as it last was: it is gone, and
			// a watch that started at its version would wait for ever.
			r.cache.forget(t)
			return nil
		}
	}
	return r.awaitGone(ctx, t, live, uid)
}

// propagation is foreground where the object has pods that must be gone with it;
// anything else vanishes sooner without the garbage collector, which learns about
// custom resources only now and then.
func propagation(key runtime.ObjectKey) *metav1.DeletionPropagation {
	policy := metav1.DeletePropagationBackground
	switch key.Kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob":
		policy = metav1.DeletePropagationForeground
	}
	return &policy
}

func isNamespace(key runtime.ObjectKey) bool {
	return key.APIVersion == "v1" && key.Kind == "Namespace"
}
