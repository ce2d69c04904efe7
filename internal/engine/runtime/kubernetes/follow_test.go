// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// script is a server that answers lists and watches in turn.
type script struct {
	mu      sync.Mutex
	lists   []string
	watches []string
	asked   []string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := &s.lists
	what := "list"
	if r.URL.Query().Get("watch") == "true" {
		next, what = &s.watches, "watch "+r.URL.Query().Get("resourceVersion")
	}
	s.asked = append(s.asked, what)
	if len(*next) == 0 {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	answer := (*next)[0]
	*next = (*next)[1:]
	if answer == "gone" {
		w.WriteHeader(http.StatusGone)
		_, _ = fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}`)
		return
	}
	_, _ = fmt.Fprint(w, answer)
}

func item(uid, version string) string {
	return fmt.Sprintf(`{"metadata":{"uid":%q,"resourceVersion":%q,"name":%q}}`, uid, version, uid)
}

func listOf(version string, items ...string) string {
	return fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"items":[%s]}`, version, strings.Join(items, ","))
}

func event(kind watch.EventType, content string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`, kind, content)
}

func clientOf(t *testing.T, handler http.Handler) *client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	r, err := New(Connection{Host: server.URL}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.client
}

func TestFollow(t *testing.T) {
	t.Parallel()
	maps, _ := builtinMapping(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	cases := map[string]struct {
		reason  string
		version string
		lists   []string
		watches []string
		want    []string
		asked   []string
	}{
		"closed watches": {
			reason: "the next watch starts where the last one ended, a bookmark included",
			lists:  []string{listOf("1", item("a", "1"))},
			watches: []string{
				event(watch.Modified, item("a", "2")), event(watch.Bookmark, item("", "5")), event(watch.Deleted, item("a", "6")),
			},
			want:  []string{"ADDED a 1", "BOOKMARK", "MODIFIED a 2", "DELETED a 6"},
			asked: []string{"list", "watch 1", "watch 2", "watch 5", "watch 6"},
		},
		"expired version": {
			reason:  "a list tells what was missed, and nothing twice",
			lists:   []string{listOf("1", item("a", "1"), item("b", "1"), item("c", "1")), listOf("9", item("a", "1"), item("b", "8"), item("d", "9"))},
			watches: []string{"gone", event(watch.Modified, item("d", "10"))},
			want: []string{
				"ADDED a 1", "ADDED b 1", "ADDED c 1", "BOOKMARK", "MODIFIED b 8", "ADDED d 9", "DELETED c 1", "BOOKMARK", "MODIFIED d 10",
			},
			asked: []string{"list", "watch 1", "list", "watch 9", "watch 10"},
		},
		"expired in the stream": {
			reason: "the server may say so in an event",
			lists:  []string{listOf("1"), listOf("9", item("a", "9"))},
			watches: []string{
				event(watch.Error, `{"kind":"Status","code":410,"reason":"Expired"}`),
			},
			want:  []string{"BOOKMARK", "ADDED a 9", "BOOKMARK"},
			asked: []string{"list", "watch 1", "list", "watch 9"},
		},
		"from a version": {
			reason: "no list is needed", version: "7",
			watches: []string{event(watch.Deleted, item("a", "8"))},
			want:    []string{"DELETED a 8"},
			asked:   []string{"watch 7", "watch 8"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &script{lists: tc.lists, watches: tc.watches}
			var got []string
			err := clientOf(t, server).follow(t.Context(), scope{mapping: maps, namespace: "n", subject: "maps"}, tc.version, func(news change) bool {
				line := string(news.kind)
				if news.object != nil {
					line += " " + news.object.uid() + " " + news.object.resourceVersion()
				}
				got = append(got, line)
				return false
			})
			if code := runtime.CodeOf(err); code != runtime.PermissionDenied {
				t.Errorf("the end of the script is %q: %v", code, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.asked, server.asked); diff != "" {
				t.Errorf("%s: requests: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	maps, _ := builtinMapping(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	client := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "true" {
			_, _ = fmt.Fprint(w, listOf("1"))
			return
		}
		w.WriteHeader(http.StatusOK)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		<-r.Context().Done()
	}))
	err := client.follow(ctx, scope{mapping: maps, subject: "maps"}, "", func(change) bool { return false })
	if code := runtime.CodeOf(err); code != runtime.DeadlineExceeded {
		t.Errorf("code is %q: %v", code, err)
	}
}

func TestPagesStartAgainWhenTheListExpires(t *testing.T) {
	t.Parallel()
	pages := 0
	client := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages++
		switch {
		case r.URL.Query().Get("continue") == "":
			_, _ = fmt.Fprint(w, `{"metadata":{"continue":"more"},"items":[{"n":1}]}`)
		case pages == 2:
			w.WriteHeader(http.StatusGone)
			_, _ = fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}`)
		default:
			_, _ = fmt.Fprint(w, `{"metadata":{},"items":[{"n":2}]}`)
		}
	}))
	var got []string
	err := client.pages(t.Context(), call{verb: "list", subject: "x", method: http.MethodGet, path: "/x"}, func() { got = nil },
		func(raw json.RawMessage) error {
			got = append(got, string(raw))
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`{"n":1}`, `{"n":2}`}, got); diff != "" {
		t.Error(diff)
	}
}

// fakeServer answers by path.
func fakeServer(answers map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case answer == "broken":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, answer)
		}
	})
}

