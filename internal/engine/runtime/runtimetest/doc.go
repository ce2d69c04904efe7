// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package runtimetest states the promises of runtime.Runtime, runtime.Waiter and
// runtime.Documents as tests that every implementation passes, and offers an
// in-memory implementation for the tests of everything above.
package runtimetest
