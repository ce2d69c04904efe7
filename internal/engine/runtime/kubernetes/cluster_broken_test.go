// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// through returns a runtime that reaches the cluster through a proxy, which
// loses the answers to the requests that it carried out and loses says.
func (c *cluster) through(t *testing.T, options kubernetes.Options, loses func(*http.Request) bool) (*kubernetes.Runtime, *httptest.Server) {
	t.Helper()
	forward := c.forward(t)
	return c.behind(t, options, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if loses(r) {
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
}

// between returns a runtime that reaches the cluster through a proxy, which
// forwards what answers does not answer.
func (c *cluster) between(t *testing.T, options kubernetes.Options, answers func(http.ResponseWriter, *http.Request) bool) (*kubernetes.Runtime, *httptest.Server) {
	t.Helper()
	forward := c.forward(t)
	return c.behind(t, options, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
}

func (c *cluster) behind(t *testing.T, options kubernetes.Options, handler http.Handler) (*kubernetes.Runtime, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	options.Organization = c.stack.Organization
	r, err := kubernetes.New(kubernetes.Connection{Host: server.URL}, options)
	if err != nil {
		t.Fatal(err)
	}
	return r, server
}

// forward hands requests to the cluster with the credentials of the test.
func (c *cluster) forward(t *testing.T) http.Handler {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", runtimetest.Kubeconfig(t))
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1,
		// What the client breaks off is no news.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
}

func TestClusterLostAnswers(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	var lose atomic.Bool
	options := kubernetes.Options{Namespace: "test-documents-" + rand.String(10)}
	r, _ := c.through(t, options, func(request *http.Request) bool {
		return request.Method != http.MethodGet && lose.CompareAndSwap(true, false)
	})
	// The server answers before anything is lost, or nothing would be repeated.
	if _, err := r.Version(t.Context()); err != nil {
		t.Fatal(err)
	}
	plan := runtimetest.ConfigMap(c.stack, c.namespace(t), "example", map[string]any{"a": "1"})
	next := runtimetest.ConfigMap(c.stack, "", "example", map[string]any{"a": "2"})
	next.ID = plan.ID
	runtimetest.Set(next, runtimetest.Get(plan, "metadata", "namespace"), "metadata", "namespace")

	lose.Store(true)
	if out := apply(t, r, c.stack, nil, plan); out.Action != runtime.ActionCreate {
		t.Errorf("a create whose answer was lost is %s", out.Action)
	}
	lose.Store(true)
	if out := apply(t, r, c.stack, plan, next); out.Action != runtime.ActionUpdate {
		t.Errorf("an update whose answer was lost is %s", out.Action)
	}
	lose.Store(true)
	out, err := runtime.Delete(t.Context(), r, &runtime.DeleteRequest{Resource: next, Stack: c.stack})
	if err != nil || out.Action != runtime.ActionDelete {
		t.Errorf("a delete whose answer was lost is %s, %v", out.Action, err)
	}
	documents := r.Documents()
	document, err := documents.Put(t.Context(), runtime.Document{Name: "x", Data: []byte(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	lose.Store(true)
	document.Data = []byte(`2`)
	if document, err = documents.Put(t.Context(), document); err != nil {
		t.Errorf("a replacement whose answer was lost: %v", err)
	}
	lose.Store(true)
	if _, err := documents.Put(t.Context(), runtime.Document{Name: "y", Data: []byte(`1`)}); err != nil {
		t.Errorf("a document whose answer was lost: %v", err)
	}
	lose.Store(true)
	if err := documents.Delete(t.Context(), "x", document.Version); err != nil {
		t.Errorf("a deletion whose answer was lost: %v", err)
	}
}

func TestClusterWatchResumes(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, server := c.through(t, kubernetes.Options{}, func(*http.Request) bool { return false })
	plan := runtimetest.ConfigMap(c.stack, c.namespace(t), "example", map[string]any{"a": "0"})
	apply(t, r, c.stack, nil, plan)
	response, err := runtime.Watch(t.Context(), r, &runtime.WatchRequest{Resource: plan, Stack: c.stack})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Stop()
	for _, value := range []string{"1", "2", "3"} {
		server.CloseClientConnections()
		c.edit(t, plan.ID, "somebody", "Update", value, "data", "a")
		limit := time.After(30 * time.Second)
		for seen := ""; seen != value; {
			select {
			case event := <-response.Watchers.Watchers[0]:
				if object, ok := event.Object.(*unstructured.Unstructured); ok {
					seen, _, _ = unstructured.NestedString(object.Object, "data", "a")
				}
			case <-limit:
				t.Fatalf("the event of value %s did not come", value)
			}
		}
	}
}

func TestClusterWaitSurvivesBrokenConnections(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r, server := c.through(t, kubernetes.Options{}, func(*http.Request) bool { return false })
	plan := behaving(runtimetest.Deployment(c.stack, c.namespace(t), "example"), behavior, "ready-after=3s")
	apply(t, r, c.stack, nil, plan)
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	breaking, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for breaking.Err() == nil {
			time.Sleep(200 * time.Millisecond)
			server.CloseClientConnections()
		}
	}()
	_, err := runtime.Wait(ctx, r, &runtime.WaitRequest{Resource: plan, Stack: c.stack})
	wantCode(t, err, "")
}
