// This file sets the globals of a script.

package js

import (
	_ "embed" // for language.js
	"time"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

//go:embed language.js
var languageSource string

// preludeName is the name of the prelude's program.
const preludeName = "prelude"

// prelude sets the globals that must be JavaScript: noop must be an interpreted function, plus uses
// the interpreter's operator, and queueMicrotask adds a job to its queue.
var prelude = `({
	noop() {},
	plus: (a, b) => a + b,
	queueMicrotask: ((then, resolved) => (f) => {
		if (typeof f !== "function") throw new TypeError("queueMicrotask: want a function");
		then.call(resolved, () => { f(); });
	})(Promise.prototype.then, Promise.resolve()),
	functions: [async () => {}, function* () {}],
	samples: [() => {}, function () {}, { method() {} }.method, class {}, async function () {},
		{ async method() {} }.method, { *method() {} }.method],
	language: ` + languageSource + `,
})`

// runPrelude runs the prelude and sets what it makes.
func (v *VM) runPrelude(program *goja.Program) {
	val, err := v.rt.RunProgram(program)
	if err != nil {
		panic(err)
	}
	obj := val.(*goja.Object)
	v.realm.meter.noop, _ = goja.AssertFunction(obj.Get("noop"))
	v.guards.joiner.plus = raw(obj.Get("plus"))
	v.realm.global("queueMicrotask", obj.Get("queueMicrotask"))
	complete, _ := goja.AssertFunction(obj.Get("language"))
	if _, err := complete(goja.Undefined(), v.realm.native("add", addMissing),
		obj.Get("noop")); err != nil {
		panic(err)
	}
	functions, samples := obj.Get("functions").(*goja.Object), obj.Get("samples").(*goja.Object)
	for _, list := range []*goja.Object{functions, samples} {
		for _, i := range list.Keys() {
			v.guards.args.setEntries(list.Get(i))
		}
	}
	// async functions and generators have constructors without a name, which compile text like
	// Function
	for _, i := range []string{"0", "1"} {
		proto := functions.Get(i).(*goja.Object).Prototype()
		if ctor, ok := proto.Get("constructor").(*goja.Object); ok && ctor != nil {
			v.realm.setConstructor(proto, v.realm.guardConstructor(ctor, v.guards.checkCode))
		}
	}
}

// addMissing defines the methods of the second argument that the first one lacks.
func addMissing(call goja.FunctionCall) goja.Value {
	obj, methods := call.Argument(0).(*goja.Object), call.Argument(1).(*goja.Object)
	for _, name := range methods.Keys() {
		if obj.Get(name) == nil {
			_ = obj.DefineDataProperty(name, methods.Get(name), goja.FLAG_TRUE, goja.FLAG_TRUE,
				goja.FLAG_FALSE)
		}
	}
	return nil
}

// setGlobals sets ext, console and the functions that the language lacks and authors expect.
func (v *VM) setGlobals() {
	v.realm.lockObjects()
	v.realm.setLazy("Symbol", func(name string) goja.Value {
		symbol := v.realm.builtins.Get(name).(*goja.Object)
		v.realm.setSymbols(symbol)
		return symbol
	})
	v.realm.global("ext", v.newNamespace(""))
	v.realm.global("require", v.realm.native("require", v.requireModule))
	v.realm.setLazy("console", func(string) goja.Value {
		c := &console{realm: &v.realm, rt: v.rt, values: v.values, now: v.now, write: v.log}
		return c.newConsole()
	})
}

// setSymbols adds the symbols of newer syntax that esbuild rewrites: its output uses these names.
func (r *realm) setSymbols(symbol *goja.Object) {
	of, _ := goja.AssertFunction(symbol.Get("for"))
	for _, name := range []string{"asyncIterator", "dispose", "asyncDispose"} {
		s, err := of(symbol, r.rt.ToValue("Symbol."+name))
		if err != nil {
			panic(err)
		}
		_ = symbol.DefineDataProperty(name, s, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	}
}

// lockObjects prevents new properties of Object.prototype. With a then, every object that an async
// handler returns would be treated as a promise; with a block, {block: true} would define no
// property. Either makes a guard return nothing. Existing properties can still be changed.
func (r *realm) lockObjects() {
	prevent, _ := goja.AssertFunction(r.rt.GlobalObject().Get("Object").(*goja.Object).Get(
		"preventExtensions"))
	if _, err := prevent(goja.Undefined(), r.objProto); err != nil {
		panic(err)
	}
}

func (v *VM) row(name string) *engine.Builtin {
	for _, f := range v.bind.Funcs {
		if f.Row.Name == name {
			return f
		}
	}
	return nil
}

// log writes a line to the script's log. It throws what ext.log throws.
func (v *VM) log(level, text string) {
	row := v.row("log." + level)
	if row == nil {
		return
	}
	if _, err := v.bind.Invoke(v.current.run, row, []any{text}, fault.Position{}); err != nil {
		v.failures.raise(err)
	}
}

// now returns the time of the engine's clock.
func (v *VM) now() time.Time { return v.bind.Gen.Engine().Clock().Now() }
