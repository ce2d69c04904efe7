// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package naming_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
)

func TestNameGolden(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghij", 10)
	cases := map[string]struct {
		reason string
		limit  int
		parts  []string
		want   string
	}{
		"Plain":     {reason: "Parts that fit stay whole.", limit: 63, parts: []string{"cart", "shop"}, want: "cart-shop-5bc83d96"},
		"Namespace": {reason: "A cell's namespace reads as what it is.", limit: 63, parts: []string{"dp", "acme", "shop", "dev"}, want: "dp-acme-shop-dev-677945f8"},
		"OneLong": {
			reason: "What short parts leave goes to the long one.", limit: 30, parts: []string{"a", long, "b"},
			want: "a-abcdefghijabcdefg-b-",
		},
		"TwoLong": {
			reason: "Long parts are cut evenly.", limit: 30, parts: []string{long, long},
			want: "abcdefghij-abcdefghij-",
		},
		"Sanitised":  {reason: "What names cannot hold is replaced, and the ends are trimmed.", limit: 63, parts: []string{"Shop/Cart", "_x_"}, want: "shop-cart-x-"},
		"Unreadable": {reason: "A part without a readable character is in the hash only.", limit: 63, parts: []string{"日本", "shop"}, want: "shop-"},
		"PortName":   {reason: "The shortest limit leaves room for a few characters.", limit: naming.LimitPortName, parts: []string{"metrics"}, want: "metric-"},
		"CutHyphen":  {reason: "A cut never leaves a hyphen before the hash's.", limit: 15, parts: []string{"abcde-fgh"}, want: "abcde-"},
		"NoRoom":     {reason: "Without room for any part the hash is the name.", limit: 8, parts: []string{"abc"}, want: ""},
		"OnlyHashed": {reason: "Without parts the hash is the name.", limit: 63, parts: nil, want: "e3b0c442"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := naming.Name(tc.limit, tc.parts...)
			want := tc.want
			if hash := naming.Hash(tc.parts...)[:8]; !strings.HasSuffix(want, hash) {
				want += hash
			}
			if got != want {
				t.Errorf("%s\ngot %q, want %q; names must never change", tc.reason, got, want)
			}
		})
	}
}

func TestHashGolden(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		got    string
		want   string
	}{
		"Hash": {
			reason: "The hash covers the parts, each after its length in eight bytes.",
			got:    naming.Hash("a", "b"), want: "3c9d591045bc8876f9d0399bbfb05c6a412096e906f73278f98406cd5dca86df",
		},
		"OwnerHash": {
			reason: "Selectors hold the owner's hash, so it can never change.",
			got:    naming.OwnerHash("acme", "deployment", "shop/cart/main/dev"), want: "5f92971061e1d31f",
		},
		"Namespace": {
			reason: "Moving a namespace would lose its workloads.",
			got:    naming.Namespace("acme", "shop", "dev"), want: "dp-acme-shop-dev-677945f8",
		},
		"FieldManager": {
			reason: "Under another field manager the old fields would stay behind.",
			got:    naming.FieldManager("acme", "deployment", "shop/cart/main/dev"), want: "openplatform-acme-deployment-shop-cart-main-dev-b76bede5",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, tc.got, tc.want)
			}
		})
	}
}

func TestNamesOfMovedBoundariesDiffer(t *testing.T) {
	t.Parallel()
	groups := map[string]struct {
		reason string
		parts  [][]string
	}{
		"Hyphen":    {reason: "A hyphen may belong to either side.", parts: [][]string{{"web-prod", "dev"}, {"web", "prod-dev"}, {"web-prod-dev"}, {"web", "prod", "dev"}}},
		"Character": {reason: "A character may belong to either side.", parts: [][]string{{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}}},
		"Case":      {reason: "Readable parts that look alike have other hashes.", parts: [][]string{{"A"}, {"a"}, {"a-"}, {"a."}}},
		"Cut":       {reason: "Parts that are cut to the same text have other hashes.", parts: [][]string{{strings.Repeat("a", 200) + "x"}, {strings.Repeat("a", 200) + "y"}}},
	}
	for name, tc := range groups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[string][]string{}
			for _, parts := range tc.parts {
				got := naming.Name(63, parts...)
				if other, ok := seen[got]; ok {
					t.Errorf("%s\n%q and %q share the name %s", tc.reason, parts, other, got)
				}
				seen[got] = parts
			}
		})
	}
}

