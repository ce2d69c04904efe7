// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/engine"
	"github.com/openplatform/terraform-provider-platform/internal/engine/catalog"
	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
	"github.com/openplatform/terraform-provider-platform/internal/engine/runtime"
)

// unready makes every wait fail as a rollout does.
func (w *world) unready(failing bool) {
	w.fake.WaitFunc = nil
	if failing {
		w.fake.WaitFunc = func(context.Context, *runtime.WaitRequest) *runtime.WaitResponse {
			return &runtime.WaitResponse{Status: runtime.Errorf(runtime.RolloutFailed, "the pod crashes")}
		}
	}
}

func TestCreateOverExistingRecord(t *testing.T) {
	t.Parallel()
	other := cartInDev()
	other.Image = "cart:2"
	cases := map[string]struct {
		reason string
		fails  bool
		object platform.Object
		want   runtime.Code
	}{
		"Equal":           {reason: "A create that finishes what an equal one recorded goes on with it.", object: cartInDev()},
		"Failed":          {reason: "What did not succeed is taken over, whatever it was.", fails: true, object: other},
		"OtherwiseHealth": {reason: "What is described otherwise belongs to somebody else.", object: other, want: runtime.AlreadyExists},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.apply(t, story()[:5]...)
			w.unready(tc.fails)
			first, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Wait: true})
			if (err != nil) != tc.fails {
				t.Fatal(err)
			}
			w.unready(false)
			before := w.view(t)
			second, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: tc.object, Wait: true})
			if runtime.CodeOf(err) != tc.want {
				t.Fatalf("%s\ngot error %v, want %q", tc.reason, err, tc.want)
			}
			if tc.want != "" {
				same(t, tc.reason+" It stays as it is", before, w.view(t))
				return
			}
			if second.Token.UID == first.Token.UID || second.Token.UID == "" {
				t.Errorf("%s\nIt becomes another object, got the UID %q twice.", tc.reason, second.Token.UID)
			}
			// The old one may be destroyed after the new one was made.
			if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(tc.object), Token: first.Token}); err != nil {
				t.Fatal(err)
			}
			if w.records(t)["deployment/shop/cart/main/dev"] == nil {
				t.Error("Deleting an object that another one replaced leaves the other one alone.")
			}
			w.intact(t, tc.reason)
		})
	}
}

func TestUpdateOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		token  engine.Token
		remove bool
		want   runtime.Code
	}{
		"Removed":  {reason: "What was removed since the plan is not made again unasked.", remove: true, want: runtime.NotFound},
		"Replaced": {reason: "What took its place since the plan is not changed.", token: engine.Token{UID: "another"}, want: runtime.Conflict},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			token := tokensOf(w.apply(t, lab()))[0]
			if tc.remove {
				if _, err := w.engine(t).Delete(t.Context(), engine.DeleteRequest{Ref: platform.RefOf(lab()), Token: token}); err != nil {
					t.Fatal(err)
				}
			}
			if tc.token.UID != "" {
				token = tc.token
			}
			before := w.view(t)
			response, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: lab(), Token: &token})
			if runtime.CodeOf(err) != tc.want || response != nil {
				t.Errorf("%s\ngot %+v, %v", tc.reason, response, err)
			}
			same(t, tc.reason, before, w.view(t))
		})
	}
}

func TestFailedRollout(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	w.unready(true)
	response, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Wait: true})
	if runtime.CodeOf(err) != runtime.RolloutFailed {
		t.Fatalf("A rollout that fails is an error of its own, got %v.", err)
	}
	if response == nil || response.Token.UID == "" || response.Token.Store != "store-1" || response.Outputs.Ready || response.Outputs.Status != "failed: ROLLOUT_FAILED" {
		t.Fatalf("What was made is remembered as not ready, got %+v.", response)
	}
	w.intact(t, "after a failed rollout")
	if got := plan(t, w.engine(t), cartInDev(), cartInDev()); !got.Unsettled {
		t.Error("A plan after a failure has work to do although nothing changed.")
	}
	read, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(cartInDev()), Token: &response.Token})
	if err != nil {
		t.Fatal(err)
	}
	if read.Object != nil || read.Outputs == nil || read.Outputs.Ready {
		t.Errorf("After a failure nobody knows what is declared, and what exists is shown, got %+v.", read)
	}
	imported, err := w.engine(t).Read(t.Context(), engine.ReadRequest{Ref: platform.RefOf(cartInDev())})
	if err != nil || imported.Object == nil {
		t.Errorf("An import takes what was declared all the same, got %+v, %v.", imported, err)
	}
	w.unready(false)
	again := w.update(t, cartInDev(), response.Token)
	if again.Token != response.Token || !again.Outputs.Ready {
		t.Errorf("The next apply goes on with the same object, got %+v.", again)
	}
	if got := plan(t, w.engine(t), cartInDev(), cartInDev()); got.Unsettled {
		t.Error("A success settles the failure.")
	}
}

func TestNoWait(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	w.unready(true)
	response, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev()})
	if err != nil || response.Outputs.Ready || response.Outputs.Status == "" {
		t.Errorf("What was not waited for is not called ready, got %+v, %v.", response, err)
	}
}

func TestTimeIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	ctx, cancel := context.WithCancel(t.Context())
	w.fake.WaitFunc = func(ctx context.Context, _ *runtime.WaitRequest) *runtime.WaitResponse {
		cancel()
		return &runtime.WaitResponse{Status: runtime.Errorf(runtime.CodeOf(ctx.Err()), "stopped: %w", ctx.Err())}
	}
	response, err := w.engine(t).Apply(ctx, engine.ApplyRequest{Object: cartInDev(), Wait: true})
	if runtime.CodeOf(err) != runtime.Canceled || response == nil || response.Token.Store != "store-1" {
		t.Fatalf("An apply that is interrupted still says what to remember, got %+v, %v.", response, err)
	}
	if got := w.records(t)["deployment/shop/cart/main/dev"].Operation.State; got != catalog.StateFailed {
		t.Errorf("The result is recorded although the time is over, got %q.", got)
	}
	w.intact(t, "after an interruption")
}

// TestSecondRun is about two runs that bring the same object about.
func TestSecondRun(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.apply(t, story()[:5]...)
	var second *engine.ApplyResponse
	begun := false
	w.fake.ApplyFunc = func(context.Context, *runtime.ApplyRequest) *runtime.ApplyResponse {
		if begun {
			return nil
		}
		begun = true
		var err error
		again := engine.ApplyRequest{Object: cartInDev(), Wait: true}
		if second, err = w.engine(t).Apply(t.Context(), again); err != nil { //nolint:contextcheck // The other run has a context of its own.
			t.Errorf("A run that finds another one unfinished goes on from there, got %v.", err)
		}
		return nil
	}
	_, err := w.engine(t).Apply(t.Context(), engine.ApplyRequest{Object: cartInDev(), Wait: true})
	if runtime.CodeOf(err) != runtime.Conflict {
		t.Errorf("Of two runs the one whose object was taken over fails, got %v.", err)
	}
	if got := w.records(t)["deployment/shop/cart/main/dev"]; got.UID != second.Token.UID || !got.Succeeded() {
		t.Errorf("The record is that of the run that took over, got %+v.", got)
	}
	w.intact(t, "after two runs")
}

// TestSecondRunOfCell is about two processes that make the same cell.
func TestSecondRunOfCell(t *testing.T) {
	t.Parallel()
	w := newWorld()
	other := cart()
	other.Name = "pay"
	w.apply(t, append(story()[:5], other)...)
	begun := false
	w.fake.ApplyFunc = func(context.Context, *runtime.ApplyRequest) *runtime.ApplyResponse {
		if !begun {
			begun = true
			d := cartInDev()
			d.Component = "shop/pay"
			w.apply(t, d) //nolint:contextcheck // The other process has a context of its own.
		}
		return nil
	}
	w.apply(t, cartInDev())
	w.intact(t, "after two processes made one cell")
	if got := w.records(t)["cell/shop/dev"]; !got.Succeeded() {
		t.Errorf("The cell is complete, got %+v.", got.Operation)
	}
}

// meanwhile lets another run change a record just before its next write.
func (w *world) meanwhile(change func(*catalog.Record)) {
	begun := false
	w.documents.PutFunc = func(ctx context.Context, document runtime.Document) error {
		if begun {
			return nil
		}
		begun = true
		held, err := w.documents.Get(ctx, document.Name)
		if err != nil {
			return err
		}
		var record catalog.Record
		if err := json.Unmarshal(held.Data, &record); err != nil {
			return err
		}
		change(&record)
		if held.Data, err = json.Marshal(&record); err != nil {
			return err
		}
		_, err = w.documents.Put(ctx, held)
		return err
	}
}

// TestInventoryOfSecondRun is about a run that writes its inventory between
// another one's read and first write of the same object.
func TestInventoryOfSecondRun(t *testing.T) {
	t.Parallel()
	w := newWorld()
	tokens := tokensOf(w.apply(t, story()...))
	theirs := platform.InventoryEntry{Handler: "Workload", DataPlane: "lab", Type: "Kubernetes", ID: "apps/v1:Deployment:dp-acme-shop-dev-677945f8:theirs"}
	w.meanwhile(func(record *catalog.Record) { record.Inventory = append(record.Inventory, theirs) })
	w.update(t, cartInDev(), tokens[5])
	if got := w.records(t)["deployment/shop/cart/main/dev"].Inventory; !slices.Contains(got, theirs) {
		t.Errorf("What another run may have made is not forgotten, got %v.", got)
	}
	w.update(t, cartInDev(), tokens[5])
	w.intact(t, "the next apply cleans up")
}

// TestTwoProcessesCreateOneCell is about a process that finds that another one
// has recorded the cell since it looked.
func TestTwoProcessesCreateOneCell(t *testing.T) {
	t.Parallel()
	w := newWorld()
	pay := cart()
	pay.Name = "pay"
	w.apply(t, append(story()[:5], pay)...)
	begun := false
	w.documents.PutFunc = func(_ context.Context, document runtime.Document) error {
		if !begun && document.Name == "cell/shop/dev" {
			begun = true
			d := cartInDev()
			d.Component = "shop/pay"
			w.apply(t, d) //nolint:contextcheck // The other process has a context of its own.
		}
		return nil
	}
	w.apply(t, cartInDev())
	w.intact(t, "after two processes created one cell")
}
