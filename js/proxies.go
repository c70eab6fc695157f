// This file limits recursion in Go. The interpreter counts the calls on its own stack, but it looks
// up a property of a proxy in Go. A proxy that is its own prototype makes the lookup infinite,
// without an instruction in between, and Go ends the process when a stack reaches a gigabyte. (A
// generator that delegates to itself runs instructions in between. The watchdog, which also
// measures stacks, stops it.)

package js

import (
	"github.com/dop251/goja"
)

// maxNested is how deep operations of proxies may nest: as deep as calls.
const maxNested = maxCallStack

const tooNested = "maximum call stack size exceeded"

// proxies are the guarded functions of Proxy and Reflect, and those that set a prototype.
type proxies struct {
	realm  *realm
	rt     *goja.Runtime // that of realm
	args   *arguments
	lists  *lists
	ask    guard // of functions that test for a property
	nested int   // depth of nested operations
}

// deeper counts an operation that may lead to another of its kind, until the returned function is
// called. It checks for an interrupt.
func (p *proxies) deeper() (done func()) {
	p.realm.meter.poll()
	if p.nested >= maxNested {
		p.realm.throwRange(tooNested)
	}
	p.nested++
	return func() { p.nested-- }
}

// setReflect sets the globals Reflect and Proxy. Both are guarded when the script reads one of
// them, since nothing else leads to them.
func (p *proxies) setReflect() {
	var proxy goja.Value
	guarded := func() (reflect, ctor goja.Value) {
		obj := p.realm.builtins.Get("Reflect").(*goja.Object)
		if proxy == nil {
			p.realm.wrap(obj, "setPrototypeOf", p.setPrototype)
			proxy = p.guardProxies(p.realm.builtins.Get("Proxy").(*goja.Object), obj)
			p.guardReflect(obj)
		}
		return obj, proxy
	}
	p.realm.setLazy("Reflect", func(string) goja.Value {
		reflect, _ := guarded()
		return reflect
	})
	p.realm.setLazy("Proxy", func(string) goja.Value {
		_, ctor := guarded()
		return ctor
	})
}

// guardReflect guards the functions of Reflect as those of Object and Function are.
func (p *proxies) guardReflect(reflect *goja.Object) {
	p.realm.wrap(reflect, "ownKeys", p.lists.allKeys)
	p.realm.wrap(reflect, "getOwnPropertyDescriptor", p.ask)
	for i, name := range []string{"construct", "apply"} {
		p.realm.wrap(reflect, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			p.args.pinArgument(&call, 1+i)
			return orig(call)
		})
	}
}

// guardProxies returns a guarded Proxy, which replaces the handler of every proxy with our own.
// Ours calls that of the script, or the functions of Reflect.
func (p *proxies) guardProxies(ctor, reflect *goja.Object) goja.Value {
	defaults := map[string]rawFunc{}
	for _, name := range reflect.GetOwnPropertyNames() {
		if f := raw(reflect.Get(name)); f != nil {
			defaults[name] = f
		}
	}
	handled := func(call *goja.FunctionCall) {
		if handler, ok := call.Argument(1).(*goja.Object); ok {
			setArgument(call, 1, p.rt.NewDynamicObject(&proxyHandler{proxies: p, handler: handler,
				defaults: defaults}))
		}
	}
	p.realm.wrap(ctor, "revocable", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		handled(&call)
		return orig(call)
	})
	return p.realm.guardConstructor(ctor, handled)
}

// proxyHandler is the handler of a proxy. It has every trap. A trap calls the trap of the script's
// handler, or the default operation if there is none.
type proxyHandler struct {
	proxies  *proxies
	handler  *goja.Object
	defaults map[string]rawFunc // the functions of Reflect, which have the names of the traps
	traps    map[string]goja.Value
}

func (h *proxyHandler) Get(name string) goja.Value {
	if t := h.traps[name]; t != nil {
		return t
	}
	def := h.defaults[name]
	if def == nil {
		return goja.Undefined()
	}
	trap := h.proxies.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		defer h.proxies.deeper()()
		out := h.call(name, def, call.Arguments)
		if keys, ok := out.(*goja.Object); ok && name == "ownKeys" {
			out = h.proxies.args.copied(keys, maxItems, tooManyItems) // no item may be missing
		}
		return out
	})
	if h.traps == nil {
		h.traps = map[string]goja.Value{}
	}
	h.traps[name] = trap
	return trap
}

func (h *proxyHandler) call(name string, def rawFunc, args []goja.Value) goja.Value {
	own := h.handler.Get(name)
	if own == nil || goja.IsUndefined(own) || goja.IsNull(own) {
		return def(goja.FunctionCall{This: goja.Undefined(), Arguments: args})
	}
	if f := raw(own); f != nil {
		return f(goja.FunctionCall{This: h.handler, Arguments: args})
	}
	f, ok := goja.AssertFunction(own)
	if !ok {
		panic(h.proxies.rt.NewTypeError("the trap %s of a proxy is not a function", name))
	}
	out, err := f(h.handler, args...)
	if err != nil {
		panic(err)
	}
	return out
}

func (h *proxyHandler) Set(string, goja.Value) bool { return false }
func (h *proxyHandler) Has(string) bool             { return true }
func (h *proxyHandler) Delete(string) bool          { return false }
func (h *proxyHandler) Keys() []string              { return nil }

// guardPrototypes keeps guarded constructors, which are proxies of ours, from becoming their own
// prototype: the interpreter finds such cycles only among ordinary objects.
func (p *proxies) guardPrototypes(object *goja.Object) {
	p.realm.wrap(object, "setPrototypeOf", p.setPrototype)
	describe := raw(object.Get("getOwnPropertyDescriptor"))
	accessor := describe(goja.FunctionCall{This: object, Arguments: []goja.Value{p.realm.objProto,
		p.rt.ToValue("__proto__")}}).(*goja.Object)
	p.realm.wrap(accessor, "set", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		p.checkPrototype(call.This, call.Argument(0))
		return orig(call)
	})
	_ = p.realm.objProto.DefineAccessorProperty("__proto__", accessor.Get("get"),
		accessor.Get("set"), goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// setPrototype is the guard of setPrototypeOf.
func (p *proxies) setPrototype(call goja.FunctionCall, orig rawFunc) goja.Value {
	p.checkPrototype(call.Argument(0), call.Argument(1))
	return orig(call)
}

// checkPrototype throws if proto inherits from obj already, looking through our proxies.
func (p *proxies) checkPrototype(val, proto goja.Value) {
	obj, ok := val.(*goja.Object)
	if !ok {
		return
	}
	if obj.ExportType() == proxyType && p.realm.constructors[obj] != nil {
		obj = p.realm.constructors[obj]
	}
	for up, _ := proto.(*goja.Object); up != nil; up = up.Prototype() {
		proxy := up.ExportType() == proxyType
		if proxy && p.realm.constructors[up] != nil {
			up, proxy = p.realm.constructors[up], false
		}
		if up == obj {
			panic(p.rt.NewTypeError("Cyclic __proto__ value"))
		}
		if proxy {
			return // a proxy of the script: its traps are counted
		}
	}
}
