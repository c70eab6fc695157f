// This file holds the realm: the interpreter that all parts of the VM share.

package js

import (
	"sync"

	"github.com/dop251/goja"
)

// realm is an interpreter and the objects of it that all parts need. Only the holder of the turn
// may use it.
type realm struct {
	rt       *goja.Runtime
	builtins *goja.Object // the interpreter's own global object, which scripts do not see
	objProto *goja.Object // Object.prototype

	newError rawFunc // Error
	describe rawFunc // Object.getOwnPropertyDescriptor

	accessor     *goja.Object                  // what the proxies of lazy globals stand for
	hasInstance  goja.Value                    // [Symbol.hasInstance] of all guarded constructors
	constructors map[*goja.Object]*goja.Object // guarded constructors and their originals

	meter meter // what built-ins take
}

// text converts val to a string as the language does. It may run code of the script.
func (r *realm) text(val goja.Value) goja.String {
	switch x := val.(type) {
	case goja.String:
		return x
	case *goja.Symbol:
		panic(r.rt.NewTypeError("cannot make a string of a symbol"))
	}
	return r.rt.ToValue(val.String()).(goja.String)
}

// native makes a JavaScript function of a Go function. A built-in may call it any number of times
// without an instruction in between, so it checks for an interrupt. It never returns nil to the
// interpreter, which would panic on a goroutine that does not recover.
func (r *realm) native(name string, fn func(goja.FunctionCall) goja.Value) *goja.Object {
	return r.named(name, func(call goja.FunctionCall) goja.Value {
		r.meter.poll()
		if out := fn(call); out != nil {
			return out
		}
		return goja.Undefined()
	})
}

