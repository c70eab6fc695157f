// This file makes the global object of a script. Most built-ins, the web API and console are made
// when the script first reads their names, in whatever way: few scripts need them, and all of them
// together take more memory than the rest of a small script.

package js

import (
	"slices"
	"sync"

	"github.com/dop251/goja"
)

// noBigInt are the globals that would make BigInts. In BigInt arithmetic a single operator can take
// unlimited time and memory, and it has no hook that could stop it.
var noBigInt = []string{"BigInt", "BigInt64Array", "BigUint64Array"}

// constants are the globals that cannot be changed.
var constants = []string{"Infinity", "NaN", "undefined"}

// eager are the built-ins that are made at once: the guards need them, or they take less memory
// than a lazyGlobal.
var eager = []string{"Array", "Date", "Error", "Function", "Number", "Object", "Promise",
	"RegExp", "String", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent",
	"escape", "eval", "isFinite", "isNaN", "parseFloat", "parseInt", "unescape"}

// builtinNames returns the names of the interpreter's globals. It asks an interpreter of its own,
// since the question makes all of them.
var builtinNames = sync.OnceValue(func() []string {
	return goja.New().GlobalObject().GetOwnPropertyNames()
})

// setGlobalObject replaces the interpreter's global object with one that has the same names, except
// those of BigInts. The interpreter's own makes a built-in even if its name is only deleted or
// redefined, and keeps it.
func (r *realm) setGlobalObject() {
	r.builtins = r.rt.GlobalObject()
	globals := r.rt.NewObject()
	r.accessor = r.native("", func(goja.FunctionCall) goja.Value { return nil })
	r.rt.SetGlobalObject(globals)
	for _, name := range builtinNames() {
		switch {
		case slices.Contains(constants, name):
			_ = globals.DefineDataProperty(name, r.builtins.Get(name), goja.FLAG_FALSE,
				goja.FLAG_FALSE, goja.FLAG_FALSE)
		case slices.Contains(eager, name):
			r.global(name, r.builtins.Get(name))
		case !slices.Contains(noBigInt, name):
			r.setLazy(name, r.builtins.Get)
		}
	}
	r.global("globalThis", globals)
	_ = globals.DefineDataPropertySymbol(goja.SymToStringTag, r.rt.ToValue("global"),
		goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// lazyGlobal is a global that is made when it is first read. Until it is read or set, it is a
// property with a getter and a setter, as some globals of Node are.
type lazyGlobal struct {
	realm     *realm
	name      string
	makeValue func(name string) goja.Value // nil = made
	value     goja.Value
}

// setLazy defines a global that makeValue makes when it is first read. The getter, which is also
// the setter, is a proxy, because a function takes 200 bytes more, and there are some 60 of them.
func (r *realm) setLazy(name string, makeValue func(name string) goja.Value) {
	g := &lazyGlobal{realm: r, name: name, makeValue: makeValue}
	access := r.rt.ToValue(r.rt.NewProxy(r.accessor, &goja.ProxyTrapConfig{Apply: g.access}))
	_ = r.rt.GlobalObject().DefineAccessorProperty(name, access, access, goja.FLAG_TRUE,
		goja.FLAG_FALSE)
}

// access gets the global, or sets it if it has an argument.
func (g *lazyGlobal) access(_ *goja.Object, _ goja.Value, args []goja.Value) goja.Value {
	g.realm.meter.poll()
	if len(args) > 0 {
		g.realm.global(g.name, args[0])
		return goja.Undefined()
	}
	if g.makeValue != nil {
		g.value = g.makeValue(g.name)
		g.makeValue = nil
		g.realm.global(g.name, g.value) // fails if the global object is frozen
	}
	return g.value
}
