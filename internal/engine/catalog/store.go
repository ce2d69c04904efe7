// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Store keeps records in Documents. Records are read by one list on first use
// and kept current by the store's own writes, so refreshing many objects costs
// one request. It is safe for concurrent use.
type Store struct {
	documents    runtime.Documents
	organization string

	mu      sync.Mutex
	records map[platform.Ref]*Record
}

// NewStore returns a store for one organization. It makes no request.
func NewStore(documents runtime.Documents, organization string) *Store {
	return &Store{documents: documents, organization: organization}
}

// Identity tells this store from every other; it is "" before the first write.
func (s *Store) Identity(ctx context.Context) (string, error) { return s.documents.Identity(ctx) }

// Get returns a copy of a record, or nil when there is none.
func (s *Store) Get(ctx context.Context, ref platform.Ref) (*Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	return s.records[ref].clone(), nil
}

// Select returns copies of the records of a kind whose id has the prefix, sorted
// by id.
func (s *Store) Select(ctx context.Context, kind platform.Kind, prefix string) ([]*Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	var records []*Record
	for ref, record := range s.records {
		if ref.Kind == kind && strings.HasPrefix(ref.ID, prefix) {
			records = append(records, record.clone())
		}
	}
	sortRecords(records)
	return records, nil
}

// load lists all records once; the caller holds the lock.
func (s *Store) load(ctx context.Context) error {
	if s.records != nil {
		return nil
	}
	records, err := s.list(ctx, map[string]string{
		naming.LabelManagedBy: naming.ManagedBy, naming.LabelOrganization: s.organization,
	})
	if err != nil {
		return err
	}
	s.records = map[platform.Ref]*Record{}
	for _, record := range records {
		s.records[record.Ref()] = record
	}
	return nil
}

// Fresh is Get past what this process remembers; an absent record is NOT_FOUND.
func (s *Store) Fresh(ctx context.Context, ref platform.Ref) (*Record, error) {
	document, err := s.documents.Get(ctx, documentName(ref))
	if err != nil {
		if runtime.CodeOf(err) == runtime.NotFound {
			s.remember(ref, nil)
		}
		return nil, fmt.Errorf("read record of %s: %w", ref, err)
	}
	record, err := decode(document)
	if err != nil {
		return nil, err
	}
	s.remember(ref, record)
	return record.clone(), nil
}

// Referring returns the records of a kind that refer to an object, as the
// storage has them now, sorted by id.
func (s *Store) Referring(ctx context.Context, kind platform.Kind, to platform.Ref) ([]*Record, error) {
	labels := naming.RecordLabels(s.organization, string(kind))
	labels[naming.ReferencePrefix+string(to.Kind)] = naming.OwnerHash(s.organization, string(to.Kind), to.ID)
	return s.list(ctx, labels)
}

// Put writes a record. A new record is refused when there is one already; an
// old one is written over what it was read from. When somebody else wrote in
// between and left spec and UID alone, the write is repeated on the newer version,
// whose inventory is added to the record's, since all of it may exist; otherwise
// the error is a CONFLICT.
func (s *Store) Put(ctx context.Context, record *Record, object platform.Object) error {
	base := record.version
	record.SchemaVersion = SchemaVersion
	before := record.Spec
	if err := record.SetObject(object); err != nil {
		return err
	}
	err := s.write(ctx, record, object)
	// Several runs may write at the same time: each round one of them gets on.
	for range putRounds {
		if runtime.CodeOf(err) != runtime.Conflict || base == "" {
			return err
		}
		if err := s.rebase(ctx, record, before, err); err != nil {
			return err
		}
		err = s.write(ctx, record, object)
	}
	return err
}

// putRounds bounds how often Put starts again on a newer version.
const putRounds = 10

// rebase puts a record on top of what somebody else wrote, unless that is
// another object or says something else than before.
func (s *Store) rebase(ctx context.Context, record *Record, before json.RawMessage, conflict error) error {
	current, err := s.Fresh(ctx, record.Ref())
	switch {
	case err != nil:
		return err
	case current.UID != record.holder || !bytes.Equal(current.Spec, before):
		return fmt.Errorf("record of %s was changed by another run: %w", record.Ref(), conflict)
	}
	record.version, record.unknown = current.version, current.unknown
	for _, theirs := range current.Inventory {
		if !slices.ContainsFunc(record.Inventory, func(ours platform.InventoryEntry) bool {
			return ours.ID == theirs.ID && ours.DataPlane == theirs.DataPlane
		}) {
			record.Inventory = append(record.Inventory, theirs)
		}
	}
	return nil
}

func (s *Store) write(ctx context.Context, record *Record, object platform.Object) error {
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode record of %s: %w", record.Ref(), err)
	}
	stored, err := s.documents.Put(ctx, runtime.Document{
		Name: documentName(record.Ref()), Labels: s.labels(object), Data: data, Version: record.version,
	})
	if err != nil {
		return fmt.Errorf("write record of %s: %w", record.Ref(), err)
	}
	record.version, record.holder = stored.Version, record.UID
	s.remember(record.Ref(), record.clone())
	return nil
}

// Remove deletes a record. Removing an absent one is success.
func (s *Store) Remove(ctx context.Context, record *Record) error {
	if err := s.documents.Delete(ctx, documentName(record.Ref()), record.version); err != nil {
		return fmt.Errorf("remove record of %s: %w", record.Ref(), err)
	}
	s.remember(record.Ref(), nil)
	return nil
}

func (s *Store) remember(ref platform.Ref, record *Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.records == nil:
	case record == nil:
		delete(s.records, ref)
	default:
		s.records[ref] = record
	}
}

func (s *Store) list(ctx context.Context, labels map[string]string) ([]*Record, error) {
	documents, err := s.documents.List(ctx, labels)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	records := make([]*Record, 0, len(documents))
	for _, document := range documents {
		record, err := decode(document)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	sortRecords(records)
	return records, nil
}

func sortRecords(records []*Record) {
	slices.SortFunc(records, func(a, b *Record) int { return strings.Compare(a.ID, b.ID) })
}

// labels make a record selectable by its kind and by what it refers to.
func (s *Store) labels(object platform.Object) map[string]string {
	labels := naming.RecordLabels(s.organization, string(object.Kind()))
	seen := map[platform.Kind]int{}
	for _, reference := range object.References() {
		seen[reference.Kind]++
	}
	for _, reference := range object.References() {
		// Several references of one kind (a pipeline's environments) are soft
		// ones, which nothing looks up.
		if seen[reference.Kind] == 1 {
			labels[naming.ReferencePrefix+string(reference.Kind)] = naming.OwnerHash(s.organization, string(reference.Kind), reference.ID)
		}
	}
	return labels
}

func decode(document runtime.Document) (*Record, error) {
	record := &Record{}
	if err := json.Unmarshal(document.Data, record); err != nil {
		return nil, fmt.Errorf("decode record %s: %w", document.Name, err)
	}
	if record.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("record of %s has schema version %d, this provider reads up to %d: use a newer provider",
			record.Ref(), record.SchemaVersion, SchemaVersion)
	}
	record.version, record.holder = document.Version, record.UID
	return record, nil
}

func documentName(ref platform.Ref) string { return string(ref.Kind) + "/" + ref.ID }

func (r *Record) clone() *Record {
	if r == nil {
		return nil
	}
	out := *r
	out.Spec = bytes.Clone(r.Spec)
	out.Inventory = slices.Clone(r.Inventory)
	return &out
}
