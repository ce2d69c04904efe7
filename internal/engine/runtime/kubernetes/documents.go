// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

// documents keeps documents in ConfigMaps of one namespace, which the first
// write creates and nothing deletes. A large document is compressed, a very
// large one spread over several ConfigMaps, which are written before the one
// that names them: a reader sees the old content or the new one.
type documents struct {
	client  *client
	options Options
	memory  *documentMemory
}

// documentMemory is what the process knows about the namespace.
type documentMemory struct {
	mu       sync.Mutex
	identity string
	// heads are the ConfigMaps last read or written, without the documents, by
	// name: a write over one of them need not read it again.
	heads map[string]object
}

func newDocumentMemory() *documentMemory {
	return &documentMemory{heads: map[string]object{}}
}

func (m *documentMemory) knownIdentity() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.identity
}

// remember keeps a head for the next write.
func (m *documentMemory) remember(head object) {
	kept := make(object, len(head))
	for key, value := range head {
		if key != "data" && key != "binaryData" {
			kept[key] = value
			continue
		}
		held, _ := value.(map[string]any)
		rest := map[string]any{}
		for name, content := range held {
			if name != keyPlain && name != keyBinary {
				rest[name] = content
			}
		}
		kept[key] = rest
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heads[head.name()] = kept
}

// recall returns a copy of the head of that name, if it is of that version.
func (m *documentMemory) recall(name, version string) (object, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head, ok := m.heads[name]
	if !ok || head.resourceVersion() != version {
		return nil, false
	}
	return fields.Clone(head), true
}

// readAttempts bounds how often a document is read again because it was
// replaced between its head and its parts.
const readAttempts = 5

// system are the labels of every ConfigMap of the store.
func (d *documents) system(kind string) map[string]string {
	return map[string]string{
		naming.LabelManagedBy:    naming.ManagedBy,
		naming.LabelOrganization: d.options.Organization,
		labelDocument:            kind,
	}
}

func (d *documents) call(verb, method, name string) call {
	maps, _ := builtinMapping(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	subject := "documents of namespace " + d.options.Namespace
	if name != "" {
		subject = "ConfigMap/" + d.options.Namespace + "/" + name
	}
	return call{
		verb: verb, subject: subject, access: verb + " configmaps in namespace " + d.options.Namespace,
		method: method, path: maps.path(d.options.Namespace, name), query: url.Values{}, content: contentJSON,
	}
}

// List returns the documents that carry all the labels, sorted by name.
func (d *documents) List(ctx context.Context, labels map[string]string) ([]runtime.Document, error) {
	wanted := d.system(documentHead)
	maps.Copy(wanted, labels)
	var selector []string
	for _, label := range sortedKeys(wanted) {
		selector = append(selector, label+"="+wanted[label])
	}
	request := d.call("list", http.MethodGet, "")
	request.query.Set("labelSelector", strings.Join(selector, ","))
	var heads []object
	err := d.client.pages(ctx, request, func() { heads = nil }, func(raw json.RawMessage) error {
		head, err := decodeObject(raw)
		heads = append(heads, head)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]runtime.Document, 0, len(heads))
	for _, head := range heads {
		document, err := d.open(ctx, head)
		if runtime.CodeOf(err) == runtime.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, document)
	}
	slices.SortFunc(out, func(a, b runtime.Document) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Get returns one document.
func (d *documents) Get(ctx context.Context, name string) (runtime.Document, error) {
	if name == "" {
		return runtime.Document{}, runtime.Errorf(runtime.InvalidArgument, "a document needs a name")
	}
	head, err := d.head(ctx, name)
	if err != nil {
		return runtime.Document{}, err
	}
	return d.open(ctx, head)
}

func (d *documents) head(ctx context.Context, name string) (object, error) {
	out, err := d.client.do(ctx, d.call("get", http.MethodGet, headName(name)))
	if err != nil {
		if runtime.CodeOf(err) == runtime.NotFound {
			return nil, runtime.Errorf(runtime.NotFound, "document %q: %w", name, err)
		}
		return nil, err
	}
	return decodeObject(out.body)
}

// open reads the document that a head describes, following it when it is
// replaced meanwhile.
func (d *documents) open(ctx context.Context, head object) (runtime.Document, error) {
	name := head.annotation(annotationName)
	for range readAttempts {
		content, torn, err := d.content(ctx, head)
		if err != nil {
			return runtime.Document{}, err
		}
		if !torn {
			data, err := content.unpack()
			if err != nil {
				return runtime.Document{}, runtime.Errorf(runtime.Internal, "document %q (ConfigMap/%s/%s): %w",
					name, d.options.Namespace, head.name(), err)
			}
			d.memory.remember(head)
			return runtime.Document{Name: name, Labels: d.labelsOf(head), Data: data, Version: head.resourceVersion()}, nil
		}
		if head, err = d.head(ctx, name); err != nil {
			return runtime.Document{}, err
		}
	}
	return runtime.Document{}, runtime.Errorf(runtime.Internal, "document %q (ConfigMap/%s/%s): a part of it is missing",
		name, d.options.Namespace, head.name())
}

// content collects what the head holds and names; torn says that a part is gone.
func (d *documents) content(ctx context.Context, head object) (out stored, torn bool, err error) {
	out = stored{plain: head.text("data", keyPlain), digest: head.annotation(annotationDigest)}
	if out.binary, err = binaryOf(head, keyBinary); err != nil {
		return stored{}, false, runtime.Errorf(runtime.Internal, "ConfigMap/%s/%s: %w", d.options.Namespace, head.name(), err)
	}
	for _, name := range partNames(head) {
		answered, err := d.client.do(ctx, d.call("get", http.MethodGet, name))
		if runtime.CodeOf(err) == runtime.NotFound {
			return stored{}, true, nil
		}
		if err != nil {
			return stored{}, false, err
		}
		part, err := decodeObject(answered.body)
		if err != nil {
			return stored{}, false, err
		}
		data, err := binaryOf(part, keyBinary)
		if err != nil {
			return stored{}, false, runtime.Errorf(runtime.Internal, "ConfigMap/%s/%s: %w", d.options.Namespace, name, err)
		}
		out.parts = append(out.parts, data)
	}
	return out, false, nil
}

func partNames(head object) []string {
	text := head.annotation(annotationParts)
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// labelsOf returns the document's own labels.
func (d *documents) labelsOf(head object) map[string]string {
	out := map[string]string{}
	labels, _ := head.at("metadata", "labels").(map[string]any)
	system := d.system(documentHead)
	for label, value := range labels {
		if _, own := system[label]; !own {
			out[label], _ = value.(string)
		}
	}
	return out
}

// Delete removes a document and its parts; an empty version removes any.
func (d *documents) Delete(ctx context.Context, name, version string) error {
	if name == "" {
		return runtime.Errorf(runtime.InvalidArgument, "a document needs a name")
	}
	head, err := d.head(ctx, name)
	if runtime.CodeOf(err) == runtime.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if version != "" && head.resourceVersion() != version {
		return runtime.Errorf(runtime.Conflict, "document %q: was changed by somebody else", name)
	}
	preconditions := map[string]string{"uid": head.uid()}
	if version != "" {
		preconditions["resourceVersion"] = version
	}
	request := d.call("delete", http.MethodDelete, head.name())
	request.body = encode(map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions})
	if _, err := d.client.do(ctx, request); err != nil && runtime.CodeOf(err) != runtime.NotFound {
		return err
	}
	d.dropParts(ctx, partNames(head))
	return nil
}

// Identity returns the UID of the namespace, or "" while there is none.
func (d *documents) Identity(ctx context.Context) (string, error) {
	if known := d.memory.knownIdentity(); known != "" {
		return known, nil
	}
	out, err := d.client.do(ctx, d.namespaceCall("get", http.MethodGet, d.options.Namespace))
	if runtime.CodeOf(err) == runtime.NotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	namespace, err := decodeObject(out.body)
	if err != nil {
		return "", err
	}
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	d.memory.identity = namespace.uid()
	return d.memory.identity, nil
}

func (d *documents) namespaceCall(verb, method, name string) call {
	return call{
		verb: verb, subject: "Namespace/" + d.options.Namespace, access: verb + " namespaces",
		method: method, path: namespaceMapping().path("", name), query: url.Values{}, content: contentJSON,
	}
}
