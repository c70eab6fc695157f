// This file starts the requests of fetch.

package js

import (
	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
)

// fetchRequest makes the function that starts a request of fetch, nil if scripts have no network.
func (v *VM) fetchRequest() func(goja.FunctionCall) goja.Value {
	row := v.row("http.request")
	if row == nil {
		return nil
	}
	start := v.builtinNamed(row, "fetch")
	return func(call goja.FunctionCall) goja.Value { return v.webRequest(start, call) }
}

// webRequest starts a request for fetch. It returns the promise and the functions that fetch needs.
func (v *VM) webRequest(start goja.Value, call goja.FunctionCall) goja.Value {
	act := v.current
	promise := raw(start)(call)
	op := act.ops[len(act.ops)-1]
	out := v.rt.NewObject()
	set := func(name string, fn func(call goja.FunctionCall) goja.Value) {
		_ = out.Set(name, v.realm.native(name, fn))
	}
	_ = out.Set("promise", promise)
	set("begun", func(goja.FunctionCall) goja.Value { op.begun = true; return nil })
	set("over", func(goja.FunctionCall) goja.Value {
		return v.rt.ToValue(act.over ||
			act.gone.Load())
	})
	set("watch", func(call goja.FunctionCall) goja.Value {
		v.watch(op,
			call.Argument(0).(*goja.Object))
		return nil
	})
	return out
}

// builtinNamed is builtin with another name in errors.
func (v *VM) builtinNamed(f *engine.Builtin, name string) goja.Value {
	row := *f.Row
	row.Name = name
	return v.builtin(&engine.Builtin{Row: &row, Func: f.Func, Bare: true})
}