func TestLookup(t *testing.T) {
	t.Parallel()
	m := newMapper(clientOf(t, fakeServer(map[string]string{
		"/apis/example.dev/v1": `{"kind":"APIResourceList","groupVersion":"example.dev/v1","resources":[` +
			`{"name":"things","kind":"Thing","namespaced":true},{"name":"things/status","kind":"Thing","namespaced":true},` +
			`{"name":"worlds","kind":"World","namespaced":false}]}`,
		"/apis/broken.example.dev/v1": "broken",
	})))
	cases := map[string]struct {
		apiVersion, kind string
		served           bool
		path             string
	}{
		"custom":         {"example.dev/v1", "Thing", true, "/apis/example.dev/v1/namespaces/n/things/x"},
		"cluster":        {"example.dev/v1", "World", true, "/apis/example.dev/v1/worlds/x"},
		"unknown kind":   {"example.dev/v1", "Nothing", false, ""},
		"unknown group":  {"none.example.dev/v1", "Thing", false, ""},
		"no request":     {"v1", "ConfigMap", true, "/api/v1/namespaces/n/configmaps/x"},
		"beside a wreck": {"apps/v1", "Deployment", true, "/apis/apps/v1/namespaces/n/deployments/x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, served, err := m.lookup(t.Context(), tc.apiVersion, tc.kind)
			if err != nil || served != tc.served {
				t.Fatalf("served is %t, %v", served, err)
			}
			if served && found.path("n", "x") != tc.path {
				t.Errorf("path is %s", found.path("n", "x"))
			}
		})
	}
}

func TestContentsPassOverBrokenServers(t *testing.T) {
	t.Parallel()
	const listable = `"verbs":["list"]`
	server := httptest.NewServer(fakeServer(map[string]string{
		"/version": `{"gitVersion":"v1.34.4"}`,
		"/api":     `{"kind":"APIVersions","versions":["v1"]}`,
		"/apis": `{"kind":"APIGroupList","groups":[` +
			`{"name":"broken.example.dev","versions":[{"groupVersion":"broken.example.dev/v1","version":"v1"}],"preferredVersion":{"groupVersion":"broken.example.dev/v1","version":"v1"}},` +
			`{"name":"metrics.k8s.io","versions":[{"groupVersion":"metrics.k8s.io/v1","version":"v1"}],"preferredVersion":{"groupVersion":"metrics.k8s.io/v1","version":"v1"}}]}`,
		"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[` +
			`{"name":"configmaps","kind":"ConfigMap","namespaced":true,` + listable + `},{"name":"bindings","kind":"Binding","namespaced":true,"verbs":["create"]}]}`,
		"/apis/broken.example.dev/v1": "broken",
		"/apis/metrics.k8s.io/v1": `{"kind":"APIResourceList","groupVersion":"metrics.k8s.io/v1","resources":[` +
			`{"name":"pods","kind":"PodMetrics","namespaced":true,` + listable + `}]}`,
		"/api/v1/namespaces/n/configmaps": `{"metadata":{},"items":[{"metadata":{"name":"kube-root-ca.crt"}},{"metadata":{"name":"theirs"}}]}`,
	}))
	t.Cleanup(server.Close)
	r, err := New(Connection{Host: server.URL}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stack := &runtime.Stack{Organization: "acme", OwnerKind: "project", OwnerID: "shop"}
	err = r.checkNamespaceIsOurs(t.Context(), target{key: runtime.ObjectKey{APIVersion: "v1", Kind: "Namespace", Name: "n"}, stack: stack})
	if runtime.CodeOf(err) != runtime.Conflict || !strings.Contains(err.Error(), "ConfigMap/theirs") || strings.Contains(err.Error(), "kube-root") {
		t.Errorf("got %v", err)
	}
}

func TestContentsAskAgainForBrokenServers(t *testing.T) {
	t.Parallel()
	const group = `{"groupVersion":"late.example.dev/v1","version":"v1"}`
	answers := map[string]string{
		"/version": `{"gitVersion":"v1.34.4"}`,
		"/api":     `{"kind":"APIVersions","versions":["v1"]}`,
		"/apis":    `{"kind":"APIGroupList","groups":[{"name":"late.example.dev","versions":[` + group + `],"preferredVersion":` + group + `}]}`,
		"/api/v1":  `{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`,
		"/apis/late.example.dev/v1": `{"kind":"APIResourceList","groupVersion":"late.example.dev/v1","resources":[` +
			`{"name":"things","kind":"Thing","namespaced":true,"verbs":["list"]}]}`,
		"/apis/late.example.dev/v1/namespaces/n/things": `{"metadata":{},"items":[{"metadata":{"name":"theirs"}}]}`,
	}
	mended := fakeServer(answers)
	broken := maps.Clone(answers)
	broken["/apis/late.example.dev/v1"] = "broken"
	wreck := fakeServer(broken)
	var works atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if works.Load() {
			mended.ServeHTTP(w, r)
			return
		}
		wreck.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	r, err := New(Connection{Host: server.URL}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stack := &runtime.Stack{Organization: "acme", OwnerKind: "project", OwnerID: "shop"}
	namespace := target{key: runtime.ObjectKey{APIVersion: "v1", Kind: "Namespace", Name: "n"}, stack: stack}
	if err := r.checkNamespaceIsOurs(t.Context(), namespace); err != nil {
		t.Errorf("what cannot be listed is passed over, got %v", err)
	}
	works.Store(true)
	if err := r.checkNamespaceIsOurs(t.Context(), namespace); runtime.CodeOf(err) != runtime.Conflict {
		t.Errorf("it is found once its server answers, got %v", err)
	}
}
