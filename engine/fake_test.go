// This file contains a fake script language, whose functions are Go functions, and the world in
// which tests dispatch calls.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// deadline is how long a test waits before it fails. It is much longer than a slow machine needs.
const deadline = time.Minute

// unclosed returns the number of loaded VMs that are not closed. A VM that was closed twice fails
// the test.
func (rt *fakeRuntime) unclosed() (n int) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for _, vm := range rt.vms {
		switch closes := vm.closes.Load(); {
		case closes > 1:
			rt.t.Fatal("a VM was closed twice")
		case closes == 0 && vm.loaded.Load():
			n++
		}
	}
	return n
}

// fakeFn is a function of a fake script. The fake VM does not recover a panic in it: the engine
// must.
type fakeFn func(c *fakeCall) (any, error)

// fakeLoad is the top level of a fake script.
type fakeLoad struct {
	t    testing.TB
	vm   *fakeVM
	gen  *engine.Generation
	line int
}

// on registers a handler; set may change it first.
func (l *fakeLoad) on(event string, fn fakeFn, set ...func(h *engine.Handler)) {
	l.line++
	h := &engine.Handler{Event: event, Fn: &fakeFunc{l.vm, fn}, Priority: engine.DefaultPriority,
		Line: l.line}
	for _, f := range set {
		f(h)
	}
	if err := l.gen.Registry.AddHandler(h); err != nil {
		l.t.Error(err)
	}
}

// fakeRuntime runs Go functions. The source of a script is the name of its top-level function.
type fakeRuntime struct {
	t  testing.TB
	mu sync.Mutex
	// tops are top levels by the bytes of the script; a script without one does not load.
	tops map[string]func(l *fakeLoad) error
	vms  []*fakeVM
}

func (*fakeRuntime) Language() string     { return "fake" }
func (*fakeRuntime) Extensions() []string { return []string{".fake"} }

func (rt *fakeRuntime) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	vm := &fakeVM{}
	vm.turn = bind.NewTurn(func(err error) { vm.stop.Store(&err) }, func() { vm.stop.Store(nil) })
	rt.mu.Lock()
	top := rt.tops[string(bind.Gen.Bytes)]
	rt.vms = append(rt.vms, vm)
	rt.mu.Unlock()
	if top == nil {
		return nil, &fault.ScriptError{Position: fault.Position{Line: 1}, Message: "syntax error"}
	}
	l := &fakeLoad{t: rt.t, vm: vm, gen: bind.Gen}
	_, err := (&fakeFunc{vm, func(*fakeCall) (any, error) { return nil, top(l) }}).Call(run)
	if err != nil {
		return nil, err
	}
	vm.loaded.Store(true)
	return vm, nil
}

type fakeVM struct {
	turn   *vm.Turn
	stop   atomic.Pointer[error]
	inside atomic.Int32
	closes atomic.Int32
	loaded atomic.Bool // Load has returned it to the engine, which must close it
}

func (vm *fakeVM) Close() { vm.closes.Add(1) }

type fakeFunc struct {
	vm *fakeVM
	fn fakeFn
}

// IsFunction implements engine.Func.
func (*fakeFunc) IsFunction() {}

func (f *fakeFunc) Call(run *engine.Run, args ...any) (result any, err error) {
	if err := f.vm.turn.Enter(&run.Run); err != nil {
		return nil, err
	}
	over := false
	defer func() {
		if p := recover(); p != nil {
			f.vm.turn.Leave(&run.Run)
			panic(p)
		} else if !over {
			return // Goexit: the run was abandoned while it waited
		}
		if stop := f.vm.turn.Leave(&run.Run); stop != nil {
			result, err = nil, stop
		}
	}()
	c := &fakeCall{vm: f.vm, run: run, args: args}
	if len(args) > 0 {
		c.ev, _ = args[0].(*event.Event)
	}
	f.vm.inside.Add(1)
	result, err = f.fn(c)
	f.vm.inside.Add(-1)
	over = true
	return result, err
}

// fakeCall is one call of a function. Its methods wait and loop as scripts can.
type fakeCall struct {
	vm   *fakeVM
	run  *engine.Run
	args []any
	ev   *event.Event
}

