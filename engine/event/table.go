// This file defines the table of an engine's events, which also creates the events.

package event

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Table is the table of events: those of the program, of plugins, and the custom events of scripts.
// It also creates the events. Its methods are safe for concurrent use.
type Table struct {
	rows    map[string]*Row                 // of the program
	plugins atomic.Pointer[map[string]*Row] // of the plugins in force
	brought sync.Map                        // name: *Row of every plugin event ever added
	made    atomic.Uint64                   // number of events created

	now      func() time.Time
	envelope func() *Envelope // the current envelope, may be nil and return nil
	// args returns the shape of the arguments of a tool, nil = unknown.
	args func(tool string) *value.Shape
}

// NewTable makes a table of the program's rows, which it does not change: several tables may share
// them. Events get the time of now, and the result of envelope if none is given; envelope may be
// nil and return nil. args returns the shape of the arguments of a tool, nil if it is unknown.
func NewTable(rows []Row, now func() time.Time, envelope func() *Envelope,
	args func(tool string) *value.Shape) (*Table, error) {
	t := &Table{rows: map[string]*Row{}, now: now, envelope: envelope, args: args}
	for i := range rows {
		row := new(Row)
		*row = rows[i]
		row.prepare()
		if err := checkRow(row); err != nil {
			return nil, err
		}
		if t.rows[row.Name] != nil {
			return nil, fmt.Errorf("event %s stands in the table twice", row.Name)
		}
		t.rows[row.Name] = row
	}
	return t, nil
}

// Prepare prepares rows for Bring. The error describes an invalid row.
func Prepare(rows []Row) error {
	for i := range rows {
		if err := checkRow(&rows[i]); err != nil {
			return err
		}
		rows[i].prepare()
	}
	return nil
}

// Row returns the row of an event, nil if there is none. All custom:NAME have the same row except
// for the name.
func (t *Table) Row(name string) *Row {
	if row := t.rows[name]; row != nil {
		return row
	}
	if row := t.inForce()[name]; row != nil {
		return row
	}
	if !IsCustom(name) || t.rows[Custom] == nil {
		return nil
	}
	row := *t.rows[Custom]
	row.Name = name
	return &row
}

// mustRow is like Row, for firing an event. An event may be fired while its plugin is removed:
// listeners still get it.
func (t *Table) mustRow(name string) *Row {
	if row := t.Row(name); row != nil {
		return row
	}
	if row, ok := t.brought.Load(name); ok {
		return row.(*Row)
	}
	panic("event: no event " + name)
}

// Rows returns the rows of all events, sorted by name.
func (t *Table) Rows() []*Row {
	var rows []*Row
	for _, r := range t.rows {
		rows = append(rows, r)
	}
	for _, r := range t.inForce() {
		rows = append(rows, r)
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Name < rows[j].Name })
	return rows
}

// Envelope returns the current envelope.
func (t *Table) Envelope() *Envelope {
	if t.envelope != nil {
		if env := t.envelope(); env != nil {
			return env
		}
	}
	return &Envelope{}
}

// New makes an event. If env is nil it gets the current envelope.
func (t *Table) New(env *Envelope, f Fired) *Event {
	ev := t.empty(t.mustRow(f.Event()), env)
	f.Put(ev.setKey)
	return t.shaped(ev)
}

// Named makes an event by name: one of a script, of a plugin, of a test. fields maps payload fields
// to plain data, Object, List or *Lazy. It panics for an unknown event or field, which is a bug of
// the program.
func (t *Table) Named(name string, env *Envelope, fields map[string]any) *Event {
	ev := t.empty(t.mustRow(name), env)
	for k, v := range fields {
		ev.setKey(k, v)
	}
	return t.shaped(ev)
}

// empty makes an event without fields.
func (t *Table) empty(row *Row, env *Envelope) *Event {
	if env == nil {
		env = t.Envelope()
	}
	ev := &Event{}
	t.begin(ev, row, env)
	return ev
}

// begin sets what every event has, in a zero event. It keeps ev.fields if they are enough.
func (t *Table) begin(ev *Event, row *Row, env *Envelope) {
	ev.row, ev.env, ev.seq, ev.time = row, env, t.made.Add(1), t.now()
	if n := len(row.Payload); n <= cap(ev.fields) {
		ev.fields = ev.fields[:n]
	} else {
		ev.fields = make([]any, n)
	}
}

// Space is memory for one event of a tool call, which the caller may allocate together with other
// things that live as long.
type Space struct {
	ev     Event
	fields [spaceFields]any
}

// spaceFields is the number of fields of the event guard: most tool calls have no other event.
const spaceFields = 10

