// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
)

const (
	kubeconfigText = `
apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: "https://one.example"}}, {name: two, cluster: {server: "https://two.example"}}]
contexts: [{name: one, context: {cluster: one, user: me}}, {name: two, context: {cluster: two, user: me}}]
users: [{name: me, user: {token: secret}}]
current-context: one
`
	block       = "the kubernetes attribute of the provider block"
	environment = "the KUBE_* environment variables"
)

// providerConfig returns a provider block with the given attributes; those of
// kubernetes may be unknown.
func providerConfig(t *testing.T, attributes, standard map[string]any) tfsdk.Config {
	t.Helper()
	s := providerSchema()
	typ, ok := s.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("the provider block is no object")
	}
	values := map[string]tftypes.Value{}
	for name, attribute := range typ.AttributeTypes {
		values[name] = tftypes.NewValue(attribute, attributes[name])
	}
	if nested, ok := typ.AttributeTypes[attributeKubernetes].(tftypes.Object); ok && standard != nil {
		inner := map[string]tftypes.Value{}
		for name, attribute := range nested.AttributeTypes {
			inner[name] = tftypes.NewValue(attribute, standard[name])
		}
		values[attributeKubernetes] = tftypes.NewValue(nested, inner)
	}
	return tfsdk.Config{Schema: s, Raw: tftypes.NewValue(typ, values)}
}

// clearEnvironment unsets what the caller's shell may have set, until the test ends.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "KUBE") || strings.HasPrefix(name, "PLATFORM_") {
			t.Setenv(name, "")
		}
	}
}

func TestReadSettingsPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfigText), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	cases := map[string]struct {
		reason      string
		block       map[string]any
		environment map[string]string
		want        kubernetes.Connection
	}{
		"Block": {
			reason:      "A host of the block is taken with nothing of the environment.",
			block:       map[string]any{"host": "https://block.example"},
			environment: map[string]string{"KUBE_HOST": "https://kube.example", "KUBE_TOKEN": "secret", "KUBECONFIG": file},
			want:        kubernetes.Connection{Source: block, Host: "https://block.example"},
		},
		"BlockFile": {
			reason:      "A file of the block is taken with nothing of the environment.",
			block:       map[string]any{"config_path": file, "config_context": "two"},
			environment: map[string]string{"KUBE_HOST": "https://kube.example", "KUBE_CTX": "one", "KUBECONFIG": other},
			want:        kubernetes.Connection{Source: block, ConfigPaths: []string{file}, ConfigContext: "two"},
		},
		"BlockWithoutServer": {
			reason:      "What the block leaves out of a connection is completed.",
			block:       map[string]any{"token": "mine"},
			environment: map[string]string{"KUBE_HOST": "https://kube.example", "KUBE_TOKEN": "theirs", "KUBE_INSECURE": "true"},
			want:        kubernetes.Connection{Source: environment, Host: "https://kube.example", Token: "mine", Insecure: true},
		},
		"Variables": {
			reason:      "KUBE_HOST comes before KUBECONFIG.",
			environment: map[string]string{"KUBE_HOST": "https://kube.example", "KUBE_TOKEN": "secret", "KUBECONFIG": file},
			want:        kubernetes.Connection{Source: environment, Host: "https://kube.example", Token: "secret"},
		},
		"VariableFile": {
			reason:      "KUBE_CONFIG_PATH comes before KUBECONFIG.",
			environment: map[string]string{"KUBE_CONFIG_PATH": file, "KUBE_CTX": "two", "KUBECONFIG": other},
			want:        kubernetes.Connection{Source: "KUBE_CONFIG_PATH", ConfigPaths: []string{file}, ConfigContext: "two"},
		},
		"VariableFiles": {
			reason:      "KUBE_CONFIG_PATHS holds several files.",
			environment: map[string]string{"KUBE_CONFIG_PATHS": file + string(filepath.ListSeparator) + other},
			want:        kubernetes.Connection{Source: "KUBE_CONFIG_PATHS", ConfigPaths: []string{file, other}},
		},
		"Kubeconfig": {
			reason:      "KUBECONFIG is the last resort.",
			environment: map[string]string{"KUBECONFIG": file},
			want:        kubernetes.Connection{Source: "KUBECONFIG", ConfigPaths: []string{file}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			for variable, value := range tc.environment {
				t.Setenv(variable, value)
			}
			var diags diag.Diagnostics
			config := providerConfig(t, map[string]any{attributeOrganization: "acme"}, tc.block)
			got, known := readSettings(t.Context(), config, &diags)
			if diags.HasError() || !known {
				t.Fatalf("%s\nknown %v, %v", tc.reason, known, diags)
			}
			if diff := cmp.Diff(tc.want, got.standard); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff([]string{"acme", "platform-acme"}, []string{got.organization, got.namespace}); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadSettingsProblems(t *testing.T) {
	fine := map[string]string{"KUBE_HOST": "https://kube.example", "PLATFORM_ORGANIZATION": "acme"}
	cases := map[string]struct {
		reason      string
		attributes  map[string]any
		block       map[string]any
		environment map[string]string
		want        []string
		known       bool
	}{
		"Fine": {
			reason: "The environment alone is enough.", environment: fine, known: true,
		},
		"NoOrganization": {
			reason:      "The organization has no default.",
			environment: map[string]string{"PLATFORM_ORGANIZATION": ""}, want: []string{"Missing organization"},
		},
		"UnknownOrganization": {
			reason:      "An organization that is not known makes no id.",
			attributes:  map[string]any{attributeOrganization: tftypes.UnknownValue},
			environment: fine, want: []string{"Unknown organization"},
		},
		"BadOrganization": {
			reason:      "The organization is part of names.",
			attributes:  map[string]any{attributeOrganization: "Acme_1"},
			environment: fine, want: []string{"Invalid organization"},
		},
		"BadNamespace": {
			reason:      "The namespace of the records must be one.",
			attributes:  map[string]any{attributeControlPlaneNamespace: "not/a/namespace"},
			environment: fine, want: []string{"Invalid namespace"},
		},
		"BadAdopt": {
			reason:      "What may be adopted is one of three.",
			attributes:  map[string]any{attributeAdopt: "always"},
			environment: fine, want: []string{"Invalid adopt"},
		},
		"BadOnConflict": {
			reason:      "A conflict fails or is forced.",
			attributes:  map[string]any{attributeOnConflict: ""},
			environment: fine, want: []string{"Invalid on_conflict"},
		},
		"UnknownAdopt": {
			reason:      "What may be adopted decides nothing before it is known.",
			attributes:  map[string]any{attributeAdopt: tftypes.UnknownValue},
			environment: fine,
		},
		"Nothing": {
			reason:      "Neither the home directory nor the pod is looked into.",
			environment: map[string]string{"KUBE_HOST": ""}, want: []string{"Invalid connection"}, known: true,
		},
		"MissingFile": {
			reason:      "A kubeconfig that does not exist is a mistake.",
			environment: map[string]string{"KUBE_HOST": "", "KUBECONFIG": "/does/not/exist"}, want: []string{"Invalid connection"}, known: true,
		},
		"BadBool": {
			reason:      "KUBE_INSECURE is true or false.",
			environment: map[string]string{"KUBE_INSECURE": "perhaps"}, want: []string{"Invalid environment variable"}, known: true,
		},
		"UnknownHost": {
			reason:      "A connection that is not known yet is not looked at, and not replaced by the environment's.",
			block:       map[string]any{"host": tftypes.UnknownValue},
			environment: fine,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			variables := maps.Clone(fine)
			maps.Copy(variables, tc.environment)
			for variable, value := range variables {
				t.Setenv(variable, value)
			}
			var diags diag.Diagnostics
			_, known := readSettings(t.Context(), providerConfig(t, tc.attributes, tc.block), &diags)
			var got []string
			for _, d := range diags {
				got = append(got, d.Summary())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if known != tc.known {
				t.Errorf("%s\nknown is %v, want %v", tc.reason, known, tc.known)
			}
		})
	}
}

func TestReadSettingsPolicy(t *testing.T) {
	cases := map[string]struct {
		reason     string
		attributes map[string]any
		want       dataplane.Policy
	}{
		"Default": {reason: "Nothing is taken unasked.", want: dataplane.Policy{Adopt: runtime.AdoptNever}},
		"Spelled out": {
			reason:     "The defaults may be said.",
			attributes: map[string]any{attributeAdopt: "never", attributeOnConflict: "fail"}, want: dataplane.Policy{Adopt: runtime.AdoptNever},
		},
		"Unowned": {reason: "What nobody owns.", attributes: map[string]any{attributeAdopt: "if_unowned"}, want: dataplane.Policy{Adopt: runtime.AdoptIfUnowned}},
		"Everything": {
			reason:     "Objects and fields.",
			attributes: map[string]any{attributeAdopt: "force", attributeOnConflict: "force"}, want: dataplane.Policy{Adopt: runtime.AdoptForce, Force: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			t.Setenv("KUBE_HOST", "https://kube.example")
			attributes := map[string]any{attributeOrganization: "acme"}
			maps.Copy(attributes, tc.attributes)
			var diags diag.Diagnostics
			got, known := readSettings(t.Context(), providerConfig(t, attributes, nil), &diags)
			if diags.HasError() || !known || got.policy != tc.want {
				t.Errorf("%s\ngot %+v, known %v, %v", tc.reason, got.policy, known, diags)
			}
		})
	}
}
