package js

import (
	"github.com/dop251/goja"
)

type guards struct {
	promise    goja.Value
	newError   rawFunc
	rangeError rawFunc
}

// rawFunc is a function of the interpreter as Go code calls it from inside a call: without a new entry.
type rawFunc = func(goja.FunctionCall) goja.Value

func raw(val goja.Value) rawFunc {
	if obj, ok := val.(*goja.Object); ok {
		if f, ok := obj.Export().(rawFunc); ok {
			return f
		}
	}
	return nil
}

func (v *VM) setLimits() {
	g := v.rt.GlobalObject()
	v.guards.promise = g.Get("Promise")
	v.guards.newError = raw(g.Get("Error"))
	v.guards.rangeError = raw(g.Get("RangeError"))
}
