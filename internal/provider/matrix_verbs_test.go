// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// The names of the cells.
const (
	cellCreate   = "create"
	cellDrift    = "drift"
	cellMissing  = "missing_object"
	cellLost     = "missing_record"
	cellAgain    = "replace"
	cellSwapped  = "create_before_destroy/identity"
	cellKept     = "create_before_destroy/replace"
	cellByID     = "import/id"
	cellByBlock  = "import/block"
	cellByName   = "import/identity"
	cellDestroy  = "destroy"
	cellChildren = "destroy_with_children"
)

func (m *matrix) create(t *testing.T) {
	t.Helper()
	actions := m.apply(t)
	m.cells[cellCreate] = nil
	for address, action := range actions {
		if action != cellCreate {
			m.failf(cellCreate, "%s: the plan is to %s", address, action)
		}
	}
	for name := range m.subjects {
		m.standing(t, cellCreate, name)
	}
	m.see(t)
}

// see takes the views of this step.
func (m *matrix) see(t *testing.T) {
	t.Helper()
	for _, u := range m.updates {
		w, _ := u.world(m.table.kind, m.step)
		seen, err := look(w, u.rows, m.state, m.objects)
		if err != nil {
			t.Fatal(err)
		}
		u.views = append(u.views, seen)
	}
}

// update takes every row through its values. What else is to happen to other
// subjects happens in the same applies.
func (m *matrix) update(t *testing.T) {
	t.Helper()
	others := map[int]func(*testing.T) ([]string, func(actions map[string]string)){1: m.disturb, 2: m.replace}
	for m.step = 1; m.step <= lastStep; m.step++ {
		var arguments []string
		check := func(map[string]string) {}
		if other := others[m.step]; other != nil {
			arguments, check = other(t)
		}
		actions := m.apply(t, arguments...)
		check(actions)
		m.see(t)
		for _, u := range m.updates {
			m.updated(u, actions)
		}
		m.nothingElse(actions, "update")
	}
	m.step = 0
}

// updated notes for each row of a subject what is wrong after a step.
func (m *matrix) updated(u *update, actions map[string]string) {
	w, values := u.world(m.table.kind, m.step)
	want := ""
	if u.changes(m.table.kind, m.step) {
		want = "update"
	}
	for i, r := range u.rows {
		cell := "update/" + r.name()
		m.cells[cell] = append(m.cells[cell], compare(r, values[i], u.views[0], u.views[m.step], u.others(i, values))...)
		if got := actions[w.subject.address()]; got != want {
			m.failf(cell, "%s: the plan is to %q, want %q", w.subject.address(), got, want)
		}
		if m.step == lastStep {
			m.cells[cell] = append(m.cells[cell], back(r, r.values, u.views[0], u.views[m.step])...)
		}
	}
	for _, b := range w.blocks {
		if action := actions[b.address()]; action != "" && action != "update" {
			m.failf("update/"+u.rows[0].name(), "%s: the plan is to %s", b.address(), action)
		}
		delete(actions, b.address())
	}
}

// nothingElse notes what is planned for no cell.
func (m *matrix) nothingElse(actions map[string]string, cell string) {
	for _, address := range slices.Sorted(maps.Keys(actions)) {
		m.failf(cell, "%s: the plan is to %s it, want nothing", address, actions[address])
	}
}

