// Package js runs scripts written in JavaScript (ES2022, strict mode) and TypeScript for the
// engine.
//
//	e, err := engine.New(engine.Options{Runtimes: []engine.Runtime{js.New()}, ...})
//	g, err := e.Scripts.Load(ctx, &scriptfile.Script{Name: "guard.js", Bytes: src})
//	e.Scripts.Swap([]*engine.Generation{g}, nil)
//
// Each generation has its own VM, and a function stays in the VM that made it. Code runs in a VM
// only while its turn (vm.Turn) is held, and functions that can wait return a promise: there is no
// event loop and no goroutine per VM. VM.enterTurn is the only way into a VM.
//
// The package guarantees:
//   - nothing a script does ends in a Go panic: every entry recovers, and built-ins that could end
//     the process (huge texts and lists, deep nesting, catastrophic patterns) are guarded
//     (limits.go), as are + and templates (concat.go);
//   - a handler that forgets to await fails, with the line; so a guard fails closed (promise.go);
//   - a regular expression that takes too long throws, and never means "no match" (patterns.go);
//   - event data is converted when it is read, at most once per VM, and is read-only (view.go).
//
// A source file that the interpreter can parse runs as it is. esbuild first rewrites types, import
// and export, top-level await and newer syntax (rewrite.go); positions still refer to the file.
//
// Not supported: type checking and BigInt (a single operator on large values can take unlimited
// time and memory, and cannot be interrupted). eval sees globals only. Built-ins that walk up to a
// million items or 16 Mi characters run for up to some 100 ms before an interrupt reaches the
// script; the engine replaces a VM that does not return in time.
package js
