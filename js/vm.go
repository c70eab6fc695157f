// This file holds the VM and its one door: entering and leaving the turn.

package js

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// VM is the interpreter of one generation. All fields without a comment of their own are read and
// written only while the turn is held.
type VM struct {
	realm
	bind *engine.Binding // immutable
	turn *vm.Turn        // immutable
	name string          // of the script; immutable
	// exports are the names that the script exports besides a default, if it has none.
	exports string

	entered *activation   // whose entry it is, nil = nobody is in the VM
	current *activation   // whose code runs: another's, while a reaction of another runs
	inline  int           // functions that may not wait under way, one in another
	waiting []*activation // those whose promise is pending
	rejects rejections
	spare   atomic.Pointer[activation] // free to use; nil = none. From any goroutine

	closed atomic.Bool // set by Close, from any goroutine

	modules map[string]*loadedModule // by file
	// files of modules whose evaluation is under way, one in another
	evaluating []string

	machine  machine    // of rt
	promise  goja.Value // the constructor
	values   *values
	failures *failures
	guards   *guards
	patterns *patterns
	timers   timers
	web      *web
}

func newVM(bind *engine.Binding) *VM {
	v := &VM{realm: realm{rt: goja.New(), code: codeOf(bind.Gen.Script)}, bind: bind,
		name:    bind.Gen.Name,
		modules: map[string]*loadedModule{}}
	v.rt.SetMaxCallStackSize(maxCallStack)
	v.rt.SetTimeSource(bind.Gen.Engine().Clock().Now)
	v.rt.SetParserOptions(parser.WithDisableSourceMaps)
	v.rt.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
		v.rejects.track(p, op, v.current)
	})
	v.rt.SetAsyncContextTracker((*asyncTracker)(v))
	v.machine = machineOf(v.rt)
	v.turn = bind.NewTurn(v.interrupt, v.clearInterrupt)
	v.values = &values{realm: &v.realm, gen: bind.Gen, builtin: v.builtin, function: v.function,
		run: v.running}
	v.failures = &failures{realm: &v.realm, values: v.values, name: v.name,
		files: sourceFiles(bind.Gen.Script), names: func() []string { return v.extNames("") },
		key: goja.NewSymbol("go error")}
	v.values.failures = v.failures
	v.patterns = &patterns{realm: &v.realm, turn: v.turn, fail: v.failCall}
	v.guards = &guards{realm: &v.realm, patterns: v.patterns, awaitLook: v.turn.AwaitLook}
	v.web = &web{realm: &v.realm, guards: v.guards, now: v.now, values: v.values,
		failures: v.failures, request: v.fetchRequest}
	return v
}

// setup makes the globals. It runs inside the first entry, so that not even our own code runs
// unwatched.
func (v *VM) setup(l language) {
	v.realm.setRealm()
	v.promise = v.rt.Get("Promise")
	v.guards.setGuards()
	v.patterns.setPatterns(v.rt.Get("RegExp").(*goja.Object))
	v.values.askOnly()
	v.setGlobals()
	v.runPrelude(l.prelude())
	v.guards.bindConcat(l.concat())
	v.setTimers()
	v.web.compiled = l.web
	v.web.setWebGlobals()
}

// failCall makes the running call fail, whatever it catches.
func (v *VM) failCall(msg string) {
	if v.current.failed == nil {
		v.current.failed = &fault.ScriptError{Position: v.failures.position(), Message: msg}
		v.turn.Fail(&v.current.run.Run, v.current.failed) // also for who called this with ext.all
	}
}

// running is the run whose code is in the VM, nil = nobody's.
func (v *VM) running() *engine.Run {
	if v.current == nil {
		return nil
	}
	return v.current.run
}

// Close implements engine.VM. Timers end; what still comes in for the VM is dropped.
func (v *VM) Close() {
	v.closed.Store(true)
	v.timers.close()
}

// enterTurn takes the turn for act's run, runs body in the VM, hands results to those whose
// promises settled through it, and leaves. It is the only way into the VM, for whoever comes:
// calls, answers of the host, the load. body's error is returned unless the run must stop: then its
// answer does not count, and the reason is returned. Never call it with the turn held.
func (v *VM) enterTurn(act *activation, body func() error) error {
	if v.closed.Load() {
		return vm.ErrClosed
	}
	if err := v.turn.Enter(&act.run.Run); err != nil {
		return err
	}
	v.entered, v.current = act, act
	err := v.protect(body)
	settled := v.collect()
	lost := v.lostErrors()
	v.entered, v.current = nil, nil
	v.machine.unwind()
	stop := v.turn.Leave(&act.run.Run)
	for _, s := range settled {
		if stop != nil && s.act.run == act.run {
			s.err = stop
		}
		s.act.answerPromise(s.value, s.err)
	}
	v.report(lost)
	return v.failures.stopError(err, stop)
}

// protect runs body with the turn held; a panic ends as an error. What body lets the interpreter
// run, it must run through one of its guarded entries (a Callable, RunProgram, Try): they clean up
// after a throw.
func (v *VM) protect(body func() error) (err error) {
	if p := apart.Catch(func() { err = body() }); p != nil {
		return v.panicError(p.Value)
	}
	return err
}

// panicError makes an error of what came out of the interpreter as a panic: an interrupt, or a
// mistake in the interpreter or in a function of ours.
func (v *VM) panicError(p any) error {
	if val, ok := p.(goja.Value); ok {
		return v.failures.thrown(val, nil)
	}
	if err, ok := p.(error); ok {
		var stop *goja.InterruptedError
		var deep *goja.StackOverflowError
		if errors.As(err, &stop) || errors.As(err, &deep) {
			return v.failures.scriptError(err)
		}
	}
	return &fault.ScriptError{Position: fault.Position{File: v.name},
		Message: fmt.Sprintf("internal error: %v", p)}
}
