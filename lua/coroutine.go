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

	// kinds are the kinds of return addresses that were looked up, which takes microseconds. There
	// are few, since few Go functions lead to a yield.
	kinds map[uintptr]frameKind
	stack [searched]uintptr // memory for return addresses
}

// searched is how many Go frames are searched for the start of a coroutine, and ordinary how many
// are below an ordinary yield.
const (
	searched = 64
	ordinary = 8
)

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
	if c.loopsBelowResume() > 1 {
		raisef(L, "attempt to yield across a metamethod, an iterator or a built-in function")
	}
	return c.yield(L)
}

// frameKind is what a return address on the Go stack belongs to.
type frameKind int

const (
	frameOther   frameKind = iota
	frameLoop              // a run of the interpreter
	frameResumed           // the start of a coroutine
)

func (c *coroutines) kindOf(pc uintptr) frameKind {
	if kind, ok := c.kinds[pc]; ok {
		return kind
	}
	kind := frameOther
	frames := runtime.CallersFrames([]uintptr{pc})
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "gopher-lua.mainLoopWithContext"):
			kind = frameLoop
		case strings.HasSuffix(f.Function, "gopher-lua.threadRun"):
			kind = frameResumed
		}
	}
	c.kinds[pc] = kind
	return kind
}

// loopsBelowResume counts the runs of the interpreter on the Go stack since the running coroutine
// was resumed. It looks at few frames first.
func (c *coroutines) loopsBelowResume() int {
	loops, seen := 0, 0
	for _, size := range []int{ordinary, searched} {
		n := runtime.Callers(2, c.stack[:size])
		for ; seen < n; seen++ {
			switch c.kindOf(c.stack[seen]) {
			case frameLoop:
				loops++
			case frameResumed:
				return loops
			}
		}
		if loops > 1 {
			break
		}
	}
	return 2 // nested, or deeper than we search
}