// Call holds the fields that the events of a tool call share.
type Call struct {
	ID         any // a string, or a *value.Lazy that is one
	Tool, Kind any // strings
	ReadOnly   bool
	Args       map[string]any
	Original   map[string]any // the original arguments
	Rewritten  map[string]any // nil: the call was not changed
	Origin     string
	Hops       int
	Touches    Touches
	// the shapes of Args and Original, nil = unknown
	ArgsShape, OriginalShape *value.Shape
}

// NewOfCall makes an event of a tool call. env must not be nil. space is a zero Space, nil = one is
// allocated.
func (t *Table) NewOfCall(space *Space, env *Envelope, f Fired, c *Call) *Event {
	if space == nil {
		space = &Space{}
	}
	ev := &space.ev
	ev.fields = space.fields[:0:spaceFields]
	t.begin(ev, t.rows[f.Event()], env)
	ev.origin, ev.hops = c.Origin, c.Hops
	at := &ev.row.at
	ev.fields[at.callID], ev.fields[at.tool], ev.fields[at.args] = c.ID, c.Tool, c.Args
	ev.setTool(c.Kind, c.ReadOnly, c.ArgsShape)
	ev.original = c.OriginalShape
	ev.setTouches(c.Touches)
	if at.original >= 0 {
		ev.fields[at.original] = c.Original
	}
	if c.Rewritten != nil {
		ev.fields[at.rewritten] = c.Rewritten
	}
	if at.own { // avoids an allocation
		f.Put(ev.setKey)
	}
	return ev
}

// WithTool returns a copy with the kind of the tool that the call now has. args is the shape of its
// arguments, nil = unknown.
func (ev *Event) WithTool(kind any, readOnly bool, args *value.Shape) *Event {
	c := ev.copy()
	c.setTool(kind, readOnly, args)
	return c
}

func (ev *Event) setTool(kind any, readOnly bool, args *value.Shape) {
	ev.fields[ev.row.at.kind], ev.fields[ev.row.at.readOnly], ev.args = kind, readOnly, args
}

// shaped sets the shapes of the arguments of the tool that ev is about.
func (t *Table) shaped(ev *Event) *Event {
	if ev.row.at.tool < 0 {
		return ev
	}
	if name, ok := ev.fields[ev.row.at.tool].(string); ok {
		ev.args = t.args(name)
		ev.original = ev.args
	}
	return ev
}

// plainEvent matches names of events; it is used for plugins.
var plainEvent = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
})

// checkRow returns what is wrong with a row.
func checkRow(row *Row) error {
	switch {
	case !plainEvent().MatchString(row.Name) && row.Name != Custom:
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

// longestCustom is the maximal length of the name of a custom event.
const longestCustom = 64

// CustomNameText returns what is wrong with the name of a custom event.
func CustomNameText(name string) string {
	return fmt.Sprintf(
		"got %.80q, want \"custom:\" and a name of up to %d letters, digits, _, . and -", name,
		longestCustom)
}

// IsCustom reports whether name is that of a custom event: custom: followed by letters, digits, and
// _ . - characters.
func IsCustom(name string) bool {
	rest, ok := strings.CutPrefix(name, "custom:")
	if !ok || rest == "" || len(rest) > longestCustom {
		return false
	}
	for _, r := range rest {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' &&
			r != '.' && r != '-' {
			return false
		}
	}
	return true
}

// Bring registers events of a plugin; others are the rows of the other plugins. A name keeps its
// meaning for the life of an engine, because existing filters and events refer to fields by index.
func (t *Table) Bring(rows []Row, others [][]Row) error {
	for i := range rows {
		row := &rows[i]
		if t.rows[row.Name] != nil {
			return fmt.Errorf("event %s is one of the program", row.Name)
		}
		if old, ok := t.brought.Load(row.Name); ok && !sameFields(old.(*Row), row) {
			return fmt.Errorf("event %s had other fields before: give it another name", row.Name)
		}
		for _, list := range append(others, rows[:i]) {
			if slices.ContainsFunc(list, func(r Row) bool { return r.Name == row.Name }) {
				return fmt.Errorf("event %s is there already", row.Name)
			}
		}
	}
	for i := range rows {
		t.brought.Store(rows[i].Name, &rows[i])
	}
	return nil
}

func sameFields(a, b *Row) bool {
	return slices.EqualFunc(a.Payload, b.Payload,
		func(x, y value.Field) bool { return x.Name == y.Name })
}

// Replace sets the events of plugins that are in force.
func (t *Table) Replace(rows []Row) {
	named := map[string]*Row{}
	for i := range rows {
		named[rows[i].Name] = &rows[i]
	}
	t.plugins.Store(&named)
}

// inForce returns the events of plugins.
func (t *Table) inForce() map[string]*Row {
	if p := t.plugins.Load(); p != nil {
		return *p
	}
	return nil
}
