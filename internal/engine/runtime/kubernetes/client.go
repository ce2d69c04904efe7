// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

const (
	contentJSON  = "application/json"
	contentApply = "application/apply-patch+yaml"
	contentMerge = "application/merge-patch+json"
	contentPatch = "application/json-patch+json"

	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
	// internalRetries bounds the repetitions of an internal error, which a broken
	// webhook gives for ever.
	internalRetries = 5
	// retryLimit bounds the repetitions of a call whose context has no deadline.
	retryLimit = 5 * time.Minute
	// errorBody is as much of an answer that is not a Status as a message shows.
	errorBody = 512
)

// client speaks to one API server.
type client struct {
	connection Connection
	config     *rest.Config
	base       *url.URL
	http       *http.Client
	contact    *contact
	logger     *slog.Logger
}

// call is one request to the API server.
type call struct {
	// verb and subject say in messages and logs what was attempted.
	verb    string
	subject string
	// access describes the right that the call needs.
	access string

	method  string
	path    string
	query   url.Values
	content string
	accept  string
	body    []byte
	// secret values must not appear in messages.
	secret []string
}

// answer is the outcome of a call that the server accepted.
type answer struct {
	body     []byte
	status   int
	warnings []string
	// repeated says that an earlier attempt may have been carried out.
	repeated bool
}

func newClient(connection Connection, options Options) (*client, error) {
	config, err := connection.restConfig()
	if err != nil {
		return nil, err
	}
	config.UserAgent = options.UserAgent
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, connection.invalid("host %q: %w", config.Host, err)
	}
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, connection.invalid("%w", err)
	}
	return &client{
		connection: connection,
		config:     config,
		base:       base,
		http:       transport,
		contact:    &contact{window: options.FirstContact},
		logger:     options.Logger,
	}, nil
}

// do makes the call, repeating it while that can help. Every call that is made
// through it may be made twice. Its error is a *failure.
func (c *client) do(ctx context.Context, request call) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, c.failed(request, err, err)
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, retryLimit)
		defer cancel()
	}
	backoff, repeated, refused := firstBackoff, false, 0
	for attempt := 1; ; attempt++ {
		out, err := c.attempt(ctx, request)
		if err == nil {
			out.repeated = repeated
			return out, nil
		}
		if apierrors.IsUnauthorized(err) {
			refused++
		}
		again := c.again(ctx, err, attempt, refused)
		repeated = repeated || !isRefusal(err)
		if !again {
			return answer{repeated: repeated}, c.failed(request, err, ctx.Err())
		}
		pause := backoff + rand.N(backoff/2)
		if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
			pause = max(pause, time.Duration(seconds)*time.Second)
		}
		backoff = min(2*backoff, lastBackoff)
		select {
		case <-ctx.Done():
			return answer{repeated: repeated}, c.failed(request, err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// isRefusal reports an error that says the server did not act on the request.
func isRefusal(err error) bool {
	return statusOf(err) != nil && !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) &&
		!apierrors.IsInternalError(err) && !apierrors.IsServiceUnavailable(err)
}

// again decides whether an attempt's failure may pass; refused counts those
// attempts whose credentials the server did not accept.
func (c *client) again(ctx context.Context, err error, attempt, refused int) bool {
	if ctx.Err() != nil || isPermanent(err) || !c.contact.patient() {
		return false
	}
	status := statusOf(err)
	if status == nil {
		return true
	}
	switch status.ErrStatus.Code {
	case http.StatusUnauthorized:
		// The transport asks the exec program for new credentials after a refusal.
		return c.config.ExecProvider != nil && refused == 1
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusInternalServerError:
		return !isTypedPatchError(err) && attempt < internalRetries
	}
	return false
}

// attempt makes the request once. Its error is a context's, a connection's, or
// an *apierrors.StatusError.
func (c *client) attempt(ctx context.Context, request call) (answer, error) {
	bounded, cancel := c.contact.bound(ctx)
	defer cancel()
	start := time.Now()
	response, err := c.send(bounded, request)
	if err != nil {
		c.log(ctx, request, start, 0)
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	c.log(ctx, request, start, response.StatusCode)
	if err != nil {
		return answer{}, fmt.Errorf("the answer broke off: %w", err)
	}
	if response.StatusCode < http.StatusInternalServerError {
		c.contact.established.Store(true)
	}
	if response.StatusCode >= http.StatusOK && response.StatusCode <= http.StatusPartialContent {
		return answer{body: body, status: response.StatusCode, warnings: warningsOf(response.Header)}, nil
	}
	return answer{}, statusError(response, body)
}

// send starts the request and returns the response, whatever its status.
func (c *client) send(ctx context.Context, request call) (*http.Response, error) {
	target := *c.base
	target.Path = strings.TrimSuffix(target.Path, "/") + request.path
	target.RawQuery = request.query.Encode()
	out, err := http.NewRequestWithContext(ctx, request.method, target.String(), bytes.NewReader(request.body))
	if err != nil {
		return nil, err
	}
	out.Header.Set("Accept", contentJSON)
	if request.accept != "" {
		out.Header.Set("Accept", request.accept)
	}
	if len(request.body) > 0 {
		out.Header.Set("Content-Type", request.content)
	}
	return c.http.Do(out)
}

func (c *client) log(ctx context.Context, request call, start time.Time, status int) {
	c.logger.DebugContext(ctx, "kubernetes request", "verb", request.verb, "object", request.subject,
		"status", status, "duration", time.Since(start))
}

// statusError turns an answer that is no success into the error it describes.
func statusError(response *http.Response, body []byte) error {
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" && status.Message != "" {
		if status.Code == 0 {
			status.Code = int32(response.StatusCode) //nolint:gosec // A status code has three digits.
		}
		return &apierrors.StatusError{ErrStatus: status}
	}
	text := strings.TrimSpace(string(body))
	if len(text) > errorBody {
		text = text[:errorBody]
	}
	status = metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    int32(response.StatusCode), //nolint:gosec // A status code has three digits.
		Message: fmt.Sprintf("the server answered %s: %s", response.Status, text),
		Details: &metav1.StatusDetails{},
	}
	switch response.StatusCode {
	case http.StatusNotFound:
		status.Reason = metav1.StatusReasonNotFound
	case http.StatusUnauthorized:
		status.Reason = metav1.StatusReasonUnauthorized
	case http.StatusForbidden:
		status.Reason = metav1.StatusReasonForbidden
	}
	return &apierrors.StatusError{ErrStatus: status}
}

func statusOf(err error) *apierrors.StatusError {
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return status
	}
	return nil
}

func warningsOf(header http.Header) []string {
	var out []string
	for _, value := range header.Values("Warning") {
		// The text is the quoted part of: 299 - "text".
		if start := strings.Index(value, `"`); start >= 0 {
			if end := strings.LastIndex(value, `"`); end > start {
				out = append(out, strings.ReplaceAll(value[start+1:end], `\"`, `"`))
			}
		}
	}
	return out
}

func (c *client) version(ctx context.Context) (string, error) {
	out, err := c.do(ctx, call{verb: "get", subject: "version", access: "read the server's version", method: http.MethodGet, path: "/version"})
	if err != nil {
		return "", err
	}
	var info struct {
		GitVersion string `json:"gitVersion"`
	}
	if err := json.Unmarshal(out.body, &info); err != nil {
		return "", runtime.Errorf(runtime.Internal, "version of %s: %w", c.base.Host, err)
	}
	return info.GitVersion, nil
}
