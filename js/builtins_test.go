package js

import (
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/vm"
)

// everything finds all functions that are not the script's, with their paths, and makes some
// objects that they may be called on.
const everything = `
const found = new Map(), seen = new Set();
const made = { Object: {}, Array: [], Function: () => {}, Map: new Map(), Set: new Set(),
	RegExp: /x/g, Date: new Date(), Error: new Error("x"), Promise: Promise.resolve(),
	Uint8Array: new Uint8Array(8), DataView: new DataView(new ArrayBuffer(8)),
	WeakMap: new WeakMap(), WeakSet: new WeakSet(), values: [].values(),
	mapValues: new Map().values(), setValues: new Set().values(), String: "text",
	stringValues: "x"[Symbol.iterator](), matches: "x".matchAll(/x/g),
	generator: (function* () {})(), arguments: (function () { return arguments })(),
	async: async () => {}, Proxy: new Proxy({}, {}), bound: Math.max.bind(null) };
const walk = (path, x) => {
	if (Object(x) !== x || seen.has(x)) return;
	seen.add(x);
	if (typeof x === "function" && /\[native code\] }$/.test(Function.prototype.toString.call(x)))
		found.set(path, x);
	walk(path + ".__proto__", Object.getPrototypeOf(x));
	for (const key of Reflect.ownKeys(x)) {
		const own = Object.getOwnPropertyDescriptor(x, key), name = path + "." + String(key);
		walk(name, own?.value);
		walk("get " + name, own?.get);
		walk("set " + name, own?.set);
	}
};
for (const name of Reflect.ownKeys(globalThis)) globalThis[name]; // make the lazy ones
for (const name in made) walk(name, made[name]);
walk("global", globalThis);
globalThis.found = [[...found.keys()], [...found.values()], Object.values(made)];
ext.command({ name: "f", run: () => {} });
`

// unstopped are the built-ins that return an object even while an interrupt is pending. Most
// scripts use them, and a check would make them slower. SECURITY.md says what follows from it.
var unstopped = []string{
	"Array.__proto__.constructor", "Array.__proto__.constructor.of",
	"Error.__proto__.constructor", "Map.__proto__.entries", "Map.__proto__.keys",
	"Map.__proto__.set", "Map.__proto__.values", "Object.__proto__.constructor",
	"Object.__proto__.valueOf", "Promise.__proto__.catch", "Promise.__proto__.finally",
	"Promise.__proto__.then", "Set.__proto__.add",
	"Set.__proto__.entries", "Set.__proto__.values", "arguments.Symbol(Symbol.iterator)",
	"get Array.__proto__.constructor.Symbol(Symbol.species)", "get DataView.__proto__.buffer",
	"get Map.__proto__.constructor.Symbol(Symbol.species)", "get Object.__proto__.__proto__",
	"get Promise.__proto__.constructor.Symbol(Symbol.species)",
	"get RegExp.__proto__.constructor.Symbol(Symbol.species)",
	"get Set.__proto__.constructor.Symbol(Symbol.species)",
	"get Uint8Array.__proto__.__proto__.buffer",
	"get Uint8Array.__proto__.__proto__.constructor.Symbol(Symbol.species)",
	"get global.ArrayBuffer.Symbol(Symbol.species)", "global.EvalError", "global.GoError",
	"global.RangeError", "global.ReferenceError", "global.SyntaxError", "global.TypeError",
	"global.URIError", "mapValues.__proto__.next", "setValues.__proto__.next",
	"stringValues.__proto__.next", "values.__proto__.__proto__.Symbol(Symbol.iterator)",
}

