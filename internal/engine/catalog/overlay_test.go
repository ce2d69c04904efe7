// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/runtimetest"
)

// stored returns a catalog over a store that has cart.
func stored(t *testing.T) *catalog.Catalog {
	t.Helper()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"))
	return catalog.New(store(documents))
}

// answer is what Resolve says: an image, or what kind of error.
func answer(t *testing.T, object platform.Object, err error) string {
	t.Helper()
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		if absent.By != asker || absent.Path.String() != "component" || absent.Error() == "" {
			t.Errorf("The error says who needs it, got %+v.", absent)
		}
		if absent.Deleted {
			return "deleted"
		}
		return "absent"
	}
	if unknown, ok := errors.AsType[*catalog.UnknownError](err); ok && unknown.Error() != "" {
		return "unknown"
	}
	if err != nil {
		return err.Error()
	}
	found, ok := object.(*platform.Component)
	if !ok {
		t.Fatalf("got a %T", object)
	}
	return found.Image
}

func TestResolve(t *testing.T) {
	t.Parallel()
	cart, pay := refTo("cart"), refTo("pay")
	planned := func(image string) *catalog.Variants {
		variants := catalog.Known(component("cart", image))
		return &variants
	}
	cases := map[string]struct {
		reason  string
		offline bool
		plan    func(*catalog.Catalog)
		ref     platform.Ref
		// want is what each variant gets, stored what is in force.
		want   [2]string
		stored string
	}{
		"Stored":  {reason: "What is not planned is stored.", ref: cart, want: [2]string{"cart:1", "cart:1"}, stored: "cart:1"},
		"Absent":  {reason: "What is in neither place is absent.", ref: pay, want: [2]string{"absent", "absent"}, stored: "absent"},
		"Offline": {reason: "Without a store nothing is known.", offline: true, ref: cart, want: [2]string{"unknown", "unknown"}, stored: "unknown"},
		"Planned": {
			reason: "What is planned wins over what is stored.", ref: cart, want: [2]string{"cart:2", "cart:2"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) { c.Plan(cart, planned("cart:2")) },
		},
		"PlannedOffline": {
			reason: "What is planned needs no store.", offline: true, ref: cart, want: [2]string{"cart:2", "cart:2"}, stored: "unknown",
			plan: func(c *catalog.Catalog) { c.Plan(cart, planned("cart:2")) },
		},
		"Variants": {
			reason: "Each variant sees its own placeholders.", ref: cart, want: [2]string{"7001", "7002"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) {
				c.Plan(cart, &catalog.Variants{component("cart", "7001"), component("cart", "7002")})
			},
		},
		"Unknown": {
			reason: "What is planned without being known is unknown, although it is stored.", ref: cart, want: [2]string{"unknown", "unknown"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) { c.Plan(cart, nil) },
		},
		"Tombstone": {
			reason: "What is being destroyed is as good as gone.", ref: cart, want: [2]string{"deleted", "deleted"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) { c.PlanDelete(cart) },
		},
		"DestroyedThenPlanned": {
			reason: "An id that moves to another address stays.", ref: cart, want: [2]string{"cart:2", "cart:2"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) {
				c.PlanDelete(cart)
				c.Plan(cart, planned("cart:2"))
			},
		},
		"PlannedThenDestroyed": {
			reason: "In whatever order its two plans come.", ref: cart, want: [2]string{"cart:2", "cart:2"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) {
				c.Plan(cart, planned("cart:2"))
				c.PlanDelete(cart)
			},
		},
		"UnknownThenDestroyed": {
			reason: "That holds for what is planned without being known too.", ref: cart, want: [2]string{"unknown", "unknown"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) {
				c.Plan(cart, nil)
				c.PlanDelete(cart)
			},
		},
		"PlannedTwice": {
			reason: "The last plan counts: a replacement is planned twice.", ref: cart, want: [2]string{"cart:3", "cart:3"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) {
				c.Plan(cart, planned("cart:2"))
				c.Plan(cart, planned("cart:3"))
			},
		},
		"Applied": {
			reason: "What was applied is read from the store again.", ref: cart, want: [2]string{"cart:1", "cart:1"}, stored: "cart:1",
			plan: func(c *catalog.Catalog) {
				c.Plan(cart, planned("cart:2"))
				c.Applied(cart)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := stored(t)
			if tc.offline {
				c = catalog.New(nil)
			}
			if tc.plan != nil {
				tc.plan(c)
			}
			wanted := platform.Reference{Ref: tc.ref, Path: platform.Path{"component"}}
			for variant := range tc.want {
				object, err := c.Resolve(t.Context(), variant, wanted, asker)
				if got := answer(t, object, err); got != tc.want[variant] {
					t.Errorf("%s\nvariant %d got %q, want %q", tc.reason, variant, got, tc.want[variant])
				}
			}
			object, err := c.Stored(t.Context(), wanted, asker)
			if got := answer(t, object, err); got != tc.stored {
				t.Errorf("%s\nin force is %q, want %q", tc.reason, got, tc.stored)
			}
		})
	}
}

