// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/time/rate"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// defaultExecVersion is the version of the exec protocol that every supported
// client-go speaks.
const defaultExecVersion = "client.authentication.k8s.io/v1"

// Connection says how to reach one API server. Nothing is looked for anywhere
// else: neither the home directory, nor the pod the process may run in, nor
// localhost.
type Connection struct {
	// Name is what messages call the connection.
	Name string
	// Source says where the settings came from, for messages.
	Source string

	// Host is the URL of the API server.
	Host string
	// Token is a bearer token.
	Token string
	// ClientCertificate and ClientKey are PEM.
	ClientCertificate string
	ClientKey         string
	// ClusterCACertificate is PEM; empty trusts the system's authorities.
	ClusterCACertificate string
	// Insecure turns off the check of the server's certificate.
	Insecure bool
	// TLSServerName is the name expected in the server's certificate.
	TLSServerName string
	// ProxyURL is the proxy; empty obeys the usual environment variables.
	ProxyURL string
	// QPS is how many requests a second may be sent; 0 leaves it to the server,
	// which rations its own capacity.
	QPS int64

	// ConfigPaths are kubeconfig files, merged in this order as kubectl does.
	// The fields above win over what they say.
	ConfigPaths []string
	// ConfigContext selects a context of the kubeconfig files.
	ConfigContext string

	// Exec gets credentials from a program; nil uses none.
	Exec *Exec
}

// Exec is a program that prints credentials.
type Exec struct {
	APIVersion string
	Command    string
	Args       []string
	Env        map[string]string
}

// Hash identifies the connection's settings, whatever it is called and wherever
// they come from: connections of equal hash may share a Runtime. It reveals
// nothing of them.
func (c Connection) Hash() string {
	c.Name, c.Source = "", ""
	// Strings, slices and maps of strings always encode, maps with sorted keys.
	encoded, _ := json.Marshal(c)
	return naming.Hash(string(encoded))
}

// Validate reports settings that cannot work, as an INVALID_ARGUMENT Status. It
// reads kubeconfig files and makes no request.
func (c Connection) Validate() error {
	_, err := c.restConfig()
	return err
}

// describe names the connection and where its settings came from.
func (c Connection) describe() string {
	name := c.Name
	if name == "" {
		name = "default"
	}
	if c.Source == "" {
		return fmt.Sprintf("connection %q", name)
	}
	return fmt.Sprintf("connection %q (%s)", name, c.Source)
}

func (c Connection) invalid(format string, args ...any) error {
	return runtime.Errorf(runtime.InvalidArgument, "%s: %w", c.describe(), fmt.Errorf(format, args...))
}

func (c Connection) restConfig() (*rest.Config, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	config := &rest.Config{}
	if len(c.ConfigPaths) > 0 {
		loaded, err := c.loadFiles()
		if err != nil {
			return nil, err
		}
		config = loaded
	}
	if err := c.overlay(config); err != nil {
		return nil, err
	}
	if config.Host == "" {
		return nil, c.invalid("no host is set: set a host or a kubeconfig file")
	}
	if _, _, err := rest.DefaultServerUrlFor(config); err != nil {
		return nil, c.invalid("host %q: %w", config.Host, err)
	}
	// A limit is kept for all requests at once, and not by single clients.
	config.QPS = -1
	if c.QPS > 0 {
		limiter := rate.NewLimiter(rate.Limit(c.QPS), int(c.QPS))
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &limited{limiter: limiter, next: next} })
	}
	return config, nil
}

// check reports contradictions that client-go would resolve silently.
func (c Connection) check() error {
	switch {
	case c.Host == "" && len(c.ConfigPaths) == 0:
		return c.invalid("neither a host nor a kubeconfig file is set")
	case c.ConfigContext != "" && len(c.ConfigPaths) == 0:
		return c.invalid("context %q needs a kubeconfig file", c.ConfigContext)
	case (c.ClientCertificate == "") != (c.ClientKey == ""):
		return c.invalid("a client certificate and its key belong together")
	case c.Insecure && c.ClusterCACertificate != "":
		return c.invalid("insecure and a certificate authority exclude each other")
	case c.Exec != nil && c.Exec.Command == "":
		return c.invalid("exec needs a command")
	case c.Exec != nil && c.Token != "":
		return c.invalid("exec and a token exclude each other")
	}
	return nil
}

