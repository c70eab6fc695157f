// This file defines a run of a script's function: one entry into its VM.

package engine

import (
	"context"
	"github.com/agentscripts/agent/engine/vm"
	"time"
)

// Run is one run of a script's function: who, for how long, and for which moment.
type Run struct {
	vm.Run
	Gen *Generation
	Env *Envelope

	handler *Handler // whose run it is, nil = of another function
	hops    int      // of the event that is handled: see Cause
}

// NewRun starts a run of kind in g. The caller must call End. timeout replaces the kind's wall
// time.
func NewRun(ctx context.Context, g *Generation, kind vm.Kind, label string, env *Envelope,
	timeout *time.Duration) *Run {
	r := &Run{Gen: g, Env: env}
	limits := g.limits(kind)
	if timeout != nil {
		limits.Wall = *timeout
	}
	var owner vm.Owner
	if g != nil && g.ctx != nil {
		owner = (*runOwner)(g)
	}
	r.Init(ctx, owner, kind, label, limits)
	return r
}

// limits are the budgets of runs of kind in g, which may be nil.
func (g *Generation) limits(kind vm.Kind) vm.Limits {
	l, _ := vm.LimitsOf(kind)
	if g != nil && g.engine != nil && g.engine.opts.Patience > 0 {
		return l.Times(g.engine.opts.Patience)
	}
	return l
}

// runOwner is a generation, as the owner of its runs.
type runOwner Generation

// Context implements Owner.
func (g *runOwner) Context() context.Context { return g.ctx }

// Explain implements Owner.
func (g *runOwner) Explain(label string, err error) error {
	return g.engine.scriptError(err, (*Generation)(g), label)
}

// OffClock runs wait with the wall clock stopped, and those of the runs that led to r: while the
// user thinks, or a model answers.
func (r *Run) OffClock(wait func()) {
	if by := causeOf(r.Parent()); by != nil {
		own := wait
		wait = func() { by.OffClock(own) }
	}
	r.Run.OffClock(wait)
}
