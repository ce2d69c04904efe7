// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Release returns the digest of what the artifact runs: of its image and all of
// its configuration, and of nothing else, so that the same content is the same
// release under every name. It stays the same when fields are added to the
// model that an artifact does not set.
func (a *DeployableArtifact) Release() string {
	content := struct {
		Image         string        `json:"image"`
		Configuration Configuration `json:"configuration"`
	}{a.Image, a.Configuration}
	digest := sha256.Sum256(canonical(content))
	return "sha256:" + hex.EncodeToString(digest[:])
}

// canonical returns compact JSON with sorted keys, whatever the order of a
// struct's fields. It is nil for what JSON cannot hold, which the model has none of.
func canonical(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil
	}
	if raw, err = json.Marshal(tree); err != nil {
		return nil
	}
	return raw
}
