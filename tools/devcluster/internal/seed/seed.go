// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

// Package seed holds the objects that every cluster starts with: custom
// resource definitions, a storage class, and two gateways.
package seed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

const fieldManager = "devcluster"

//go:generate go run ../../generate/gatewayapi -o gateway-api.jsonl.gz

// gatewayAPI is the standard channel of the Gateway API, one JSON object a line.
//
//go:embed gateway-api.jsonl.gz
var gatewayAPI []byte

//go:embed definitions.yaml
var definitions []byte

//go:embed objects.yaml
var objects []byte

// Served lists the resources that definitions add, by group and version.
type Served map[string][]string

// Definitions creates the custom resource definitions. The API server needs a
// moment until it serves what they define. It may be called again after an
// error.
func Definitions(ctx context.Context, client dynamic.Interface) (Served, error) {
	list, err := readGatewayAPI()
	if err != nil {
		return nil, err
	}
	own, err := readYAML(definitions)
	if err != nil {
		return nil, err
	}
	list = append(list, own...)
	if err := applyAll(ctx, client, list); err != nil {
		return nil, fmt.Errorf("create definitions: %w", err)
	}
	return servedBy(list), nil
}

// Check reports whether the API server serves all the resources.
func (s Served) Check(client discovery.DiscoveryInterface) (bool, error) {
	for groupVersion, plurals := range s {
		list, err := client.ServerResourcesForGroupVersion(groupVersion)
		if err != nil {
			return false, fmt.Errorf("discover %s: %w", groupVersion, err)
		}
		for _, plural := range plurals {
			served := func(resource metav1.APIResource) bool { return resource.Name == plural }
			if !slices.ContainsFunc(list.APIResources, served) {
				return false, nil
			}
		}
	}
	return true, nil
}

func servedBy(list []*unstructured.Unstructured) Served {
	served := Served{}
	for _, object := range list {
		if object.GetKind() != "CustomResourceDefinition" {
			continue
		}
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		plural, _, _ := unstructured.NestedString(object.Object, "spec", "names", "plural")
		versions, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
		for _, entry := range versions {
			version, ok := entry.(map[string]any)
			if !ok || version["served"] != true {
				continue
			}
			name, _, _ := unstructured.NestedString(version, "name")
			served[group+"/"+name] = append(served[group+"/"+name], plural)
		}
	}
	return served
}

// Objects creates the objects that are not definitions. It may be called again
// after an error, and has to be: discovery lists a custom resource a moment
// before requests for it are served.
func Objects(ctx context.Context, client dynamic.Interface) error {
	list, err := readYAML(objects)
	if err != nil {
		return err
	}
	if err := applyAll(ctx, client, list); err != nil {
		return fmt.Errorf("create objects: %w", err)
	}
	return nil
}

// applyAll creates the objects side by side: each request waits for the disk
// more than for the processor. It may be repeated.
//
// The objects are applied, not posted, because the API server lets a POST of a
// custom resource sleep for two seconds while its definition is new.
func applyAll(ctx context.Context, client dynamic.Interface, list []*unstructured.Unstructured) error {
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	for i, object := range list {
		wait.Go(func() {
			_, errs[i] = client.Resource(resourceOf(object.GroupVersionKind())).Namespace(object.GetNamespace()).
				Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager})
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// GatewaysReady reports whether all gateways have an address.
func GatewaysReady(ctx context.Context, client dynamic.Interface) (bool, error) {
	list, err := client.Resource(gatewayResource()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("list gateways: %w", err)
	}
	for i := range list.Items {
		addresses, _, _ := unstructured.NestedSlice(list.Items[i].Object, "status", "addresses")
		if len(addresses) == 0 {
			return false, nil
		}
	}
	return len(list.Items) > 0, nil
}

// resourceOf names the resource of a kind. The guess of the API machinery makes
// "gatewaies" of gateways.
func resourceOf(kind schema.GroupVersionKind) schema.GroupVersionResource {
	if kind.Kind == "Gateway" {
		return gatewayResource()
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural
}

func gatewayResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}
}

func readGatewayAPI() ([]*unstructured.Unstructured, error) {
	reader, err := gzip.NewReader(bytes.NewReader(gatewayAPI))
	if err != nil {
		return nil, fmt.Errorf("unpack gateway api: %w", err)
	}
	decoder := json.NewDecoder(reader)
	var list []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode gateway api: %w", err)
		}
		list = append(list, object)
	}
}

func readYAML(text []byte) ([]*unstructured.Unstructured, error) {
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var list []*unstructured.Unstructured
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return nil, fmt.Errorf("decode manifest: %w", err)
		}
		if len(object.Object) > 0 {
			list = append(list, object)
		}
	}
}
