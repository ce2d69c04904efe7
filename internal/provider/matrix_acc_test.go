// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/openplatform/terraform-provider-platform/internal/engine/naming"
	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
	"github.com/openplatform/terraform-provider-platform/internal/provider/schematest"
)

// TestAccMatrix takes every kind through every verb. A kind has one
// configuration with a subject per cell, so that a step of all cells is one apply
// with one empty plan after it.
//
//nolint:paralleltest // Its kinds run in parallel, before all other tests: the first one takes longest of all.
func TestAccMatrix(t *testing.T) {
	var total atomic.Int64
	t.Cleanup(func() { t.Logf("%d cells in all", total.Load()) })
	namespaces := []any{"edge-" + rand.String(8), "inner-" + rand.String(8), "team-" + rand.String(8), "crew-" + rand.String(8)}
	tables := kindTables(namespaces)
	slices.SortStableFunc(tables, func(a, b kindTable) int { return len(b.rows) - len(a.rows) })
	for _, table := range tables {
		t.Run(kindNames()[table.kind], func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, table)
			switch table.kind {
			case kindDataPlane:
				for _, namespace := range namespaces[:2] {
					m.e.CreateGateways(t, fmt.Sprint(namespace), gatewayNames()...)
				}
			case kindProject:
				for _, namespace := range namespaces[2:] {
					m.e.CreateNamespace(t, fmt.Sprint(namespace))
				}
			}
			m.create(t)
			m.update(t)
			m.forget(t)
			m.destroy(t)
			total.Add(int64(len(m.cells)))
			t.Logf("%d cells", len(m.cells))
			for name, problems := range m.cells {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					for _, problem := range problems {
						t.Error(problem)
					}
				})
			}
		})
	}
}

// matrix is the configuration of one kind.
type matrix struct {
	table kindTable
	e     *acctest.Env
	cli   *acctest.CLI
	// cells are the verbs by name, and what is wrong with them.
	cells map[string][]string
	// subjects are those of the verbs, by name.
	subjects map[string]*world
	// step is how far the updates are, and updates their views at each step.
	step    int
	updates []*update
	// state and objects are as the last apply left them.
	state   map[string]map[string]any
	objects map[string]acctest.Object
}

// update is the subject of the cells of some rows.
type update struct {
	rows  []row
	name  string
	views []view
}

// lastStep is the one in which every row is back where it was.
const lastStep = 3

// world returns the world of the rows at a step, and the values of their attributes.
func (u *update) world(kind, step int) (*world, []any) {
	w := newTrack(u.name)
	if kind != kindDeployment {
		w = newWorld(kind, u.name, u.rows[0].deep)
	}
	give := func(overrides bool) {
		for _, r := range u.rows {
			for _, path := range slices.Sorted(maps.Keys(r.given)) {
				if strings.HasPrefix(path, overridden) == overrides {
					w.subject.set(path, r.given[path])
				}
			}
		}
	}
	give(false)
	if around := u.rows[0].around; around != nil {
		around(w)
	}
	give(true)
	values := make([]any, len(u.rows))
	if step == 0 || step == lastStep {
		return w, values
	}
	for i, r := range u.rows {
		values[i] = r.values[min(step, len(r.values))-1]
		if of, ok := values[i].(func(*world) any); ok {
			values[i] = of(w)
		}
		w.subject.set(r.path, values[i])
		for path, other := range r.along {
			w.subject.set(path, other)
		}
	}
	return w, values
}

// others are the places in which the other rows show than that of an index.
func (u *update) others(index int, values []any) []string {
	var places []string
	for i, r := range u.rows {
		if i != index && r.shows != nil && values[i] != nil {
			places = slices.AppendSeq(places, maps.Keys(r.shows(values[i])))
		}
	}
	return places
}

// changes tells whether a step changes the subject.
func (u *update) changes(kind, step int) bool {
	before, _ := u.world(kind, step-1)
	after, _ := u.world(kind, step)
	return before.subject.text() != after.subject.text()
}

