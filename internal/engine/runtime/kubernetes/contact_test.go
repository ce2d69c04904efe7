// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// contactOnce makes one request with a new runtime.
func contactOnce(t *testing.T, connection kubernetes.Connection, window, limit time.Duration) error {
	t.Helper()
	r, err := kubernetes.New(connection, kubernetes.Options{FirstContact: window})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err = r.Version(ctx)
	return err
}

// tlsServer keeps quiet about clients that do not trust it.
func tlsServer(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handle)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestFirstContact(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	secure := tlsServer(t, func(http.ResponseWriter, *http.Request) {})
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(plain.Close)
	const window = 500 * time.Millisecond
	cases := map[string]struct {
		reason string
		host   string
		atMost time.Duration
	}{
		"silent":         {"a server that accepts and says nothing", "https://" + silent.Addr().String(), 3 * time.Second},
		"refused":        {"nobody listens", "https://" + closed.Addr().String(), 3 * time.Second},
		"untrusted":      {"no repetition makes a certificate trusted", secure.URL, window},
		"not https":      {"no repetition makes it speak TLS", "https://" + plain.Listener.Addr().String(), window},
		"no such scheme": {"the host has no scheme that we speak", "ftp://" + plain.Listener.Addr().String(), window},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			err := contactOnce(t, kubernetes.Connection{Name: "edge", Source: "a test", Host: tc.host}, window, time.Minute)
			wantCode(t, err, runtime.Unavailable, "edge", "a test")
			if took := time.Since(start); took > tc.atMost+time.Second {
				t.Errorf("%s: it took %s, want at most %s", tc.reason, took, tc.atMost)
			}
		})
	}
}

// flaky answers requests with the statuses in turn, then with a version.
func flaky(t *testing.T, statuses ...int) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i := int(count.Add(1)) - 1
		if i >= len(statuses) {
			_, _ = fmt.Fprint(w, `{"gitVersion":"v1.2.3"}`)
			return
		}
		if statuses[i] == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(statuses[i])
		_, _ = fmt.Fprintf(w, `{"kind":"Status","status":"Failure","message":"no","code":%d}`, statuses[i])
	}))
	t.Cleanup(server.Close)
	return server, &count
}

func TestRepetition(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason   string
		statuses []int
		code     runtime.Code
		requests int64
	}{
		"busy":            {"a server that is busy gets time", []int{429, 503, 502, 504}, "", 5},
		"broken":          {"a connection that breaks is made again", []int{0, 0}, "", 3},
		"internal":        {"an internal error may pass", []int{500, 500}, "", 3},
		"always internal": {"a webhook may be broken for good", []int{500, 500, 500, 500, 500, 500}, runtime.Internal, 5},
		"unauthenticated": {"nothing changes without new credentials", []int{401}, runtime.Unauthenticated, 1},
		"forbidden":       {"nothing changes without new rights", []int{403}, runtime.PermissionDenied, 1},
		"bad request":     {"nothing changes with the same request", []int{400}, runtime.InvalidArgument, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, count := flaky(t, tc.statuses...)
			err := contactOnce(t, kubernetes.Connection{Host: server.URL}, 20*time.Second, 30*time.Second)
			wantCode(t, err, tc.code)
			if got := count.Load(); got != tc.requests {
				t.Errorf("%s: %d requests, want %d", tc.reason, got, tc.requests)
			}
		})
	}
}

func TestDeadlineEndsRepetition(t *testing.T) {
	t.Parallel()
	server, _ := flaky(t, make([]int, 1000)...)
	err := contactOnce(t, kubernetes.Connection{Host: server.URL}, 20*time.Second, 500*time.Millisecond)
	wantCode(t, err, runtime.DeadlineExceeded, "last attempt")
}