func TestAll(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	put(t, documents, component("cart", "cart:1"), component("old", "old:1"), component("vague", "v:1"), component("pay", "pay:1"))
	c := catalog.New(store(documents))
	fresh := catalog.Variants{component("fresh", "7001"), component("fresh", "7002")}
	c.Plan(refTo("fresh"), &fresh)
	c.Plan(refTo("vague"), nil)
	c.PlanDelete(refTo("old"))
	c.Plan(platform.Ref{Kind: platform.KindProject, ID: "shop"}, nil)
	cases := map[string]struct {
		reason  string
		prefix  string
		variant int
		want    []string
	}{
		"All":    {reason: "What is planned joins what is stored, sorted; what is destroyed or unknown is left out.", want: []string{"cart:1", "7001", "pay:1"}},
		"Second": {reason: "Each variant has its own.", variant: 1, want: []string{"cart:1", "7002", "pay:1"}},
		"Prefix": {reason: "A prefix selects.", prefix: "shop/f", want: []string{"7001"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, err := c.All(t.Context(), tc.variant, platform.KindComponent, tc.prefix)
			var got []string
			for _, object := range objects {
				got = append(got, answer(t, object, nil))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%s\ngot error %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestStoreThatCannotBeRead(t *testing.T) {
	t.Parallel()
	documents := runtimetest.NewFakeDocuments("store")
	documents.ListFunc = func(context.Context, map[string]string) error { return errBoom }
	c := catalog.New(store(documents))
	_, allErr := c.All(t.Context(), 0, platform.KindComponent, "")
	_, resolveErr := c.Resolve(t.Context(), 0, reference("cart"), asker)
	if !errors.Is(allErr, errBoom) || !errors.Is(resolveErr, errBoom) {
		t.Errorf("A store that cannot be read is an error, got %v and %v.", allErr, resolveErr)
	}
}

func TestLate(t *testing.T) {
	t.Parallel()
	c := stored(t)
	known := catalog.Known(component("cart", "cart:2"))
	resolve := func() {
		if _, err := c.Resolve(t.Context(), 0, reference("cart"), asker); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Stored(t.Context(), reference("cart"), asker); err != nil {
		t.Fatal(err)
	}
	if late := c.Plan(refTo("cart"), &known); len(late) > 0 {
		t.Errorf("Who reads what is in force is not misled by a later plan, got %v.", late)
	}
	c.Applied(refTo("cart"))
	resolve()
	if diff := cmp.Diff([]platform.Ref{asker}, c.Plan(refTo("cart"), &known)); diff != "" {
		t.Errorf("Who resolved an object before its plan is named: -want +got:\n%s", diff)
	}
	resolve()
	if late := c.Plan(refTo("cart"), &known); len(late) > 0 {
		t.Errorf("Who resolved it after its plan is not, got %v.", late)
	}
}

func TestCreatedAndPartial(t *testing.T) {
	t.Parallel()
	c := stored(t)
	ref := refTo("cart")
	first, second := c.Created(ref), c.Created(ref)
	c.Applied(ref)
	if !first || second || !c.Created(ref) {
		t.Error("The first plan that creates an id is told from the next, until it was applied.")
	}
	known := catalog.Known(component("cart", "cart:2"))
	c.Plan(ref, &known)
	c.Plan(refTo("pay"), nil)
	if c.Partial() {
		t.Error("Variants that are the same need one plan only.")
	}
	c.Plan(ref, &catalog.Variants{component("cart", "7001"), component("cart", "7002")})
	if !c.Partial() {
		t.Error("Variants that differ reach whatever depends on them.")
	}
}

func TestCatalogIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	c := stored(t)
	var group sync.WaitGroup
	for i := range 60 {
		group.Go(func() {
			name := fmt.Sprintf("c%d", i%10)
			variants := catalog.Variants{component(name, "7001"), component(name, "7002")}
			c.Plan(refTo(name), &variants)
			_, _ = c.Resolve(t.Context(), i%2, reference(fmt.Sprintf("c%d", i%13)), asker)
			if _, err := c.All(t.Context(), i%2, platform.KindComponent, ""); err != nil {
				t.Error(err)
			}
			c.Created(refTo(name))
			c.Partial()
			if i%3 == 0 {
				c.PlanDelete(refTo(name))
				c.Applied(refTo(name))
			}
		})
	}
	group.Wait()
}
