// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// With returns the configuration with overrides merged over it: maps by key,
// objects by field, everything else as a whole. Of the ways to scale the one that
// overrides name is left.
func (f *Configuration) With(overrides *Configuration) (Configuration, error) {
	if overrides == nil {
		return *f, nil
	}
	own := *f
	own.Scaling = f.Scaling.under(overrides.Scaling)
	base, err := fieldsOf(&own)
	if err != nil {
		return Configuration{}, err
	}
	over, err := fieldsOf(overrides)
	if err != nil {
		return Configuration{}, err
	}
	var merged Configuration
	if err := json.Unmarshal(canonical(merge(base, over)), &merged); err != nil {
		return Configuration{}, fmt.Errorf("merge overrides: %w", err)
	}
	return merged, nil
}

// fieldsOf returns a configuration as a tree; its numbers stay exact.
func fieldsOf(f *Configuration) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(canonical(f)))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("merge overrides: %w", err)
	}
	return fields, nil
}

// Check returns what is wrong with the configuration, with paths below at.
func (f *Configuration) Check(at Path) []Problem {
	var c checker
	f.validate(&c, at)
	return c.problems
}

// IsZero tells whether nothing is configured, be it by empty lists and maps. The
// encoding asks it what to leave out.
func (f *Configuration) IsZero() bool { return string(canonical(f)) == "{}" }

func merge(base, over map[string]any) map[string]any {
	for key, value := range over {
		inner, ok1 := base[key].(map[string]any)
		outer, ok2 := value.(map[string]any)
		if ok1 && ok2 {
			value = merge(inner, outer)
		}
		if base == nil {
			base = map[string]any{}
		}
		base[key] = value
	}
	return base
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