func TestNamesFit(t *testing.T) {
	t.Parallel()
	label := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	parts := []string{"a", "cart", "x-" + strings.Repeat("y-", 60), strings.Repeat("z", 300), "Ünï/côde", "-", "7001"}
	for _, limit := range []int{8, 10, naming.LimitPortName, naming.LimitCronJob, naming.LimitLabel, naming.LimitFieldManager, naming.LimitName} {
		for _, a := range parts {
			for _, b := range parts {
				for _, c := range parts {
					name := naming.Name(limit, a, b, c)
					if len(name) > limit || !label.MatchString(name) {
						t.Fatalf("Name(%d, %q, %q, %q) = %q, which is too long or no label", limit, a, b, c, name)
					}
					if limit >= naming.LimitPortName && a[0] >= 'a' && a[0] <= 'z' && name[0] != a[0] {
						t.Fatalf("Name(%d, %q, %q, %q) = %q, which does not start like its first part", limit, a, b, c, name)
					}
				}
			}
		}
	}
}

func TestWorkload(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 60)
	cases := map[string]struct {
		reason           string
		limit            int
		component, track string
		want             string
	}{
		"Main":      {reason: "Programs find the main track under the component's name.", limit: 63, component: "cart", track: naming.MainTrack, want: "cart"},
		"Track":     {reason: "Another track is joined by two hyphens.", limit: 63, component: "cart", track: "v2", want: "cart--v2"},
		"LongMain":  {reason: "A name of the limit's length is kept.", limit: 60, component: long, track: naming.MainTrack, want: long},
		"LongTrack": {reason: "A name over the limit is cut and hashed.", limit: 63, component: long, track: "v2", want: strings.Repeat("a", 51) + "-v2-" + naming.Hash(long, "v2")[:8]},
		"TooLong":   {reason: "The main track's name is cut and hashed too.", limit: 52, component: long, track: naming.MainTrack, want: strings.Repeat("a", 38) + "-main-" + naming.Hash(long, "main")[:8]},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := naming.Workload(tc.limit, tc.component, tc.track); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestWorkloadsDoNotCollide(t *testing.T) {
	t.Parallel()
	seen := map[string][2]string{}
	for _, component := range []string{"cart", "cart-v2", "cart-v2-main", "c", "v2"} {
		for _, track := range []string{naming.MainTrack, "v2", "v2--x", "x", "cart"} {
			got := naming.Workload(naming.LimitLabel, component, track)
			if other, ok := seen[got]; ok {
				t.Errorf("%s of %s and %v share the name %s", track, component, other, got)
			}
			seen[got] = [2]string{component, track}
		}
	}
}

func TestSelectorIsPartOfOwnerLabels(t *testing.T) {
	t.Parallel()
	labels := naming.OwnerLabels("acme", "deployment", "shop/cart/main/dev")
	selector := naming.Selector("acme", "deployment", "shop/cart/main/dev")
	if len(selector) != 1 {
		t.Errorf("A selector is one label, got %v.", selector)
	}
	for key, value := range selector {
		if labels[key] != value {
			t.Errorf("Objects carry the selector's label %s, got %q, want %q.", key, labels[key], value)
		}
	}
	if labels[naming.LabelManagedBy] != naming.ManagedBy || labels[naming.LabelOrganization] != "acme" || labels[naming.LabelOwnerKind] != "deployment" {
		t.Errorf("Objects say who manages them and for whom, got %v.", labels)
	}
}

func TestRecordLabels(t *testing.T) {
	t.Parallel()
	labels := naming.RecordLabels("acme", "project")
	if labels[naming.LabelManagedBy] != naming.ManagedBy || labels[naming.LabelOrganization] != "acme" || labels[naming.LabelRecordKind] != "project" {
		t.Errorf("Records are selected by organization and kind, got %v.", labels)
	}
}