func TestConnection(t *testing.T) {
	t.Parallel()
	server := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, `{"gitVersion":"v1.2.3"}`)
	})
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := write("config", fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"wrong",
"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],
"users":[{"name":"right","user":{"token":"right"}},{"name":"wrong","user":{"token":"wrong"}}],
"contexts":[{"name":"right","context":{"cluster":"c","user":"right"}},{"name":"wrong","context":{"cluster":"c","user":"wrong"}}]}`, server.URL))
	credential := write("credential", "#!/bin/sh\n"+`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$TOKEN'"}}'`+"\n")
	if err := os.Chmod(credential, 0o700); err != nil { //nolint:gosec // It has to run.
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason     string
		connection kubernetes.Connection
		code       runtime.Code
	}{
		"explicit":          {"all settings are explicit", kubernetes.Connection{Host: server.URL, Token: "right", ClusterCACertificate: authority}, ""},
		"wrong token":       {"the server decides about tokens", kubernetes.Connection{Host: server.URL, Token: "wrong", ClusterCACertificate: authority}, runtime.Unauthenticated},
		"server name":       {"the certificate must be of that name", kubernetes.Connection{Host: server.URL, Token: "right", ClusterCACertificate: authority, TLSServerName: "other.example"}, runtime.Unavailable},
		"insecure":          {"the certificate does not matter", kubernetes.Connection{Host: server.URL, Token: "right", Insecure: true}, ""},
		"context":           {"a context of the file is chosen", kubernetes.Connection{ConfigPaths: []string{config}, ConfigContext: "right"}, ""},
		"current context":   {"without a choice the current one counts", kubernetes.Connection{ConfigPaths: []string{config}}, runtime.Unauthenticated},
		"token over file":   {"explicit settings win", kubernetes.Connection{ConfigPaths: []string{config}, Token: "right"}, ""},
		"several files":     {"files that are not there are passed over in a list", kubernetes.Connection{ConfigPaths: []string{filepath.Join(folder, "none"), config}, ConfigContext: "right"}, ""},
		"exec":              {"a program gives the token", kubernetes.Connection{Host: server.URL, Insecure: true, Exec: &kubernetes.Exec{Command: credential, Env: map[string]string{"TOKEN": "right"}}}, ""},
		"exec, wrong token": {"it is asked once more and no more", kubernetes.Connection{Host: server.URL, Insecure: true, Exec: &kubernetes.Exec{Command: credential, Env: map[string]string{"TOKEN": "wrong"}}}, runtime.Unauthenticated},
		"exec, no program":  {"it is not there", kubernetes.Connection{Host: server.URL, Insecure: true, Exec: &kubernetes.Exec{Command: filepath.Join(folder, "none")}}, runtime.Unauthenticated},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := contactOnce(t, tc.connection, 5*time.Second, 20*time.Second)
			if got := runtime.CodeOf(err); got != tc.code {
				t.Errorf("%s: code is %q, want %q: %v", tc.reason, got, tc.code, err)
			}
		})
	}
}

func TestConnectionRefusals(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	cases := map[string]struct {
		reason     string
		connection kubernetes.Connection
		words      []string
	}{
		"nothing":         {"nothing is looked for elsewhere", kubernetes.Connection{Name: "n", Source: "s"}, []string{`"n"`, "(s)", "host"}},
		"no such file":    {"the only file must exist", kubernetes.Connection{ConfigPaths: []string{none}}, []string{none}},
		"no such files":   {"one of the files must exist", kubernetes.Connection{ConfigPaths: []string{none, none}}, []string{"no cluster"}},
		"context alone":   {"a context is one of a file", kubernetes.Connection{Host: "https://h", ConfigContext: "c"}, []string{`"c"`}},
		"half a key pair": {"a certificate needs its key", kubernetes.Connection{Host: "https://h", ClientCertificate: "x"}, []string{"key"}},
		"not PEM":         {"a certificate is PEM", kubernetes.Connection{Host: "https://h", ClusterCACertificate: "x"}, nil},
		"contradiction":   {"either trust is checked or not", kubernetes.Connection{Host: "https://h", ClusterCACertificate: "x", Insecure: true}, []string{"insecure"}},
		"two credentials": {"a program or a token", kubernetes.Connection{Host: "https://h", Token: "x", Exec: &kubernetes.Exec{Command: "x"}}, []string{"token"}},
		"exec of nothing": {"a program has a name", kubernetes.Connection{Host: "https://h", Exec: &kubernetes.Exec{}}, []string{"command"}},
		"proxy":           {"a proxy is a URL", kubernetes.Connection{Host: "https://h", ProxyURL: "::"}, []string{"::"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := kubernetes.New(tc.connection, kubernetes.Options{})
			wantCode(t, err, runtime.InvalidArgument, tc.words...)
		})
	}
}

func TestConnectionHash(t *testing.T) {
	t.Parallel()
	one := kubernetes.Connection{Host: "https://h", Exec: &kubernetes.Exec{Command: "x", Env: map[string]string{"a": "1", "b": "2"}}}
	same := kubernetes.Connection{Host: "https://h", Exec: &kubernetes.Exec{Command: "x", Env: map[string]string{"b": "2", "a": "1"}}}
	other, named := same, same
	other.Token = "x"
	named.Name, named.Source = "far", "elsewhere"
	if one.Hash() != same.Hash() || one.Hash() != named.Hash() || one.Hash() == other.Hash() {
		t.Error("equal settings have one hash, others have another")
	}
}

func TestSharedRuntimeNamesTheConnection(t *testing.T) {
	t.Parallel()
	server, count := flaky(t, 403, 403, 403, 403)
	near := kubernetes.Connection{Name: "near", Host: server.URL}
	r, err := kubernetes.New(near, kubernetes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	far := near
	far.Name = "far"
	stack := &runtime.Stack{Organization: "acme", OwnerKind: "deployment", OwnerID: "shop/cart/dev"}
	for _, name := range []string{"near", "far"} {
		shared := r
		if name == "far" {
			shared = r.As(far)
		}
		_, err := shared.Version(t.Context())
		wantCode(t, err, runtime.PermissionDenied, name)
		object := runtimetest.Object(stack, "example.dev/v1", "Thing", "n", "x", nil)
		_, err = runtime.Read(t.Context(), shared, &runtime.ReadRequest{PriorResource: object, Stack: stack})
		wantCode(t, err, runtime.PermissionDenied, name)
	}
	if got := count.Load(); got != 4 {
		t.Errorf("%d requests, want 4", got)
	}
}

// The program's first token has expired; it has a new one when it is asked again.
func TestExecCredentialIsRefreshedOnce(t *testing.T) {
	t.Parallel()
	var refused atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer fresh" {
			refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, `{"gitVersion":"v1.2.3"}`)
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	asked := filepath.Join(folder, "asked")
	credential := filepath.Join(folder, "credential")
	script := `#!/bin/sh