// TestBuiltinsAreStopped calls every built-in while an interrupt is pending. Those that return an
// object must be stopped: built-ins that iterate call any function that is named next again and
// again until its result is no object, or is done.
func TestBuiltinsAreStopped(t *testing.T) {
	h := newTestHost(t)
	h.load(everything)
	v := h.fns["f"].fn.(*function).vm
	list := func(i string) (out []goja.Value) {
		obj := v.rt.GlobalObject().Get("found").(*goja.Object).Get(i).(*goja.Object)
		for _, key := range obj.Keys() {
			out = append(out, obj.Get(key))
		}
		return out
	}
	names, functions, objects := list("0"), list("1"), list("2")
	if len(functions) < 400 {
		t.Fatalf("found %d functions", len(functions))
	}
	var got []string
	for i, f := range functions {
		if slices.ContainsFunc(append(objects, goja.Undefined()), func(this goja.Value) bool {
			return returnsObject(v, f, this)
		}) {
			got = append(got, names[i].String())
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, unstopped) {
		t.Errorf("%d functions; not stopped:\n%q\nwant\n%q", len(functions), got, unstopped)
	}
}

// returnsObject calls a built-in while an interrupt is pending, and reports whether it returns an
// object.
func returnsObject(v *VM, f, this goja.Value) bool {
	v.realm.interrupt(vm.ErrClosed)
	defer v.realm.clearInterrupt()
	var out goja.Value
	_ = apart.Catch(func() { // most throw
		out = v.realm.function(f)(goja.FunctionCall{This: this})
	})
	_, is := out.(*goja.Object)
	return is
}

// shapes returns the names and lengths of functions, as text.
const shapes = `[Array, Array.prototype, String, String.prototype, RegExp.prototype, Object, JSON,
	Math, Map.prototype, Set.prototype, Promise, Function.prototype,
	Object.getPrototypeOf(Uint8Array.prototype), ArrayBuffer.prototype, Reflect, Number
].map((x) => Reflect.ownKeys(x).map((key) => {
	const f = Object.getOwnPropertyDescriptor(x, key).value;
	if (typeof f !== "function" || key === "constructor") return "";
	return String(key) + "/" + f.name + f.length;
}).filter((s) => s).sort().join(" ")).join("\n")`

// TestBuiltinsLookAlike compares the names and lengths of guarded built-ins with those of goja.
func TestBuiltinsLookAlike(t *testing.T) {
	h := newTestHost(t)
	h.load("ext.command({ name: 'f', run: () => " + shapes + " })")
	got, err := h.run(vm.KindTool, "f")
	if err != nil {
		t.Fatal(err)
	}
	want, err := goja.New().RunString(shapes)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Fields(got.(string)), strings.Fields(want.String())
	for _, f := range b {
		if !slices.Contains(a, f) {
			t.Errorf("there is no %s", f)
		}
	}
}

// TestInterpreted checks that functions of scripts are told from those of the interpreter.
func TestInterpreted(t *testing.T) {
	h := newTestHost(t)
	h.load("globalThis.own = [() => {}, function () {}, async () => {}, function* () {}, " +
		"{ m() {} }.m, class {}, async function () {}, { async m() {} }.m, { *m() {} }.m];" +
		"globalThis.others = [Math.abs, ''.repeat, [].map, Object, (() => {}).bind()]; " +
		"ext.command({ name: 'f', run: () => {} })")
	v := h.fns["f"].fn.(*function).vm
	for name, want := range map[string]bool{"own": true, "others": false} {
		list := v.rt.GlobalObject().Get(name).(*goja.Object)
		for _, key := range list.Keys() {
			if f := raw(list.Get(key)); f != nil && v.guards.args.interpreted(f) != want {
				t.Errorf("%s %s: got %v", name, key, !want)
			}
		}
	}
}

// TestEndingIterators checks which iterators are treated as ones that end.
func TestEndingIterators(t *testing.T) {
	h := newTestHost(t)
	h.load("const it = new Set().values(); it.next = Object; const own = [].values(); " +
		"Object.defineProperty(own, 'next', { get: () => Object }); " +
		"globalThis.ends = [new Map().entries(), new Set().keys(), [].values()]; " +
		"globalThis.others = [it, own, { next: Object }, (function* () {})(), Object.create({}), " +
		"new Proxy([].values(), {})]; ext.command({ name: 'f', run: () => {} })")
	v := h.fns["f"].fn.(*function).vm
	for name, want := range map[string]bool{"ends": true, "others": false} {
		list := v.rt.GlobalObject().Get(name).(*goja.Object)
		for _, key := range list.Keys() {
			if got := v.guards.args.endsItself(list.Get(key).(*goja.Object)); got != want {
				t.Errorf("%s %s: got %v", name, key, got)
			}
		}
	}
}
