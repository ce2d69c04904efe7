// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package fields_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes/fields"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	const ours = "{manager: us, operation: Apply, apiVersion: v1, time: now, fieldsV1: {f:data: {f:a: {}, f:b: {}}}}"
	cases := map[string]struct {
		reason string
		live   string
		want   string
	}{
		"Nothing": {reason: "An object without entries has ours, so that nobody else gets all of it.", live: "[]", want: "[" + ours + "]"},
		"Author": {
			reason: "Who set the same fields keeps the others.",
			live:   "[{manager: a, operation: Update, apiVersion: v1, fieldsV1: {f:data: {.: {}, f:a: {}, f:z: {}}}}]",
			want:   "[" + ours + ", {manager: a, operation: Update, apiVersion: v1, fieldsV1: {f:data: {.: {}, f:z: {}}}}]",
		},
		"Applier": {
			reason: "So does who applies them.",
			live:   "[{manager: a, operation: Apply, apiVersion: v1, fieldsV1: {f:data: {f:b: {}, f:z: {}}}}]",
			want:   "[" + ours + ", {manager: a, operation: Apply, apiVersion: v1, fieldsV1: {f:data: {f:z: {}}}}]",
		},
		"Nothing left": {
			reason: "Who owns nothing any more has no entry.",
			live:   "[{manager: a, operation: Apply, apiVersion: v1, fieldsV1: {f:data: {f:b: {}}}}]", want: "[" + ours + "]",
		},
		"Client side": {
			reason: "What client-side appliers keep goes by another name.",
			live: "[{manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsV1: {f:data: {f:b: {}, f:z: {}}}}," +
				"{manager: before-first-apply, operation: Update, apiVersion: v1, fieldsV1: {f:data: {f:z: {}}}}]",
			want: "[" + ours + ", {manager: former-kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsV1: {f:data: {f:z: {}}}}," +
				"{manager: former-before-first-apply, operation: Update, apiVersion: v1, fieldsV1: {f:data: {f:z: {}}}}]",
		},
		"Own": {
			reason: "An earlier entry of ours gives way.",
			live:   "[{manager: us, operation: Apply, apiVersion: v1, fieldsV1: {f:data: {f:z: {}}}}]", want: "[" + ours + "]",
		},
		"Status": {
			reason: "Subresources are for controllers.",
			live:   "[{manager: a, operation: Update, apiVersion: v1, subresource: scale, fieldsV1: {f:data: {f:a: {}}}}]",
			want:   "[" + ours + ", {manager: a, operation: Update, apiVersion: v1, subresource: scale, fieldsV1: {f:data: {f:a: {}}}}]",
		},
		"Version": {
			reason: "Paths of another version may be other fields.",
			live:   "[{manager: a, operation: Update, apiVersion: v2, fieldsV1: {f:data: {f:a: {}}}}]",
			want:   "[" + ours + ", {manager: a, operation: Update, apiVersion: v2, fieldsV1: {f:data: {f:a: {}}}}]",
		},
		"Unreadable": {reason: "What cannot be read is left as it is.", live: "[7]", want: "[" + ours + ", 7]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parse := func(text string) (entries []any) {
				t.Helper()
				if err := yaml.Unmarshal([]byte(text), &entries); err != nil {
					t.Fatal(err)
				}
				return entries
			}
			object := func(entries []any) map[string]any {
				return map[string]any{"apiVersion": "v1", "metadata": map[string]any{"managedFields": entries}}
			}
			got, err := fields.Claim(object(parse(tc.live)), object(parse("["+ours+"]")), "us")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(tc.want), got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
