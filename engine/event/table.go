// This file defines the table of an engine's events, which also makes the events.

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

// Table is the table of events: those of the program, those that plugins bring, and the custom
// events of scripts. It makes the events, too. Its methods are safe for concurrent use.
type Table struct {
	rows    map[string]*Row                 // of the program
	plugins atomic.Pointer[map[string]*Row] // of the plugins in force
	brought sync.Map                        // name: *Row that a plugin brought once
	made    atomic.Uint64                   // how many events there were

	now      func() time.Time
	envelope func() *Envelope // of this moment, may be nil and return nil
	// args is the shape of the arguments of a tool, nil = not known.
	args func(tool string) *value.Shape
}

// NewTable makes a table of the program's rows, which it does not change: other tables may be made
// of them. Events have the time of now, and the envelope of this moment where none is given; that
// may be nil and return nil. args is the shape of the arguments of a tool, nil if it is not known.
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

// Prepare makes rows ready for Bring. The error says what is wrong with one.
func Prepare(rows []Row) error {
	for i := range rows {
		if err := checkRow(&rows[i]); err != nil {
			return err
		}
		rows[i].prepare()
	}
	return nil
}

// Row returns the row of an event, nil if there is none. All custom:NAME have the same one, but for
// the name.
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

// mustRow is Row for who fires an event. An event may be fired while its plugin is removed: whoever
// still listens hears it.
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

// Envelope is what events of this moment carry.
func (t *Table) Envelope() *Envelope {
	if t.envelope != nil {
		if env := t.envelope(); env != nil {
			return env
		}
	}
	return &Envelope{}
}

// New makes an event. Without an envelope it carries that of this moment.
func (t *Table) New(env *Envelope, f Fired) *Event {
	ev := t.empty(t.mustRow(f.Event()), env)
	f.Put(ev.setKey)
	return t.shaped(ev)
}

// Named makes an event whose name is data: one of a script, of a plugin, of a test. Fields are
// payload fields by name, values plain data, Object, List or *Lazy. An unknown event or field is a
// mistake in the program, and panics.
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
	return &Event{row: row, env: env, seq: t.made.Add(1), time: t.now(),
		fields: make([]any, len(row.Payload))}
}

// Call is what the events of a tool call have in common.
type Call struct {
	ID, Tool, Kind string
	ReadOnly       bool
	Args           map[string]any
	Original       map[string]any // the arguments as they came
	Rewritten      map[string]any // nil: nobody changed the call
	Origin         string
	Hops           int
	Touches        Touches
	// the shapes of Args and Original, nil = not known
	ArgsShape, OriginalShape *value.Shape
}

// NewOfCall makes an event of a tool call.
func (t *Table) NewOfCall(env *Envelope, f Fired, c *Call) *Event {
	ev := t.empty(t.rows[f.Event()], env)
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
	if at.own { // it costs an allocation
		f.Put(ev.setKey)
	}
	return ev
}

// WithTool returns a copy with the kind of the tool that the event is about now. args is the shape
// of its arguments, nil = not known.
func (ev *Event) WithTool(kind string, readOnly bool, args *value.Shape) *Event {
	c := ev.copy()
	c.setTool(kind, readOnly, args)
	return c
}

func (ev *Event) setTool(kind string, readOnly bool, args *value.Shape) {
	ev.fields[ev.row.at.kind], ev.fields[ev.row.at.readOnly], ev.args = kind, readOnly, args
}

// shaped sets what is known of the arguments of the tool that ev is about.
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

// plainEvent is how the name of an event is written; other than a plugin's, those of the program
// need no check by machine.
var plainEvent = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkRow says what is wrong with a row.
func checkRow(row *Row) error {
	switch {
	case !plainEvent.MatchString(row.Name) && row.Name != Custom:
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

// longestCustom is how long the name of a custom event may be: it is read by people.
const longestCustom = 64

// CustomNameText says what is wrong with the name of a custom event.
func CustomNameText(name string) string {
	return fmt.Sprintf(
		"got %.80q, want \"custom:\" and a name of up to %d letters, digits, _, . and -", name,
		longestCustom)
}

// IsCustom reports whether name is one of a custom event: custom: and letters, digits, and _ . -
// after it.
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

// Bring takes note of events that a plugin brings; others are those of the other plugins. A name
// means one thing for the life of an engine: filters and events that were made before know the
// fields by their places.
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

// Replace puts the events of plugins into force, instead of those that were.
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
