// Package lua runs scripts written in Lua, on gopher-lua v1.1.2: Lua 5.1 with goto.
//
//	rt := lua.New()                     // engine.Options.Runtimes
//	gen, err := eng.Load(ctx, script)   // compiles the bytes and runs the top level in a new VM
//	v, err := gen.Handlers[0].Fn.Call(run, event)
//
// A call (function.Call) takes the VM's turn (vm.Turn), takes a Lua state from a pool, runs the
// function in it on the calling goroutine, converts the result to plain data, and gives the turn
// back. A host function that waits gives the turn back while it waits (VM.callHost), so that other
// handlers of the same script can run. It looks synchronous to the script and works anywhere: in
// pcall, in the comparator of table.sort, in a callback of gsub, in a metamethod, in a coroutine.
//
// The package guarantees that no Go panic leaves it; that a failure is a *fault.ScriptError with
// file and line; that a run that is asked to stop stops, whatever the script catches; that event
// data is a read-only view, converted only where it is read; and that built-in functions cannot use
// up all memory or time.
//
// It does not keep a script from slowing down the process with many small steps until its budget is
// used up. Coroutines cannot yield across pcall, metamethods, iterators and built-in functions (as
// in Lua 5.1); they get an error that says so.
//
// This package works around defects of gopher-lua, each described in the code: errors detach the
// local variables of every frame of a state from the closures that captured them (see protect.go),
// coroutine.yield in tail position breaks its coroutine (see finishFunction in compile.go),
// tracebacks grow with tail calls (see errors.go), and pattern matching has no bounds (see
// patterns_match.go).
package lua
