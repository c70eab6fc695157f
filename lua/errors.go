// This file converts failures of Lua code to *fault.ScriptError, and errors of Go to failures of
// Lua code.

package lua

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// callStackOverflow is the value of gopher-lua's panic when the stack of a coroutine is full.
const callStackOverflow = "lua callstack overflow"

// failures converts errors of Go for the script, and errors of the script for Go.
type failures struct {
	*realm
	values *values
	gen    *engine.Generation
	name   string // name of the script
}

// place is where an error was raised. It is recorded before the stack is unwound.
type place struct {
	pos    fault.Position
	stack  string
	called string // the last part of the name of the called function, or ""
}

// noteError is the error handler of calls from Go. It records where the error was raised. It
// replaces gopher-lua's own traceback, which has one line for each tail call ever made: after a
// loop of tail calls that takes 300 ms and 70 MB.
func (f *failures) noteError(L *glua.LState) int {
	a := activationOf(L)
	a.caught = place{pos: f.position(L), stack: traceback(L, 1), called: calledName(L)}
	closeUpvalues(L)
	L.SetTop(1)
	return 1
}

// calledName returns the name of the function that the frame below the running Go function calls.
func calledName(L *glua.LState) string {
	dbg, ok := L.GetStack(0)
	if !ok {
		return ""
	}
	if _, err := L.GetInfo("n", dbg, glua.LNil); err != nil || dbg.Name == "?" ||
		strings.HasPrefix(dbg.Name, "<") || strings.HasPrefix(dbg.Name, "(") {
		return ""
	}
	return dbg.Name
}

// position returns the place in the script from which the running Go function was called, with line
// 0 if there is none (if the first function of a coroutine is a Go function, for example).
func (f *failures) position(L *glua.LState) fault.Position {
	for level := 0; level < fault.MaxFrames; level++ {
		dbg, ok := L.GetStack(level)
		if !ok {
			break
		}
		if _, err := L.GetInfo("Sl", dbg, glua.LNil); err == nil && dbg.CurrentLine > 0 {
			return fault.Position{File: dbg.Source, Line: dbg.CurrentLine}
		}
	}
	return fault.Position{File: f.name}
}

