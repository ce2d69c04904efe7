// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
)

// review is what of an AdmissionReview matters here.
type review struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    struct {
		UID    string         `json:"uid"`
		Object map[string]any `json:"object"`
	} `json:"request"`
}

// Mutate changes every Deployment of the tenant on its way into the cluster, as
// meshes and policies do. change returns the operations of a JSON patch.
func (e *Env) Mutate(t *testing.T, change func(deployment map[string]any) []map[string]any) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := review{}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		operations, err := json.Marshal(change(asked.Request.Object))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer := map[string]any{
			"apiVersion": asked.APIVersion, "kind": asked.Kind,
			"response": map[string]any{
				"uid": asked.Request.UID, "allowed": true,
				"patchType": "JSONPatch", "patch": base64.StdEncoding.EncodeToString(operations),
			},
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	e.Create(t, map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
		"metadata": map[string]any{"name": e.Organization},
		"webhooks": []any{map[string]any{
			"name": "mutate.example.dev", "admissionReviewVersions": []any{"v1"}, "sideEffects": "None", "failurePolicy": "Fail",
			"clientConfig":      map[string]any{"url": server.URL, "caBundle": base64.StdEncoding.EncodeToString(authority)},
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{naming.LabelOrganization: e.Organization}},
			"rules": []any{map[string]any{
				"apiGroups": []any{"apps"}, "apiVersions": []any{"v1"}, "resources": []any{"deployments"},
				"operations": []any{"CREATE", "UPDATE"},
			}},
		}},
	})
	t.Cleanup(func() { e.drop(t, "MutatingWebhookConfiguration", "", e.Organization) })
}
