// This file defines a Generation and its life cycle.

package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

// Generation is one loaded version of a script, with what it registered. After loading, only its
// counters change.
type Generation struct {
	*scriptfile.Script
	Number   int
	Language string
	LoadedAt time.Time
	LoadTime time.Duration
	Registry Registry // what it has registered
	Warnings []string // of the load: a filter that names no known tool, ...
	// Data is a folder in which its programs may write although the sandbox forbids it; "" = none.
	// A Format may set it while it loads.
	Data string

	engine   *Engine
	vm       VM
	turn     *vm.Turn
	staged   atomic.Bool     // loaded, and not yet passed to Swap or Discard: holds one pin
	called   atomic.Bool     // it has called a function of the API, or read a fact
	pins     atomic.Int64    // snapshots that contain it, and active runs; negative = closed
	ctx      context.Context // ends when the generation is retired
	cancel   context.CancelCauseFunc
	observed queue.Queue // events for its observers
	handed   vm.Handed
	tools    toolFilter
	tally    tally
	mu       sync.Mutex // guards the following fields
	live     bool
	onLive   []func()
}

// newGeneration makes a generation of a script that is to be loaded. It holds one pin for the
// loader.
func newGeneration(e *Engine, s *scriptfile.Script) *Generation {
	g := &Generation{Script: s, engine: e}
	g.Registry.gen = g
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	g.staged.Store(true)
	g.pins.Store(1)
	return g
}

// CheckUse reports a script that has finished, registered nothing and never used ext: nothing of it
// will ever run again, which its author did not intend. A runtime calls it for a file that contains
// code.
func (g *Generation) CheckUse() error {
	if !g.Registry.Hollow() || g.called.Load() {
		return nil
	}
	return g.Unused("nothing is registered, so no code of this file will ever run")
}

// Unused returns the error for a file with something that looks like an extension and is never
// called.
func (g *Generation) Unused(message string) *fault.ScriptError {
	return &fault.ScriptError{Position: fault.Position{File: g.Name}, Message: message,
		Hint: "a script must register functions while it loads: ext.guard(...), ext.on(EVENT, " +
			"...), " +
			"ext.tool{...}, ext.command{...}"}
}

// Engine returns the engine that loaded g.
func (g *Generation) Engine() *Engine { return g.engine }

// pin keeps g's VM alive; it returns false if it is already closed.
func (g *Generation) pin() bool {
	for {
		n := g.pins.Load()
		if n < 0 {
			return false
		}
		if g.pins.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// unpin closes the VM when no pin is left.
func (g *Generation) unpin() {
	if g.pins.Add(-1) == 0 && g.pins.CompareAndSwap(0, -1<<40) {
		g.close()
	}
}

func (g *Generation) close() {
	if g.cancel != nil {
		g.cancel(vm.ErrClosed)
	}
	if g.turn != nil {
		g.turn.Close()
	}
	if g.vm != nil {
		g.vm.Close()
	}
}

// Live runs f once g is in force: immediately, or in the swap that brings it into force. If the
// load fails, f does not run. f must not block and must not swap.
func (g *Generation) Live(f func()) {
	g.mu.Lock()
	if !g.live {
		g.onLive = append(g.onLive, f)
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	f()
}

// enterForce marks g as in force.
func (g *Generation) enterForce() {
	g.mu.Lock()
	fs := g.onLive
	g.live, g.onLive = true, nil
	g.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// Gone runs f, in a new goroutine, when g is no longer in force, unless stop is called before.
func (g *Generation) Gone(f func()) (stop func() bool) { return context.AfterFunc(g.ctx, f) }

// Retired reports whether g is no longer in force, or never was.
func (g *Generation) Retired() bool { return g.ctx.Err() != nil }

// Failed reports a failure of a function that g registered or passed on at line; label names it.
func (g *Generation) Failed(err error, label string, line int) {
	if g.Retired() {
		return // unloading caused the failure
	}
	g.engine.Notices.reportError(g.Describe(err, label, line), g.engine.Events.Envelope())
}

// Describe returns the failure of a function that g registered or passed on at line; label names
// it.
func (g *Generation) Describe(err error, label string, line int) *fault.ScriptError {
	return g.scriptError(err, label).Placed(g.Bytes, line)
}

// checkNames checks the names of tools in g's filters, after loading, when its own tools are known.
func (g *Generation) checkNames() error {
	known := slices.Clone(g.engine.Scripts.Snapshot().ToolNames())
	var builtin []string
	for _, t := range g.engine.opts.Tools {
		builtin = append(builtin, t.Name)
	}
	for _, t := range g.Registry.Tools {
		known = append(known, t.Name)
	}
	for _, h := range g.Registry.Handlers {
		for _, t := range h.Filter.Tools() {
			if err := event.CheckToolNames(t, known, builtin); err != nil {
				se := fault.Of(fmt.Errorf("%s: options.tool: %w", h.callName(), err))
				se.File, se.Line = g.Name, h.Line
				return se
			}
		}
	}
	for _, t := range g.Header.Guards {
		if err := event.CheckToolNames(t, known, builtin); err != nil {
			return fmt.Errorf("@guards: %w", err)
		}
	}
	for _, t := range g.Header.Grants.Named("tools") {
		if err := event.CheckToolNames(t, known, builtin); err != nil {
			return fmt.Errorf("@grant tools: %w", err)
		}
	}
	return nil
}

// Listener is a function of a script that receives values as an observer does: in order, without
// blocking the sender. Its first failure is reported. Its methods are safe for concurrent use.
type Listener struct {
	gen    *Generation
	label  string
	env    *event.Envelope
	fn     Func
	queue  queue.Queue
	failed bool // only on the queue's goroutine
}

// Listen makes a listener of fn, a function of g; label names it in errors.
func (g *Generation) Listen(label string, env *event.Envelope, fn Func) *Listener {
	return &Listener{gen: g, label: label, env: env, fn: fn}
}

// Tell calls the function with args soon. It does not wait. A listener that lags too far behind
// misses some.
func (l *Listener) Tell(args ...any) {
	if _, first := l.queue.Add(func(*queue.Work) { l.call(args) }); first {
		l.gen.engine.Notices.Notify(l.env, "agent",
			ui.Notice{Text: fmt.Sprintf("%s: %s is too slow: it loses events after %d that wait",
				l.gen.Name, l.label, queue.Most), Level: "warn"})
	}
}

func (l *Listener) call(args []any) {
	_, err := l.gen.Run(NewRun(context.Background(), l.gen, vm.KindObserver, l.label, l.env, nil),
		l.fn, args...)
	if err != nil && !l.failed && l.gen.ctx.Err() == nil {
		l.failed = true
		l.gen.engine.Notices.reportError(fault.Of(err), l.env)
	}
}

// Flush waits until the function has received everything, or ctx ends.
func (l *Listener) Flush(ctx context.Context) {
	select {
	case <-l.queue.Done():
	case <-ctx.Done():
	}
}
