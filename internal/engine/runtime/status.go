// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime

import (
	"context"
	"errors"
	"fmt"
)

// Code classifies a failure.
type Code string

// The codes of a Status.
const (
	InvalidArgument  Code = "INVALID_ARGUMENT"
	NotFound         Code = "NOT_FOUND"
	AlreadyExists    Code = "ALREADY_EXISTS"
	Conflict         Code = "CONFLICT"
	PermissionDenied Code = "PERMISSION_DENIED"
	Unauthenticated  Code = "UNAUTHENTICATED"
	Unavailable      Code = "UNAVAILABLE"
	Canceled         Code = "CANCELED"
	DeadlineExceeded Code = "DEADLINE_EXCEEDED"
	ReplaceRequired  Code = "REPLACE_REQUIRED"
	// RolloutFailed means that the resource was applied and cannot become ready.
	RolloutFailed Code = "ROLLOUT_FAILED"
	Internal      Code = "INTERNAL"
)

// Status is a failure with a code. It is an error; nil is success.
type Status interface {
	error
	// Code classifies the failure.
	Code() Code
	// Message says what failed, without the cause.
	Message() string
	// Paths are the fields at fault, if any.
	Paths() []string
	// Unwrap returns the cause, or nil.
	Unwrap() error
}

// Error is the Status that the runtimes return.
type Error struct {
	code    Code
	message string
	paths   []string
	cause   error
}

var _ Status = (*Error)(nil)

// Errorf returns a Status with a formatted message. A %w operand is the cause.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{code: code, message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// WithPaths returns a copy of the error that names the fields at fault.
func (e *Error) WithPaths(paths ...string) *Error {
	out := *e
	out.paths = append([]string(nil), paths...)
	return &out
}

// Error returns the message, which already contains the cause's text.
func (e *Error) Error() string { return e.message }

// Code classifies the failure.
func (e *Error) Code() Code { return e.code }

// Message says what failed.
func (e *Error) Message() string { return e.message }

// Paths are the fields at fault.
func (e *Error) Paths() []string { return e.paths }

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of an error: that of the Status in its chain, the
// code that belongs to a context error, or Internal. It is "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if status, ok := errors.AsType[Status](err); ok {
		return status.Code()
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	}
	return Internal
}