// disturb edits, deletes and forgets behind the provider's back. The check is for
// the apply after it.
func (m *matrix) disturb(t *testing.T) (arguments []string, check func(actions map[string]string)) {
	t.Helper()
	drifted, lost := m.subjects["drifted"].subject, m.subjects["lost"].subject
	want := map[string]string{drifted.address(): "update", lost.address(): "create"}
	cells := map[string]string{drifted.address(): cellDrift, lost.address(): cellLost}
	if m.table.edited == "" {
		name, document := m.record(t, drifted.id)
		spec, _ := document["spec"].(map[string]any)
		spec["description"] = "edited elsewhere"
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		m.e.Edit(t, "ConfigMap", m.e.ControlPlane(), name, func(object map[string]any) { set(t, object, string(raw), "data", "document.json") })
	} else {
		m.edit(t)
	}
	if m.table.deleted != "" {
		missing := m.subjects["missing"].subject
		namespace, name := m.key("missing", m.table.deleted)
		m.e.Delete(t, m.table.deleted, namespace, name)
		want[missing.address()], cells[missing.address()] = "update", cellMissing
	}
	before := m.objects
	name, _ := m.record(t, lost.id)
	m.e.Delete(t, "ConfigMap", m.e.ControlPlane(), name)
	return nil, func(actions map[string]string) {
		t.Helper()
		m.expect(actions, want, cells)
		m.disturbed(t, cells, before)
	}
}

// disturbed notes whether what was disturbed is as it was.
func (m *matrix) disturbed(t *testing.T, cells map[string]string, before map[string]acctest.Object) {
	t.Helper()
	for address, cell := range cells {
		m.standing(t, cell, address[strings.LastIndex(address, ".")+1:])
	}
	if m.table.edited == "" {
		if _, document := m.record(t, m.subjects["drifted"].subject.id); document["spec"].(map[string]any)["description"] != nil { //nolint:forcetypeassert // a record has a spec
			m.failf(cellDrift, "the record is still the edited one")
		}
	}
	for key, object := range before {
		if now := m.objects[key]; strings.Contains(key, "/lost") && now.GetUID() != object.GetUID() {
			m.failf(cellLost, "%s was made again", key)
		}
	}
}

// edit changes an object as another manager does.
func (m *matrix) edit(t *testing.T) {
	t.Helper()
	namespace, name := m.key("drifted", m.table.edited)
	m.e.Edit(t, m.table.edited, namespace, name, func(object map[string]any) {
		switch m.table.edited {
		case "Deployment":
			containerOf(t, object)["image"] = "registry.example/shop/other:1"
		case "HTTPRoute":
			set(t, object, []any{"elsewhere.example.com"}, "spec", "hostnames")
		default:
			set(t, object, "elsewhere", "metadata", "labels", "openplatform.dev/project")
		}
	})
}

// replace makes subjects anew: under another id, and on demand under the same.
func (m *matrix) replace(t *testing.T) (arguments []string, check func(actions map[string]string)) {
	t.Helper()
	before, former := m.objects, m.state
	want, cells, gone := map[string]string{}, map[string]string{}, map[string]string{}
	move := func(name, cell string, one identity) {
		subject := m.subjects[name].subject
		gone[subject.id] = cell
		subject.set(one.attribute, one.value(name))
		subject.id = one.id(name)
		want[subject.address()], cells[subject.address()] = "replace", cell
	}
	for _, one := range m.table.identity {
		move(m.moved(one), "identity/"+one.attribute, one)
	}
	move("swapped", cellSwapped, m.table.identity[len(m.table.identity)-1])
	again, kept := m.subjects["again"].subject, m.subjects["kept"].subject
	for address, cell := range map[string]string{again.address(): cellAgain, kept.address(): cellKept} {
		want[address], cells[address] = "replace", cell
	}
	return []string{"-replace=" + again.address(), "-replace=" + kept.address()}, func(actions map[string]string) {
		t.Helper()
		m.expect(actions, want, cells)
		for id, cell := range gone {
			if found, _ := m.record(t, id); found != "" {
				m.failf(cell, "there is still a record of %s", id)
			}
		}
		m.replaced(t, cells, former, before)
	}
}

