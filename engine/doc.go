// Package engine is the pipeline between an agent and its scripts: it passes every tool call
// through handlers and guards, which are written in Lua, JavaScript or Go and can be replaced at
// any moment.
//
//	e, table, err := standard.New(standard.Options{Host: host.Options{Home: home, CWD: dir},
//		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()},
//			Tools: tool.Builtin(tool.Options{}), Approver: screen}})
//	loader := load.New(load.Options{Engine: e, Home: home, Watch: true})
//	err = loader.Start(ctx)
//	result := e.Dispatch(ctx,
//		&engine.Call{ID: "1", Tool: "bash", Args: args, Origin: "model", Env: env})
//
// # Promises
//
// No call is unguarded: for every call, also during reloads and failures, each registered guard
// answers, or the user is asked, or the call is refused. A failing script is always reported and
// never fatal. Handlers run in the same order each time, and a Trail records what each did to a
// call, and how long it took.
//
// # The picture
//
// Imports go one way: cmd → tui | agent | lua | js → engine. docs/architecture.md is the map of all
// packages, and docs/events.md has the rules of events. Data goes one way too:
//
//	tool use of a model          Call                                        call.go
//	  Dispatch → road            one function that fits a screen             dispatch.go
//	    rewrite                  tool_call handlers: rewrite, block, answer  chain.go, outcome.go
//	    find, check              the tool; its arguments against the schema
//	    guards                   check the final arguments
//	    decide                   rules, what is protected, permission mode;  decide.go, rule.go,
//	                             the user, if anybody asks                   user.go
//	    announce, changed        tell; look again: other scripts or arguments go back to guards
//	    run                      a built-in tool or a script's: the same type
//	    rewriteResult            tool_result handlers                        review.go
//	  Result                     with its Trail and the decision log         trail.go
//	  Emit                       one ordered stream, and the observers       emitter.go, stream/
//	  mask                       hide what redactors match      stream/, redact/
//
// What dispatch reads is a Snapshot (snapshot.go): immutable, behind one atomic pointer. Scripts
// (scripts.go) owns that pointer: Scripts.Load runs a script in a new VM and collects what it
// registers in a Generation; Scripts.Swap replaces the current set in one step. Users of a Snapshot
// acquire it, and a Generation is closed when the last Snapshot that holds it is released.
//
// A VM is entered under its Turn, as a Run with budgets (run.go, vm/); the Watchdog stops runs that
// take too long, and a VM that does not stop is abandoned with its goroutine; another one continues
// the call (dispatch_to.go). Go code can register everything that scripts can, and also languages,
// events and formats of other hosts: Plugin (plugin.go).
//
// The functions that scripts call are rows of a table; Binding.Invoke checks every call against its
// row (binding.go, value.CheckArgs).
//
// # What it does not do
//
// It uses no model, screen, file or network: the embedder supplies them through Options. It limits
// honest and buggy scripts, and is not a sandbox for malicious ones.
//
// # What is still wrong
//
// The memory budget of a run is the growth of the whole process's heap, charged to the run that has
// held its turn longest, which can be the wrong one. The memory that a script keeps is measured
// (memory.go), except values that only Go code holds.
package engine
