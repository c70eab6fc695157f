// This file is the boundary between a script and Go: the functions that a script may call, checked
// against their rows.

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// HostFunc does the work of an API function. Arguments are checked before it is called: Args has
// one entry per parameter of the row, nil for absent optional ones.
type HostFunc func(c *HostCall) (any, error)

// HostCall is one call of an API function by a script.
type HostCall struct {
	Gen  *Generation
	Run  *Run // its budgets and envelope apply
	Args []any
	// Within, if not nil, is cancelled to cancel this call alone; the call also ends with the run.
	// See Context.
	Within context.Context
	// Pos is where the script made the call. It is set only if the row has Loading or Placed.
	Pos fault.Position
	// As is the name of the call in errors, if the script did not use the function's own name; see
	// Name.
	As string

	program *changes.Run // that the call runs; nil = none, or it counts as the user's
}

// Leaves is Use.Leaves for a program of a script. Call it before the HostFunc returns.
func (c *HostCall) Leaves(what func() string) (ended func()) {
	if c.program == nil {
		return func() {}
	}
	return c.program.Leave(what)
}

// Name returns the name of the call in errors: As, or own, such as "ext.ui.panel", if As is empty.
func (c *HostCall) Name(own string) string {
	if c.As != "" {
		return c.As
	}
	return own
}

// Aside runs a wait for a disk or another process, in a function that does not wait from the
// script's view: see Turn.Aside.
func (c *HostCall) Aside(wait func()) {
	if c.Gen.turn == nil {
		wait()
		return
	}
	c.Gen.turn.Aside(wait)
}

// Context returns the context that ends when the call must end; all waiting must watch it.
// context.Cause returns the reason.
func (c *HostCall) Context() context.Context {
	if c.Within != nil {
		return c.Within
	}
	return c.Run.Context()
}

// APIRow is one row of the API table. Its host function is found by name in Options.Host.
type APIRow struct {
	Name   string // "ui.confirm" is ext.ui.confirm
	Params []value.Field
	Result string // type, for the docs
	Waits  bool   // Lua: looks synchronous; JS: returns a promise
	Grant  string // grant needed, "" for none
	Narrow string // the parameter whose value the grant must name: tools:VALUE; "" = none
	Judged bool   // the host function checks the argument of the grant: see Needs
	// it can be cancelled before its run ends (HostCall.Within): in JS its options take an
	// AbortSignal, {signal}
	Aborts  bool
	Loading bool     // registration: only while the file loads
	Tells   bool     // it emits text that redactors must search
	Placed  bool     // HostCall.Pos is needed, as with Loading
	Codes   []string // of external errors that it returns
	Fact    bool     // a value, not a function: ext.version
	Doc     string
	Lua, JS string // an example in each language, run by the tests
}

// Builtin is a function that a script may call: its row and its implementation.
type Builtin struct {
	Row  *APIRow
	Func HostFunc
	// Bare functions are passed to a script as values (call.progress, emit): their errors show
	// Row.Name without "ext.".
	Bare bool
}

// builtin returns a function of the API by the name of its row, nil if there is none.
func (e *Engine) builtin(name string) *Builtin {
	i := slices.IndexFunc(e.api, func(f *Builtin) bool { return f.Row.Name == name })
	if i < 0 {
		return nil
	}
	return e.api[i]
}

// Binding is what a runtime needs to build a script's ext.
type Binding struct {
	Gen   *Generation
	Funcs []*Builtin        // in the order of the table; rows with Fact are read through Fact
	Fact  func(*APIRow) any // the value of a fact, computed at each read
	// NewTurn makes the VM's turn lock. interrupt must make the interpreter stop soon with the
	// given error; it is called by the watchdog under the turn's lock while a run holds the turn:
	// it must not block. clear cancels an interrupt; it is called when that run leaves.
	NewTurn func(interrupt func(error), clear func()) *vm.Turn
}

