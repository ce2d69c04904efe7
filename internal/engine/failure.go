// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/dataplane"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// attempt is one try to bring an object about.
type attempt struct {
	store  *catalog.Store
	record *catalog.Record
	object platform.Object
	// before is the object as it was last in force; nil when it never was.
	before platform.Object
	// applied tells that everything was applied and has only to become ready;
	// settled, that it did or was not waited for.
	applied, settled bool
	session          *dataplane.Session
	warnings         []platform.Problem
}

// inForce returns the object that a record describes, or the prior one when the
// last operation on the record did not succeed.
func inForce(record *catalog.Record, prior platform.Object) (platform.Object, error) {
	if record.Succeeded() {
		return record.Object()
	}
	return prior, nil
}

// within bounds a context; zero is no bound.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// failed does what the object wants done when it could not be brought about. It
// returns the failure, or nil when that is none for the object, and tells whether
// nothing of the object is left that had to be remembered.
func (e *Engine) failed(ctx context.Context, a *attempt, limit time.Duration, failure error) (gone bool, err error) {
	policy := platform.OnFailureKeep
	if d, ok := a.object.(*platform.Deployment); ok {
		policy = d.OnFailure
	}
	code := runtime.CodeOf(failure)
	switch {
	case a.settled:
		// Only the record of it could not be written.
		return false, failure
	case policy == platform.OnFailureWarn && a.applied && (code == runtime.RolloutFailed || code == runtime.DeadlineExceeded):
		a.warnings = append(a.warnings, platform.Problem{
			Title:  "Rollout failed",
			Detail: fmt.Sprintf("%s is not ready: %s\n\nIts on_failure lets the apply succeed all the same. The next one waits for it again.", a.record.Ref(), failure),
		})
		return false, nil
	case policy == platform.OnFailureRollback && code != runtime.Canceled && code != runtime.Unavailable:
		ctx, cancel := within(ctx, limit)
		defer cancel()
		return e.rollBack(ctx, a, failure)
	}
	return false, failure
}

// rollBack brings back what ran before, or removes what was made when nothing
// did. What was taken over existed before and is removed by a destroy alone, so
// that then nothing is taken back. Killed at any point, it leaves a record of an
// operation that did not succeed, like any other.
func (e *Engine) rollBack(ctx context.Context, a *attempt, failure error) (gone bool, err error) {
	if taken := a.session.TakenOver(); len(taken) > 0 {
		return false, fmt.Errorf("%w\n\nNot rolled back: the apply took over what existed before: %s", failure, strings.Join(taken, ", "))
	}
	releases := a.record.Releases
	if a.before == nil && len(releases) == 0 {
		if _, err := e.remove(ctx, a.store, a.record, false); err != nil {
			return false, fmt.Errorf("%w\n\nWhat was made could not be removed: %w", failure, err)
		}
		return true, fmt.Errorf("%w\n\nRolled back: everything that was made was removed", failure)
	}
	former, ok := a.before.(*platform.Deployment)
	if !ok || len(releases) == 0 {
		return false, fmt.Errorf("%w\n\nNot rolled back: no release was healthy here before", failure)
	}
	release := releases[len(releases)-1]
	if err := e.restore(ctx, a, former, release); err != nil {
		return false, fmt.Errorf("%w\n\nRolling back to %s failed as well: %w", failure, release.Digest, err)
	}
	return false, fmt.Errorf("%w\n\nRolled back: %s runs again", failure, release.Digest)
}

// restore runs a release again as the former deployment did. What it takes is in
// the record: image and configuration may have come from elsewhere, which has
// changed since.
func (e *Engine) restore(ctx context.Context, a *attempt, former *platform.Deployment, release catalog.Release) error {
	inline := *former
	inline.PromotedFrom, inline.Overrides, inline.Approval = nil, nil, nil
	inline.Image = release.Artifact.Image
	var err error
	if inline.Configuration, err = release.Artifact.Configuration.With(former.Overrides); err != nil {
		return err
	}
	u, changes, err := e.render(ctx, 0, &inline, a.record, true)
	if err != nil {
		return err
	}
	_, err = e.run(ctx, a.store, a.record, former, u, changes, func(ctx context.Context) (catalog.Observed, error) {
		seen, err := e.settle(ctx, u, true)
		if err == nil {
			a.record.Release = release.Digest
		}
		return seen, err
	})
	return err
}
