// This file holds the VM, and the function that enters and leaves it.

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

// VM is the interpreter of one generation. Fields without a comment may be used only while the turn
// is held.
type VM struct {
	realm realm
	rt    *goja.Runtime   // that of realm
	bind  *engine.Binding // immutable
	turn  *vm.Turn        // immutable
	name  string          // name of the script; immutable
	// exports are the names of the script's exports, if it has no default export.
	exports string

	entered *activation   // the activation that entered the VM, nil = none
	current *activation   // the activation whose code runs, which differs in reactions of another
	inline  int           // nesting of calls of functions that must not wait
	waiting []*activation // activations whose promise is pending
	rejects rejections
	spare   atomic.Pointer[activation] // a free activation, nil = none; any goroutine may use it

	closed atomic.Bool // set by Close; any goroutine may use it

	modules map[string]*loadedModule // key: file
	// files of modules that are being evaluated, outermost first
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
	rt := goja.New()
	v := &VM{realm: realm{rt: rt}, rt: rt, bind: bind,
		name:    bind.Gen.Name,
		modules: map[string]*loadedModule{}}
	v.rt.SetMaxCallStackSize(maxCallStack)
	random := bind.Gen.Engine().Random()
	v.rt.SetRandSource(random.Numbers().Float64)
	v.rt.SetTimeSource(bind.Gen.Engine().Clock().Now)
	v.rt.SetParserOptions(parser.WithDisableSourceMaps)
	v.rt.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
		v.rejects.track(p, op, v.current)
	})
	v.rt.SetAsyncContextTracker((*asyncTracker)(v))
	v.machine = machineOf(v.rt)
	v.turn = bind.NewTurn(v.realm.interrupt, v.realm.clearInterrupt)
	v.realm.meter.charge = v.turn.NewCharge()
	v.values = &values{realm: &v.realm, rt: rt, gen: bind.Gen, builtin: v.builtin,
		function: v.function, run: v.running}
	v.failures = &failures{realm: &v.realm, rt: rt, values: v.values, name: v.name,
		files: sourceFiles(bind.Gen.Script), names: func() []string { return bind.Names("") },
		key: goja.NewSymbol("go error")}
	v.values.failures = v.failures
	v.guards = newGuards(&v.realm, v.values.askKey)
	v.patterns = &patterns{realm: &v.realm, rt: rt, meter: &v.realm.meter, args: &v.guards.args,
		fail: v.failCall}
	v.web = &web{realm: &v.realm, rt: rt, buffers: &v.guards.buffers, now: v.now, random: random,
		values: v.values, failures: v.failures, request: v.fetchRequest}
	return v
}

// setup makes the globals. It runs inside the first entry, so that the watchdog sees our own code
// too.
func (v *VM) setup(l *language) {
	v.realm.setRealm()
	v.promise = v.rt.Get("Promise")
	v.guards.setGuards()
	v.patterns.setPatterns(v.rt.Get("RegExp").(*goja.Object))
	v.values.askOnly()
	v.setGlobals()
	v.runPrelude(l.prelude())
	v.guards.joiner.bindConcat(l.concat())
	v.setTimers()
	v.web.compiled = l.web
	v.web.setWebGlobals()
}

// failCall makes the running call fail, even if the script catches the error.
func (v *VM) failCall(msg string) {
	if v.current.failed == nil {
		v.current.failed = &fault.ScriptError{Position: v.failures.position(), Message: msg}
		v.turn.Fail(&v.current.run.Run, v.current.failed) // for an ext.all caller too
	}
}

// running returns the run whose code is in the VM, nil if there is none.
func (v *VM) running() *engine.Run {
	if v.current == nil {
		return nil
	}
	return v.current.run
}

// Close implements engine.VM. It stops the timers; later results for the VM are dropped.
func (v *VM) Close() {
	v.closed.Store(true)
	v.timers.close()
}

// Sweep implements engine.Sweeper.
func (v *VM) Sweep() { v.machine.sweep() }

// enterTurn takes the turn for act's run, runs body in the VM, delivers results to activations
// whose promises have settled, and gives the turn back. It is the only way into the VM: for calls,
// for results of host functions and for the load. It returns body's error unless the run must stop:
// then it returns the reason for that. The turn must not be held.
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

// protect runs body with the turn held and converts a panic to an error. body must run code of the
// script through one of the interpreter's guarded entries (a Callable, RunProgram, Try), which
// clean up after a throw.
func (v *VM) protect(body func() error) (err error) {
	if p := apart.Catch(func() { err = body() }); p != nil {
		return v.panicError(p.Value)
	}
	return err
}

// panicError converts a panic of the interpreter to an error: an interrupt, or a bug in the
// interpreter or in one of our functions.
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
