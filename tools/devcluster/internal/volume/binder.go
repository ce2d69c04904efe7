// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package volume binds the claims of the default storage class to volumes that
// exist in the API only.
package volume

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/reconcile"
)

const (
	// className is the storage class whose claims are bound.
	className   = "devcluster"
	provisioner = "openplatform.dev/devcluster"
	workers     = 4

	annotationBehavior = "devcluster.openplatform.dev/behavior"
	behaviorPending    = "pending"

	annotationBound         = "pv.kubernetes.io/bind-completed"
	annotationByController  = "pv.kubernetes.io/bound-by-controller"
	annotationProvisionedBy = "pv.kubernetes.io/provisioned-by"
)

// Binder binds claims, grows their volumes, and removes the volumes of claims
// that have gone.
type Binder struct {
	client  kubernetes.Interface
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	loop    *reconcile.Loop[cache.ObjectName]
}

// NewBinder returns a binder.
func NewBinder(client kubernetes.Interface) *Binder {
	b := &Binder{client: client}
	b.loop = reconcile.NewLoop(b.sync)
	return b
}

// Run binds claims until the context ends.
func (b *Binder) Run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(b.client, 0)
	claims := factory.Core().V1().PersistentVolumeClaims()
	volumes := factory.Core().V1().PersistentVolumes()
	b.claims, b.volumes = claims.Lister(), volumes.Lister()
	if _, err := claims.Informer().AddEventHandler(reconcile.OnChange(b.loop.Add)); err != nil {
		return fmt.Errorf("watch claims: %w", err)
	}
	if _, err := volumes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    b.addClaimOf,
		UpdateFunc: func(_, object any) { b.addClaimOf(object) },
	}); err != nil {
		return fmt.Errorf("watch volumes: %w", err)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())
	b.loop.Run(ctx, workers)
	return nil
}

// addClaimOf finds volumes whose claim went while nobody was watching.
func (b *Binder) addClaimOf(object any) {
	if volume, ok := object.(*corev1.PersistentVolume); ok && volume.Spec.ClaimRef != nil {
		b.loop.Add(cache.NewObjectName(volume.Spec.ClaimRef.Namespace, volume.Spec.ClaimRef.Name))
	}
}

func (b *Binder) sync(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	claim, err := b.claims.PersistentVolumeClaims(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return 0, b.releaseAllBut(ctx, name, "")
	}
	if err != nil {
		return 0, fmt.Errorf("get claim from cache: %w", err)
	}
	if err := b.releaseAllBut(ctx, name, claim.UID); err != nil {
		return 0, err
	}
	if !ours(claim) {
		return 0, nil
	}
	volume, err := b.ensureVolume(ctx, claim)
	if err != nil {
		return 0, err
	}
	return 0, b.bind(ctx, claim, volume)
}

// ours reports whether the claim is to be bound. One that names another volume
// was bound by its author.
func ours(claim *corev1.PersistentVolumeClaim) bool {
	return claim.DeletionTimestamp == nil &&
		claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == className &&
		claim.Annotations[annotationBehavior] != behaviorPending &&
		(claim.Spec.VolumeName == "" || claim.Spec.VolumeName == volumeName(claim.UID))
}

func volumeName(claim types.UID) string { return "pvc-" + string(claim) }

// ensureVolume returns the volume of the claim, created or grown if need be.
func (b *Binder) ensureVolume(ctx context.Context, claim *corev1.PersistentVolumeClaim) (*corev1.PersistentVolume, error) {
	volume, err := b.volumes.Get(volumeName(claim.UID))
	if apierrors.IsNotFound(err) {
		volume, err = b.client.CoreV1().PersistentVolumes().Create(ctx, newVolume(claim), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			volume, err = b.client.CoreV1().PersistentVolumes().Get(ctx, volumeName(claim.UID), metav1.GetOptions{})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("provide volume: %w", err)
	}
	wanted := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if size := volume.Spec.Capacity[corev1.ResourceStorage]; size.Cmp(wanted) < 0 {
		patch := map[string]any{"spec": map[string]any{"capacity": map[string]any{"storage": wanted.String()}}}
		volume, err = b.patchVolume(ctx, volume.Name, patch)
		if err != nil {
			return nil, fmt.Errorf("grow volume: %w", err)
		}
	}
	if volume.Status.Phase == corev1.VolumeBound {
		return volume, nil
	}
	patch := map[string]any{"status": map[string]any{"phase": corev1.VolumeBound}}
	return b.patchVolume(ctx, volume.Name, patch, "status")
}

func newVolume(claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        volumeName(claim.UID),
			Annotations: map[string]string{annotationProvisionedBy: provisioner},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      claim.Spec.Resources.Requests.DeepCopy(),
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			StorageClassName:              className,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/devcluster/" + string(claim.UID)},
			},
		},
	}
}