// wait releases the turn until ch is closed or the run must stop.
func (c *fakeCall) wait(ch <-chan struct{}) error {
	ctx := c.run.Context()
	return c.vm.turn.Wait(&c.run.Run, func() {
		select {
		case <-ch:
		case <-ctx.Done():
		}
	})
}

// spin is an infinite loop that the interpreter can stop.
func (c *fakeCall) spin() error {
	for {
		if err := c.vm.stop.Load(); err != nil {
			return *err
		}
		runtime.Gosched()
	}
}

// world is an engine with the fake language, three tools, and a record of everything.
type world struct {
	*engine.Engine
	t     testing.TB
	rt    *fakeRuntime
	gens  map[string]*engine.Generation
	waits bool // dispatchCall calls Dispatch instead of DispatchTo

	approve func(ctx context.Context, q *engine.Question) (engine.Answer, error) // nil: yes

	mu        sync.Mutex
	events    []*event.Event
	ran       []map[string]any
	questions []*engine.Question
	running   func() // called by the tools while they run
	using     func(use *engine.Use)
	result    *engine.Result
	wedged    []*engine.Generation
}

type worldOption func(o *engine.Options)

func headlessWorld(o *engine.Options) { o.Approver = nil }
func silent(o *engine.Options)        { o.Emit = nil }

// usualLimits is for tests of time limits. In other worlds scripts have a hundred times as long:
// on a busy machine any run may take longer than the limits.
func usualLimits(o *engine.Options) { o.Patience = 1 }

func newWorld(t testing.TB, options ...worldOption) *world {
	w := openWorld(t, options...)
	t.Cleanup(w.Close)
	return w
}

// openWorld makes a world that the test closes itself. A test with thousands of worlds would
// otherwise hold them all until its end.
func openWorld(t testing.TB, options ...worldOption) *world {
	w := &world{t: t, rt: &fakeRuntime{t: t, tops: map[string]func(*fakeLoad) error{}},
		gens: map[string]*engine.Generation{}}
	o := engine.Options{Events: spec.Events(), Runtimes: []engine.Runtime{w.rt}, Approver: w,
		Emit: w.emit, Schema: fakeSchema{}, Patience: 100,
		Heap: func() uint64 { return 1 }, // other tests allocate memory at the same time
		Tools: []*engine.Tool{w.tool("look", "read", true), w.tool("work", "execute", false),
			w.tool("change", "edit", false)},
		Wedged: func(g *engine.Generation) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.wedged = append(w.wedged, g)
		}}
	for _, f := range options {
		f(&o)
	}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Engine = e
	return w
}

func (w *world) tool(name, kind string, readOnly bool) *engine.Tool {
	return &engine.Tool{Name: name, Kind: kind, ReadOnly: readOnly, Source: "builtin",
		Schema: map[string]any{"type": "object"},
		Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
			w.mu.Lock()
			w.ran = append(w.ran, use.Args)
			running, using, result := w.running, w.using, w.result
			w.mu.Unlock()
			if using != nil {
				using(use)
			}
			if running != nil {
				running()
			}
			if result != nil {
				return result, nil
			}
			return engine.TextResult(name + " did it"), nil
		}}
}

// fakeSchema accepts only numbers as "n".
type fakeSchema struct{}

func (fakeSchema) Compile(map[string]any) (engine.Validator, error) { return fakeSchema{}, nil }

func (fakeSchema) Validate(v any) error {
	args := v.(map[string]any)
	if _, ok := value.Number(args["n"]); args["n"] != nil && !ok {
		return errors.New("n: want number")
	}
	return nil
}

func (w *world) emit(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, ev)
}

// Approve implements engine.Approver.
func (w *world) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	w.mu.Lock()
	w.questions = append(w.questions, q)
	approve := w.approve
	w.mu.Unlock()
	if approve == nil {
		return engine.Answer{Allow: true}, nil
	}
	return approve(ctx, q)
}

// load loads a script with a top level; it is not in force yet.
func (w *world) load(name string, top func(l *fakeLoad) error) (*engine.Generation, error) {
	w.rt.mu.Lock()
	w.rt.tops[name] = top
	w.rt.mu.Unlock()
	return w.Scripts.Load(context.Background(), &scriptfile.Script{Name: name, Path: "/scripts/" +
		name,
		Source: scriptfile.SourceUser, Bytes: []byte(name),
		Hash:   "hash of " + name,
		Header: scriptfile.Header{Grants: scriptfile.Grants{"permission.allow"}}})
}

