// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package naming makes the names, labels and field-manager names of everything
// the provider creates. It is pure: the same parts give the same name forever.
package naming

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// The limits of the names that the API server accepts. A CronJob's name leaves
// room for the Job's suffix, a StatefulSet's for the revision label of its pods.
const (
	LimitCronJob      = 52
	LimitStatefulSet  = 52
	LimitLabel        = 63
	LimitPortName     = 15
	LimitFieldManager = 128
	LimitName         = 253
)

const hashLength = 8

// Name returns the readable parts joined by "-", cut to fit limit, and eight hex
// digits of a SHA-256 over an unambiguous encoding of the raw parts. The result
// is lower case, consists of letters, digits and "-", and starts with a letter
// if its first part does. Budget that short parts leave goes to long ones.
func Name(limit int, parts ...string) string {
	readable := make([]string, 0, len(parts))
	for _, part := range parts {
		if clean := sanitize(part); clean != "" {
			readable = append(readable, clean)
		}
	}
	hash := Hash(parts...)[:hashLength]
	budget := limit - hashLength - len(readable)
	fit(readable, budget)
	name := strings.Join(append(readable, hash), "-")
	return strings.TrimLeft(name, "-")
}

// Hash returns the hex SHA-256 of the parts, each prefixed by its length, so
// that moving a character from one part to the next gives another hash.
func Hash(parts ...string) string {
	digest := sha256.New()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		digest.Write(length[:])
		digest.Write([]byte(part))
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// fit cuts the longest parts until the sum of the lengths is within budget.
func fit(parts []string, budget int) {
	total := 0
	for _, part := range parts {
		total += len(part)
	}
	for total > budget {
		longest := 0
		for i := range parts {
			if len(parts[i]) > len(parts[longest]) {
				longest = i
			}
		}
		if len(parts[longest]) == 0 {
			return
		}
		parts[longest] = parts[longest][:len(parts[longest])-1]
		total--
	}
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], "-")
	}
}

func sanitize(part string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '-'
		}
	}, part)
	return strings.Trim(mapped, "-")
}

// Workload returns the name of a component's workload, Service and ConfigMap in
// a cell: the component's for the main track, else component--track. Names of
// platform objects hold no "--", so the join is unambiguous. A name over limit
// is cut and hashed.
func Workload(limit int, component, track string) string {
	name := component
	if track != MainTrack {
		name = component + "--" + track
	}
	if len(name) > limit {
		return Name(limit, component, track)
	}
	return name
}

// MainTrack is the delivery track that every component has.
const MainTrack = "main"

// Namespace returns the name of the cell of a project and environment.
func Namespace(organization, project, environment string) string {
	return Name(LimitLabel, "dp", organization, project, environment)
}