func newMatrix(t *testing.T, table kindTable) *matrix {
	t.Helper()
	e := acctest.New(t)
	m := &matrix{table: table, e: e, cli: e.CLI(t), cells: map[string][]string{}, subjects: map[string]*world{}}
	groups := map[string]*update{}
	for i, r := range table.rows {
		if r.never != "" {
			continue
		}
		if known := groups[r.group]; r.group != "" && known != nil {
			known.rows = append(known.rows, r)
			continue
		}
		groups[r.group] = &update{rows: []row{r}, name: fmt.Sprintf("row%d", i)}
		m.updates = append(m.updates, groups[r.group])
	}
	names := []string{"drifted", "lost", "swapped", "again", "kept", "byid", "byblock"}
	if table.deleted != "" {
		names = append(names, "missing")
	}
	if table.parent {
		names = append(names, "parent")
	}
	if m.cli.OpenTofu(t) {
		names = append(names, "byidentity")
	}
	for _, one := range table.identity {
		names = append(names, m.moved(one))
	}
	for _, name := range names {
		deep := name == "parent" || (table.deep && (name == "drifted" || name == "missing"))
		m.subjects[name] = newWorld(table.kind, name, deep)
	}
	for _, one := range table.identity {
		for path, value := range one.given {
			subject := m.subjects[m.moved(one)].subject
			subject.set(path, value)
			if to, ok := value.(reference); ok && path == "environment" {
				subject.id = trackOf(subject) + to.id
			}
		}
	}
	if table.kind == kindEndpoint {
		// Two endpoints cannot be public at one address, not even while one takes
		// the place of the other.
		m.subjects["swapped"].subject.set("visibility", "project")
	}
	for _, name := range []string{"swapped", "kept"} {
		m.subjects[name].subject.lines = "  lifecycle {\n    create_before_destroy = true\n  }\n"
	}
	return m
}

// moved is the name of the subject whose identity changes by an attribute.
func (m *matrix) moved(one identity) string {
	return "moved-" + strings.ReplaceAll(one.attribute, "_", "-")
}

// write writes the configuration.
func (m *matrix) write(t *testing.T) {
	t.Helper()
	var text strings.Builder
	text.WriteString(m.e.Provider(connections(t)))
	for _, b := range shared() {
		text.WriteString(b.text())
	}
	for _, u := range m.updates {
		w, _ := u.world(m.table.kind, m.step)
		for _, b := range w.blocks {
			text.WriteString(b.text())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.subjects)) {
		for _, b := range m.subjects[name].blocks {
			text.WriteString(b.text())
		}
	}
	m.cli.Write(t, "main.tf", text.String())
}

// apply applies the configuration, plans nothing afterwards, and looks at
// everything.
func (m *matrix) apply(t *testing.T, arguments ...string) map[string]string {
	t.Helper()
	m.write(t)
	result := m.cli.Apply(t, arguments...).MustWarn(t)
	m.cli.Plan(t).MustBeEmpty(t)
	m.state, m.objects = m.cli.All(t), cluster(t, m.e)
	return result.Actions
}

func (m *matrix) failf(cell, format string, arguments ...any) {
	m.cells[cell] = append(m.cells[cell], fmt.Sprintf(format, arguments...))
}

// expect notes for each cell whether the actions of its subject are those wanted.
func (m *matrix) expect(actions, want, cells map[string]string) {
	for address, cell := range cells {
		m.cells[cell] = append(m.cells[cell], []string{}...)
		if actions[address] != want[address] {
			m.failf(cell, "%s: the plan is to %q, want %q", address, actions[address], want[address])
		}
		delete(actions, address)
	}
}

// record returns the name of the ConfigMap that is the record of a subject, or "".
func (m *matrix) record(t *testing.T, id string) (string, map[string]any) {
	t.Helper()
	kind := strings.ReplaceAll(kindNames()[m.table.kind], "_", "-")
	for _, found := range m.e.List(t, "ConfigMap", m.e.ControlPlane(), naming.LabelRecordKind+"="+kind) {
		text, _ := schematest.Get(found.Object, schematest.Path{"data", "document.json"}).(string)
		var document map[string]any
		if json.Unmarshal([]byte(text), &document) == nil && document["id"] == id {
			return found.GetName(), document
		}
	}
	return "", nil
}

// standing notes whether a subject has its record and all its objects.
func (m *matrix) standing(t *testing.T, cell, name string) {
	t.Helper()
	subject := m.subjects[name].subject
	if found, _ := m.record(t, subject.id); found == "" {
		m.failf(cell, "there is no record of %s", subject.id)
	}
	if got := m.state[subject.address()]["id"]; got != subject.id {
		m.failf(cell, "the state has the id %v, want %s", got, subject.id)
	}
	for _, problem := range whole(m.state[subject.address()], m.objects) {
		// A project shows the cells that are still to come.
		if m.table.kind != kindProject || name == "drifted" || name == "missing" {
			m.failf(cell, "%s", problem)
		}
	}
}

// key returns the namespace and name of the object of a kind made for a subject.
func (m *matrix) key(name, kind string) (namespace, object string) {
	manifests, _ := m.state[m.subjects[name].subject.address()]["manifests"].(map[string]any)
	for key := range manifests {
		if parts := strings.Split(key, "/"); parts[0] == kind {
			return strings.Join(parts[1:len(parts)-1], ""), parts[len(parts)-1]
		}
	}
	return "", ""
}
