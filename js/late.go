// This file makes objects that a script may change and that cost little until it reads them: a guard that reads a command line looks at
// one or two fields of each command.

package js

import (
	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
)

// eagerWords are words one of which must stand in a source that does to an object what a late one has no part in: to close it, to hide
// fields or to compute them, to name them by symbols. Such a script gets whole objects.
var eagerWords = []string{"Symbol", "Reflect", "freeze", "seal", "preventExtensions", "defineProperty", "defineProperties", "captureStackTrace"}

// lateObject is a table of a result whose fields are converted when they are read. It implements goja.DynamicObject.
type lateObject struct {
	v    *VM
	src  engine.Constant
	read []cached     // fields with parts that were read: the script may have changed those, and they keep their identity
	own  *goja.Object // all of it, once the script has listed or changed it
}

func (v *VM) late(src engine.Constant, depth int) (goja.Value, error) {
	if v.eager {
		return v.object(src.Keys(), src.Get, depth)
	}
	return v.rt.NewDynamicObject(&lateObject{v: v, src: src}), nil
}

// field converts a field, once.
func (o *lateObject) field(key string) (goja.Value, bool, error) {
	for i := range o.read {
		if o.read[i].key == key {
			return o.read[i].val, true, nil
		}
	}
	x, ok := o.src.Get(key)
	if !ok {
		return nil, false, nil
	}
	val, err := o.v.value(x)
	if _, parts := val.(*goja.Object); parts {
		o.read = append(o.read, cached{key, val})
	}
	return val, true, err
}

// whole is the object with all its fields.
func (o *lateObject) whole() *goja.Object {
	if o.own != nil {
		return o.own
	}
	own := o.v.rt.CreateObject(nil)
	for _, key := range o.src.Keys() {
		val, ok, err := o.field(key)
		if err == nil && ok {
			err = own.Set(key, val)
		}
		if err != nil {
			o.v.throw(err)
		}
	}
	o.own, o.read, o.src = own, nil, nil
	return own
}

// Get implements goja.DynamicObject.
func (o *lateObject) Get(key string) goja.Value {
	if o.own != nil {
		return o.own.Get(key)
	}
	val, _, err := o.field(key)
	if err != nil {
		o.v.throw(err)
	}
	return val
}

// Has implements goja.DynamicObject.
func (o *lateObject) Has(key string) bool {
	if o.own != nil {
		return o.own.Get(key) != nil
	}
	_, ok := o.src.Get(key)
	return ok
}

// Keys implements goja.DynamicObject.
func (o *lateObject) Keys() []string { return o.whole().Keys() }

// Set implements goja.DynamicObject.
func (o *lateObject) Set(key string, val goja.Value) bool { return o.whole().Set(key, val) == nil }

// Delete implements goja.DynamicObject.
func (o *lateObject) Delete(key string) bool { return o.whole().Delete(key) == nil }
