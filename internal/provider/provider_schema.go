// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// connectionModel is a connection to a cluster, as the provider block has it.
type connectionModel struct {
	Host                 types.String `tfsdk:"host"`
	Token                types.String `tfsdk:"token"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	Insecure             types.Bool   `tfsdk:"insecure"`
	TLSServerName        types.String `tfsdk:"tls_server_name"`
	ProxyURL             types.String `tfsdk:"proxy_url"`
	ConfigPath           types.String `tfsdk:"config_path"`
	ConfigPaths          types.List   `tfsdk:"config_paths"`
	ConfigContext        types.String `tfsdk:"config_context"`
	QPS                  types.Int64  `tfsdk:"qps"`
	Exec                 *execModel   `tfsdk:"exec"`
}

// execModel is a program that prints credentials.
type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

// The attributes of the provider block.
const (
	attributeOrganization          = "organization"
	attributeControlPlaneNamespace = "control_plane_namespace"
	attributeKubernetes            = "kubernetes"
	attributeConnections           = "connections"
	attributeAdopt                 = "adopt"
	attributeOnConflict            = "on_conflict"
)

func providerSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Declare projects, components, deployments and endpoints; the provider makes them real in Kubernetes. Nothing has to be installed in the cluster.",
		Attributes: map[string]schema.Attribute{
			attributeOrganization: schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The tenant, part of every identity. Required, here or as `PLATFORM_ORGANIZATION`.",
			},
			attributeControlPlaneNamespace: schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The namespace of the default connection in which the provider keeps its records; default `platform-<organization>`.",
			},
			attributeKubernetes: schema.SingleNestedAttribute{
				Optional: true,
				MarkdownDescription: "The default connection, which also holds the records. Settings that name no server (`host`, `config_path`, `config_paths`) are completed by the `KUBE_*` environment variables, and those by `KUBECONFIG`. " +
					"Neither `~/.kube/config` nor the pod's own service account is ever used unasked.",
				Attributes: connectionAttributes(),
			},
			attributeConnections: schema.MapNestedAttribute{
				Optional:            true,
				MarkdownDescription: "Further connections by name, for data planes on other clusters. The environment does not complete them.",
				NestedObject:        schema.NestedAttributeObject{Attributes: connectionAttributes()},
			},
			attributeAdopt: schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What happens to an existing object where one is to be created: `never` (the default) refuses it, `if_unowned` takes it over unless a label or an owner reference says whose it is, `force` takes over any. " +
					"What is rendered of it belongs to the provider from then on, and it is deleted with the resource; what is not rendered is left as it is.",
			},
			attributeOnConflict: schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What happens to fields that belong to others, because they apply them or set them before they were declared here: `fail` (the default) lists them, `force` takes them over. " +
					"A field that was declared here and then edited is always taken back.",
			},
		},
	}
}

func connectionAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	secret := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"host":                   text("The URL of the API server (`KUBE_HOST`)."),
		"token":                  secret("A bearer token (`KUBE_TOKEN`)."),
		"client_certificate":     text("A client certificate, PEM (`KUBE_CLIENT_CERT_DATA`)."),
		"client_key":             secret("Its key, PEM (`KUBE_CLIENT_KEY_DATA`)."),
		"cluster_ca_certificate": text("The certificate authority of the server, PEM (`KUBE_CLUSTER_CA_CERT_DATA`)."),
		"insecure":               schema.BoolAttribute{Optional: true, MarkdownDescription: "Turns off the check of the server's certificate (`KUBE_INSECURE`)."},
		"tls_server_name":        text("The name expected in the server's certificate (`KUBE_TLS_SERVER_NAME`)."),
		"proxy_url":              text("The URL of a proxy (`KUBE_PROXY_URL`)."),
		"config_path":            text("A kubeconfig file (`KUBE_CONFIG_PATH`)."),
		"config_paths":           schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Kubeconfig files, merged as `kubectl` does (`KUBE_CONFIG_PATHS`)."},
		"config_context":         text("The context of the kubeconfig file (`KUBE_CTX`)."),
		"qps": schema.Int64Attribute{
			Optional: true, Validators: []validator.Int64{int64validator.AtLeast(1)},
			MarkdownDescription: "How many requests a second the provider sends at most. Without it the provider sets no limit of its own: the API server rations its capacity.",
		},
		"exec": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "A program that prints credentials.",
			Attributes: map[string]schema.Attribute{
				"api_version": text("The version of the protocol; default `client.authentication.k8s.io/v1`."),
				"command":     schema.StringAttribute{Required: true, MarkdownDescription: "The program."},
				"args":        schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Its arguments."},
				"env":         schema.MapAttribute{Optional: true, ElementType: types.StringType, Sensitive: true, MarkdownDescription: "Its additional environment."},
			},
		},
	}
}
