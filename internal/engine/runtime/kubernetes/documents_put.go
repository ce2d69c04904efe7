// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// orphanAge is how old a part must be that no head names before it counts as
// left behind by a writer that died, rather than as one of a write under way.
const orphanAge = time.Hour

// Put writes a document: with an empty Version only if there is none of that
// name, else only over that version.
func (d *documents) Put(ctx context.Context, document runtime.Document) (runtime.Document, error) {
	if err := checkDocument(document, d.system(documentHead)); err != nil {
		return runtime.Document{}, err
	}
	content, err := pack(document.Data)
	if err != nil {
		return runtime.Document{}, runtime.Errorf(runtime.Internal, "document %q: %w", document.Name, err)
	}
	var before object
	if document.Version != "" {
		if before, err = d.previous(ctx, document); err != nil {
			return runtime.Document{}, err
		}
	}
	parts, err := d.putParts(ctx, document.Name, content)
	if err != nil {
		return runtime.Document{}, err
	}
	oldParts := partNames(before)
	head, err := d.putHead(ctx, document, content, before, parts)
	if err != nil {
		d.dropParts(ctx, parts)
		return runtime.Document{}, err
	}
	d.memory.remember(head)
	d.dropParts(ctx, oldParts)
	if len(parts) > 0 {
		d.dropOrphans(ctx, document.Name, parts)
	}
	return runtime.Document{
		Name: document.Name, Labels: d.labelsOf(head), Data: document.Data, Version: head.resourceVersion(),
	}, nil
}

// previous returns the head that is to be replaced.
func (d *documents) previous(ctx context.Context, document runtime.Document) (object, error) {
	if before, ok := d.memory.recall(headName(document.Name), document.Version); ok {
		return before, nil
	}
	before, err := d.head(ctx, document.Name)
	if runtime.CodeOf(err) == runtime.NotFound {
		return nil, runtime.Errorf(runtime.Conflict, "document %q: was deleted by somebody else", document.Name)
	}
	if err != nil {
		return nil, err
	}
	if before.resourceVersion() != document.Version {
		return nil, runtime.Errorf(runtime.Conflict, "document %q: was changed by somebody else", document.Name)
	}
	return before, nil
}

// putHead creates or replaces the ConfigMap that is the document. What else the
// ConfigMap holds stays.
func (d *documents) putHead(ctx context.Context, document runtime.Document, content stored, before object, parts []string) (object, error) {
	write := uuid.NewString()
	body := d.headBody(document, content, before, parts)
	setAnnotation(body, annotationWrite, write)
	verb, method, name := "create", http.MethodPost, ""
	if before != nil {
		verb, method, name = "update", http.MethodPut, headName(document.Name)
	}
	out, err := d.write(ctx, verb, method, name, body)
	if err == nil {
		return decodeObject(out.body)
	}
	switch runtime.CodeOf(err) {
	case runtime.AlreadyExists, runtime.Conflict, runtime.NotFound:
	default:
		return nil, err
	}
	// An earlier attempt of this very write may have been carried out.
	if out.repeated {
		if held, getErr := d.head(ctx, document.Name); getErr == nil && held.annotation(annotationWrite) == write {
			return held, nil
		}
	}
	if before == nil && runtime.CodeOf(err) == runtime.NotFound {
		return nil, err
	}
	return nil, runtime.Errorf(runtime.Conflict, "document %q: was written by somebody else: %w", document.Name, err)
}

func (d *documents) headBody(document runtime.Document, content stored, before object, parts []string) object {
	body := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{}}
	labels, annotations := map[string]any{}, map[string]any{}
	data, binary := map[string]any{}, map[string]any{}
	if before != nil {
		body = before
		annotations = orEmpty(before.at("metadata", "annotations"))
		data = orEmpty(before["data"])
		binary = orEmpty(before["binaryData"])
		delete(body.metadata(), "managedFields")
	}
	for label, value := range document.Labels {
		labels[label] = value
	}
	for label, value := range d.system(documentHead) {
		labels[label] = value
	}
	delete(data, keyPlain)
	delete(binary, keyBinary)
	delete(annotations, annotationParts)
	delete(annotations, annotationDigest)
	annotations[annotationName] = document.Name
	switch {
	case len(parts) > 0:
		annotations[annotationParts] = strings.Join(parts, ",")
	case content.binary != nil:
		// Bytes are encoded as base64, which is how binaryData is written.
		binary[keyBinary] = content.binary
	default:
		data[keyPlain] = content.plain
	}
	if content.digest != "" {
		annotations[annotationDigest] = content.digest
	}
	metadata := body.metadata()
	metadata["name"], metadata["namespace"] = headName(document.Name), d.options.Namespace
	metadata["labels"], metadata["annotations"] = labels, annotations
	body["data"], body["binaryData"] = data, binary
	return body
}

