// This file makes errors: of the interpreter into *engine.ScriptError, and of Go into JavaScript's.
package js

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
)

// maxStackLines is how many lines of a stack are kept: endless recursion fills a thousand, and says nothing more with them.
const maxStackLines = 20

// maxMessage bounds what one error can put on the screen and in the log, in bytes.
const maxMessage = 4096

// goCause carries the Go error behind a JavaScript one, under a symbol. To a script it is an object without properties.
type goCause struct{ err error }

func (*goCause) Get(string) goja.Value       { return nil }
func (*goCause) Set(string, goja.Value) bool { return false }
func (*goCause) Has(string) bool             { return false }
func (*goCause) Delete(string) bool          { return false }
func (*goCause) Keys() []string              { return nil }

// throw raises err at the place of the call. Only inside functions that the interpreter called.
func (v *VM) throw(err error) {
	panic(v.errorValue(err, engine.Position{}))
}

// throwRange raises a RangeError: what guarded built-ins do.
func (v *VM) throwRange(msg string) {
	panic(v.guards.rangeError(goja.FunctionCall{Arguments: []goja.Value{v.rt.ToValue(msg)}}))
}

// errorValue makes the JavaScript Error for a Go error: with the code of a WorldError, the fields of a
// FailError. at is where the script asked, if that is not on the interpreter's stack any more.
func (v *VM) errorValue(err error, at engine.Position) goja.Value {
	val := v.guards.newError(goja.FunctionCall{Arguments: []goja.Value{v.rt.ToValue(err.Error())}})
	obj, ok := val.(*goja.Object)
	if !ok {
		return val
	}
	hidden := func(key string, x goja.Value) {
		_ = obj.DefineDataProperty(key, x, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	var world *engine.WorldError
	var fail *engine.FailError
	switch {
	case errors.As(err, &world):
		hidden("code", v.rt.ToValue(world.Code))
	case errors.As(err, &fail):
		for k, f := range fail.Fields() {
			hidden(k, v.rt.ToValue(f))
		}
	}
	if at.Line > 0 {
		hidden("stack", v.rt.ToValue("Error: "+err.Error()+"\n\tat "+at.String()+"(0)\n"))
	}
	_ = obj.DefineDataPropertySymbol(v.goError, v.rt.NewDynamicObject(&goCause{err}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return obj
}

// scriptError makes the interpreter's error into a *engine.ScriptError; nil stays nil.
func (v *VM) scriptError(err error) error {
	if err == nil {
		return nil
	}
	return v.asScriptError(err)
}

func (v *VM) asScriptError(err error) error {
	var (
		se   *engine.ScriptError
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
			cause = engine.ErrClosed
		}
		return v.located(&engine.ScriptError{Message: cause.Error(), Err: cause}, framesText(stop.Stack()))
	case errors.As(err, &deep):
		return v.located(&engine.ScriptError{Message: "RangeError: maximum call stack size exceeded", Hint: "a function calls itself without end"},
			framesText(deep.Stack()))
	case errors.As(err, &ex):
		return v.thrown(ex.Value(), ex.Stack())
	}
	return &engine.ScriptError{Position: engine.Position{File: v.name}, Message: err.Error(), Err: err}
}

// reasonError is the failure of a promise that was rejected with reason.
func (v *VM) reasonError(reason goja.Value) error { return v.thrown(reason, nil) }

// unhandledError is the failure of a run that left a rejected promise alone.
func (v *VM) unhandledError(r rejection) *engine.ScriptError {
	se := v.thrown(r.promise.Result(), nil)
	se.Message = "unhandled rejection: " + se.Message
	if se.Hint == "" {
		se.Hint = "await the promise, or catch its error"
	}
	return se
}

// thrown describes a thrown value. Reading it may run code of the script (getters): failures of that are ignored.
func (v *VM) thrown(val goja.Value, frames []goja.StackFrame) *engine.ScriptError {
	se := &engine.ScriptError{}
	stack := framesText(frames)
	_ = v.rt.Try(func() {
		obj, ok := val.(*goja.Object)
		if !ok {
			se.Message = scalarMessage(val)
			return
		}
		if c, ok := obj.GetSymbol(v.goError).(*goja.Object); ok {
			if cause, ok := c.Export().(*goCause); ok {
				se.Err = cause.err
			}
		}
		se.Message = v.describe(obj)
		if obj.ClassName() == "Error" {
			if s := textOf(obj, "stack"); s != "" {
				stack = strings.Split(s, "\n")
			}
		}
	})
	var at *engine.ScriptError
	if errors.As(se.Err, &at) && at.Line > 0 { // of another call (ext.all): it has its place
		se.Position, se.Message = at.Position, at.Message
	}
	if se.Message == "" {
		se.Message = "an error without a message"
	}
	if len(se.Message) > maxMessage {
		se.Message = strings.ToValidUTF8(se.Message[:maxMessage], "") + "…"
	}
	v.located(se, stack)
	se.Hint = v.hint(se.Message)
	return se
}

// scalarMessage is a thrown value that is no object as text.
func scalarMessage(val goja.Value) string {
	switch {
	case val == nil:
		return ""
	case goja.IsString(val):
		return val.String()
	}
	return "threw " + val.String()
}

// describe is a thrown object as text: "TypeError: message"; a plain Error is its message alone.
func (v *VM) describe(obj *goja.Object) string {
	name, message := textOf(obj, "name"), textOf(obj, "message")
	switch {
	case obj.ClassName() != "Error" && message == "":
		if p, err := v.plain(obj, false); err == nil {
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

// located sets position and stack of se from the lines of a stack.
func (v *VM) located(se *engine.ScriptError, lines []string) *engine.ScriptError {
	var first engine.Position
	var out []string
	for _, line := range lines {
		at, ok := strings.CutPrefix(line, "\tat ")
		if !ok {
			continue
		}
		text, pos := frame(at)
		if len(out) < maxStackLines {
			out = append(out, "at "+text)
		}
		if pos.Line == 0 {
			continue
		}
		if se.Line == 0 && pos.File == v.name {
			se.Position = pos
		}
		if first.Line == 0 {
			first = pos
		}
	}
	if se.Line == 0 {
		se.Position = first
	}
	if se.File == "" {
		se.File = v.name
	}
	se.Stack = strings.Join(out, "\n")
	return se
}

// frame reads one line of a stack: "f (guard.js:2:18(3))", "guard.js:2:18(3)" or "f (native)"; text is the line without
// the bracket at its end, which is of use to the interpreter's authors only.
func frame(line string) (text string, pos engine.Position) {
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

// framesText writes frames as the lines of a stack.
func framesText(frames []goja.StackFrame) []string {
	if len(frames) > 2*maxStackLines {
		frames = frames[:2*maxStackLines]
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

// position is where the script is that called us: the innermost frame in its file.
func (v *VM) position() engine.Position {
	const near = 8 // frames between a script and us: the function itself, and built-ins such as forEach
	for _, depth := range []int{near, 0} {
		frames := v.rt.CaptureCallStack(depth, nil)
		for i := range frames {
			if p := frames[i].Position(); p.Line > 0 && frames[i].SrcName() == v.name {
				return engine.Position{File: v.name, Line: p.Line, Column: p.Column}
			}
		}
	}
	return engine.Position{File: v.name}
}

// absent are globals that scripts written for other hosts expect, and what to use instead.
var absent = map[string]string{
	"require":       "there are no modules: what a script may use is in ext",
	"module":        "there are no modules: a script is one file, and registers through ext",
	"exports":       "there are no modules: a script is one file, and registers through ext",
	"process":       "this is not Node: ext.os, ext.cwd and ext.mode tell where a script runs",
	"Buffer":        "this is not Node: texts are strings",
	"setTimeout":    "there are no timers: await ext.sleep(seconds)",
	"setInterval":   "there are no timers: await ext.sleep(seconds) in a loop",
	"setImmediate":  "there are no timers: use queueMicrotask",
	"clearTimeout":  "there are no timers: await ext.sleep(seconds)",
	"clearInterval": "there are no timers: await ext.sleep(seconds)",
	"BigInt":        "numbers above 2^53 are handled as strings",
	"window":        "this is not a browser: ext.notify and ext.ui talk to the user",
	"document":      "this is not a browser: ext.notify and ext.ui talk to the user",
	"alert":         "use ext.notify(text)",
	"confirm":       "use await ext.ui.confirm(text)",
	"print":         "use console.log or ext.log.info",
}

// hint says what to do about an error of the interpreter.
func (v *VM) hint(msg string) string {
	name, ok := strings.CutSuffix(strings.TrimPrefix(msg, "ReferenceError: "), " is not defined")
	if !ok || name == msg {
		return ""
	}
	if h := absent[name]; h != "" {
		return h
	}
	names := v.extNames("")
	for _, n := range names {
		if n == name {
			return "did you mean ext." + n + "?"
		}
	}
	return ""
}
