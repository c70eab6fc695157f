// This file knows what follows from what: a handler that calls a tool whose handler calls a tool
// ... comes to an end.

package engine

import (
	"context"
	"fmt"
)

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
