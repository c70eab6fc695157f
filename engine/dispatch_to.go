// This file dispatches a call on one goroutine, and continues it on another one if the first is
// stuck in a VM that does not stop.

package engine

import (
	"context"

	"github.com/agentscripts/agent/engine/event"
)

// DispatchTo is like Dispatch, for a goroutine that has nothing else to do and that nobody waits
// for: handlers run on it, so that no other goroutine has to be woken up. It calls done with the
// result. If the VM of a handler does not stop, done is called on another goroutine, within the
// same budgets; DispatchTo then does not return.
func (e *Engine) DispatchTo(ctx context.Context, call *Call, done func(r *Result)) {
	d := e.newDispatch(ctx, call)
	d.done = done
	d.conclude(d.road())
}

// askHandlers passes ev to its handlers: on the goroutine of the call, if that can be abandoned.
func (d *dispatch) askHandlers(ctx context.Context, snap *Snapshot, ev *event.Event,
	v *Verdict) *event.Event {
	if d.done == nil || len(snap.handlers[ev.Name()]) == 0 {
		return d.e.chain(ctx, snap, ev, v)
	}
	d.asking = d.e.newChain(ctx, snap, ev, v)
	return d.asking.walkHere(d)
}

// conclude ends a call of DispatchTo.
func (d *dispatch) conclude(r *Result) {
	d.snap.release()
	d.done(r)
}

// TakeOver implements vm.Heir: it does what the goroutine of DispatchTo would have done next. A
// handler that hangs has refused the call, unless the tool has run already.
func (d *dispatch) TakeOver(err error) {
	c, v, of := d.asking, d.asking.v, d.asking.ev.Name()
	ev := c.takeOver(err)
	switch of {
	case event.ToolCall{}.Event():
		d.adopt(ev, v)
	case event.Guard{}.Event():
		d.guarded(v)
	case event.ToolPermission{}.Event():
		d.decision.permitted(ev, v)
	default:
		d.review.reviewed(ev, v)
	}
	if d.call.Preview {
		d.conclude(d.preview())
	} else {
		d.conclude(d.finishCall())
	}
}
