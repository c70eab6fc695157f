// This file is the edge between a script and Go: the functions a script may call, checked by their rows.
package engine

import (
	"fmt"
	"slices"
	"strings"
)

// HostFunc does the work of an API function. Arguments are checked before it is called: Args has
// one entry per parameter of the row, nil for absent optional ones.
type HostFunc func(c *HostCall) (any, error)

// HostCall is one call of an API function by a script.
type HostCall struct {
	Gen  *Generation
	Run  *Run // whose budgets run, and whose envelope holds
	Args []any
	// Pos is where the script made the call. Only set if the row says Loading.
	Pos Position
}

// Builtin is a function that a script may call: a row and what it does.
type Builtin struct {
	Row  *APIRow
	Func HostFunc
	// Bare functions are handed to a script as values (call.progress, emit): their errors carry Row.Name
	// as it is, without "ext.".
	Bare bool
}

// Binding is what a runtime builds a script's ext from.
type Binding struct {
	Gen   *Generation
	Funcs []*Builtin        // in the order of the table; rows with Fact are read through Fact
	Fact  func(*APIRow) any // the value of a fact, asked at each read
	// NewTurn makes the VM's turn lock. interrupt must make the interpreter stop soon with the given error;
	// it is called by the watchdog under the turn's lock while a run holds the turn: it must not block.
	// clear takes an interrupt back; it is called when that run leaves.
	NewTurn func(interrupt func(error), clear func()) *Turn
}

// Invoke checks grant, moment and arguments of a call by its row, and makes it. All calls of all API
// functions in both languages go through here. A returned error is raised in the script at the
// place of the call, but for a *WorldError, which is returned (Lua) or thrown (JS). Panics of host
// functions end as errors.
func (b *Binding) Invoke(run *Run, f *Builtin, args []any, pos Position) (result any, err error) {
	row := f.Row
	name := row.Name
	if !f.Bare {
		name = "ext." + name
	}
	if row.Grant != "" && row.Narrow == "" && !b.Gen.Header.Grants.Has(row.Grant) {
		return nil, needs(name, row.Grant)
	}
	if row.Loading && b.Gen.sealed.Load() {
		return nil, fmt.Errorf("%s: registration is over: scripts register only while their file loads", name)
	}
	if run != nil && run.Kind == KindRedact && (row.Waits || tells(row.Name)) {
		return nil, fmt.Errorf("%s cannot be called by the find of ext.redact: it must answer at once, and what it tells would have to be looked through by itself", name)
	}
	args, err = CheckArgs(name, row.Params, args)
	if err != nil {
		return nil, err
	}
	if row.Narrow != "" {
		i := slices.IndexFunc(row.Params, func(f Field) bool { return f.Name == row.Narrow })
		if value, _ := args[i].(string); !b.Gen.Header.Grants.Allows(row.Grant, value) {
			return nil, needs(name, row.Grant+":"+value)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error: %v", name, p)
			b.Gen.engine.internalError(name, p)
		}
	}()
	return f.Func(&HostCall{Gen: b.Gen, Run: run, Args: args, Pos: pos})
}

func needs(name, grant string) error {
	return fmt.Errorf("%s needs \"@grant %s\" in the script's header", name, grant)
}

// tells reports whether a function of the API tells something that redactors look through.
func tells(name string) bool {
	return name == "notify" || name == "say" || name == "emit" || strings.HasPrefix(name, "log.")
}
