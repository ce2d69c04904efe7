// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestCertificates(t *testing.T) {
	t.Parallel()
	ca, err := newAuthority()
	if err != nil {
		t.Fatalf("create authority: %v", err)
	}
	server, err := ca.server("server", []string{"kubernetes"})
	if err != nil {
		t.Fatalf("issue server certificate: %v", err)
	}
	client, err := ca.client("user", "group")
	if err != nil {
		t.Fatalf("issue client certificate: %v", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.pem)
	for name, tc := range map[string]struct {
		pair    keyPair
		options x509.VerifyOptions
		good    bool
	}{
		"ServerByName":    {server, x509.VerifyOptions{DNSName: "kubernetes"}, true},
		"ServerByAddress": {server, x509.VerifyOptions{DNSName: "127.0.0.1"}, true},
		"Client":          {client, x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, true},
		"ServerAsClient":  {server, x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, false},
		"ClientAsServer":  {client, x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pair, err := tls.X509KeyPair(tc.pair.cert, tc.pair.key)
			if err != nil {
				t.Fatalf("load: %v", err)
			}
			tc.options.Roots = roots
			if _, err := pair.Leaf.Verify(tc.options); (err == nil) != tc.good {
				t.Errorf("verify: %v", err)
			}
		})
	}
}
