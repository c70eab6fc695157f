// This file sets the globals of a script.

package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// removed are the globals of gopher-lua's base library that scripts do not have, because they read
// files, act on the process or have no use here. io, debug, package and channel are not opened at
// all.
var removed = []string{"dofile", "loadfile", "module", "newproxy", "_printregs",
	"_GOPHER_LUA_VERSION"}

// setGlobals sets the globals.
func (vm *VM) setGlobals() {
	L := vm.base
	for _, open := range []glua.LGFunction{glua.OpenBase, glua.OpenTable, glua.OpenString,
		glua.OpenMath, glua.OpenCoroutine} {
		L.Push(L.NewFunction(open))
		L.Call(0, 0)
	}
	for _, name := range removed {
		L.SetGlobal(name, glua.LNil)
	}
	debug := L.CreateTable(0, 1)
	L.SetGlobal("debug", debug)
	debug.RawSetString("traceback", L.NewFunction(luaTraceback))

	vm.openProtected()
	(&coroutines{realm: &vm.realm, failures: vm.failures,
		kinds: map[uintptr]frameKind{}}).setCoroutines()
	(&guards{realm: &vm.realm, failures: vm.failures, values: vm.values,
		clock: vm.bind.Gen.Engine().Clock(),
		rand:  vm.bind.Gen.Engine().Random().Numbers()}).setGuards()
	(&patterns{realm: &vm.realm, failures: vm.failures, turn: vm.turn}).setPatterns()
	vm.openBasics()
	L.SetTop(0)
}

// openBasics replaces base functions that must support views, or whose version in gopher-lua is not
// safe.
func (vm *VM) openBasics() {
	vm.global("type", func(L *glua.LState) int {
		L.Push(glua.LString(typeName(L.CheckAny(1))))
		return 1
	})
	vm.global("tostring", func(L *glua.LState) int {
		L.Push(glua.LString(text(L, L.CheckAny(1))))
		return 1
	})
	vm.global("setmetatable", func(L *glua.LState) int {
		t := writable(L, 1)
		if m, ok := t.Metatable.(*glua.LTable); viewOf(L.Get(1)) != nil || ok &&
			m.RawGetString("__metatable") != glua.LNil && t.Metatable != vm.values.meta.list {
			raisef(L, "cannot change a protected metatable")
		}
		L.CheckTypes(2, glua.LTNil, glua.LTTable)
		t.Metatable = L.Get(2)
		L.SetTop(1)
		return 1
	})
	// the garbage collector belongs to the process, not to the script
	vm.global("collectgarbage", func(L *glua.LState) int {
		L.Push(glua.LNumber(0))
		return 1
	})
	vm.global("require", vm.requireModule)
	vm.global("print", vm.luaPrint)
	vm.openIteration()
}

// luaPrint writes a line to the script's log.
func (vm *VM) luaPrint(L *glua.LState) int {
	parts := make([]string, L.GetTop())
	for i := range parts {
		parts[i] = text(L, L.Get(i+1))
	}
	vm.log(L, "info", strings.Join(parts, "\t"))
	return 0
}

// log writes a line to the script's log. It raises what ext.log raises.
func (vm *VM) log(L *glua.LState, level, text string) {
	row := vm.row("log." + level)
	if row == nil {
		return
	}
	run := activationOf(L).run
	if _, err := vm.bind.Invoke(run, row, []any{text}, fault.Position{}); err != nil {
		vm.failures.raise(L, err)
	}
}

func (vm *VM) row(name string) *engine.Builtin {
	for _, f := range vm.bind.Funcs {
		if f.Row.Name == name {
			return f
		}
	}
	return nil
}

// luaTraceback implements debug.traceback([message]).
func luaTraceback(L *glua.LState) int {
	s := "stack traceback:\n" + traceback(L, 1)
	if v := L.Get(1); v != glua.LNil {
		s = text(L, v) + "\n" + s
	}
	L.Push(glua.LString(s))
	return 1
}

