// This file defines Scripts: it loads scripts, and replaces the set in force.

package engine

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/vm"
)

// Scripts is the set of scripts in force, and of the registrations of Go code. It loads scripts,
// and replaces the set in one step. Its methods are safe for concurrent use.
type Scripts struct {
	engine  *Engine // that the generations belong to
	dog     *vm.Watchdog
	current atomic.Pointer[Snapshot]
	numbers atomic.Int64 // generations
	closed  atomic.Bool  // nothing is loaded, and no tool runs any more

	mu      sync.Mutex // one swap at a time; guards the following fields
	gens    []*Generation
	plugins []*Installed
	shadows []*Handler // guards of files without a working version
	goSeq   int
}

// init makes the set of e, which contains only the built-in parts.
func (s *Scripts) init(e *Engine) {
	s.engine = e
	s.dog = vm.NewWatchdog(e.opts.Heap, s.weigh)
	s.Swap(nil, nil)
}

// Snapshot returns the current registrations for reading. To run handlers, use acquire.
func (s *Scripts) Snapshot() *Snapshot { return s.current.Load() }

// acquire returns the current snapshot, kept alive until release.
func (s *Scripts) acquire() *Snapshot {
	for {
		if snap := s.current.Load(); snap.acquire() {
			return snap
		}
	}
}

// Load runs the script's top level in a new VM. It changes nothing else: the generation must be
// passed to Swap or Discard. Failure is a *ScriptError.
func (s *Scripts) Load(ctx context.Context, script *scriptfile.Script) (*Generation, error) {
	return s.LoadNumbered(ctx, script, s.ReserveNumbers(1))
}

// ReserveNumbers returns the first of n numbers for LoadNumbered that no other generation gets.
func (s *Scripts) ReserveNumbers(n int) (first int) { return int(s.numbers.Add(int64(n))) - n + 1 }

// LoadNumbered is like Load, for scripts that load concurrently: their numbers are reserved in
// advance, so that they do not depend on which one starts first.
func (s *Scripts) LoadNumbered(ctx context.Context, script *scriptfile.Script,
	number int) (*Generation, error) {
	start := time.Now()
	rt := s.Runtime(script.Name)
	if rt == nil {
		return nil, &fault.ScriptError{Script: script.Name, Path: script.Path, Handler: "load",
			Position: fault.Position{File: script.Name},
			Message:  "no runtime for this kind of file"}
	}
	if s.closed.Load() {
		return nil, &fault.ScriptError{Script: script.Name, Path: script.Path, Handler: "load",
			Position: fault.Position{File: script.Name}, Message: "the program is ending"}
	}
	g := newGeneration(s.engine, script)
	g.Number, g.Language, g.LoadedAt = number, rt.Language(), s.engine.now()
	kind := vm.KindLoad
	if _, ok := rt.(Format); ok { // a busy machine may take long to start a program
		kind = vm.KindStart
	}
	run := NewRun(ctx, g, kind, "load", s.engine.Events.Envelope(), nil)
	vm, err := loadVM(rt, run, s.bind(g))
	run.End()
	if err == nil {
		if err = g.checkNames(); err != nil && vm != nil {
			g.vm = vm // for Discard to close
		}
	}
	if err != nil {
		s.Discard(g)
	}
	g.Registry.sealed.Store(true)
	if err != nil {
		return nil, g.scriptError(err, "load")
	}
	g.vm = vm
	g.LoadTime = time.Since(start)
	return g, nil
}

// loadVM loads in a separate goroutine, so that a VM that cannot be stopped can be abandoned.
func loadVM(rt Runtime, run *Run, b *Binding) (machine VM, err error) {
	strand := vm.NewStrand()
	done := make(chan struct{})
	go func() {
		strand.Enter(&run.Run)
		loaded, failure := load(rt, run, b)
		switch {
		case strand.Leave(&run.Run):
			machine, err = loaded, failure
			close(done)
		case failure == nil:
			loaded.Close() // too late
		}
	}()
	select {
	case <-done:
		return machine, err
	case err := <-strand.Lost():
		return nil, err
	}
}

