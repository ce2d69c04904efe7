// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime/kubernetes"
)

// settings are the provider block, completed from the environment.
type settings struct {
	organization string
	namespace    string
	standard     kubernetes.Connection
	named        map[string]kubernetes.Connection
	policy       dataplane.Policy
}

// readSettings returns the settings, and whether those of the connections are
// known.
func readSettings(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) (settings, bool) {
	var s settings
	var organization, namespace types.String
	diags.Append(config.GetAttribute(ctx, path.Root(attributeOrganization), &organization)...)
	diags.Append(config.GetAttribute(ctx, path.Root(attributeControlPlaneNamespace), &namespace)...)
	if diags.HasError() {
		return s, false
	}
	s.organization = organizationName(organization, diags)
	if diags.HasError() {
		return s, false
	}
	s.namespace = namespace.ValueString()
	if s.namespace == "" {
		s.namespace = "platform-" + s.organization
	}
	if len(validation.IsDNS1123Label(s.namespace)) > 0 {
		diags.AddAttributeError(path.Root(attributeControlPlaneNamespace), "Invalid namespace",
			fmt.Sprintf("%q is not the name of a namespace: use at most 63 lower-case letters, digits and hyphens.", s.namespace))
	}
	if diags.HasError() {
		return s, false
	}
	attributes := map[string]tftypes.Value{}
	if err := config.Raw.As(&attributes); err != nil {
		diags.AddError("Cannot read the provider block", err.Error())
		return s, false
	}
	for _, value := range attributes {
		if !value.IsFullyKnown() {
			return s, false
		}
	}
	var standard *connectionModel
	var named map[string]connectionModel
	diags.Append(config.GetAttribute(ctx, path.Root(attributeKubernetes), &standard)...)
	diags.Append(config.GetAttribute(ctx, path.Root(attributeConnections), &named)...)
	s.policy = dataplane.Policy{
		Adopt: chosen(ctx, config, attributeAdopt, diags, runtime.AdoptNever, runtime.AdoptIfUnowned, runtime.AdoptForce),
		Force: chosen(ctx, config, attributeOnConflict, diags, conflictFail, conflictForce) == conflictForce,
	}
	if diags.HasError() {
		return s, false
	}
	s.standard = defaultConnection(ctx, standard, diags)
	s.named = map[string]kubernetes.Connection{}
	for name, model := range named {
		s.named[name] = model.connection(ctx, name, fmt.Sprintf(`connections["%s"] of the provider block`, name), diags)
		if err := s.named[name].Validate(); err != nil {
			diags.AddAttributeError(path.Root(attributeConnections).AtMapKey(name), "Invalid connection", err.Error())
		}
	}
	return s, true
}

// The values of on_conflict.
const (
	conflictFail  = "fail"
	conflictForce = "force"
)

// chosen returns the value of an attribute that has but a few; the first is the
// default.
func chosen[T ~string](ctx context.Context, config tfsdk.Config, name string, diags *diag.Diagnostics, values ...T) T {
	var value types.String
	diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
	switch {
	case value.IsNull():
		return values[0]
	case !slices.Contains(values, T(value.ValueString())):
		diags.AddAttributeError(path.Root(name), "Invalid "+name, fmt.Sprintf("%q is not a value of %s: use one of %q.", value.ValueString(), name, values))
	}
	return T(value.ValueString())
}

func organizationName(value types.String, diags *diag.Diagnostics) string {
	at := path.Root(attributeOrganization)
	if value.IsUnknown() {
		diags.AddAttributeError(at, "Unknown organization",
			"The organization is part of every identity and must be known when planning. Set it to a literal value or a variable.")
		return ""
	}
	name := value.ValueString()
	if name == "" {
		name = os.Getenv("PLATFORM_ORGANIZATION")
	}
	switch {
	case name == "":
		diags.AddAttributeError(at, "Missing organization", "Set organization in the provider block, or the environment variable PLATFORM_ORGANIZATION.")
	case len(validation.IsDNS1035Label(name)) > 0:
		diags.AddAttributeError(at, "Invalid organization",
			fmt.Sprintf("%q is not a name: use at most 63 lower-case letters, digits and hyphens, starting with a letter and ending with a letter or digit.", name))
	}
	return name
}