func (c Connection) loadFiles() (*rest.Config, error) {
	rules := &clientcmd.ClientConfigLoadingRules{Precedence: c.ConfigPaths}
	if len(c.ConfigPaths) == 1 {
		// An explicit path must exist, while a list may name files that do not.
		rules = &clientcmd.ClientConfigLoadingRules{ExplicitPath: c.ConfigPaths[0]}
	}
	loaded, err := rules.Load()
	if err != nil {
		return nil, c.invalid("kubeconfig %s: %w", strings.Join(c.ConfigPaths, ", "), err)
	}
	if len(loaded.Contexts) == 0 && len(loaded.Clusters) == 0 {
		return nil, c.invalid("kubeconfig %s holds no cluster", strings.Join(c.ConfigPaths, ", "))
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.ConfigContext}
	config, err := clientcmd.NewNonInteractiveClientConfig(*loaded, c.ConfigContext, overrides, rules).ClientConfig()
	if err != nil {
		if errors.Is(err, clientcmd.ErrEmptyConfig) || clientcmd.IsEmptyConfig(err) {
			return nil, c.invalid("kubeconfig %s selects no context", strings.Join(c.ConfigPaths, ", "))
		}
		return nil, c.invalid("kubeconfig %s: %w", strings.Join(c.ConfigPaths, ", "), err)
	}
	return config, nil
}

// overlay puts the explicit settings over those of kubeconfig files.
func (c Connection) overlay(config *rest.Config) error {
	if c.Host != "" {
		config.Host = c.Host
	}
	if c.ClusterCACertificate != "" {
		config.CAData, config.CAFile = []byte(c.ClusterCACertificate), ""
		config.Insecure = false
	}
	if c.Insecure {
		config.Insecure = true
		config.CAData, config.CAFile = nil, ""
	}
	if c.TLSServerName != "" {
		config.ServerName = c.TLSServerName
	}
	if c.ProxyURL != "" {
		proxy, err := url.Parse(c.ProxyURL)
		if err != nil || proxy.Host == "" {
			return c.invalid("proxy URL %q is not a URL", c.ProxyURL)
		}
		config.Proxy = http.ProxyURL(proxy)
	}
	c.overlayCredentials(config)
	return nil
}

// overlayCredentials replaces the credentials as a whole: two kinds at once
// would leave it to the server which of them counts.
func (c Connection) overlayCredentials(config *rest.Config) {
	if c.Token == "" && c.ClientCertificate == "" && c.Exec == nil {
		return
	}
	config.BearerToken, config.BearerTokenFile = c.Token, ""
	config.Username, config.Password = "", ""
	config.CertData, config.CertFile = []byte(c.ClientCertificate), ""
	config.KeyData, config.KeyFile = []byte(c.ClientKey), ""
	config.ExecProvider, config.AuthProvider = nil, nil
	if c.Exec == nil {
		return
	}
	version := c.Exec.APIVersion
	if version == "" {
		version = defaultExecVersion
	}
	config.ExecProvider = &clientcmdapi.ExecConfig{
		Command: c.Exec.Command, Args: c.Exec.Args, APIVersion: version,
		// The plugin protocol owns standard input.
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		InstallHint:     fmt.Sprintf("%s: the exec command %q was not found", c.describe(), c.Exec.Command),
	}
	for _, name := range sortedKeys(c.Exec.Env) {
		config.ExecProvider.Env = append(config.ExecProvider.Env,
			clientcmdapi.ExecEnvVar{Name: name, Value: c.Exec.Env[name]})
	}
}
