// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func errorAs(err error, status *runtime.Status) bool {
	found, ok := errors.AsType[runtime.Status](err)
	if ok {
		*status = found
	}
	return ok
}

// failed turns the error of an attempt into a Status that says what was
// attempted, on whose behalf, and what the server said. ended is the error of
// the context that stopped the repetition, if one did.
func (c *client) failed(request call, err, ended error) error {
	subject := request.subject
	if ended == nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) && c.contact.established.Load() {
		ended = err
	}
	status := statusOf(err)
	if ended != nil && !isPermanent(err) && (status == nil || isBusy(status)) {
		code := runtime.CodeOf(ended)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return runtime.Errorf(code, "%s: %s did not finish: %w", subject, request.verb, ended)
		}
		return runtime.Errorf(code, "%s: %s did not finish, last attempt: %s: %w", subject, request.verb, err.Error(), ended)
	}
	if status == nil {
		return c.unreachable(request, err)
	}
	message := redact(status.ErrStatus.Message, request.secret)
	// The cause keeps its identity for callers; its text is said in our words.
	cause := &serverError{message: message, status: status}
	code := codeOfStatus(status)
	switch code {
	case runtime.Unauthenticated:
		return runtime.Errorf(code, "%s: %s to %s did not authenticate: %w", subject, c.connection.describe(), c.base.Host, cause)
	case runtime.PermissionDenied:
		return runtime.Errorf(code, "%s: not allowed to %s with %s: %w", subject, request.access, c.connection.describe(), cause)
	default:
		paths := causePaths(status.ErrStatus)
		if isMissingNamespace(status) {
			paths = append(paths, runtime.PathNamespace)
		}
		return runtime.Errorf(code, "%s: %s failed: %w", subject, request.verb, cause).WithPaths(paths...)
	}
}

// unreachable is the Status of a server that gives no answer.
func (c *client) unreachable(request call, err error) error {
	if strings.Contains(err.Error(), "getting credentials") {
		return runtime.Errorf(runtime.Unauthenticated, "%s: %s got no credentials: %w", request.subject, c.connection.describe(), err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return runtime.Errorf(runtime.Unavailable, "%s: %s: the API server %s did not answer within %s",
			request.subject, c.connection.describe(), c.base.Host, c.contact.window)
	}
	return runtime.Errorf(runtime.Unavailable, "%s: %s: the API server %s cannot be reached: %w",
		request.subject, c.connection.describe(), c.base.Host, err)
}

// serverError is what the server said, without what must stay secret.
type serverError struct {
	message string
	status  *apierrors.StatusError
}

func (e *serverError) Error() string { return e.message }

// Status lets apimachinery's predicates see the reason. The message it holds is
// the redacted one.
func (e *serverError) Status() metav1.Status {
	out := e.status.ErrStatus
	out.Message = e.message
	return out
}

func codeOfStatus(err *apierrors.StatusError) runtime.Code {
	status := err.ErrStatus
	switch {
	case isTypedPatchError(err):
		return runtime.InvalidArgument
	case status.Reason == metav1.StatusReasonAlreadyExists:
		return runtime.AlreadyExists
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return runtime.Unavailable
	}
	switch status.Code {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return runtime.InvalidArgument
	case http.StatusUnauthorized:
		return runtime.Unauthenticated
	case http.StatusForbidden:
		return runtime.PermissionDenied
	case http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed:
		return runtime.NotFound
	case http.StatusConflict:
		return runtime.Conflict
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return runtime.Unavailable
	}
	return runtime.Internal
}

// isBusy reports an answer that a later attempt may not get.
func isBusy(err *apierrors.StatusError) bool {
	return codeOfStatus(err) == runtime.Unavailable
}

// typedPatchText begins what the server says about an object that does not fit
// its schema.
const typedPatchText = "failed to create typed patch object"

// isTypedPatchError reports an object that does not fit the schema: the server
// calls that an internal error without a reason.
func isTypedPatchError(err error) bool {
	status := statusOf(err)
	return status != nil && status.ErrStatus.Code == http.StatusInternalServerError &&
		strings.Contains(status.ErrStatus.Message, typedPatchText)
}

// isPermanent reports an error of the connection that no repetition changes.
func isPermanent(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "HTTP response to HTTPS client") || strings.Contains(text, "getting credentials") ||
		strings.Contains(text, "unsupported protocol scheme") || strings.Contains(text, "remote error: tls")
}

// isMissingType reports that the server does not serve the path at all, rather
// than that it holds no object of that name.
func isMissingType(err error) bool {
	status, ok := asAPIStatus(err)
	if !ok || status.Code != http.StatusNotFound {
		return false
	}
	return status.Details == nil || status.Details.Name == ""
}

func isMissingNamespace(err error) bool {
	status, ok := asAPIStatus(err)
	return ok && status.Code == http.StatusNotFound && status.Details != nil && status.Details.Kind == "namespaces"
}

func isTerminatingNamespace(err error) bool {
	return apierrors.HasStatusCause(err, "NamespaceTerminating")
}

// asAPIStatus returns what the server said, if the error comes from it.
func asAPIStatus(err error) (metav1.Status, bool) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return metav1.Status{}, false
	}
	return status.Status(), true
}

// pathsOf returns the fields that a Status names.
func pathsOf(err error) []string {
	if status := asStatus(err); status != nil {
		return status.Paths()
	}
	return nil
}

// isFieldConflict reports fields that other managers own.
func isFieldConflict(err error) bool {
	return len(conflictsOf(err)) > 0
}

// conflict is one field that another manager owns, by writing a subresource if
// one is named.
type conflict struct {
	path        string
	manager     string
	subresource string
}

// conflictsOf returns the fields that other managers own, as the server names
// them, sorted.
func conflictsOf(err error) []conflict {
	status, ok := asAPIStatus(err)
	if !ok || status.Details == nil {
		return nil
	}
	var out []conflict
	for _, cause := range status.Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		// conflict with "manager" with subresource "scale" using v1
		found := conflict{path: strings.TrimPrefix(cause.Field, "."), manager: cause.Message}
		parts := strings.SplitN(cause.Message, `"`, 5)
		if len(parts) >= 3 {
			found.manager = parts[1]
		}
		if len(parts) == 5 && strings.HasSuffix(parts[2], " subresource ") {
			found.subresource = parts[3]
		}
		out = append(out, found)
	}
	slices.SortStableFunc(out, func(a, b conflict) int { return strings.Compare(a.path, b.path) })
	return out
}

// causePaths returns the fields that the server names as the causes of a refusal.
func causePaths(status metav1.Status) []string {
	var out []string
	add := func(field string) {
		field = strings.TrimPrefix(field, ".")
		if field != "" && field != "<nil>" && !slices.Contains(out, field) {
			out = append(out, field)
		}
	}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			add(cause.Field)
		}
	}
	if strings.Contains(status.Message, typedPatchText) {
		// Here the fields are only in the text: ".spec.x: field not declared in schema".
		for _, word := range strings.Fields(status.Message) {
			if strings.HasPrefix(word, ".") && strings.HasSuffix(word, ":") {
				add(strings.TrimSuffix(word, ":"))
			}
		}
	}
	return out
}

// redact removes secret values from a message of the server, which quotes what
// it refuses.
func redact(message string, secret []string) string {
	for _, value := range secret {
		message = strings.ReplaceAll(message, value, "(sensitive)")
	}
	return message
}
