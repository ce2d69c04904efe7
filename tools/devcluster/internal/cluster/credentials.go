// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"k8s.io/client-go/rest"

	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/component"
	"github.com/openplatform/terraform-provider-platform/tools/devcluster/internal/node"
)

// credentials are what the supervisor keeps in memory of the cluster's keys.
type credentials struct {
	agent *rest.Config
	// logServer is the TLS side of the node's log server: only the API server
	// has a certificate that it accepts.
	logServer *tls.Config
}

// issueCredentials makes a certificate authority for the cluster and writes
// every certificate, key and kubeconfig that its components need.
func issueCredentials(layout Layout, endpoint string) (credentials, error) {
	ca, err := newAuthority()
	if err != nil {
		return credentials{}, err
	}
	agent, err := ca.client(agentUser, mastersGroup)
	if err != nil {
		return credentials{}, err
	}
	logServer, err := logServerConfig(ca)
	if err != nil {
		return credentials{}, err
	}
	err = errors.Join(
		writeAPIServerFiles(layout, ca),
		writeClient(layout.Kubeconfig(), ca, endpoint, adminUser, mastersGroup),
		// It acts for all its controllers, hence the group.
		writeClient(layout.componentKubeconfig(component.ControllerManager), ca, endpoint,
			"system:kube-controller-manager", mastersGroup),
		writeClient(layout.componentKubeconfig(component.Scheduler), ca, endpoint, "system:kube-scheduler"),
	)
	if err != nil {
		return credentials{}, err
	}
	return credentials{agent: agentConfig(endpoint, ca.pem, agent), logServer: logServer}, nil
}

func writeClient(path string, ca *authority, endpoint, user string, groups ...string) error {
	pair, err := ca.client(user, groups...)
	if err != nil {
		return err
	}
	return writeKubeconfig(path, endpoint, ca.pem, pair)
}

func writeAPIServerFiles(layout Layout, ca *authority) error {
	serving, err := ca.server("kube-apiserver",
		[]string{"kubernetes", "kubernetes.default", "kubernetes.default.svc"}, net.ParseIP(kubernetesService))
	if err != nil {
		return err
	}
	kubelet, err := ca.client(kubeletClient, mastersGroup)
	if err != nil {
		return err
	}
	return errors.Join(
		writeFile(layout.pki("ca.crt"), ca.pem),
		writeFile(layout.pki("apiserver.crt"), serving.cert),
		writeFile(layout.pki("apiserver.key"), serving.key),
		writeFile(layout.pki("kubelet-client.crt"), kubelet.cert),
		writeFile(layout.pki("kubelet-client.key"), kubelet.key),
		writeServiceAccountKey(layout.pki("service-account.key")),
		writeFile(layout.auditPolicy(), []byte(auditPolicy())),
	)
}

func logServerConfig(ca *authority) (*tls.Config, error) {
	pair, err := ca.server("system:node:"+node.Name, []string{node.Name})
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(pair.cert, pair.key)
	if err != nil {
		return nil, fmt.Errorf("load certificate of the log server: %w", err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(ca.cert)
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{certificate},
		ClientCAs:    clients,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		VerifyConnection: func(state tls.ConnectionState) error {
			if user := state.PeerCertificates[0].Subject.CommonName; user != kubeletClient {
				return fmt.Errorf("client %q may not read logs", user)
			}
			return nil
		},
	}, nil
}