// replaced notes whether what was replaced is there, and what it was is not.
func (m *matrix) replaced(t *testing.T, cells map[string]string, former map[string]map[string]any, before map[string]acctest.Object) {
	t.Helper()
	for address, cell := range cells {
		m.standing(t, cell, address[strings.LastIndex(address, ".")+1:])
		old, _ := former[address]["manifests"].(map[string]any)
		now, _ := m.state[address]["manifests"].(map[string]any)
		for key := range old {
			before, existed := before[key]
			after, exists := m.objects[key]
			switch _, stays := now[key]; {
			case !stays && exists:
				m.failf(cell, "%s is still there", key)
			case stays && existed && cell == cellAgain && before.GetUID() == after.GetUID():
				m.failf(cell, "%s was not made again", key)
			}
		}
	}
}

// importBlock brings a resource into the state.
func importBlock(address, what string) string {
	return fmt.Sprintf("import {\n  to = %s\n  %s\n}\n", address, what)
}

// forget takes resources out of the state, finds that a parent cannot be
// destroyed without them, and imports them again.
func (m *matrix) forget(t *testing.T) {
	t.Helper()
	byID, byBlock := m.subjects["byid"].subject, m.subjects["byblock"].subject
	addresses := []string{byID.address(), byBlock.address()}
	blocks := importBlock(byBlock.address(), fmt.Sprintf("id = %q", byBlock.id))
	if w, ok := m.subjects["byidentity"]; ok {
		addresses = append(addresses, w.subject.address())
		blocks += importBlock(w.subject.address(), fmt.Sprintf("identity = { organization = %q, id = %q }", m.e.Organization, w.subject.id))
	}
	parent, ok := m.subjects["parent"]
	if ok {
		for _, b := range parent.blocks[1:] {
			addresses = append(addresses, b.address())
			blocks += importBlock(b.address(), fmt.Sprintf("id = %q", b.id))
		}
	}
	forget(t, m.cli, addresses...)
	if ok {
		m.cells[cellChildren] = nil
		m.refused(t, parent)
	}
	m.cells[cellByID], m.cells[cellByBlock] = nil, nil
	if _, err := m.cli.Run(t, "import", "-input=false", byID.address(), byID.id); err != nil {
		m.failf(cellByID, "%s", err)
	}
	if _, ok := m.subjects["byidentity"]; ok {
		m.cells[cellByName] = nil
	}
	before := m.objects
	m.cli.Write(t, "import.tf", blocks)
	actions := m.apply(t)
	for address, action := range actions {
		if action != "import" && action != "noop" {
			m.failf(cellByBlock, "%s: the plan is to %s", address, action)
		}
	}
	for name, cell := range map[string]string{"byid": cellByID, "byblock": cellByBlock, "byidentity": cellByName} {
		if _, ok := m.subjects[name]; ok {
			m.standing(t, cell, name)
		}
	}
	for key, object := range before {
		if now := m.objects[key]; now.GetResourceVersion() != object.GetResourceVersion() && !strings.HasPrefix(key, "Deployment") {
			m.failf(cellByBlock, "%s was written by an import", key)
		}
	}
}

// refused destroys a parent whose children the state does not know.
func (m *matrix) refused(t *testing.T, parent *world) {
	t.Helper()
	child := parent.of(kindDeployment).id
	switch m.table.kind {
	case kindDataPlane:
		child = "parent/parent"
	case kindProject:
		child = parent.of(kindComponent).id
	}
	result := m.cli.Destroy(t, "-target="+parent.subject.address())
	pattern := regexp.MustCompile("(?s)Conflict.*" + parent.subject.id + ".* cannot be destroyed before them: \"" + child + `"`)
	if len(result.Errors) != 1 || !pattern.MatchString(result.Errors[0].String()) {
		m.failf(cellChildren, "got %v, want %s", result.Errors, pattern)
	}
	if !slices.Contains(m.cli.State(t), parent.subject.address()) {
		m.failf(cellChildren, "the state forgot the parent")
	}
}

// destroy destroys everything.
func (m *matrix) destroy(t *testing.T) {
	t.Helper()
	m.cells[cellDestroy] = nil
	m.cli.Destroy(t).Must(t)
	if err := m.e.CheckGone(t); err != nil {
		m.failf(cellDestroy, "%s", err)
	}
}
