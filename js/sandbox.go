// This file sets the globals of a script.
package js

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
)

// maxLogText is how much of one console call is kept, in bytes: a log is for people.
const maxLogText = 64 << 10

// noBigInt are the globals that would make BigInts: arithmetic on them is the one place of the language
// where a single operator can take any time and memory, and no hook is left to stop it.
var noBigInt = []string{"BigInt", "BigInt64Array", "BigUint64Array"}

// consoleLevels tells at which level of the log each function of console writes.
var consoleLevels = []struct{ name, level string }{
	{"log", "info"}, {"info", "info"}, {"debug", "debug"}, {"trace", "debug"}, {"warn", "warn"}, {"error", "error"},
}

// prelude is the part of the globals that must be JavaScript: noop is a function that the interpreter
// steps through, queueMicrotask needs a job of the interpreter's queue.
const prelude = `({
	noop() {},
	queueMicrotask: ((then, resolved) => (f) => {
		if (typeof f !== "function") throw new TypeError("queueMicrotask: want a function");
		then.call(resolved, () => { f(); });
	})(Promise.prototype.then, Promise.resolve()),
	functions: [async () => {}, function* () {}],
})`

// runPrelude sets what the prelude makes.
func (v *VM) runPrelude(program *goja.Program) {
	val, err := v.rt.RunProgram(program)
	if err != nil {
		panic(err)
	}
	obj := val.(*goja.Object)
	v.noop, _ = goja.AssertFunction(obj.Get("noop"))
	v.global("queueMicrotask", obj.Get("queueMicrotask"))
	functions := obj.Get("functions").(*goja.Object)
	for _, i := range []string{"0", "1"} { // their constructors have no name, but compile text as Function does
		proto := functions.Get(i).(*goja.Object).Prototype()
		if ctor, ok := proto.Get("constructor").(*goja.Object); ok && ctor != nil {
			v.setConstructor(proto, v.guardConstructor("", ctor, v.guards.checkCode))
		}
	}
}

// setGlobals sets ext, console and the few functions that the language lacks and authors expect.
func (v *VM) setGlobals() {
	g := v.rt.GlobalObject()
	for _, name := range noBigInt {
		_ = g.Delete(name)
	}
	v.lockObjects()
	v.global("ext", v.namespace(""))
	console := v.rt.NewObject()
	for _, f := range consoleLevels {
		_ = console.Set(f.name, v.consoleFunc(f.name, f.level))
	}
	v.global("console", console)
	v.global("structuredClone", v.native("structuredClone", func(call goja.FunctionCall) goja.Value {
		p, err := v.plain(call.Argument(0), false)
		if err != nil {
			v.throw(err)
		}
		val, err := v.value(p)
		if err != nil {
			v.throw(err)
		}
		return val
	}))
}

// lockObjects keeps Object.prototype from getting new properties: with a then, every object that an async
// handler answers would be taken for a promise; with a block, {block: true} would be written nowhere.
// Either makes a guard say nothing. Changing what is there already stays possible.
func (v *VM) lockObjects() {
	prevent, _ := goja.AssertFunction(v.rt.GlobalObject().Get("Object").(*goja.Object).Get("preventExtensions"))
	if _, err := prevent(goja.Undefined(), v.objProto); err != nil {
		panic(err)
	}
}

// global defines a global that a script may shadow but does not list.
func (v *VM) global(name string, val goja.Value) {
	_ = v.rt.GlobalObject().DefineDataProperty(name, val, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// consoleFunc is console.log and the like: one line for the script's log, through the same row as ext.log.
func (v *VM) consoleFunc(name, level string) goja.Value {
	return v.native(name, func(call goja.FunctionCall) goja.Value {
		row := v.row("log." + level)
		if row == nil {
			return nil
		}
		if _, err := v.bind.Invoke(v.current.run, row, []any{v.line(call.Arguments)}, engine.Position{}); err != nil {
			v.throw(err)
		}
		return nil
	})
}

func (v *VM) row(name string) *engine.Builtin {
	for _, f := range v.bind.Funcs {
		if f.Row.Name == name {
			return f
		}
	}
	return nil
}

// line writes values as console does: strings as they are, data as JSON.
func (v *VM) line(vals []goja.Value) string {
	var b strings.Builder
	for i, val := range vals {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v.inspect(val))
		if b.Len() > maxLogText {
			return b.String()[:maxLogText] + "…"
		}
	}
	return b.String()
}

func (v *VM) inspect(val goja.Value) string {
	obj, ok := val.(*goja.Object)
	if !ok {
		return val.String()
	}
	if obj.ClassName() == "Error" {
		return v.describe(obj)
	}
	p, err := v.plain(obj, false)
	if err != nil {
		return "[" + strings.TrimSuffix(strings.SplitN(err.Error(), ",", 2)[0], ":") + "]"
	}
	if p, err = engine.Plain(p); err != nil {
		return "[" + err.Error() + "]"
	}
	return jsonText(p)
}
