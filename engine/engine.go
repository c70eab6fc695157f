// This file defines the Engine: what it is given, and how generations are loaded and swapped.

package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Options is what an Engine is made of. Events, API, Host and Runtimes are required for scripts.
type Options struct {
	Events    []EventRow
	API       []APIRow
	Host      map[string]HostFunc // by APIRow.Name; one for each row that is not a fact
	Fact      func(g *Generation, name string) any
	Runtimes  []Runtime
	Schema    Schema  // nil: arguments of tools are not checked
	Tools     []*Tool // built in
	Providers []*Provider
	Rules     Rules // nil: there are none
	// Touch tells what a tool call reads and writes, when somebody wants to know; the tool is nil
	// if there is none of the name. nil: it is not known of any call.
	Touch func(c *Call, t *Tool) Touched
	// Protect tells what a call would change that decides what runs: it is given what the call
	// touches, and the files of the scripts that are loaded. nil: nothing is protected, and
	// accept-edits covers each edit.
	Protect func(c *Call, t Touched, scripts []string) Protection
	// Secrets are texts that nobody may see, such as keys: they are masked wherever redactors mask.
	// One of less than 8 bytes is not: it would be found in the middle of words.
	Secrets  []string
	Approver Approver // nil: what would ask is refused
	Dialogs  Dialogs  // nil: ext.ui dialogs answer "headless"
	Surface  *Surface // nil: what scripts put on the screen is seen by nobody
	// Emit gets every event, in order: the one stream that screens, --json and logs read: see
	// Subscribe. May be nil.
	Emit func(ev *Event)
	// Envelope is the envelope of events that the engine fires by itself. May be nil.
	Envelope func() *Envelope
	Clock    Clock // the time as scripts have it; nil: that of the machine
	// Patience is how many times its usual budgets a script gets: more than 1 for a slow machine,
	// or a build that is instrumented. A timeout that a handler names itself stays. 0 = 1.
	Patience float64
	// Wedged is told that the VM of a generation did not stop and was given up; who loaded it loads
	// it anew.
	Wedged func(g *Generation)
}

// Engine runs scripts. Its methods are safe for concurrent use.
type Engine struct {
	Events Events       // the table of events, which makes them
	Mask   *redact.Mask // what must not be seen

	opts Options
	api  []*Builtin
	dog  *vm.Watchdog

	current atomic.Pointer[Snapshot]
	numbers atomic.Int64 // generations
	widgets atomic.Int64 // that calls have shown
	closed  atomic.Bool  // no tool runs any more
	log     decisionLog
	writes  mutations
	user    userClock
	// what is told to the stream and to observers has the same order for both; taken before emitMu
	order  sync.Mutex
	emitMu sync.Mutex // keeps the stream one stream
	// listeners hear the stream; nil = nobody does. It is changed under emitMu.
	listeners atomic.Pointer[[]*listener]
	out       outbox
	notices   observerQueue
	strands   vm.Strands
	allowMu   sync.Mutex
	allowed   map[string]bool // what the user allowed for this session

	swapMu  sync.Mutex // one swap at a time
	gens    []*Generation
	plugins []*Installed
	shadows []*Handler // guards of files that have no working version
	goSeq   int
}

// New makes an engine with an empty snapshot. Close ends it.
func New(o Options) (*Engine, error) {
	e := &Engine{opts: o, Mask: redact.NewMask(o.Secrets)}
	if o.Approver != nil {
		e.opts.Approver = clockedApprover{o.Approver, &e.user}
	}
	if o.Dialogs != nil {
		e.opts.Dialogs = clockedDialogs{o.Dialogs, &e.user}
	}
	e.Events.now, e.Events.envelope, e.Events.args = e.now, o.Envelope,
		func(tool string) *value.Shape { return e.current.Load().tools[tool].args() }
	if err := e.Events.addRows(o.Events); err != nil {
		return nil, err
	}
	for i := range o.API {
		row := &o.API[i]
		if !row.Fact && o.Host[row.Name] == nil {
			return nil, fmt.Errorf("engine: API row %q has no host function", row.Name)
		}
		e.api = append(e.api, &Builtin{Row: row, Func: o.Host[row.Name]})
	}
	for _, t := range o.Tools {
		if err := e.CheckTool(t); err != nil {
			return nil, err
		}
	}
	if o.Emit != nil {
		e.Subscribe(o.Emit)
	}
	e.dog = vm.NewWatchdog(e.weigh)
	e.Swap(nil, nil)
	return e, nil
}

