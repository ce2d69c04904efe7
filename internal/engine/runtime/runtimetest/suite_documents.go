// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// shelf is what one case of the document suite works with.
type shelf struct {
	*bench
	store, again runtime.Documents
}

func documentCases(t *testing.T, h Harness) {
	t.Helper()
	shelves(t, h, map[string]func(*shelf){
		"a store that was never written to is empty": func(s *shelf) {
			got, err := s.store.List(s.ctx, nil)
			s.wantCode(err, "")
			if len(got) != 0 {
				s.Errorf("it holds %d documents", len(got))
			}
			_, err = s.store.Get(s.ctx, "none")
			s.wantCode(err, runtime.NotFound)
			s.wantCode(s.store.Delete(s.ctx, "none", ""), "")
			identity, err := s.store.Identity(s.ctx)
			s.wantCode(err, "")
			if identity != "" {
				s.Errorf("its identity is %q", identity)
			}
		},
		"put creates only what is not there": func(s *shelf) {
			first := s.put(s.store, runtime.Document{Name: "Some/Name", Labels: map[string]string{"kind": "a"}, Data: []byte(`{"a":1}`)})
			if first.Version == "" {
				s.Error("there is no version")
			}
			_, err := s.again.Put(s.ctx, runtime.Document{Name: "Some/Name", Data: []byte(`{}`)})
			s.wantCode(err, runtime.Conflict)
			s.wantStored("Some/Name", first)
		},
		"put replaces only the version it names": func(s *shelf) {
			first := s.put(s.store, runtime.Document{Name: "x", Labels: map[string]string{"kind": "a", "old": "1"}, Data: []byte(`1`)})
			next := first
			next.Data, next.Labels = []byte(`2`), map[string]string{"kind": "b"}
			second := s.put(s.again, next)
			if second.Version == first.Version {
				s.Error("the version stayed the same")
			}
			_, err := s.store.Put(s.ctx, first)
			s.wantCode(err, runtime.Conflict)
			s.wantStored("x", second)
			s.wantCode(s.store.Delete(s.ctx, "x", ""), "")
			_, err = s.store.Put(s.ctx, second)
			s.wantCode(err, runtime.Conflict)
		},
		"list selects by labels and sorts by name": func(s *shelf) {
			for _, name := range []string{"c", "a", "b"} {
				s.put(s.store, runtime.Document{Name: name, Labels: map[string]string{"kind": "x", "name": name}, Data: []byte(name)})
			}
			s.put(s.store, runtime.Document{Name: "other", Labels: map[string]string{"kind": "y"}, Data: []byte(`y`)})
			s.wantListed(map[string]string{"kind": "x"}, "a", "b", "c")
			s.wantListed(map[string]string{"kind": "x", "name": "b"}, "b")
			s.wantListed(nil, "a", "b", "c", "other")
			s.wantListed(map[string]string{"kind": "z"})
		},
	})
	documentEdges(t, h)
}

