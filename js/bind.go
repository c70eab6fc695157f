// This file builds ext from the rows of the API table.

package js

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// namespace is ext or a group in it (ext.ui): an object that creates its properties when they are
// first read. It is read-only, and reading an unknown name is an error. It implements
// goja.DynamicObject.
type namespace struct {
	v      *VM
	prefix string // "" or "ui."
	names  []string
	made   map[string]goja.Value
}

// newNamespace returns the object for the namespace with a prefix ("" = ext itself).
func (v *VM) newNamespace(prefix string) *goja.Object {
	return v.rt.NewDynamicObject(&namespace{v: v, prefix: prefix, names: v.bind.Names(prefix),
		made: map[string]goja.Value{}})
}

// Get implements goja.DynamicObject. Facts are computed at each read.
func (n *namespace) Get(key string) goja.Value {
	if val := n.made[key]; val != nil {
		return val
	}
	if !n.Has(key) {
		return n.unknown(key)
	}
	for _, f := range n.v.bind.Funcs {
		if f.Row.Name != n.prefix+key {
			continue
		}
		if f.Row.Fact {
			val, err := n.v.values.value(n.v.bind.Fact(f.Row))
			if err != nil {
				n.v.failures.raise(err)
			}
			return val
		}
		n.made[key] = n.v.builtin(f)
		return n.made[key]
	}
	n.made[key] = n.v.newNamespace(n.prefix + key + ".")
	return n.made[key]
}

// unknown throws, except for names that the language itself reads from any object.
func (n *namespace) unknown(key string) goja.Value {
	if key == "then" || key == "toJSON" || n.v.realm.objProto.Get(key) != nil {
		return nil
	}
	err := n.v.bind.NoName(strings.TrimSuffix(n.prefix, "."), key)
	panic(n.v.rt.NewTypeError("%s", err.Error()))
}

// Has implements goja.DynamicObject.
func (n *namespace) Has(key string) bool {
	for _, name := range n.names {
		if name == key {
			return true
		}
	}
	return false
}

// Keys implements goja.DynamicObject.
func (n *namespace) Keys() []string { return n.names }

// Set implements goja.DynamicObject. It throws.
func (n *namespace) Set(string, goja.Value) bool { panic(n.v.rt.NewTypeError("ext is read-only")) }

// Delete implements goja.DynamicObject. It throws.
func (n *namespace) Delete(string) bool { panic(n.v.rt.NewTypeError("ext is read-only")) }

// builtin makes the JavaScript function for a row. A call goes through Binding.Invoke, directly or
// behind a promise.
func (v *VM) builtin(f *engine.Builtin) goja.Value {
	return v.realm.native(f.FullName(), func(call goja.FunctionCall) goja.Value {
		return v.callHost(f, call.Arguments)
	})
}

// callHost calls an API function. If the function waits, callHost returns a promise.
func (v *VM) callHost(f *engine.Builtin, in []goja.Value) goja.Value {
	name := f.FullName()
	var signal *goja.Object
	if f.Row.Aborts {
		signal = v.web.takeSignal(name, in)
	}
	args, err := v.args(f, in)
	if err != nil {
		v.failures.raise(err)
	}
	if f.Row.Waits {
		if v.inline > 0 {
			v.failures.raise(fmt.Errorf(
				"%s waits, which the function that it is called in must not", name))
		}
		return v.startCall(f, name, args, signal)
	}
	var pos fault.Position
	if f.Row.Loading || f.Row.Placed {
		pos = v.failures.registration()
	}
	out, err := v.bind.Invoke(v.current.run, f, args, pos)
	if err != nil {
		v.failures.raise(err)
	}
	val, err := v.values.value(out)
	if err != nil {
		v.failures.raise(fmt.Errorf("%s: result: %w", name, err))
	}
	return val
}

// args converts the arguments of an API call.
func (v *VM) args(f *engine.Builtin, in []goja.Value) ([]any, error) {
	args := make([]any, len(in))
	for i := range args {
		x, err := v.values.data(in[i])
		if err != nil {
			return nil, f.BadArgument(i, err)
		}
		args[i] = x
	}
	return args, nil
}