// guarded makes a function like native, of a guard and the function of the interpreter that it
// calls.
func (r *realm) guarded(name string, g guard, orig rawFunc, like goja.Value) *goja.Object {
	obj := r.named(name, func(call goja.FunctionCall) goja.Value {
		r.meter.poll()
		if out := g(call, orig); out != nil {
			return out
		}
		return goja.Undefined()
	})
	_ = obj.DefineDataProperty("length", like.(*goja.Object).Get("length"), goja.FLAG_FALSE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	return obj
}

func (r *realm) named(name string, fn rawFunc) *goja.Object {
	obj := r.rt.ToValue(fn).(*goja.Object)
	_ = obj.DefineDataProperty("name", r.nameValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE,
		goja.FLAG_FALSE)
	return obj
}

// functionNames are the names of functions as values, which all realms share: each has hundreds.
var functionNames sync.Map

func (r *realm) nameValue(name string) goja.Value {
	if val, ok := functionNames.Load(name); ok {
		return val.(goja.Value)
	}
	val, _ := functionNames.LoadOrStore(name, r.rt.ToValue(name))
	return val.(goja.Value)
}

// global defines a global that a script may redefine and that is not enumerable.
func (r *realm) global(name string, val goja.Value) {
	_ = r.rt.GlobalObject().DefineDataProperty(name, val, goja.FLAG_TRUE, goja.FLAG_TRUE,
		goja.FLAG_FALSE)
}

// wrap replaces the method name of obj with g.
func (r *realm) wrap(obj *goja.Object, name string, g guard) {
	orig := raw(obj.Get(name))
	if orig == nil {
		return
	}
	f := r.guarded(name, g, orig, obj.Get(name))
	_ = obj.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// wrapSymbol replaces the method of obj for a symbol with g.
func (r *realm) wrapSymbol(obj *goja.Object, sym *goja.Symbol, name string, g guard) {
	orig := raw(obj.GetSymbol(sym))
	if orig == nil {
		return
	}
	f := r.guarded(name, g, orig, obj.GetSymbol(sym))
	_ = obj.DefineDataPropertySymbol(sym, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// guardConstructor returns a constructor that checks its arguments first. check may replace them
// with setArgument: an object may convert to something else when the constructor converts it again.
// The constructor is a proxy, so that instanceof, subclasses and static methods work as before.
func (r *realm) guardConstructor(ctor *goja.Object, check func(*goja.FunctionCall)) goja.Value {
	call, construct := raw(ctor), goja.Constructor(nil)
	if c, ok := goja.AssertConstructor(ctor); ok {
		construct = c
	}
	p := r.rt.NewProxy(ctor, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, this goja.Value, args []goja.Value) goja.Value {
			r.meter.poll()
			c := goja.FunctionCall{This: this, Arguments: args}
			check(&c)
			return call(c)
		},
		Construct: func(_ *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			r.meter.poll()
			c := goja.FunctionCall{Arguments: args}
			check(&c)
			out, err := construct(newTarget, c.Arguments...)
			if err != nil {
				panic(err)
			}
			return out
		},
	})
	val := r.rt.ToValue(p)
	r.constructors[val.(*goja.Object)] = ctor
	// The interpreter's instanceof does not know proxies.
	_ = ctor.DefineDataPropertySymbol(goja.SymHasInstance, r.hasInstance, goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	return val
}

// guardGlobal replaces a global constructor, and its prototype's property, with a guarded one.
func (r *realm) guardGlobal(name string, ctor *goja.Object, check func(*goja.FunctionCall)) {
	guarded := r.guardConstructor(ctor, check)
	r.setConstructor(ctor.Get("prototype").(*goja.Object), guarded)
	r.global(name, guarded)
}

// setConstructor sets the constructor property of a prototype.
func (r *realm) setConstructor(proto *goja.Object, ctor goja.Value) {
	_ = proto.DefineDataProperty("constructor", ctor, goja.FLAG_TRUE, goja.FLAG_TRUE,
		goja.FLAG_FALSE)
}

// throwRange throws a RangeError.
func (r *realm) throwRange(msg string) {
	newError := raw(r.builtins.Get("RangeError"))
	panic(newError(goja.FunctionCall{Arguments: []goja.Value{r.rt.ToValue(msg)}}))
}

// runProgram runs a compiled program inside a call. If the program throws, so does runProgram.
func (r *realm) runProgram(p *goja.Program) goja.Value {
	out, err := r.rt.RunProgram(p)
	if err != nil {
		panic(err)
	}
	return out
}

// raw returns the function in val, nil if val is not a function.
func raw(val goja.Value) rawFunc {
	obj, ok := val.(*goja.Object)
	if !ok {
		return nil
	}
	if _, ok := goja.AssertFunction(obj); !ok {
		return nil
	}
	f, _ := obj.Export().(rawFunc)
	return f
}

// function returns the function in val as raw does, and also a proxy of a function.
func (r *realm) function(val goja.Value) rawFunc {
	if f := raw(val); f != nil {
		return f
	}
	if val == nil {
		return nil
	}
	f, ok := goja.AssertFunction(val)
	if !ok {
		return nil
	}
	return func(call goja.FunctionCall) goja.Value {
		out, err := f(call.This, call.Arguments...)
		if err != nil {
			panic(err)
		}
		return out
	}
}

// setRealm finds the objects that the realm needs. It must be called before anything is guarded.
func (r *realm) setRealm() {
	r.setGlobalObject()
	get := func(name string) *goja.Object { return r.rt.Get(name).(*goja.Object) }
	r.constructors = map[*goja.Object]*goja.Object{}
	r.objProto = get("Object").Get("prototype").(*goja.Object)
	r.newError = raw(get("Error"))
	r.describe = raw(get("Object").Get("getOwnPropertyDescriptor"))
	inherits :=
		raw(get("Function").Get("prototype").(*goja.Object).GetSymbol(goja.SymHasInstance))
	r.hasInstance = r.native("[Symbol.hasInstance]", func(call goja.FunctionCall) goja.Value {
		if ctor, ok := call.This.(*goja.Object); ok && r.constructors[ctor] != nil {
			call.This = r.constructors[ctor]
		}
		return inherits(call)
	})
}

// interrupt makes the code in the VM stop soon with err. The watchdog calls it.
func (r *realm) interrupt(err error) {
	r.meter.stopping.Store(true)
	r.rt.Interrupt(err)
}

// clearInterrupt clears an interrupt when the run that it was meant for leaves the VM.
func (r *realm) clearInterrupt() {
	r.meter.stopping.Store(false)
	r.rt.ClearInterrupt()
}
