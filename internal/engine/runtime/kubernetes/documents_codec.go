// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const (
	// plainLimit is the largest document that is stored as it is, readable with
	// kubectl. partLimit is the most binary data of one ConfigMap; the server's own
	// limit, 1 MiB, counts everything.
	plainLimit = 700 << 10
	partLimit  = 700 << 10

	keyPlain  = "document.json"
	keyBinary = "document.json.gz"

	annotationName   = naming.Domain + "document-name"
	annotationParts  = naming.Domain + "document-parts"
	annotationDigest = naming.Domain + "document-digest"
	annotationWrite  = naming.Domain + "document-write"

	labelDocument = naming.Domain + "document"
	labelPartOf   = naming.Domain + "document-part-of"
	documentHead  = "head"
	documentPart  = "part"
)

// stored is the content of a document as ConfigMaps hold it.
type stored struct {
	// plain or binary is in the head; neither when there are parts.
	plain  string
	binary []byte
	// parts are the contents of further ConfigMaps.
	parts  [][]byte
	digest string
}

// pack decides how a document's data is stored.
func pack(data []byte) (stored, error) {
	if len(data) <= plainLimit && utf8.Valid(data) {
		return stored{plain: string(data)}, nil
	}
	out := stored{digest: naming.Hash(string(data))}
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	if _, err := writer.Write(data); err != nil {
		return stored{}, err
	}
	if err := writer.Close(); err != nil {
		return stored{}, err
	}
	packed := buffer.Bytes()
	if len(packed) <= partLimit {
		out.binary = packed
		return out, nil
	}
	for len(packed) > 0 {
		size := min(partLimit, len(packed))
		out.parts = append(out.parts, packed[:size:size])
		packed = packed[size:]
	}
	return out, nil
}

// unpack is the inverse of pack; it fails on anything that pack did not make.
func (s stored) unpack() ([]byte, error) {
	data := []byte(s.plain)
	if s.binary != nil || len(s.parts) > 0 {
		reader, err := gzip.NewReader(bytes.NewReader(append(bytes.Clone(s.binary), bytes.Join(s.parts, nil)...)))
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(reader); err != nil {
			return nil, err
		}
	}
	if s.digest != "" && naming.Hash(string(data)) != s.digest {
		return nil, fmt.Errorf("the content does not have the digest that was stored with it")
	}
	return data, nil
}

// binaryOf decodes a key of a ConfigMap's binaryData.
func binaryOf(held object, key string) ([]byte, error) {
	text := held.text("binaryData", key)
	if text == "" {
		return nil, nil
	}
	return base64.StdEncoding.DecodeString(text)
}

// headName is the name of the ConfigMap that holds a document.
func headName(document string) string {
	return naming.Name(naming.LimitName, "document", document)
}

// checkDocument refuses a document whose labels contradict the store's own.
func checkDocument(document runtime.Document, system map[string]string) error {
	if document.Name == "" {
		return runtime.Errorf(runtime.InvalidArgument, "a document needs a name")
	}
	for _, label := range sortedKeys(document.Labels) {
		if own, ok := system[label]; ok && own != document.Labels[label] {
			return runtime.Errorf(runtime.InvalidArgument, "document %q: the store sets the label %s to %q", document.Name, label, own)
		}
	}
	return nil
}