// text returns tostring(v).
func text(L *glua.LState, v glua.LValue) string {
	switch v := v.(type) {
	case glua.LString:
		return string(v)
	case glua.LNumber:
		switch f := float64(v); {
		case f == math.Trunc(f) && math.Abs(f) < 1<<53:
			return strconv.FormatInt(int64(f), 10)
		case math.IsInf(f, 1):
			return "inf"
		case math.IsInf(f, -1):
			return "-inf"
		case math.IsNaN(f):
			return "nan"
		}
	case *glua.LUserData:
		if typeName(v) == "table" {
			return fmt.Sprintf("table: %p", v)
		}
	}
	return L.ToStringMeta(v).String()
}

// openIteration makes pairs, ipairs, next and the raw functions support views.
func (vm *VM) openIteration() {
	next := vm.base.NewFunction(vm.luaNext)
	vm.base.SetGlobal("next", next)
	vm.global("pairs", func(L *glua.LState) int {
		v := L.Get(1)
		if typeName(v) != "table" {
			L.TypeError(1, glua.LTTable)
		}
		if t, ok := v.(*glua.LTable); ok {
			if f := L.GetMetaField(t, "__pairs"); f != glua.LNil {
				L.Push(f)
				L.Push(t)
				L.Call(1, 3)
				return 3
			}
		}
		L.Push(next)
		L.Push(v)
		L.Push(glua.LNil)
		return 3
	})
	step := vm.base.NewFunction(func(L *glua.LState) int {
		i := L.CheckInt(2) + 1
		v := at(L.Get(1), i)
		if v == glua.LNil {
			return 0
		}
		L.Push(glua.LNumber(i))
		L.Push(v)
		return 2
	})
	vm.global("ipairs", func(L *glua.LState) int {
		v := readable(L, 1)
		L.Push(step)
		L.Push(v)
		L.Push(glua.LNumber(0))
		return 3
	})
	vm.global("rawget", func(L *glua.LState) int {
		if v := viewOf(L.Get(1)); v != nil {
			L.Push(v.getKey(L.Get(2)))
			return 1
		}
		L.Push(L.CheckTable(1).RawGet(L.CheckAny(2)))
		return 1
	})
	vm.global("rawset", func(L *glua.LState) int {
		L.RawSet(writable(L, 1), L.CheckAny(2), L.CheckAny(3))
		L.SetTop(1)
		return 1
	})
	vm.global("rawlen", func(L *glua.LState) int {
		if s, ok := L.Get(1).(glua.LString); ok {
			L.Push(glua.LNumber(len(s)))
			return 1
		}
		L.Push(glua.LNumber(length(readable(L, 1))))
		return 1
	})
}

func (vm *VM) luaNext(L *glua.LState) int {
	key := L.Get(2)
	var k, v glua.LValue
	if ud, ok := L.Get(1).(*glua.LUserData); ok {
		switch w := ud.Value.(type) {
		case *view:
			if k, v, ok = w.nextKey(key); !ok {
				raisef(L, "next: the table has no such key")
			}
		case *namespace:
			k, v = vm.nextMember(L, w, key)
		}
	}
	if k == nil {
		k, v = L.CheckTable(1).Next(key)
	}
	L.Push(k)
	if k == glua.LNil {
		return 1
	}
	L.Push(v)
	return 2
}

// readable returns argument n if it is a table or a view.
func readable(L *glua.LState, n int) glua.LValue {
	v := L.Get(n)
	if viewOf(v) == nil {
		L.CheckTable(n)
	}
	return v
}

// writable returns argument n if it is a table that may be changed. For a view it raises an error
// that says what to do instead.
func writable(L *glua.LState, n int) *glua.LTable {
	if viewOf(L.Get(n)) != nil {
		raisef(L, readOnly)
	}
	return L.CheckTable(n)
}

// length returns #v for a table or view, without metamethods.
func length(v glua.LValue) int {
	if w := viewOf(v); w != nil {
		return w.len()
	}
	return v.(*glua.LTable).Len()
}

// at returns v[i] for a table or view, without metamethods.
func at(v glua.LValue, i int) glua.LValue {
	if t, ok := v.(*glua.LTable); ok {
		return t.RawGetInt(i)
	}
	return viewOf(v).getKey(glua.LNumber(i))
}
