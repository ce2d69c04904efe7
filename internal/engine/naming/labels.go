// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package naming

// Domain is the label and annotation domain of the platform.
const Domain = "openplatform.dev/"

// ManagedBy is the value of LabelManagedBy on everything the provider makes.
const ManagedBy = "terraform-provider-platform"

// The labels and annotations of every object.
const (
	LabelManagedBy    = "app.kubernetes.io/managed-by"
	LabelName         = "app.kubernetes.io/name"
	LabelOrganization = Domain + "organization"
	LabelOwnerKind    = Domain + "owner-kind"
	LabelOwner        = Domain + "owner"
	LabelProject      = Domain + "project"
	LabelEnvironment  = Domain + "environment"
	LabelComponent    = Domain + "component"
	LabelTrack        = Domain + "track"
	LabelEndpoint     = Domain + "endpoint"

	AnnotationOwnerID = Domain + "owner-id"
)

const ownerHashLength = 16

// OwnerHash identifies an owner in a label value.
func OwnerHash(organization, kind, id string) string {
	return Hash(organization, kind, id)[:ownerHashLength]
}

// OwnerLabels returns the labels that say whose an object is.
func OwnerLabels(organization, kind, id string) map[string]string {
	return map[string]string{
		LabelManagedBy:    ManagedBy,
		LabelOrganization: organization,
		LabelOwnerKind:    kind,
		LabelOwner:        OwnerHash(organization, kind, id),
	}
}

// Selector returns the label that selects the pods of an owner. It is frozen:
// a Deployment's selector cannot change.
func Selector(organization, kind, id string) map[string]string {
	return map[string]string{LabelOwner: OwnerHash(organization, kind, id)}
}

// FieldManager returns the server-side apply manager of an owner.
func FieldManager(organization, kind, id string) string {
	return Name(LimitFieldManager, "openplatform", organization, kind, id)
}

// The labels of records: which kind they are of, and what they refer to.
const (
	LabelRecordKind = Domain + "record-kind"
	// ReferencePrefix and a kind make the label that holds the hash of the
	// object of that kind that the record refers to.
	ReferencePrefix = "references.openplatform.dev/"
)

// RecordLabels returns the labels that select the records of a kind.
func RecordLabels(organization, kind string) map[string]string {
	return map[string]string{
		LabelManagedBy: ManagedBy, LabelOrganization: organization, LabelRecordKind: kind,
	}
}