// defaultConnection completes the kubernetes attribute from the environment,
// unless the attribute names a server itself: credentials of one place are
// never sent to a server of another.
func defaultConnection(ctx context.Context, model *connectionModel, diags *diag.Diagnostics) kubernetes.Connection {
	if model == nil {
		model = &connectionModel{}
	}
	connection := model.connection(ctx, "", "the kubernetes attribute of the provider block", diags)
	if connection.Host == "" && len(connection.ConfigPaths) == 0 {
		completeFromEnvironment(&connection, diags)
	}
	if err := connection.Validate(); err != nil {
		diags.AddAttributeError(path.Root(attributeKubernetes), "Invalid connection",
			err.Error()+". Set kubernetes in the provider block, one of the KUBE_* variables, or KUBECONFIG.")
	}
	return connection
}

func completeFromEnvironment(c *kubernetes.Connection, diags *diag.Diagnostics) {
	for name, field := range map[string]*string{
		"KUBE_HOST": &c.Host, "KUBE_TOKEN": &c.Token, "KUBE_CLIENT_CERT_DATA": &c.ClientCertificate,
		"KUBE_CLIENT_KEY_DATA": &c.ClientKey, "KUBE_CLUSTER_CA_CERT_DATA": &c.ClusterCACertificate,
		"KUBE_TLS_SERVER_NAME": &c.TLSServerName, "KUBE_PROXY_URL": &c.ProxyURL, "KUBE_CTX": &c.ConfigContext,
	} {
		if value := os.Getenv(name); *field == "" && value != "" {
			*field = value
			c.Source = "the KUBE_* environment variables"
		}
	}
	if value := os.Getenv("KUBE_INSECURE"); value != "" && !c.Insecure {
		insecure, err := strconv.ParseBool(value)
		if err != nil {
			diags.AddError("Invalid environment variable", fmt.Sprintf("KUBE_INSECURE is %q; use true or false.", value))
		}
		c.Insecure = insecure
	}
	switch {
	case os.Getenv("KUBE_CONFIG_PATH") != "":
		c.ConfigPaths, c.Source = []string{os.Getenv("KUBE_CONFIG_PATH")}, "KUBE_CONFIG_PATH"
	case os.Getenv("KUBE_CONFIG_PATHS") != "":
		c.ConfigPaths, c.Source = filepath.SplitList(os.Getenv("KUBE_CONFIG_PATHS")), "KUBE_CONFIG_PATHS"
	case c.Host == "" && os.Getenv("KUBECONFIG") != "":
		c.ConfigPaths, c.Source = filepath.SplitList(os.Getenv("KUBECONFIG")), "KUBECONFIG"
	}
}

// connection returns what the block says.
func (m connectionModel) connection(ctx context.Context, name, source string, diags *diag.Diagnostics) kubernetes.Connection {
	c := kubernetes.Connection{
		Name: name, Source: source,
		Host: m.Host.ValueString(), Token: m.Token.ValueString(),
		ClientCertificate: m.ClientCertificate.ValueString(), ClientKey: m.ClientKey.ValueString(),
		ClusterCACertificate: m.ClusterCACertificate.ValueString(), Insecure: m.Insecure.ValueBool(),
		TLSServerName: m.TLSServerName.ValueString(), ProxyURL: m.ProxyURL.ValueString(),
		ConfigContext: m.ConfigContext.ValueString(), QPS: m.QPS.ValueInt64(),
	}
	if !m.ConfigPaths.IsNull() {
		diags.Append(m.ConfigPaths.ElementsAs(ctx, &c.ConfigPaths, false)...)
	}
	if value := m.ConfigPath.ValueString(); value != "" {
		c.ConfigPaths = append([]string{value}, c.ConfigPaths...)
	}
	if m.Exec != nil {
		c.Exec = &kubernetes.Exec{APIVersion: m.Exec.APIVersion.ValueString(), Command: m.Exec.Command.ValueString()}
		if !m.Exec.Args.IsNull() {
			diags.Append(m.Exec.Args.ElementsAs(ctx, &c.Exec.Args, false)...)
		}
		if !m.Exec.Env.IsNull() {
			diags.Append(m.Exec.Env.ElementsAs(ctx, &c.Exec.Env, false)...)
		}
	}
	return c
}