// bind writes the two halves of the claim's side: its spec, then its status.
func (b *Binder) bind(ctx context.Context, claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) error {
	if claim.Spec.VolumeName == "" || claim.Annotations[annotationBound] == "" {
		patch := map[string]any{
			"metadata": map[string]any{
				"uid":         claim.UID,
				"annotations": map[string]any{annotationBound: "yes", annotationByController: "yes"},
			},
			"spec": map[string]any{"volumeName": volume.Name},
		}
		if err := b.patchClaim(ctx, claim, patch); err != nil {
			return fmt.Errorf("bind claim: %w", err)
		}
	}
	capacity, bound := volume.Spec.Capacity[corev1.ResourceStorage], claim.Status.Capacity[corev1.ResourceStorage]
	if claim.Status.Phase == corev1.ClaimBound && bound.Cmp(capacity) == 0 {
		return nil
	}
	patch := map[string]any{
		"metadata": map[string]any{"uid": claim.UID},
		"status": map[string]any{
			"phase":       corev1.ClaimBound,
			"accessModes": volume.Spec.AccessModes,
			"capacity":    map[string]any{"storage": capacity.String()},
		},
	}
	if err := b.patchClaim(ctx, claim, patch, "status"); err != nil {
		return fmt.Errorf("report claim as bound: %w", err)
	}
	return nil
}

// releaseAllBut removes the volumes made for a claim of this name, except the
// one for the claim with the given UID.
func (b *Binder) releaseAllBut(ctx context.Context, name cache.ObjectName, uid types.UID) error {
	volumes, err := b.volumes.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list volumes from cache: %w", err)
	}
	for _, volume := range volumes {
		claim := volume.Spec.ClaimRef
		if volume.Annotations[annotationProvisionedBy] != provisioner || claim == nil || claim.UID == uid ||
			claim.Namespace != name.Namespace || claim.Name != name.Name {
			continue
		}
		if err := b.release(ctx, volume); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("release volume %s: %w", volume.Name, err)
		}
	}
	return nil
}

// release ends the life of a volume whose claim has gone. It must not be shown
// as bound any more, or its finalizer stays.
func (b *Binder) release(ctx context.Context, volume *corev1.PersistentVolume) error {
	if volume.Status.Phase != corev1.VolumeReleased {
		patch := map[string]any{"status": map[string]any{"phase": corev1.VolumeReleased}}
		if _, err := b.patchVolume(ctx, volume.Name, patch, "status"); err != nil {
			return err
		}
	}
	if volume.DeletionTimestamp != nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return nil
	}
	return b.client.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, metav1.DeleteOptions{})
}

func (b *Binder) patchVolume(
	ctx context.Context, name string, patch map[string]any, subresources ...string,
) (*corev1.PersistentVolume, error) {
	text, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("encode patch: %w", err)
	}
	return b.client.CoreV1().PersistentVolumes().Patch(
		ctx, name, types.MergePatchType, text, metav1.PatchOptions{}, subresources...)
}

// patchClaim patches the claim unless it has gone or was replaced by another.
func (b *Binder) patchClaim(
	ctx context.Context, claim *corev1.PersistentVolumeClaim, patch map[string]any, subresources ...string,
) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("encode patch: %w", err)
	}
	_, err = b.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(
		ctx, claim.Name, types.MergePatchType, text, metav1.PatchOptions{}, subresources...)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
