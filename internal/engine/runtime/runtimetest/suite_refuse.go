// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtimetest

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func refusalCases(t *testing.T, h Harness) {
	t.Helper()
	cases(t, h, map[string]func(*bench){
		"an invalid object": func(b *bench) {
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, b.configMap("not a key!", "1")))
			b.wantCode(err, runtime.InvalidArgument, "not a key!")
			if paths := pathsOf(err); len(paths) == 0 || !strings.HasPrefix(paths[0], "data") {
				b.Errorf("paths are %v, want one in data", paths)
			}
		},
		"an invalid change": func(b *bench) {
			prior := b.configMap("a", "1")
			b.apply(nil, prior)
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(prior, b.configMap("a", "1", "not a key!", "1")))
			b.wantCode(err, runtime.InvalidArgument, "not a key!")
			b.wantSame(b.read(prior), prior)
		},
		"a change of what cannot change": func(b *bench) {
			prior, plan := b.configMap("a", "1"), b.configMap("a", "2")
			Set(prior, true, "immutable")
			Set(plan, true, "immutable")
			b.apply(nil, prior)
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(prior, plan))
			b.wantCode(err, runtime.ReplaceRequired, "data")
			b.wantPaths(pathsOf(err), "data")
			b.wantSame(b.read(prior), prior)
		},
		"an unknown kind": func(b *bench) {
			key := b.MissingKind
			plan := Object(b.Stack, key.APIVersion, key.Kind, b.namespace, "example", map[string]any{"spec": map[string]any{}})
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.NotFound, key.APIVersion, key.Kind)
		},
		"a missing namespace": func(b *bench) {
			plan := ConfigMap(b.Stack, b.namespace+"-missing", "example", map[string]any{"a": "1"})
			_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, plan))
			b.wantCode(err, runtime.NotFound, b.namespace+"-missing")
			b.wantPaths(pathsOf(err), runtime.PathNamespace)
		},
		"requests without content": func(b *bench) {
			for name, err := range b.emptyRequests() {
				if got := runtime.CodeOf(err); got != runtime.InvalidArgument {
					b.Errorf("%s: code is %q, want %q", name, got, runtime.InvalidArgument)
				}
			}
		},
		"malformed resources": func(b *bench) {
			for name, resource := range b.malformed() {
				_, err := runtime.Apply(b.ctx, b.runtime, b.request(nil, resource))
				if got := runtime.CodeOf(err); got != runtime.InvalidArgument {
					b.Errorf("%s: code is %q, want %q: %v", name, got, runtime.InvalidArgument, err)
				}
			}
		},
	})
}

// emptyRequests makes every call without what it needs.
func (b *bench) emptyRequests() map[string]error {
	out := map[string]error{}
	note := func(name string, err error) { out[name] = err }
	plan := b.configMap("a", "1")
	for name, request := range map[string]*runtime.ApplyRequest{
		"apply nil": nil, "apply empty": {}, "apply without stack": {PlanResource: plan}, "apply without plan": {Stack: b.Stack},
	} {
		_, err := runtime.Apply(b.ctx, b.runtime, request)
		note(name, err)
	}
	for name, request := range map[string]*runtime.ReadRequest{
		"read nil": nil, "read empty": {}, "read without stack": {PriorResource: plan}, "read without resource": {Stack: b.Stack},
	} {
		_, err := runtime.Read(b.ctx, b.runtime, request)
		note(name, err)
	}
	for name, request := range map[string]*runtime.DeleteRequest{
		"delete nil": nil, "delete empty": {}, "delete without stack": {Resource: plan}, "delete without resource": {Stack: b.Stack},
	} {
		_, err := runtime.Delete(b.ctx, b.runtime, request)
		note(name, err)
	}
	for name, request := range map[string]*runtime.ImportRequest{"import nil": nil, "import empty": {}, "import without stack": {PlanResource: plan}} {
		_, err := runtime.Import(b.ctx, b.runtime, request)
		note(name, err)
	}
	for name, request := range map[string]*runtime.WatchRequest{"watch nil": nil, "watch empty": {}, "watch without stack": {Resource: plan}} {
		_, err := runtime.Watch(b.ctx, b.runtime, request)
		note(name, err)
	}
	if _, ok := b.runtime.(runtime.Waiter); ok {
		for name, request := range map[string]*runtime.WaitRequest{"wait nil": nil, "wait empty": {}, "wait without stack": {Resource: plan}} {
			_, err := runtime.Wait(b.ctx, b.runtime, request)
			note(name, err)
		}
	}
	return out
}

func (b *bench) malformed() map[string]*runtime.Resource {
	otherName, otherKind, unlabelled := b.configMap("a", "1"), b.configMap("a", "1"), bare(b.configMap("a", "1"))
	Set(otherName, "another", "metadata", "name")
	Set(otherKind, "Secret", "kind")
	notFinite, unencodable := b.configMap("a", "1"), b.configMap("a", "1")
	Set(notFinite, math.NaN(), "data", "a")
	Set(unencodable, make(chan int), "data", "a")
	out := map[string]*runtime.Resource{
		"the name is another": otherName, "the kind is another": otherKind, "the owner's labels are missing": unlabelled,
		"a number is none": notFinite, "a value has no JSON": unencodable, "no attributes": {ID: otherName.ID, Type: runtime.Kubernetes},
		"another runtime's type": {ID: otherName.ID, Type: runtime.Terraform, Attributes: otherName.Attributes},
	}
	for _, id := range []string{"", "v1", "v1:ConfigMap", "v1:ConfigMap:n", ":ConfigMap:n:x", "v1::n:x", "v1:ConfigMap:n:", "v1:ConfigMap:n:x:y"} {
		resource := b.configMap("a", "1")
		resource.ID = id
		out["id "+id] = resource
	}
	return out
}

func racerCases(t *testing.T, h Harness) {
	t.Helper()
	const racers = 12
	race := func(b *bench, stackOf func(int) *runtime.Stack, value func(int) string) map[runtime.Code]int {
		var group sync.WaitGroup
		var mu sync.Mutex
		codes := map[runtime.Code]int{}
		for i := range racers {
			group.Go(func() {
				stack := stackOf(i)
				plan := ConfigMap(stack, b.namespace, "example", map[string]any{"a": value(i)})
				_, err := runtime.Apply(b.ctx, b.runtime, &runtime.ApplyRequest{PlanResource: plan, Stack: stack})
				mu.Lock()
				defer mu.Unlock()
				codes[runtime.CodeOf(err)]++
			})
		}
		group.Wait()
		return codes
	}
	cases(t, h, map[string]func(*bench){
		"one of many creators wins": func(b *bench) {
			codes := race(b, func(i int) *runtime.Stack {
				stack := *b.Stack
				stack.OwnerID = fmt.Sprintf("%s-%d", stack.OwnerID, i)
				return &stack
			}, func(int) string { return "same" })
			if codes[""] != 1 || codes[runtime.AlreadyExists] != racers-1 {
				b.Errorf("outcomes are %v, want one success and %d refusals", codes, racers-1)
			}
		},
		"one owner's applies converge": func(b *bench) {
			codes := race(b, func(int) *runtime.Stack { return b.Stack }, func(i int) string { return fmt.Sprint(i) })
			if codes[""] != racers {
				b.Errorf("outcomes are %v, want %d successes", codes, racers)
			}
		},
	})
}
