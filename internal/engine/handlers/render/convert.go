// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package render

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// Int32 narrows a number to what the API server takes.
func Int32(at platform.Path, value int64) (int32, error) {
	if value < math.MinInt32 || value > math.MaxInt32 {
		return 0, Problem(at, "Number out of range", fmt.Sprintf("%d does not fit a field of 32 bits; use a smaller number.", value))
	}
	return int32(value), nil
}

// Quantity parses a quantity.
func Quantity(at platform.Path, value string) (resource.Quantity, error) {
	quantity, err := resource.ParseQuantity(value)
	if err != nil {
		return resource.Quantity{}, Problem(at, "Invalid quantity", fmt.Sprintf("%q is not a Kubernetes quantity, such as 250m, 0.5, 64Mi or 1Gi.", value))
	}
	return quantity, nil
}

// Problem returns the error that one field is at fault.
func Problem(at platform.Path, title, detail string) error {
	return &platform.ProblemError{Problems: []platform.Problem{{Path: at, Title: title, Detail: detail}}}
}

// One returns the list of the only object that a handler renders.
func One(dataPlane *platform.DataPlane, configuration any) ([]runtime.Resource, error) {
	manifest, err := dataplane.Manifest(dataPlane.Name, configuration)
	if err != nil {
		return nil, err
	}
	return []runtime.Resource{manifest}, nil
}