// Close retires every generation. Calls under way end with errors; the watchdog ends when nothing
// runs. The stream has had everything then, unless a redactor takes too long.
func (e *Engine) Close() {
	e.closed.Store(true) // before the guards go: no call may run without them
	ctx, cancel := context.WithTimeout(context.Background(), streamWait)
	defer cancel()
	e.flush(ctx)
	e.Swap(nil, nil)
	e.flush(ctx) // what was too late for redactors has been withheld
	e.strands.Close()
	e.dog.Close()
}

// API returns the API table's rows.
func (e *Engine) API() []APIRow { return e.opts.API }

// Dialogs returns the dialogs of the front end, nil if nobody can be asked.
func (e *Engine) Dialogs() Dialogs { return e.opts.Dialogs }

// Snapshot returns what is registered now. It is for looking; who runs handlers acquires.
func (e *Engine) Snapshot() *Snapshot { return e.current.Load() }

// acquire returns the current snapshot, kept alive until release.
func (e *Engine) acquire() *Snapshot {
	for {
		if s := e.current.Load(); s.acquire() {
			return s
		}
	}
}

// Fits checks plain data against a JSON Schema. The error says what is wrong and where.
func (e *Engine) Fits(v any, schema map[string]any) error {
	if e.opts.Schema == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok { // what is checked is always an object
		if schema["type"] == "object" {
			return fmt.Errorf("got %s, want an object", value.TypeName(v))
		}
		const key = "answer"
		m, schema = map[string]any{key: v}, map[string]any{"type": "object",
			"properties": map[string]any{key: schema}}
	}
	c, err := e.opts.Schema.Compile(schema)
	if err != nil {
		return err
	}
	return c.Validate(m)
}

// CheckTool compiles the tool's schema, so that its arguments can be checked.
func (e *Engine) CheckTool(t *Tool) error {
	t.shape = value.ArgsShape(t.Name, t.Schema)
	if e.opts.Schema == nil || t.Schema == nil {
		return nil
	}
	v, err := e.opts.Schema.Compile(t.Schema)
	if err != nil {
		return fmt.Errorf("tool %s: schema: %w", t.Name, err)
	}
	t.validate = v
	return nil
}

// Load runs the script's top level in a new VM. Nothing of the program changes until the generation
// is given to Swap; one that is not must be discarded. Failure is a *ScriptError.
func (e *Engine) Load(ctx context.Context, s *Script) (*Generation, error) {
	return e.LoadNumbered(ctx, s, e.ReserveNumbers(1))
}

// ReserveNumbers returns the first of n numbers for LoadNumbered that no other generation gets.
func (e *Engine) ReserveNumbers(n int) (first int) { return int(e.numbers.Add(int64(n))) - n + 1 }

// LoadNumbered is Load for scripts that load side by side: their numbers are reserved before, so
// that they do not depend on which one starts first.
func (e *Engine) LoadNumbered(ctx context.Context, s *Script, number int) (*Generation, error) {
	start := time.Now()
	rt := e.Runtime(s.Name)
	if rt == nil {
		return nil, &ScriptError{Script: s.Name, Path: s.Path, Handler: "load",
			Position: Position{File: s.Name}, Message: "no runtime for this kind of file"}
	}
	if e.closed.Load() {
		return nil, &ScriptError{Script: s.Name, Path: s.Path, Handler: "load",
			Position: Position{File: s.Name}, Message: "the program is ending"}
	}
	g := &Generation{Script: s, Number: number, Language: rt.Language(), LoadedAt: e.now(),
		engine: e}
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	g.staged.Store(true)
	g.pins.Store(1)
	run := NewRun(ctx, g, vm.KindLoad, "load", e.Events.Envelope(), nil)
	vm, err := e.loadVM(rt, run, e.bind(g))
	run.End()
	if err == nil {
		if err = g.checkNames(); err != nil && vm != nil {
			g.vm = vm // for Discard to close
		}
	}
	if err != nil {
		e.Discard(g)
	}
	g.sealed.Store(true)
	if err != nil {
		return nil, e.scriptError(err, g, "load")
	}
	g.vm = vm
	g.LoadTime = time.Since(start)
	return g, nil
}