func load(rt Runtime, run *Run, b *Binding) (vm VM, err error) {
	defer apart.Recover(&err)
	return rt.Load(run, b)
}

// bind makes the Binding for a runtime.
func (s *Scripts) bind(g *Generation) *Binding {
	b := &Binding{Gen: g, Funcs: s.engine.api}
	b.Fact = func(row *APIRow) any {
		g.called.Store(true) // its registrations may depend on it
		if s.engine.opts.Fact == nil {
			return nil
		}
		return s.engine.opts.Fact(g, row.Name)
	}
	b.NewTurn = func(interrupt func(error), clear func()) *vm.Turn {
		g.turn = s.dog.NewTurn(interrupt, clear, func() {
			if g.Registry.sealed.Load() && g.pins.Load() >= 0 && s.engine.opts.Wedged != nil {
				s.engine.opts.Wedged(g)
			}
		})
		return g.turn
	}
	return b
}

// Discard frees a loaded generation that is not passed to Swap.
func (s *Scripts) Discard(g *Generation) {
	if g.staged.CompareAndSwap(true, false) {
		g.unpin()
	}
}

// Swap makes gens, and shadows (guards of files without a working version), the current set in one
// step: at any moment, either the old or the new set is in force. Generations that are no longer in
// it are retired: their waiting runs are cancelled, and they are closed when the last call that
// uses them has ended. After Close the set stays empty, and gens are closed. It returns the new
// snapshot.
func (s *Scripts) Swap(gens []*Generation, shadows []*Handler) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.swap(gens, shadows)
}

// swap is Swap, with the mutex held.
func (s *Scripts) swap(gens []*Generation, shadows []*Handler) *Snapshot {
	for i, h := range shadows {
		h.seq = i
	}
	old := s.current.Load()
	number := uint64(1)
	if old != nil {
		number = old.Number + 1
	}
	if s.closed.Load() {
		for _, g := range gens {
			s.Discard(g)
		}
		gens, shadows = nil, nil
	}
	live := map[*Generation]bool{}
	for _, g := range gens {
		if live[g] = g.pin(); !live[g] {
			panic("engine: generation used after it was closed")
		}
		s.Discard(g) // from now on the snapshot's pin keeps it alive
	}
	own := s.goParts(shadows)
	s.engine.Events.Replace(own.Events)
	snap := newSnapshot(number, gens, own)
	if !s.closed.Load() { // the last texts are masked as well
		s.engine.Mask.Replace(snap.redaction())
	}
	s.current.Store(snap)
	s.gens, s.shadows = gens, shadows
	for _, g := range gens {
		g.enterForce()
	}
	if old != nil {
		for _, g := range old.Generations {
			if !live[g] {
				g.cancel(vm.ErrClosed)
			}
		}
		old.release()
	}
	return snap
}

// Runtimes returns the current languages and formats, in the order in which they are tried for a
// file.
func (s *Scripts) Runtimes() []Runtime { return s.Snapshot().runtimes }

// Runtime returns the runtime of a script by its name, which may be FOLDER/MANIFEST; nil if there
// is none.
func (s *Scripts) Runtime(name string) Runtime {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	for _, r := range s.Runtimes() {
		if f, ok := r.(Format); ok && HasFormat(f, name) {
			return r
		}
		if base == name && ext != "" && slices.Contains(r.Extensions(), ext) {
			return r
		}
	}
	return nil
}

// Runtime is a script language.
type Runtime interface {
	Language() string     // "lua", "js"
	Extensions() []string // ".lua"
	// Load compiles the script's bytes and runs the top level in a new VM under run's budgets.
	// Functions of bind are the script's ext. Failure is a *ScriptError; then nothing of the VM is
	// left.
	Load(run *Run, bind *Binding) (VM, error)
}

// VM is the interpreter of one generation.
type VM interface {
	// Close frees the VM. It is called once, when no run is in it (or when it is wedged: then Close
	// must not wait for the turn).
	Close()
}

// Sweeper is a VM that may still refer to values of calls that are over.
type Sweeper interface {
	// Sweep drops such values. It is called with the turn held, before the VM is weighed.
	Sweep()
}
