// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const contextName = "devcluster"

// writeKubeconfig writes a kubeconfig that holds its credentials itself.
func writeKubeconfig(path, endpoint string, ca []byte, client keyPair) error {
	config := clientcmdapi.NewConfig()
	config.Clusters[contextName] = &clientcmdapi.Cluster{Server: endpoint, CertificateAuthorityData: ca}
	config.AuthInfos[contextName] = &clientcmdapi.AuthInfo{
		ClientCertificateData: client.cert,
		ClientKeyData:         client.key,
	}
	config.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName}
	config.CurrentContext = contextName

	text, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encode kubeconfig: %w", err)
	}
	return writeFile(path, text)
}

// agentConfig is the connection of the parts that run inside the supervisor.
func agentConfig(endpoint string, ca []byte, client keyPair) *rest.Config {
	return &rest.Config{
		Host:            endpoint,
		UserAgent:       agentUser,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca, CertData: client.cert, KeyData: client.key},
		WarningHandler:  rest.NoWarnings{},
		QPS:             -1, // No throttling on the client's side.
	}
}
