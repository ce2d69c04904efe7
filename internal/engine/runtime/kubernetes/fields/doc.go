// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package fields answers questions about the fields of Kubernetes objects held
// as JSON: who owns them, which of them are ours, whether two spellings mean
// the same. It is pure: it knows no cluster and never changes its arguments.
package fields