// loadVM loads on a goroutine of its own, so that a VM that cannot be stopped is left behind.
func (e *Engine) loadVM(rt Runtime, run *Run, b *Binding) (machine VM, err error) {
	s := vm.NewStrand()
	done := make(chan struct{})
	go func() {
		s.Enter(&run.Run)
		loaded, failure := load(rt, run, b)
		switch {
		case s.Leave(&run.Run):
			machine, err = loaded, failure
			close(done)
		case failure == nil:
			loaded.Close() // too late
		}
	}()
	select {
	case <-done:
		return machine, err
	case err := <-s.Lost():
		return nil, err
	}
}

func load(rt Runtime, run *Run, b *Binding) (vm VM, err error) {
	defer recovered(&err)
	return rt.Load(run, b)
}

func (e *Engine) bind(g *Generation) *Binding {
	b := &Binding{Gen: g, Funcs: e.api}
	b.Fact = func(row *APIRow) any {
		g.called.Store(true) // what it registers may depend on it
		if e.opts.Fact == nil {
			return nil
		}
		return e.opts.Fact(g, row.Name)
	}
	b.NewTurn = func(interrupt func(error), clear func()) *vm.Turn {
		g.turn = e.dog.NewTurn(interrupt, clear, func() {
			if g.sealed.Load() && g.pins.Load() >= 0 && e.opts.Wedged != nil {
				e.opts.Wedged(g)
			}
		})
		return g.turn
	}
	return b
}

// Discard frees a loaded generation that will not be given to Swap.
func (e *Engine) Discard(g *Generation) {
	if g.staged.CompareAndSwap(true, false) {
		g.unpin()
	}
}

// Swap makes gens, and shadows (guards of files without a working version), the current set in one
// step: there is no moment without the one set or the other. Generations that are no longer in it
// are retired: what waits in them is cancelled, and they are closed when the last call that uses
// them has ended. After Close the set stays empty, and gens are closed. It returns the new
// snapshot.
func (e *Engine) Swap(gens []*Generation, shadows []*Handler) *Snapshot {
	e.swapMu.Lock()
	defer e.swapMu.Unlock()
	return e.swap(gens, shadows)
}

func (e *Engine) swap(gens []*Generation, shadows []*Handler) *Snapshot {
	for i, h := range shadows {
		h.seq = i
	}
	old := e.current.Load()
	number := uint64(1)
	if old != nil {
		number = old.Number + 1
	}
	if e.closed.Load() {
		for _, g := range gens {
			e.Discard(g)
		}
		gens, shadows = nil, nil
	}
	live := map[*Generation]bool{}
	for _, g := range gens {
		if live[g] = g.pin(); !live[g] {
			panic("engine: generation used after it was closed")
		}
		e.Discard(g) // from here on the snapshot's pin keeps it
	}
	own := e.goParts(shadows)
	e.Events.replace(own.Events)
	s := newSnapshot(number, gens, own)
	if !e.closed.Load() { // what is said at the very end is masked as well
		e.Mask.Replace(s.redaction())
	}
	e.current.Store(s)
	e.gens, e.shadows = gens, shadows
	for _, g := range gens {
		g.begin()
	}
	if old != nil {
		for _, g := range old.Generations {
			if !live[g] {
				g.cancel(vm.ErrClosed)
			}
		}
		old.release()
	}
	return s
}

// scriptError completes what a runtime knows of a failure with what the engine knows.
func (e *Engine) scriptError(err error, g *Generation, handler string) *ScriptError {
	c := *asScriptError(err)
	c.Script, c.Path, c.Generation, c.Handler = g.Name, g.Path, g.Number, handler
	if c.File == "" {
		c.File = g.Name
	}
	if src, ok := g.File(c.File); ok && c.Excerpt == "" {
		c.Excerpt = Excerpt(src, c.Line, c.Column)
	}
	return &c
}

func asScriptError(err error) *ScriptError {
	if se, ok := err.(*ScriptError); ok {
		return se
	}
	return &ScriptError{Message: plain.Error(err), Err: err}
}

// internalError tells of a panic in our own code that was met at a boundary.
func (e *Engine) internalError(what string, p any) {
	e.Fail(nil, what, fmt.Sprintf("internal error: %v", p), false)
}