token=stale
test -s "$ASKED" && token=fresh
echo asked >>"$ASKED"
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$token'"}}'
`
	if err := os.WriteFile(credential, []byte(script), 0o700); err != nil { //nolint:gosec // It has to run.
		t.Fatal(err)
	}
	connection := kubernetes.Connection{Host: server.URL, Exec: &kubernetes.Exec{Command: credential, Env: map[string]string{"ASKED": asked}}}
	r, err := kubernetes.New(connection, kubernetes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := r.Version(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	if refused.Load() != 1 || string(lines) != "asked\nasked\n" {
		t.Errorf("%d requests were refused, the program said %q", refused.Load(), lines)
	}
}

// A limit holds for all requests of a connection, and nobody waits longer than
// the own context.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = fmt.Fprint(w, `{"gitVersion":"v1.2.3"}`)
	}))
	t.Cleanup(server.Close)
	const limit = 3
	r, err := kubernetes.New(kubernetes.Connection{Host: server.URL, QPS: limit}, kubernetes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	for err == nil {
		_, err = r.Version(ctx)
	}
	wantCode(t, err, runtime.DeadlineExceeded)
	if most := limit + int(limit*time.Since(start).Seconds()); int(asked.Load()) > most {
		t.Errorf("%d requests were sent, at most %d may be", asked.Load(), most)
	}
}
