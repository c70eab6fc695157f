// This file makes tables that a script may change and that cost little until it reads them: a guard that reads a command line looks at
// one or two fields of each command.

package lua

import (
	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
)

// eagerWords are words one of which must stand in a source that does to a table what a late one has no part in: to have a metatable, or
// to be an environment. Such a script gets whole tables.
var eagerWords = []string{"setmetatable", "getmetatable", "setfenv", "load"}

// lateTable makes a table of a result whose fields are converted when they are read.
func (vm *VM) lateTable(src engine.Constant, depth int) (glua.LValue, error) {
	if vm.eager {
		return vm.objectTable(src, depth)
	}
	l := vm.newView(src, src, nil)
	l.Value.(*view).late = true
	return l, nil
}

// convert makes what a field reads as.
func (v *view) convert(raw any) glua.LValue {
	if !v.late {
		return v.vm.lazy(raw)
	}
	l, err := v.vm.table(raw)
	if err != nil {
		panic(err) // a mistake in the program; recovered at the boundary
	}
	return l
}

// whole is the table that a late one stands for, with all its fields.
func (v *view) whole() *glua.LTable {
	if v.own != nil {
		return v.own
	}
	keys := v.obj.Keys()
	own := v.vm.base.CreateTable(0, len(keys))
	for _, k := range keys {
		if l := v.field(k); l != glua.LNil {
			own.RawSetString(k, l)
		}
	}
	v.own, v.obj, v.raw, v.firstView, v.named = own, nil, nil, nil, nil
	return own
}
