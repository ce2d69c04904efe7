// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package node

import (
	"net/url"
	"testing"
	"time"
)

func TestLogOptions(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	printed := time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC)
	now := printed.Add(time.Minute)
	cases := map[string]struct {
		reason string
		query  string
		want   string
	}{
		"All":        {"without options all is printed", "", text},
		"Tail":       {"the last lines", "tailLines=2", "two\nthree\n"},
		"TailNone":   {"no lines", "tailLines=0", ""},
		"TailMore":   {"more lines than there are", "tailLines=9", text},
		"Limit":      {"the first bytes", "limitBytes=5", "one\nt"},
		"Timestamps": {"each line with its time", "tailLines=1&timestamps=true", "2024-05-01T12:00:00Z three\n"},
		"TooOld":     {"lines from before are left out", "sinceSeconds=30", ""},
		"YoungOnes":  {"lines from since then are not", "sinceSeconds=60", text},
		"SinceTime":  {"the time may be given as such", "sinceTime=2024-05-01T12:00:01Z", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatalf("parse query: %v", err)
			}
			options, err := parseLogOptions(query, now)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if got := options.apply(text, printed); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestLogOptionsRefused(t *testing.T) {
	t.Parallel()
	for _, query := range []url.Values{{"tailLines": {"x"}}, {"sinceSeconds": {"1s"}}, {"sinceTime": {"noon"}}} {
		if _, err := parseLogOptions(query, time.Now()); err == nil {
			t.Errorf("%v is accepted", query)
		}
	}
}

func TestAddressPool(t *testing.T) {
	t.Parallel()
	pool := newAddressPool()
	first := pool.get("a", "")
	if again := pool.get("a", ""); again != first {
		t.Errorf("a pod keeps its address: got %s, then %s", first, again)
	}
	if kept := pool.get("b", "10.244.0.2"); kept != "10.244.0.2" {
		t.Errorf("a pod keeps the address that it shows: got %s", kept)
	}
	if other := pool.get("c", ""); other == first || other == "10.244.0.2" {
		t.Errorf("two pods share %s", other)
	}
}
