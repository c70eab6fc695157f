// This file converts errors of the interpreter to *fault.ScriptError, and errors of Go to
// JavaScript.

package js

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// failures converts errors of Go for the script, and errors of the script for Go.
type failures struct {
	realm  *realm
	rt     *goja.Runtime // that of realm
	values *values
	name   string          // name of the script
	files  map[string]bool // names of source files in positions
	names  func() []string // names in ext
	key    *goja.Symbol    // key of the Go error behind a JavaScript error
}

// goCause carries the Go error behind a JavaScript error, as the value of a symbol. Scripts see an
// object without properties.
type goCause struct{ err error }

func (*goCause) Get(string) goja.Value       { return nil }
func (*goCause) Set(string, goja.Value) bool { return false }
func (*goCause) Has(string) bool             { return false }
func (*goCause) Delete(string) bool          { return false }
func (*goCause) Keys() []string              { return nil }

// raise throws err at the place of the call. It may be used only in functions that the interpreter
// called.
func (f *failures) raise(err error) {
	panic(f.errorValue(err, fault.Position{}))
}

// errorValue makes the JavaScript Error for a Go error, with the code of a WorldError or the fields
// of a FailError. at is the place of the call, if it is no longer on the interpreter's stack.
func (f *failures) errorValue(err error, at fault.Position) goja.Value {
	val := f.realm.newError(goja.FunctionCall{Arguments: []goja.Value{f.rt.ToValue(err.Error())}})
	obj, ok := val.(*goja.Object)
	if !ok {
		return val
	}
	hidden := func(key string, x goja.Value) {
		_ = obj.DefineDataProperty(key, x, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	var world *fault.WorldError
	var fail *fault.FailError
	var thrown *fault.ThrownError
	switch {
	case errors.As(err, &world):
		hidden("code", f.rt.ToValue(world.Code))
	case errors.As(err, &fail):
		for k, x := range fail.Fields() {
			hidden(k, f.rt.ToValue(x))
		}
	case errors.As(err, &thrown):
		f.rethrown(obj, thrown)
	}
	if at.Line > 0 {
		hidden("stack", f.rt.ToValue("Error: "+err.Error()+"\n\tat "+at.String()+"(0)\n"))
	}
	_ = obj.DefineDataPropertySymbol(f.key, f.rt.NewDynamicObject(&goCause{err}),
		goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return obj
}

// causeOf returns the Go error behind an error object, or nil.
func (f *failures) causeOf(obj *goja.Object) error {
	if c, ok := obj.GetSymbol(f.key).(*goja.Object); ok {
		if cause, ok := c.Export().(*goCause); ok {
			return cause.err
		}
	}
	return nil
}

// ownFields returns the properties that a script set on a thrown value, as an error, or nil if it
// set none.
func (f *failures) ownFields(obj *goja.Object) error {
	c := decoder{values: f.values, plain: true}
	if kind := obj.ClassName(); kind != "Error" && kind != "Object" {
		return nil
	}
	own, err := c.object(obj)
	fields, ok := own.(map[string]any)
	if err != nil || !ok || len(fields) == 0 {
		return nil
	}
	for _, k := range []string{"name", "message"} {
		if text := textOf(obj, k); text != "" {
			fields[k] = text
		}
	}
	return &fault.ThrownError{Value: fields}
}

// rethrown restores the properties of a thrown value on the Error for it.
func (f *failures) rethrown(obj *goja.Object, thrown *fault.ThrownError) {
	fields, _ := thrown.Value.(map[string]any)
	for _, k := range value.SortedKeys(fields) {
		if x, err := f.values.value(fields[k]); err == nil && k != "stack" {
			_ = obj.DefineDataProperty(k, x, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
	}
}

// scriptError converts an error of the interpreter to a *fault.ScriptError; nil stays nil.
func (f *failures) scriptError(err error) error {
	var (
		se   *fault.ScriptError
		stop *goja.InterruptedError
		deep *goja.StackOverflowError
		ex   *goja.Exception
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &se):
		return se
	case errors.As(err, &stop):
		cause, _ := stop.Value().(error)
		if cause == nil {
			cause = vm.ErrClosed
		}
		return f.located(&fault.ScriptError{Message: cause.Error(), Err: cause},
			framesText(stop.Stack()))
	case errors.As(err, &deep):
		return f.located(
			&fault.ScriptError{Message: "RangeError: maximum call stack size exceeded",
				Hint: "a function calls itself without end"},
			framesText(deep.Stack()))
	case errors.As(err, &ex):
		return f.thrown(ex.Value(), ex.Stack())
	}
	return &fault.ScriptError{Position: fault.Position{File: f.name}, Message: err.Error(),
		Err: err}
}

// reasonError returns the failure for a promise that was rejected with reason.
func (f *failures) reasonError(reason goja.Value) error { return f.thrown(reason, nil) }

// unhandledError returns the failure of a run that did not handle a rejected promise.
func (f *failures) unhandledError(r rejection) *fault.ScriptError {
	se := f.thrown(r.promise.Result(), nil)
	se.Message = "unhandled rejection: " + se.Message
	if se.Hint == "" {
		se.Hint = "await the promise, or catch its error"
	}
	return se
}

// thrown describes a thrown value. Reading it may run code of the script (getters), whose errors
// are ignored.
func (f *failures) thrown(val goja.Value, frames []goja.StackFrame) *fault.ScriptError {
	se := &fault.ScriptError{}
	stack := framesText(frames)
	_ = f.rt.Try(func() {
		obj, ok := val.(*goja.Object)
		if !ok {
			se.Message = f.scalarMessage(val)
			return
		}
		se.Err = f.causeOf(obj)
		se.Message = f.thrownMessage(obj)
		if se.Err == nil {
			se.Err = f.ownFields(obj)
		}
		if obj.ClassName() == "Error" {
			if s := textOf(obj, "stack"); s != "" {
				stack = strings.Split(s, "\n")
			}
		}
	})
	var at *fault.ScriptError
	if errors.As(se.Err, &at) && at.Line > 0 { // of another call (ext.all), with its position
		se.Position, se.Message, se.Hint = at.Position, at.Message, at.Hint
	}
	se.BoundMessage()
	f.located(se, stack)
	f.explain(se)
	return se
}

// scalarMessage returns the text of a thrown value that is not an object.
func (f *failures) scalarMessage(val goja.Value) string {
	switch {
	case val == nil:
		return ""
	case goja.IsString(val):
		return val.String()
	}
	return "threw " + val.String()
}

// thrownMessage returns the text of an error object: "TypeError: message", or only the message for
// a plain Error.
func (f *failures) thrownMessage(obj *goja.Object) string {
	name, message := textOf(obj, "name"), textOf(obj, "message")
	switch {
	case obj.ClassName() != "Error" && message == "":
		if p, err := f.values.plain(obj); err == nil {
			return "threw " + jsonText(p)
		}
		if _, ok := goja.AssertFunction(obj); ok {
			return "threw a function"
		}
		return obj.String()
	case name == "" || name == "Error":
		if message == "" {
			return "Error"
		}
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}

func textOf(obj *goja.Object, key string) string {
	if s := obj.Get(key); s != nil && goja.IsString(s) {
		return s.String()
	}
	return ""
}

// ownPrograms are the names of our own programs in the interpreter. Users cannot look at them.
var ownPrograms = map[string]bool{webName: true, preludeName: true, helpers: true}

// located sets the position and the stack of se from the lines of a stack.
func (f *failures) located(se *fault.ScriptError, lines []string) *fault.ScriptError {
	var first fault.Position
	var out []string
	for _, line := range lines {
		at, ok := strings.CutPrefix(line, "\tat ")
		if !ok {
			continue
		}
		text, pos := frame(at)
		pos.File = f.fileName(pos.File)
		if len(out) < fault.MaxFrames {
			out = append(out, "at "+text)
		}
		if pos.Line == 0 {
			continue
		}
		if se.Line == 0 && f.files[pos.File] {
			se.Position = pos
		}
		if first.Line == 0 && !ownPrograms[pos.File] {
			first = pos
		}
	}
	if se.Line == 0 {
		se.Position = first
	}
	if se.File == "" {
		se.File = f.name
	}
	se.Stack = strings.Join(out, "\n")
	return se
}

// frame parses one line of a stack: "f (guard.js:2:18(3))", "guard.js:2:18(3)" or "f (native)".
// text is the line without the number in brackets at the end, which helps only the authors of the
// interpreter.
func frame(line string) (text string, pos fault.Position) {
	fn, place, named := strings.Cut(line, " (")
	if named {
		place = strings.TrimSuffix(place, ")")
	} else {
		place = line
	}
	if i := strings.LastIndexByte(place, '('); i > 0 && strings.HasSuffix(place, ")") {
		place = place[:i]
	}
	text = place
	if named {
		text = fn + " (" + place + ")"
	}
	rest, column, ok1 := cutLast(place, ":")
	file, ln, ok2 := cutLast(rest, ":")
	if !ok1 || !ok2 {
		return text, pos
	}
	pos.File = file
	pos.Line, _ = strconv.Atoi(ln)
	pos.Column, _ = strconv.Atoi(column)
	return text, pos
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// framesText formats frames as the lines of a stack.
func framesText(frames []goja.StackFrame) []string {
	if len(frames) > 2*fault.MaxFrames {
		frames = frames[:2*fault.MaxFrames]
	}
	var lines []string
	for i := range frames {
		f := &frames[i]
		p := f.Position()
		place := "native"
		if p.Line > 0 {
			place = p.Filename + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
		}
		lines = append(lines, "\tat "+f.FuncName()+" ("+place+")")
	}
	return lines
}

// fileName returns the name of a source file for a position. Names from a source map are parts of a
// URL.
func (f *failures) fileName(name string) string {
	if plain, err := url.PathUnescape(name); err == nil && !f.files[name] && f.files[plain] {
		return plain
	}
	return name
}

// position returns where the script called us: the innermost frame in one of its files.
func (f *failures) position() fault.Position {
	return f.innermost(func(file string) bool { return f.files[file] })
}

// registration returns where the main file of the script called us, directly or through a module.
func (f *failures) registration() fault.Position {
	return f.innermost(func(file string) bool { return file == f.name })
}

func (f *failures) innermost(counts func(file string) bool) fault.Position {
	// frames between a script and us: our function, and built-ins such as forEach
	const near = 8
	for _, depth := range []int{near, 0} {
		frames := f.rt.CaptureCallStack(depth, nil)
		for i := range frames {
			if !counts(frames[i].SrcName()) {
				continue
			}
			if p := frames[i].Position(); p.Line > 0 && counts(f.fileName(p.Filename)) {
				return fault.Position{File: f.fileName(p.Filename), Line: p.Line, Column: p.Column}
			}
		}
	}
	return fault.Position{File: f.name}
}

// stopError returns the error of an entry: stop, if it is not nil, with the position of err; else
// err.
func (f *failures) stopError(err, stop error) error {
	if stop == nil {
		return err
	}
	return fault.Stopped(f.name, err, stop)
}
