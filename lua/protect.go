// This file holds pcall, xpcall, error and assert.
//
// gopher-lua's own pcall breaks scripts. When an error is raised, it detaches the local variables
// of all frames of the state, even those outside the pcall, from the closures that captured them.
// After pcall(error), a guard whose helper sets `blocked = true` returns the old value. (xpcall has
// the opposite bug: closures made inside see registers that are reused.) Here each protected call
// runs in a separate state, so that only frames that end are detached.

package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
)

// closeUpvalues detaches the closures from the frames of L, which is required before the frames are
// unwound. Only an error handler may call it. The interpreter does not export this operation, but
// raising an error performs it.
func closeUpvalues(L *glua.LState) {
	_ = apart.Catch(func() { L.Error(glua.LFalse, 0) })
}

// openProtected defines the functions of this file.
func (vm *VM) openProtected() {
	plain := vm.base.NewFunction(func(L *glua.LState) int {
		closeUpvalues(L)
		L.SetTop(1)
		return 1
	})
	vm.global("pcall", func(L *glua.LState) int {
		return vm.protect(L, L.CheckAny(1), 1, plain)
	})
	handled := vm.base.NewFunction(func(L *glua.LState) int {
		L.Push(activationOf(L).handler)
		L.Push(L.Get(1))
		L.Call(1, 1)
		v := L.Get(-1)
		closeUpvalues(L)
		L.SetTop(0)
		L.Push(v)
		return 1
	})
	vm.global("xpcall", func(L *glua.LState) int {
		a := activationOf(L)
		outer := a.handler
		a.handler = L.CheckFunction(2)
		defer func() { a.handler = outer }()
		return vm.protect(L, L.CheckAny(1), 2, handled)
	})
	vm.global("error", vm.luaError)
	vm.global("assert", vm.luaAssert)
}

// protect calls fn with the arguments of L, without the first skip ones.
func (vm *VM) protect(L *glua.LState, fn glua.LValue, skip int, onErr *glua.LFunction) int {
	a := activationOf(L)
	a.deeper(L)
	outer := a.protecting
	if f, ok := fn.(*glua.LFunction); ok && f.IsG {
		a.protecting = L
	}
	inner := vm.takeState(a)
	inner.Push(fn)
	top := L.GetTop()
	for i := skip + 1; i <= top; i++ {
		inner.Push(L.Get(i))
	}
	err := inner.PCall(top-skip, glua.MultRet, onErr)
	a.depth--
	a.protecting = outer
	L.G.CurrentThread = L
	if stop := vm.stopping(); stop != nil { // the end of a run cannot be caught
		vm.failures.raise(L, stop)
	}
	if err != nil {
		vm.putState(inner)
		L.Push(glua.LFalse)
		L.Push(errorObject(fn, err))
		return 2
	}
	n := inner.GetTop()
	L.Push(glua.LTrue)
	for i := 1; i <= n; i++ {
		L.Push(inner.Get(i))
	}
	vm.putState(inner)
	return n + 1
}

// deeper counts a nested state of the call.
func (a *activation) deeper(L *glua.LState) {
	if a.depth >= maxNesting {
		raisef(L, "stack overflow (pcall and coroutines nest deeper than %d)", maxNesting)
	}
	a.depth++
}

// errorObject returns the second result of pcall for err.
func errorObject(fn glua.LValue, err error) glua.LValue {
	api, ok := err.(*glua.ApiError)
	if !ok {
		return glua.LString(err.Error())
	}
	text, ok := api.Object.(glua.LString)
	switch {
	case !ok:
		return api.Object
	case api.Type == glua.ApiErrorPanic:
		return "internal error: " + text
	}
	// without a Lua frame, gopher-lua calls the function "main chunk"
	if f, ok := fn.(*glua.LFunction); !ok || f.IsG {
		s := strings.TrimPrefix(string(text), " ")
		return glua.LString(strings.Replace(s, " to main chunk (", " to ? (", 1))
	}
	return text
}

// luaError implements error(value [, level]). It prefixes a string with the position of the level.
func (vm *VM) luaError(L *glua.LState) int {
	obj := L.Get(1)
	level := L.OptInt(2, 1)
	if s, ok := obj.(glua.LString); ok && level > 0 {
		if dbg, ok := L.GetStack(level); ok {
			if _, err := L.GetInfo("Sl", dbg, glua.LNil); err == nil && dbg.CurrentLine > 0 {
				pos := fault.Position{File: dbg.Source, Line: dbg.CurrentLine}
				obj = glua.LString(pos.String()+": ") + s
			}
		}
	}
	L.Error(obj, 0)
	return 0
}

// luaAssert implements assert(value [, message]). The message may be any value, such as the error
// table that ext functions return after nil.
func (vm *VM) luaAssert(L *glua.LState) int {
	if glua.LVAsBool(L.CheckAny(1)) {
		return L.GetTop()
	}
	if L.GetTop() < 2 {
		raisef(L, "assertion failed!")
	}
	L.Error(L.Get(2), 0)
	return 0
}
