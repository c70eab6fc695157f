// This file defines a run of a script's function: one entry into its VM, the limit of chained runs,
// and the clocks of runs.

package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Run is one run of a script's function: its generation, its budgets, and its envelope.
type Run struct {
	vm.Run
	Gen *Generation
	Env *event.Envelope

	handler *Handler // of the run, nil = of another function
	hops    int      // of the handled event: see Cause
	args    [1]any   // memory for the arguments of a handler
}

// NewRun starts a run of kind in g. The caller must call End. timeout replaces the kind's wall
// time.
func NewRun(ctx context.Context, g *Generation, kind vm.Kind, label string, env *event.Envelope,
	timeout *time.Duration) *Run {
	r := &Run{}
	r.begin(ctx, g, kind, label, env, timeout)
	return r
}

// begin is NewRun for a zero Run.
func (r *Run) begin(ctx context.Context, g *Generation, kind vm.Kind, label string,
	env *event.Envelope, timeout *time.Duration) {
	r.Gen, r.Env = g, env
	limits := g.limits(kind)
	if timeout != nil {
		limits.Wall = *timeout
	}
	var owner vm.Owner
	if g != nil && g.ctx != nil {
		owner = (*runOwner)(g)
	}
	r.Init(ctx, owner, kind, label, limits)
}

// limits returns the budgets of runs of kind in g, which may be nil.
func (g *Generation) limits(kind vm.Kind) vm.Limits {
	l, _ := vm.LimitsOf(kind)
	return g.patient(l)
}

// patient returns budgets as Options.Patience changes them; g may be nil.
func (g *Generation) patient(l vm.Limits) vm.Limits {
	if g != nil && g.engine != nil && g.engine.opts.Patience > 0 {
		return l.Times(g.engine.opts.Patience)
	}
	return l
}

// runOwner is a generation as the owner of its runs.
type runOwner Generation

// Context implements Owner.
func (g *runOwner) Context() context.Context { return g.ctx }

// Explain implements Owner.
func (g *runOwner) Explain(label string, err error) error {
	return (*Generation)(g).scriptError(err, label)
}

// OffClock calls wait with the wall clock stopped, and the clocks of the runs that caused r: while
// waiting for the user or a model.
func (r *Run) OffClock(wait func()) {
	if by := causeOf(r.Parent()); by != nil {
		own := wait
		wait = func() { by.OffClock(own) }
	}
	r.Run.OffClock(wait)
}

// maxHops is the longest chain of script actions (custom events, tool calls, questions to a model)
// that cause one another: a longer one is a loop.
const maxHops = MaxCallDepth

type causeKey struct{}

// causeOf returns the run of a script to which ctx belongs, nil if there is none.
func causeOf(ctx context.Context) *Run {
	r, _ := ctx.Value(causeKey{}).(*Run)
	return r
}

// depth returns the length of the chain of script actions that led to r.
func (r *Run) depth() int {
	if by := causeOf(r.Parent()); by != nil {
		return max(r.hops, by.depth()+1)
	}
	return r.hops
}

// Cause returns the context for an action of r's script that may run handlers: their actions count
// as caused by r, and their waiting for the user or a model stops r's wall clock too. depth is the
// depth of a tool call made there. The error reports a loop.
func (r *Run) Cause() (ctx context.Context, depth int, err error) {
	return r.causeIn(r.Context())
}

func (r *Run) causeIn(ctx context.Context) (context.Context, int, error) {
	n := r.depth()
	if n >= maxHops {
		return nil, 0, fmt.Errorf(
			"what scripts do may follow one from another at most %d times: this is a circle",
			maxHops)
	}
	return context.WithValue(ctx, causeKey{}, r), n + 1, nil
}

// CauseBeyond is like Cause, for an action that outlives r: the context ends when r's generation is
// retired.
func (r *Run) CauseBeyond() (context.Context, error) {
	ctx, _, err := r.causeIn(r.Gen.ctx)
	return ctx, err
}

// CheckKey is like Shape.Check, for a read by r, which may be nil.
func (r *Run) CheckKey(s *value.Shape, key string) error {
	if s.OfArgs() && r.readsAny(key) {
		return nil
	}
	return s.Check(key)
}

// readsAny reports whether the run belongs to a handler for calls of any tool, and key is an
// argument of some built-in one: such a handler may read it for each call.
func (r *Run) readsAny(key string) bool {
	if r == nil || r.handler == nil || r.handler.Filter.NamesTools() {
		return false
	}
	for _, t := range r.Gen.engine.Scripts.Snapshot().tools {
		if t.Gen == nil && (t.Source == "" || t.Source == "builtin") && t.shape.Has(key) {
			return true
		}
	}
	return false
}

// Clock returns the clock of the scripts; the system's if e is nil, or has none.
func (e *Engine) Clock() vm.Clock {
	if e != nil && e.opts.Clock != nil {
		return e.opts.Clock
	}
	return vm.SystemClock{}
}

// Random returns what makes random numbers for the scripts; the system's if e is nil, or has none.
func (e *Engine) Random() vm.Random {
	if e != nil && e.opts.Random != nil {
		return vm.Random{Reader: e.opts.Random}
	}
	return vm.SystemRandom()
}

func (e *Engine) now() time.Time { return e.Clock().Now() }
