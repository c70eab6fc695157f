// This file holds the coroutine library: gopher-lua's coroutines with interrupts and limits.

package lua

import (
	"runtime"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// coroutines is the coroutine library.
type coroutines struct {
	*realm
	failures *failures

	yield, resume, create glua.LGFunction // gopher-lua's own
}

// setCoroutines replaces the functions of the coroutine library. Some call the original ones.
func (c *coroutines) setCoroutines() {
	lib := c.base.GetGlobal("coroutine").(*glua.LTable)
	c.create = lib.RawGetString("create").(*glua.LFunction).GFunction
	c.resume = lib.RawGetString("resume").(*glua.LFunction).GFunction
	c.yield = lib.RawGetString("yield").(*glua.LFunction).GFunction
	c.field("coroutine", "create", func(L *glua.LState) int {
		L.Push(c.newCoroutine(L))
		return 1
	})
	c.field("coroutine", "wrap", func(L *glua.LState) int {
		co := c.newCoroutine(L)
		L.Push(L.NewFunction(func(L *glua.LState) int {
			L.Insert(co, 1)
			return c.coWrapped(L)
		}))
		return 1
	})
	c.field("coroutine", "resume", c.coResume)
	c.field("coroutine", "yield", c.coYield)
	c.field("coroutine", "running", func(L *glua.LState) int {
		if co := activationOf(L).current; co != nil {
			L.Push(co)
		} else {
			L.Push(glua.LNil)
		}
		return 1
	})
	c.field("coroutine", "status", func(L *glua.LState) int {
		co := L.CheckThread(1)
		L.Push(glua.LString(coStatus(co, activationOf(L).current)))
		return 1
	})
	c.field("coroutine", "isyieldable", func(L *glua.LState) int {
		L.Push(glua.LBool(L.Parent != nil))
		return 1
	})
}

// newCoroutine makes a coroutine of argument 1. gopher-lua would derive its context from the
// caller's with context.WithCancel, which calls Done once. Our contexts return nil from Done until
// they stop, so the coroutine would never be stopped. It gets its context when it is resumed
// instead.
func (c *coroutines) newCoroutine(L *glua.LState) *glua.LState {
	L.CheckFunction(1)
	ctx := L.RemoveContext()
	c.create(L)
	L.SetContext(ctx)
	co := L.Get(-1).(*glua.LState)
	L.Pop(1)
	return co
}

func coStatus(co, current *glua.LState) string {
	switch {
	case co.Dead:
		return "dead"
	case co == current:
		return "running"
	case co.Parent != nil:
		return "normal"
	}
	return "suspended"
}

// coResume implements coroutine.resume(co, ...). A coroutine that waits in a host function is not
// suspended, so another handler that has it cannot resume it meanwhile.
func (c *coroutines) coResume(L *glua.LState) int {
	co := L.CheckThread(1)
	a := activationOf(L)
	if status := coStatus(co, a.current); status != "suspended" {
		L.Push(glua.LFalse)
		L.Push(glua.LString("cannot resume a " + status + " coroutine"))
		return 2
	}
	a.deeper(L)
	co.SetContext(a)
	outer := a.current
	a.current = co
	L.G.CurrentThread = L // gopher-lua refuses to resume its current thread
	n := c.resume(L)
	L.G.CurrentThread = L
	a.current = outer
	a.depth--
	c.failures.poll(L) // the end of a run cannot be caught
	if n > 1 && L.Get(-1) == glua.LString(callStackOverflow) {
		L.Pop(1)
		L.Push(glua.LString("stack overflow"))
	}
	return n
}

// coWrapped resumes the coroutine at stack index 1 and raises its errors.
func (c *coroutines) coWrapped(L *glua.LState) int {
	n := c.coResume(L)
	if n > 0 && L.Get(-n) == glua.LFalse {
		L.Error(L.Get(-n+1), 0)
	}
	return n - 1
}

// coYield implements coroutine.yield(...). gopher-lua cannot yield across a nested run of the
// interpreter (metamethods, iterators, callbacks of built-in functions): the outer code would
// continue with wrong values. So that is an error here, as in Lua 5.1. A state of pcall has no
// parent to yield to.
func (c *coroutines) coYield(L *glua.LState) int {
	if L.Parent == nil {
		raisef(L, "attempt to yield outside of a coroutine, or across pcall")
	}
	if loopsBelowResume() > 1 {
		raisef(L, "attempt to yield across a metamethod, an iterator or a built-in function")
	}
	return c.yield(L)
}

// loopsBelowResume counts the runs of the interpreter on the Go stack since the running coroutine
// was resumed.
func loopsBelowResume() int {
	pcs := make([]uintptr, 64)
	n := runtime.Callers(2, pcs)
	frames := runtime.CallersFrames(pcs[:n])
	loops := 0
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "gopher-lua.mainLoopWithContext"):
			loops++
		case strings.HasSuffix(f.Function, "gopher-lua.threadRun"):
			return loops
		}
		if !more {
			return 2 // deeper than we search, so certainly nested
		}
	}
}
