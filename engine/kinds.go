// This file looks up kinds of things that Go code may add at run time: events, script languages,
// and the formats of other hosts.

package engine

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Format is a Runtime for extensions that were made for another host. It knows them by a file of a
// fixed name, the manifest, among the scripts or in a folder there; that file's bytes are the
// script. Its Extensions are usually none. What it registers may be written in Go (Handler.GoFn,
// Command.GoRun, Tool.Run), and Load may return a nil VM if nothing is to be closed.
type Format interface {
	Runtime
	// Manifest is the name of that file: "extension.json".
	Manifest() string
	// Header reads what a script would say in its header: the tools that it guards, the powers that
	// it asks for. It runs nothing. An error is shown to the user, who may be asked about every
	// call until the extension loads.
	Header(manifest []byte) (Header, error)
}

// Row returns the row of an event, nil if there is none. All custom:NAME have the same one, but for
// the name.
func (e *Engine) Row(name string) *EventRow {
	if row := e.rows[name]; row != nil {
		return row
	}
	if s := e.Snapshot(); s != nil && s.rows[name] != nil {
		return s.rows[name]
	}
	if !customName(name) || e.rows[CustomEvent] == nil {
		return nil
	}
	row := *e.rows[CustomEvent]
	row.Name = name
	return &row
}

// mustRow is Row for who fires an event. An event may be fired while its plugin is removed: whoever
// still listens hears it.
func (e *Engine) mustRow(name string) *EventRow {
	if row := e.Row(name); row != nil {
		return row
	}
	if row, ok := e.brought.Load(name); ok {
		return row.(*EventRow)
	}
	panic("engine: no event " + name)
}

// EventRows returns the rows of all events, sorted by name.
func (e *Engine) EventRows() []*EventRow {
	var rows []*EventRow
	for _, r := range e.rows {
		rows = append(rows, r)
	}
	for _, r := range e.Snapshot().rows {
		rows = append(rows, r)
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Name < rows[j].Name })
	return rows
}

// Runtimes returns the languages and formats that there are now, in the order in which they are
// asked whose a file is.
func (e *Engine) Runtimes() []Runtime { return e.Snapshot().runtimes }

// Runtime returns the runtime of a script by its name, which may be FOLDER/MANIFEST; nil if it is
// nobody's.
func (e *Engine) Runtime(name string) Runtime {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	for _, r := range e.Runtimes() {
		if f, ok := r.(Format); ok && f.Manifest() == base {
			return r
		}
		if base == name && ext != "" && slices.Contains(r.Extensions(), ext) {
			return r
		}
	}
	return nil
}

// plainEvent is how the name of an event is written; other than a plugin's, those of the program
// need no check by machine.
var plainEvent = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkRow says what is wrong with a row.
func checkRow(row *EventRow) error {
	switch {
	case !plainEvent.MatchString(row.Name) && row.Name != CustomEvent:
		return fmt.Errorf("event %q: a name is lower-case letters, digits and _", row.Name)
	case row.Phase != Observe && row.Phase != Intercept:
		return fmt.Errorf("event %s: Phase is %q, want %q or %q", row.Name, row.Phase, Observe,
			Intercept)
	}
	if _, ok := vm.LimitsOf(row.Kind); !ok {
		return fmt.Errorf(
			"event %s: Kind is %q, want KindObserver, KindGuard or another of them: it has the "+
				"deadlines", row.Name, row.Kind)
	}
	switch row.Failure {
	case FailAsk, FailBlock, FailAllow, FailWarn, FailIgnore:
		return nil
	}
	return fmt.Errorf("event %s: Failure is %q, want FailWarn or another of them", row.Name,
		row.Failure)
}

// bring takes note of events that a plugin brings. Under swapMu. A name means one thing for the
// life of an engine: filters and events that were made before know the fields by their places.
func (e *Engine) bring(in *Installed, rows []EventRow) error {
	for i := range rows {
		row := &rows[i]
		if e.rows[row.Name] != nil {
			return fmt.Errorf("event %s is one of the program", row.Name)
		}
		if old, ok := e.brought.Load(row.Name); ok && !sameFields(old.(*EventRow), row) {
			return fmt.Errorf("event %s had other fields before: give it another name", row.Name)
		}
		taken := slices.ContainsFunc(rows[:i], func(r EventRow) bool { return r.Name == row.Name })
		for _, p := range e.plugins {
			taken = taken || p != in && slices.ContainsFunc(p.plugin.Events,
				func(r EventRow) bool { return r.Name == row.Name })
		}
		if taken {
			return fmt.Errorf("event %s is there already", row.Name)
		}
	}
	for i := range rows {
		e.brought.Store(rows[i].Name, &rows[i])
	}
	return nil
}

func sameFields(a, b *EventRow) bool {
	return slices.EqualFunc(a.Payload, b.Payload,
		func(x, y value.Field) bool { return x.Name == y.Name })
}