// script loads a script and replaces its last version.
func (w *world) script(name string, top func(l *fakeLoad)) *engine.Generation {
	w.t.Helper()
	g, err := w.load(name, func(l *fakeLoad) error { top(l); return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	w.gens[name] = g
	w.swap()
	return g
}

func (w *world) remove(name string) {
	delete(w.gens, name)
	w.swap()
}

func (w *world) swap() {
	var gens []*engine.Generation
	for _, g := range w.gens {
		gens = append(gens, g)
	}
	w.Scripts.Swap(gens, nil)
}

// guard is a script with one guard.
func (w *world) guard(name string, fn fakeFn) *engine.Generation {
	w.t.Helper()
	return w.script(name, func(l *fakeLoad) { l.on("guard", fn) })
}

func (w *world) dispatch(tool string, set ...func(c *engine.Call)) *engine.Result {
	w.t.Helper()
	c := &engine.Call{ID: "call-1", Tool: tool, Origin: "model", Args: map[string]any{"n": 0},
		Env: &event.Envelope{Permission: event.PermissionYolo}}
	for _, f := range set {
		f(c)
	}
	return w.dispatchCall(context.Background(), c)
}

// dispatchCall dispatches a call as the agent does, on a new goroutine. The test fails if the call
// does not end.
func (w *world) dispatchCall(ctx context.Context, c *engine.Call) *engine.Result {
	w.t.Helper()
	var r *engine.Result
	within(w.t, "dispatch", func() {
		if w.waits {
			r = w.Dispatch(ctx, c)
			return
		}
		done := make(chan *engine.Result, 1)
		go w.DispatchTo(ctx, c, func(r *engine.Result) { done <- r })
		r = <-done
	})
	return r
}

// eachWay runs f with a world that calls Dispatch, and with one that calls DispatchTo; their time
// limits are the usual ones.
func eachWay(t *testing.T, f func(t *testing.T, w *world)) {
	for name, waits := range map[string]bool{"Dispatch": true, "DispatchTo": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, usualLimits)
			w.waits = waits
			f(t, w)
		})
	}
}

// runs returns how often a tool has run.
func (w *world) runs() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.ran)
}

// seen returns the events with the given name that the stream has delivered.
func (w *world) seen(name string) []*event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*event.Event
	for _, ev := range w.events {
		if ev.Name() == name {
			out = append(out, ev)
		}
	}
	return out
}

// within runs f and fails the test if it does not end before the deadline.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(deadline):
		buf := make([]byte, 1<<20)
		t.Fatalf("%s does not end\n%s", what, buf[:runtime.Stack(buf, true)])
	}
}

// eventually polls until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not true after %v", what, deadline)
		}
	}
}

// nothingRuns waits until all goroutines of the engine have ended.
func nothingRuns(t testing.TB) {
	t.Helper()
	buf := make([]byte, 4<<20)
	eventually(t, "the engine's goroutines end", func() bool {
		all := string(buf[:runtime.Stack(buf, true)])
		return !strings.Contains(all, "created by github.com/agentscripts/agent/engine.") &&
			!strings.Contains(all, "created by github.com/agentscripts/agent/engine/vm.")
	})
}

// returns returns a function that returns v.
func returns(v any) fakeFn { return func(*fakeCall) (any, error) { return v, nil } }

func block(reason string) any { return map[string]any{"block": true, "reason": reason} }

func text(r *engine.Result) string { return chat.PlainText(r.Content) }

func mode(p event.Permission) func(*engine.Call) {
	return func(c *engine.Call) { c.Env = &event.Envelope{Permission: p} }
}

func wantRun(t testing.TB, w *world, r *engine.Result, runs int) {
	t.Helper()
	if (r.Skipped == "") != (runs > 0) || w.runs() != runs {
		t.Fatalf("got %q (skipped %q) and %d runs, want %d", text(r), r.Skipped, w.runs(), runs)
	}
}

func sprint(v any) string { return fmt.Sprintf("%v", v) }