func orEmpty(value any) map[string]any {
	if fields, ok := value.(map[string]any); ok {
		return fields
	}
	return map[string]any{}
}

func setAnnotation(body object, name, value string) {
	if annotations, ok := body.at("metadata", "annotations").(map[string]any); ok {
		annotations[name] = value
	}
}

// putParts writes the parts under names that no other write uses, so that
// nobody's cleaning up can hit them.
func (d *documents) putParts(ctx context.Context, name string, content stored) ([]string, error) {
	write := uuid.NewString()
	var names []string
	for i, part := range content.parts {
		partName := naming.Name(naming.LimitName, "document", name, "part", fmt.Sprint(i), write)
		labels := d.system(documentPart)
		labels[labelPartOf] = partOf(name)
		body := object{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{
				"name": partName, "namespace": d.options.Namespace, "labels": labels,
				"annotations": map[string]any{annotationName: name},
			},
			"binaryData": map[string]any{keyBinary: part},
		}
		out, err := d.write(ctx, "create", http.MethodPost, "", body)
		if err != nil && (runtime.CodeOf(err) != runtime.AlreadyExists || !out.repeated) {
			d.dropParts(ctx, names)
			return nil, err
		}
		names = append(names, partName)
	}
	return names, nil
}

func partOf(name string) string { return naming.Hash(name)[:naming.LimitLabel] }

// write sends a ConfigMap, creating the namespace if that is what is missing.
func (d *documents) write(ctx context.Context, verb, method, name string, body object) (answer, error) {
	request := d.call(verb, method, name)
	request.body = encode(body)
	out, err := d.client.do(ctx, request)
	if method != http.MethodPost || !isMissingNamespace(err) {
		return out, err
	}
	if err := d.createNamespace(ctx); err != nil {
		return answer{}, err
	}
	return d.client.do(ctx, request)
}

func (d *documents) createNamespace(ctx context.Context) error {
	labels := d.system(documentHead)
	delete(labels, labelDocument)
	request := d.namespaceCall("create", http.MethodPost, "")
	request.body = encode(object{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": d.options.Namespace, "labels": labels},
	})
	_, err := d.client.do(ctx, request)
	if err != nil && runtime.CodeOf(err) != runtime.AlreadyExists {
		return err
	}
	return nil
}

// dropParts removes parts that no head names any more. What cannot be removed
// now is found as an orphan later.
func (d *documents) dropParts(ctx context.Context, names []string) {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), inquiry)
	defer cancel()
	for _, name := range names {
		_, _ = d.client.do(late, d.call("delete", http.MethodDelete, name))
	}
}

// dropOrphans removes old parts of the document that its head does not name.
func (d *documents) dropOrphans(ctx context.Context, name string, current []string) {
	request := d.call("list", http.MethodGet, "")
	request.accept = acceptMetadata
	request.query.Set("labelSelector", labelPartOf+"="+partOf(name))
	kept := map[string]bool{}
	for _, part := range current {
		kept[part] = true
	}
	var orphans []string
	err := d.client.pages(ctx, request, func() { orphans = nil }, func(raw json.RawMessage) error {
		part, err := decodeObject(raw)
		if err != nil {
			return err
		}
		made, err := time.Parse(time.RFC3339, part.metaString("creationTimestamp"))
		if err == nil && !kept[part.name()] && time.Since(made) > orphanAge {
			orphans = append(orphans, part.name())
		}
		return nil
	})
	if err == nil {
		d.dropParts(ctx, orphans)
	}
}
