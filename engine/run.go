// This file defines a run of a script's function: one entry into its VM. It also bounds how many
// runs may follow one from another.

package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// Run is one run of a script's function: who, for how long, and for which moment.
type Run struct {
	vm.Run
	Gen *Generation
	Env *event.Envelope

	handler *Handler // whose run it is, nil = of another function
	hops    int      // of the event that is handled: see Cause
}

// NewRun starts a run of kind in g. The caller must call End. timeout replaces the kind's wall
// time.
func NewRun(ctx context.Context, g *Generation, kind vm.Kind, label string, env *event.Envelope,
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
	return (*Generation)(g).scriptError(err, label)
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

// maxHops is how many things that scripts do (custom events, tool calls, questions to a model) may
// follow one from another: more is a circle.
const maxHops = MaxCallDepth

type causeKey struct{}

// causeOf returns the run of a script on whose behalf ctx is, nil if there is none.
func causeOf(ctx context.Context) *Run {
	r, _ := ctx.Value(causeKey{}).(*Run)
	return r
}

// depth is how many things that scripts did led to r, one from another.
func (r *Run) depth() int {
	if by := causeOf(r.Parent()); by != nil {
		return max(r.hops, by.depth()+1)
	}
	return r.hops
}

// Cause returns the context in which to do what r's script asks for, if handlers may run on the
// way: what they do counts as following from r, and their waiting for the user or a model stops r's
// wall clock too. depth is the depth of a tool call made there. An error says that this goes in a
// circle.
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

// CauseBeyond is Cause for what goes on when r has ended: the context ends when r's generation is
// retired.
func (r *Run) CauseBeyond() (context.Context, error) {
	ctx, _, err := r.causeIn(r.Gen.ctx)
	return ctx, err
}

// CheckKey is Shape.Check for what r, which may be nil, reads.
func (r *Run) CheckKey(s *value.Shape, key string) error {
	if s.OfArgs() && r.readsAny(key) {
		return nil
	}
	return s.Check(key)
}

// readsAny reports whether the run is of a handler that takes calls of any tool, and key is an
// argument of some built-in one: such a handler asks each call for it.
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
