// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package runtime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

func TestSequentialWatchers(t *testing.T) {
	t.Parallel()
	watchers := runtime.NewWatchers()
	channels := []chan watch.Event{make(chan watch.Event), make(chan watch.Event)}
	watchers.Insert("first", channels[0])
	watchers.Insert("second", channels[1])
	if diff := cmp.Diff([]string{"first", "second"}, watchers.IDs); diff != "" {
		t.Errorf("Watchers stay in the order of insertion: -want +got:\n%s", diff)
	}
	for i, channel := range channels {
		if watchers.Watchers[i] != (<-chan watch.Event)(channel) {
			t.Errorf("Each channel stands where its id stands, but not %s.", watchers.IDs[i])
		}
	}
	if watchers.TFWatcher != nil {
		t.Error("Only a Terraform resource has Terraform events.")
	}
}