// traceback lists the frames of L from level on, innermost first.
func traceback(L *glua.LState, level int) string {
	var b strings.Builder
	for n := 0; n < fault.MaxFrames; n++ {
		dbg, ok := L.GetStack(level + n)
		if !ok {
			break
		}
		if _, err := L.GetInfo("nSl", dbg, glua.LNil); err != nil {
			break
		}
		name := dbg.Name
		if dbg.What == "main" {
			name = "the handler"
			if dbg.LineDefined == 0 {
				name = "main chunk"
			}
		}
		if dbg.CurrentLine > 0 {
			fmt.Fprintf(&b, "%s:%d: in %s\n", dbg.Source, dbg.CurrentLine, name)
		} else {
			fmt.Fprintf(&b, "[built-in]: in %s\n", name)
		}
		if dbg.What == "main" { // after tail calls GetStack repeats this frame
			break
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// scriptError converts the error that PCall returned for a.
func (f *failures) scriptError(a *activation, err error) *fault.ScriptError {
	se := &fault.ScriptError{Position: a.caught.pos, Stack: a.caught.stack}
	if se.File == "" {
		se.File = f.name
	}
	var api *glua.ApiError
	if !errors.As(err, &api) {
		se.Message = err.Error()
		return se
	}
	if se.Line == 0 && api.StackTrace != "" { // the stack had no room for the handler
		se.Stack = api.StackTrace
		se.Line = f.firstLine(api.StackTrace)
	}
	switch obj := api.Object.(type) {
	case glua.LString:
		if a.raised.err != nil && a.raised.text == string(obj) {
			se.Err = a.raised.err
		}
		if api.Type == glua.ApiErrorPanic {
			obj = "internal error: " + obj
		}
		f.place(se, string(obj))
	case *glua.LTable:
		se.Err = f.causeOf(obj)
		f.place(se, f.thrownMessage(obj))
		var inner *fault.ScriptError
		// of another call (ext.all), with its position
		if errors.As(se.Err, &inner) && inner.Line > 0 {
			se.Position = inner.Position
		} else if p, err := f.values.plain(obj); err == nil && se.Err == nil {
			se.Err = &fault.ThrownError{Value: p}
		}
	default:
		se.Message = f.scalarMessage(api.Object)
	}
	se.BoundMessage()
	f.explain(se, a.caught.called)
	return se
}

// firstLine returns the line of the script's first frame in a traceback of gopher-lua.
func (f *failures) firstLine(trace string) int {
	_, rest, _ := strings.Cut(trace, f.name+":")
	digits, _, _ := strings.Cut(rest, ":")
	line, _ := strconv.Atoi(digits)
	return line
}

// place sets the message, and the position that precedes it, which the level argument of error()
// selects.
func (f *failures) place(se *fault.ScriptError, text string) {
	se.Message = text
	if file, line, message, ok := f.sourceAt(text); ok {
		se.File, se.Line, se.Message = file, line, message
	}
	var inner *fault.ScriptError
	if errors.As(se.Err, &inner) && inner.File == se.File && inner.Line == se.Line { // of a module
		se.Column, se.Hint, se.Message = inner.Column, inner.Hint, inner.Message
	}
}

// thrownMessage returns the text of an error table: {message = ...}, as ext functions return.
func (f *failures) thrownMessage(t *glua.LTable) string {
	if s, ok := t.RawGetString("message").(glua.LString); ok {
		return string(s)
	}
	if s, ok := t.RawGetInt(1).(glua.LString); ok {
		return string(s)
	}
	if p, err := f.values.plain(t); err == nil {
		if text, err := json.Marshal(p); err == nil {
			return "threw " + string(text)
		}
	}
	return "threw a table without a message"
}

// scalarMessage returns the text of an error that is neither a string nor a table.
func (f *failures) scalarMessage(v glua.LValue) string {
	switch v.(type) {
	case glua.LNumber, glua.LBool, *glua.LNilType:
		return "threw " + v.String()
	}
	if v == f.values.null {
		return "threw null"
	}
	return "threw a " + typeName(v)
}

// raise raises err in L at the position of the running call.
func (f *failures) raise(L *glua.LState, err error) {
	a := activationOf(L)
	var fail *fault.FailError
	if errors.As(err, &fail) {
		L.Error(f.newFailure(L, fail.Fields(), err), 0)
	}
	var thrown *fault.ThrownError
	if errors.As(err, &thrown) {
		L.Error(f.newFailure(L, thrown.Value, err), 0)
	}
	var se *fault.ScriptError
	text := ""
	if errors.As(err, &se) && se.File != "" { // of another call (ext.all), with its position
		text = se.Error()
	} else {
		text = f.at(L) + err.Error()
	}
	a.raised = cause{text, err}
	L.Error(glua.LString(text), 0)
}

// raisef raises a formatted message at the position of the running call.
func raisef(L *glua.LState, format string, args ...any) {
	L.Error(glua.LString(activationOf(L).vm.failures.at(L)+fmt.Sprintf(format, args...)), 0)
}

// at returns the position of the running call as the prefix of a message.
func (f *failures) at(L *glua.LState) string {
	pos := f.position(L)
	if pos.Line == 0 {
		return ""
	}
	return pos.String() + ": "
}

// newFailure makes the error table with the given fields, which are plain data. It remembers err,
// which Go gets back if the script does not catch the table.
func (f *failures) newFailure(L *glua.LState, fields any, err error) *glua.LTable {
	v, _ := f.values.value(fields) // it was a table before
	t, ok := v.(*glua.LTable)
	if !ok {
		t = L.CreateTable(0, 0)
	}
	mt := L.CreateTable(0, 4)
	mt.RawSetString("__tostring", f.values.meta.errorText)
	mt.RawSetString("__metatable", glua.LFalse)
	ud := L.NewUserData()
	ud.Value = err
	mt.RawSetString("cause", ud)
	t.Metatable = mt
	return t
}

// newWorldError makes the table that a call returns after nil.
func (f *failures) newWorldError(L *glua.LState, err *fault.WorldError) *glua.LTable {
	t := L.CreateTable(0, 4)
	t.RawSetString("code", glua.LString(err.Code))
	t.RawSetString("message", glua.LString(err.Message))
	t.Metatable = f.values.meta.worldError
	return t
}

// causeOf returns the Go error behind an error table, or nil.
func (f *failures) causeOf(t *glua.LTable) error {
	mt, ok := t.Metatable.(*glua.LTable)
	if !ok {
		return nil
	}
	ud, ok := mt.RawGetString("cause").(*glua.LUserData)
	if !ok {
		return nil
	}
	err, _ := ud.Value.(error)
	return err
}

// registration returns where the main file of the script called us, directly or through a module.
func (f *failures) registration(L *glua.LState) fault.Position {
	for level := 0; level < fault.MaxFrames; level++ {
		dbg, ok := L.GetStack(level)
		if !ok {
			break
		}
		if _, err := L.GetInfo("Sl", dbg, glua.LNil); err == nil && dbg.CurrentLine > 0 &&
			dbg.Source == f.name {
			return fault.Position{File: f.name, Line: dbg.CurrentLine}
		}
	}
	if pos := f.position(L); pos.Line > 0 {
		return pos
	}
	return f.protected(activationOf(L))
}

// protected returns the position of the pcall of the running built-in function, zero if there is
// none.
func (f *failures) protected(a *activation) fault.Position {
	if a.protecting == nil {
		return fault.Position{}
	}
	return f.position(a.protecting)
}

// sourceAt splits the name of one of the script's files and a line from the beginning of a message.
func (f *failures) sourceAt(text string) (file string, line int, message string, ok bool) {
	file, rest, _ := strings.Cut(text, ":")
	if _, ours := f.gen.File(file); !ours {
		return "", 0, text, false
	}
	if n, err := fmt.Sscanf(rest, "%d:", &line); n != 1 || err != nil {
		return "", 0, text, false
	}
	_, message, _ = strings.Cut(rest, ":")
	return file, line, strings.TrimPrefix(message, " "), true
}

// stopError returns the error of a run that was stopped. err, if not nil, has the position.
func (f *failures) stopError(err, stop error) error {
	return fault.Stopped(f.name, err, stop)
}
