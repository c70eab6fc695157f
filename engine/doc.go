// Package engine is the pipeline between an agent and its scripts: it takes every tool call down
// one road, past handlers and guards that are written in Lua, JavaScript or Go and can be exchanged
// at any moment.
//
//	e, table, err := standard.New(standard.Options{Host: host.Options{Home: home, CWD: dir},
//		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()},
//			Tools: tool.Builtin(tool.Options{}), Approver: screen}})
//	loader := load.New(load.Options{Engine: e, Home: home, Watch: true})
//	err = loader.Start(ctx)
//	result := e.Dispatch(ctx, &engine.Call{ID: "1", Tool: "bash", Args: args, Origin: "model", Env: env})
//
// # Promises
//
// There is no unguarded moment: a registered guard answers, or the call is refused or asked,
// through every reload and failure. A failing script is loud, never fatal and never silent.
// Handlers run in the same order each time, and a Trail tells who did what to a call, and for how
// long.
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
//	    guards                   the last word on the final arguments
//	    decide                   rules, what is protected, permission mode;  decide.go, rule.go,
//	                             the user, if anybody asks                   user.go
//	    announce, changed        tell; look again: other scripts or arguments go back to guards
//	    run                      a built-in tool or a script's: the same type
//	    rewriteResult            tool_result handlers
//	  Result                     with its Trail and the decision log         trail.go
//	  Emit                       one ordered stream, and the observers       emitter.go, stream/
//	  mask                       what redactors match is seen by nobody      stream/, redact/
//
// What dispatch reads is a Snapshot (snapshot.go): immutable, behind one atomic pointer.
// Scripts (scripts.go) owns that pointer: Scripts.Load runs a script in a new VM and collects what
// it registers in a Generation; Scripts.Swap exchanges the current set in one step. Who uses a
// Snapshot acquires it, and a Generation is closed when the last Snapshot that holds it is let go.
//
// A VM is entered under its Turn, as a Run with budgets (run.go, vm/); the Watchdog stops what
// takes too long, and a VM that does not stop is left behind with its goroutine. Go code registers
// the same things as scripts, and languages, events and formats of other hosts besides: Plugin
// (plugin.go).
//
// The functions that scripts call are rows of a table; Binding.Invoke checks every call by its row
// (binding.go, value.CheckArgs).
//
// # What it does not do
//
// It knows no model, no screen, no file and no network: who embeds it supplies them through
// Options. It is a boundary for honest and for buggy scripts, not a jail.
//
// # What is still wrong
//
// The memory budget of a run is the growth of the whole process's heap, charged to the run that has
// the turn for longest: it can hit the wrong one. What a script keeps is weighed (weigh.go), but
// for values that only Go code holds.
package engine