// Names lists the names of ext under a prefix, in the order of the table: "" for ext itself, "ui."
// for the group ui.
func (b *Binding) Names(prefix string) []string {
	var names []string
	for _, f := range b.Funcs {
		rest, ok := strings.CutPrefix(f.Row.Name, prefix)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, ".")
		if n := len(names); n == 0 || names[n-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// NoName returns the error for a name that ext, or a group of it such as "ui", does not have.
func (b *Binding) NoName(group, name string) error {
	names := make([]string, len(b.Funcs))
	for i, f := range b.Funcs {
		names[i] = f.Row.Name
	}
	return fmt.Errorf("%s has no %q%s", strings.TrimSuffix("ext."+group, "."), name,
		suggest.InsteadOf(names, group, name))
}

// Invoke checks grant, phase and arguments of a call against its row, and makes the call. All calls
// of all API functions in both languages go through here. A returned error is raised in the script
// at the place of the call, except a *WorldError, which is returned (Lua) or thrown (JS). Panics of
// host functions become errors.
func (b *Binding) Invoke(run *Run, f *Builtin, args []any, pos fault.Position) (result any,
	err error) {
	var noOther context.Context // only the run ends it
	return b.InvokeWithin(noOther, run, f, args, pos)
}

// InvokeWithin is like Invoke, for a call that ends when within does, or with the run. within may
// be nil.
func (b *Binding) InvokeWithin(within context.Context, run *Run, f *Builtin, args []any,
	pos fault.Position) (result any, err error) {
	p := apart.Catch(func() { result, err = b.invoke(within, run, f, args, pos) })
	if p != nil {
		b.Gen.engine.Notices.internalError(f.FullName(), p.Value)
		return nil, fmt.Errorf("%s: %w", f.FullName(), p)
	}
	return result, fault.Briefly(err)
}

func (b *Binding) invoke(within context.Context, run *Run, f *Builtin, args []any,
	pos fault.Position) (result any, err error) {
	b.Gen.called.Store(true)
	row := f.Row
	name := f.FullName()
	if row.Grant != "" && row.Narrow == "" && !row.Judged && !b.Gen.Header.Grants.Has(row.Grant) {
		return nil, Needs(name, row.Grant)
	}
	if row.Loading && b.Gen.Registry.sealed.Load() {
		return nil, fmt.Errorf(
			"%s: registration is over: scripts register only while their file loads", name)
	}
	if run != nil && run.Kind == vm.KindRedact && (row.Waits || row.Tells) {
		return nil, fmt.Errorf(
			"%s cannot be called by the find of ext.redact: find must return at once, and what "+
				"it emits would have to be masked by itself", name)
	}
	args, err = value.CheckArgs(name, row.Params, args)
	if err != nil {
		return nil, err
	}
	if row.Narrow != "" {
		i := slices.IndexFunc(row.Params, func(f value.Field) bool { return f.Name == row.Narrow })
		if value, _ := args[i].(string); !b.Gen.Header.Grants.Allows(row.Grant, value) {
			return nil, Needs(name, row.Grant+":"+value)
		}
	}
	call := &HostCall{Gen: b.Gen, Run: run, Args: args, Within: within, Pos: pos}
	if strings.HasPrefix(row.Grant, "exec:") {
		if call.program = b.Gen.beginProgram(run, name, args); call.program != nil {
			defer call.program.End()
		}
	}
	return f.Func(call)
}

// FullName returns the function's name for messages.
func (f *Builtin) FullName() string {
	if f.Bare {
		return f.Row.Name
	}
	return "ext." + f.Row.Name
}

// BadArgument returns the error of a call whose argument i, from 0, cannot be converted.
func (f *Builtin) BadArgument(i int, err error) error {
	name := fmt.Sprintf("argument %d", i+1)
	if i < len(f.Row.Params) {
		name = f.Row.Params[i].Name
	}
	return fmt.Errorf("%s: %w", f.FullName(), value.InKey(name, err))
}

// Needs returns the error of a call of a function, such as "ext.exec", without the grant that it
// needs, "exec:git".
func Needs(name, grant string) error {
	return fmt.Errorf("%s needs \"@grant %s\" in the script's header", name, grant)
}

// Func is a function of a script. Call runs it under run's budgets on the calling goroutine: it
// takes the VM's turn, so it must not be called by a goroutine that holds the turn of the same VM.
// The result is plain data; a failure is a *ScriptError.
type Func interface {
	value.Function
	Call(run *Run, args ...any) (any, error)
}

// Inline is a Func that a non-waiting host function can call, within the call: the turn is held,
// and it runs under the caller's budgets. The function must not wait; trying to wait is an error.
// Compound arguments are passed as real tables.
type Inline interface {
	Func
	CallInline(args ...any) (any, error)
}

// Opener is a Func whose result may contain functions, if it is called by CallOpen: they are
// returned as Func.
type Opener interface {
	Func
	CallOpen(run *Run, args ...any) (any, error)
}

// Watchful is a Func in Go that watches the context of its run and ends with it. It is called on
// the goroutine that asks: another one would have to be woken twice.
type Watchful interface {
	Func
	EndsWithRun()
}

// opened is a Func that is called by CallOpen, if it supports that.
type opened struct{ Func }

// Call implements Func.
func (o opened) Call(run *Run, args ...any) (any, error) {
	if f, ok := o.Func.(Opener); ok {
		return f.CallOpen(run, args...)
	}
	return o.Func.Call(run, args...)
}

// IsFunction implements Function.
func (*Builtin) IsFunction() {}
