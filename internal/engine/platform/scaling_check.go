// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

func (s *Scaling) validate(c *checker, at Path, resources *Resources) {
	c.atLeast(at.With("replicas"), s.Replicas, 0)
	c.atLeast(at.With("min_replicas"), s.MinReplicas, 1)
	c.atLeast(at.With("max_replicas"), s.MaxReplicas, 1)
	targets := []struct {
		resource, attribute string
		target              *int64
		reserved            func(*Quantities) string
	}{
		{"cpu", "target_cpu_utilization_percentage", s.TargetCPUUtilizationPercentage, func(q *Quantities) string { return q.CPU }},
		{"memory", "target_memory_utilization_percentage", s.TargetMemoryUtilizationPercentage, func(q *Quantities) string { return q.Memory }},
	}
	aims := false
	for _, one := range targets {
		c.atLeast(at.With(one.attribute), one.target, 1)
		if one.target == nil {
			continue
		}
		aims = true
		if !resources.reserve(one.reserved) {
			c.add(at.With(one.attribute), "Missing request", fmt.Sprintf(
				"Utilization is measured in percent of what a pod requests, and resources.requests.%s is not set, so the autoscaler could never compute it. Set it.", one.resource))
		}
	}
	switch scales := aims || s.MinReplicas != nil || s.MaxReplicas != nil; {
	case !scales:
	case s.Replicas != nil:
		c.add(at.With("replicas"), "Conflicting attributes", "With min_replicas, max_replicas and targets an autoscaler decides how many replicas run. Remove replicas, or all of the others.")
	case s.MaxReplicas == nil:
		c.add(at.With("max_replicas"), "Missing maximum", "An autoscaler needs to know how far it may go. Set max_replicas.")
	case !aims:
		c.add(at, "Missing target", "An autoscaler needs something to aim at. Set target_cpu_utilization_percentage or target_memory_utilization_percentage.")
	case s.MinReplicas != nil && *s.MinReplicas > *s.MaxReplicas:
		c.add(at.With("min_replicas"), "Minimum above maximum", fmt.Sprintf("min_replicas is %d and max_replicas is %d; lower the one or raise the other.", *s.MinReplicas, *s.MaxReplicas))
	}
}

// reserve tells whether pods request some of a resource. A limit without a
// request is a request as well.
func (r *Resources) reserve(of func(*Quantities) string) bool {
	if r == nil {
		return false
	}
	for _, quantities := range []*Quantities{r.Requests, r.Limits} {
		if quantities == nil || of(quantities) == "" {
			continue
		}
		// What is no quantity is told where it stands.
		quantity, err := resource.ParseQuantity(of(quantities))
		return err != nil || quantity.Sign() > 0
	}
	return false
}