func documentEdges(t *testing.T, h Harness) {
	t.Helper()
	shelves(t, h, map[string]func(*shelf){
		"delete": func(s *shelf) {
			first := s.put(s.store, runtime.Document{Name: "x", Data: []byte(`1`)})
			second := s.put(s.store, runtime.Document{Name: "x", Data: []byte(`2`), Version: first.Version})
			s.wantCode(s.again.Delete(s.ctx, "x", first.Version), runtime.Conflict)
			s.wantStored("x", second)
			s.wantCode(s.again.Delete(s.ctx, "x", second.Version), "")
			s.wantCode(s.again.Delete(s.ctx, "x", second.Version), "")
			_, err := s.store.Get(s.ctx, "x")
			s.wantCode(err, runtime.NotFound)
			s.put(s.store, runtime.Document{Name: "x", Data: []byte(`3`)})
		},
		"identity stays": func(s *shelf) {
			s.put(s.store, runtime.Document{Name: "x", Data: []byte(`1`)})
			one, err := s.store.Identity(s.ctx)
			s.wantCode(err, "")
			two, err := s.again.Identity(s.ctx)
			s.wantCode(err, "")
			if one == "" || one != two {
				s.Errorf("identities are %q and %q", one, two)
			}
		},
		"one of many creators wins": func(s *shelf) {
			var group sync.WaitGroup
			var mu sync.Mutex
			codes := map[runtime.Code]int{}
			for i := range 10 {
				group.Go(func() {
					_, err := s.store.Put(s.ctx, runtime.Document{Name: "x", Data: fmt.Append(nil, i)})
					mu.Lock()
					defer mu.Unlock()
					codes[runtime.CodeOf(err)]++
				})
			}
			group.Wait()
			if codes[""] != 1 || codes[runtime.Conflict] != 9 {
				s.Errorf("outcomes are %v", codes)
			}
		},
		"big documents": func(s *shelf) {
			// One that compression makes small, and one that it does not.
			for name, data := range map[string][]byte{"repetitive": repetitive(), "random": random(1, size)} {
				stored := s.put(s.store, runtime.Document{Name: name, Data: data, Labels: map[string]string{"kind": "big"}})
				s.wantStored(name, stored)
				stored.Data = []byte(`{}`)
				stored = s.put(s.store, stored)
				s.wantStored(name, stored)
			}
			s.wantListed(map[string]string{"kind": "big"}, "random", "repetitive")
		},
		"a reader never sees a torn document": func(s *shelf) { s.tear() },
		"bad input": func(s *shelf) {
			_, err := s.store.Put(s.ctx, runtime.Document{Data: []byte(`1`)})
			s.wantCode(err, runtime.InvalidArgument)
			_, err = s.store.Get(s.ctx, "")
			s.wantCode(err, runtime.InvalidArgument)
			ctx, cancel := context.WithCancel(s.ctx)
			cancel()
			_, err = s.store.Put(ctx, runtime.Document{Name: "x", Data: []byte(`1`)})
			s.wantCode(err, runtime.Canceled)
		},
	})
}

// shelves runs each function as a parallel case with a store of its own.
func shelves(t *testing.T, h Harness, table map[string]func(*shelf)) {
	t.Helper()
	for name, run := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			store, again := h.Documents(t)
			run(&shelf{bench: &bench{T: t, Harness: h, ctx: ctx}, store: store, again: again})
		})
	}
}

// size is more than one ConfigMap holds, even when half of it can be saved.
const size = 2 << 20

func repetitive() []byte { return bytes.Repeat([]byte(`{"key":"value"},`), size/16) }

// random returns printable data that hardly compresses.
func random(seed uint64, size int) []byte {
	source := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // Tests want the same data each time.
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(' ' + source.IntN(95))
	}
	return out
}

func (s *shelf) put(store runtime.Documents, document runtime.Document) runtime.Document {
	s.Helper()
	out, err := store.Put(s.ctx, document)
	if err != nil {
		s.Fatalf("put of %q: %v", document.Name, err)
	}
	if !bytes.Equal(out.Data, document.Data) {
		s.Errorf("put of %q returned other data", document.Name)
	}
	return out
}

func (s *shelf) wantStored(name string, want runtime.Document) {
	s.Helper()
	for _, store := range []runtime.Documents{s.store, s.again} {
		got, err := store.Get(s.ctx, name)
		s.wantCode(err, "")
		if !bytes.Equal(got.Data, want.Data) {
			s.Errorf("%s: data differs: %d bytes, want %d", name, len(got.Data), len(want.Data))
		}
		rest := want
		// cmp would take seconds to find the same of megabytes.
		got.Data, rest.Data = nil, nil
		if diff := cmp.Diff(rest, got, cmpopts.EquateEmpty()); diff != "" {
			s.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

func (s *shelf) wantListed(labels map[string]string, want ...string) {
	s.Helper()
	got, err := s.again.List(s.ctx, labels)
	s.wantCode(err, "")
	names := make([]string, 0, len(got))
	for _, document := range got {
		names = append(names, document.Name)
	}
	s.wantPaths(names, want...)
}

// tear rewrites a document of several parts while it is read.
func (s *shelf) tear() {
	versions := [][]byte{random(1, size/2), random(2, size/2)}
	document := s.put(s.store, runtime.Document{Name: "x", Data: versions[0]})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 4 {
			document.Data = versions[(i+1)%2]
			next, err := s.store.Put(s.ctx, document)
			if err != nil {
				s.Errorf("put: %v", err)
				return
			}
			document.Version = next.Version
		}
	}()
	defer func() { <-done }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		case <-time.After(5 * time.Millisecond):
		}
		got, err := s.again.Get(s.ctx, "x")
		s.wantCode(err, "")
		if !bytes.Equal(got.Data, versions[0]) && !bytes.Equal(got.Data, versions[1]) {
			s.Error("read something that was never written")
		}
	}
}
