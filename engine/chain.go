// This file runs the handlers of one event, in order, and combines their decisions.

package engine

import (
	"context"
	"runtime"
	"slices"
	"sort"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

// Intercept passes an event to its handlers, in order; it returns the rewritten event and the
// verdict. Notices have been shown, failures reported; the final event has been sent to the stream.
func (e *Engine) Intercept(ctx context.Context, ev *event.Event) (*event.Event, *Verdict) {
	ev, v := e.intercept(ctx, ev)
	e.Stream.Tell(ev)
	return ev, v
}

// InterceptUnseen is like Intercept, for events that a user does not see unchanged: requests to a
// model and its replies. It does not send the event to the stream; EmitShown can send a version
// that the user may see.
func (e *Engine) InterceptUnseen(ctx context.Context, ev *event.Event) (*event.Event, *Verdict) {
	return e.intercept(ctx, ev)
}

// intercept asks the current handlers. If a script is reloaded while its handler waits, all
// handlers are asked again, with the new version.
func (e *Engine) intercept(ctx context.Context, ev *event.Event) (*event.Event, *Verdict) {
	for round := 0; ; round++ {
		snap := e.Scripts.acquire()
		v := &Verdict{}
		out := e.chain(ctx, snap, ev, v)
		snap.release()
		if !v.retired || round == maxRounds {
			return out, v
		}
	}
}

// chain runs the matching handlers of ev's row; each sees the rewrite of the previous one. It
// returns the rewritten event. Handlers of scripts run on another goroutine, which can be
// abandoned; it is only created if there are any.
func (e *Engine) chain(ctx context.Context, snap *Snapshot, ev *event.Event,
	v *Verdict) *event.Event {
	if len(snap.handlers[ev.Name()]) == 0 {
		return ev
	}
	return e.newChain(ctx, snap, ev, v).walk()
}

func (e *Engine) newChain(ctx context.Context, snap *Snapshot, ev *event.Event,
	v *Verdict) *chain {
	return &chain{e: e, ctx: ctx, tools: snap.tools, rest: snap.handlers[ev.Name()], ev: ev, v: v}
}

// InterceptIn is like Intercept, for the handlers of one generation: session_start for a script
// that was loaded later.
func (e *Engine) InterceptIn(ctx context.Context, g *Generation, ev *event.Event) (*event.Event,
	*Verdict) {
	v := &Verdict{}
	c := chain{e: e, ctx: ctx, ev: ev, v: v}
	for _, h := range g.Registry.Handlers {
		if h.Event == ev.Name() {
			c.rest = append(c.rest, h)
		}
	}
	if len(c.rest) == 0 || !g.pin() {
		return ev, v
	}
	defer g.unpin()
	sort.SliceStable(c.rest, func(i, j int) bool { return before(c.rest[i], c.rest[j]) })
	ev = c.walk()
	e.Stream.Tell(ev)
	return ev, v
}

// walk asks one handler after the other. It does not return if its goroutine is abandoned and has
// an heir.
func (c *chain) walk() *event.Event {
	for c.nextHandler() {
		switch {
		case c.h.isGo():
			c.step(nil)
		case !c.here:
			c.steps()
		case !c.step(&c.strand):
			runtime.Goexit() // the heir has c
		}
	}
	ev := c.ev
	// a script may keep one of the runs, and with it the chain
	c.tools, c.rest, c.h, c.ev, c.v = nil, nil, nil, nil, nil
	c.strand.SetHeir(nil)
	return ev
}

// walkHere is like walk, on the calling goroutine. If a VM does not stop, h takes over.
func (c *chain) walkHere(h vm.Heir) *event.Event {
	c.here = true
	c.strand.SetHeir(h)
	return c.walk()
}

// takeOver is walk after the goroutine of walkHere was abandoned.
func (c *chain) takeOver(err error) *event.Event {
	c.here = false
	c.hangs(err)
	return c.walk()
}

// chain is a walk through the handlers of one event.
type chain struct {
	e     *Engine
	ctx   context.Context
	tools map[string]*Tool
	rest  []*Handler   // not yet asked
	h     *Handler     // being asked
	ev    *event.Event // as rewritten so far
	v     *Verdict

	runs []Run // unused ones: see newRun
	one  [1]Run

	here   bool // handlers of scripts run on the goroutine of walk: strand, with an heir
	strand vm.Strand
}

// runsTogether is how many runs are allocated together at most: ten guards are common, and the
// filters of many handlers do not match.
const runsTogether = 8

// newRun returns a zero run. Runs are never used again, because a script may keep one beyond its
// end, as that of a timer: so they are allocated together, the first one with the chain.
func (c *chain) newRun() *Run {
	if c.runs == nil {
		c.runs = c.one[:]
	} else if len(c.runs) == 0 {
		c.runs = make([]Run, min(1+len(c.rest), runsTogether))
	}
	r := &c.runs[0]
	c.runs = c.runs[1:]
	return r
}

// nextHandler finds the next matching handler. A block, an abort, handled input, Esc, or the reload
// of a script during its handler ends the chain.
func (c *chain) nextHandler() bool {
	if v := c.v; v.Blocked || v.Abort != "" || v.Handled || v.retired {
		return false
	}
	for len(c.rest) > 0 {
		c.h, c.rest = c.rest[0], c.rest[1:]
		switch fits, sure := c.fits(); {
		case fits && c.ctx.Err() == nil:
			return true
		case fits:
			if c.ev.Row().Withhold == "" || c.h.cut(c.ev, c.v) {
				return false
			}
		case !sure && c.ev.Row().Failure == event.FailAsk && slices.Contains(c.ev.Row().Returns,
			"ask"):
			c.doubtful()
		}
	}
	return false
}

// steps asks c.h and the following handlers on a strand.
func (c *chain) steps() {
	if err := c.e.strands.Do(c); err != nil {
		c.hangs(err)
	}
}

// RunOn implements vm.Job.
func (c *chain) RunOn(s *vm.Strand) {
	for c.step(s) && c.nextHandler() {
	}
}

// step asks c.h and adds its decision. It returns false if the goroutine was abandoned; then it no
// longer owns c.
func (c *chain) step(s *vm.Strand) bool {
	c.catchUp()
	var r *Run
	var start time.Time
	if c.h.GoFn == nil {
		r = c.newRun()
	} else {
		start = time.Now()
	}
	o, err, back := c.h.ask(c.ctx, c.e.Mask, s, c.ev, nil, r)
	if !back {
		return false
	}
	var took time.Duration
	if r != nil {
		took = r.Took()
	} else {
		took = time.Since(start)
	}
	t := c.h.step(c.ev, took)
	if err != nil {
		t.Outcome, t.Reason = "error", plain.Error(err)
		t.Error = c.failed(err)
	} else {
		c.succeeded()
		if o.Ask != "" && o.Reason == "" {
			o.Reason = c.why()
		}
		t.Outcome, t.Reason = o.verb(), o.Reason
		t.Changed, t.hides = c.apply(o), c.h.Scrub || c.h.OnError == event.FailBlock
	}
	if c.v.Trail == nil {
		c.v.Trail = make(Trail, 0, 1+len(c.rest))
	}
	c.v.Trail = append(c.v.Trail, t)
	c.e.Emitter.hookFinished(c.h, c.ev, t)
	return true
}

// hangs handles a handler whose VM was abandoned: a tool call that it guards is refused, otherwise
// its policy applies.
func (c *chain) hangs(err error) {
	t := c.h.step(c.ev, 0)
	t.Outcome, t.Reason = "error", plain.Error(err)
	t.Error = c.failed(err)
	if c.ev.Row().Failure == event.FailAsk {
		c.v.Blocked, c.v.By, c.v.Reason = true, c.h, "it hangs: "+t.Error.Error()
	}
	c.v.Trail = append(c.v.Trail, t)
	c.e.Emitter.hookFinished(c.h, c.ev, t)
}

// catchUp delivers earlier events to the observers of c.h's script, if it has any: the script sees
// all events in order.
func (c *chain) catchUp() {
	g := c.h.Gen
	if g == nil || g.observed.IsHeard() {
		return
	}
	if !g.observed.CatchUp(c.ctx, g.turn, g.limits(vm.KindGuard).Turn) {
		c.e.Notices.Notify(c.ev.Env(), "agent",
			ui.Notice{Text: c.h.ScriptName() +
				" is too slow: it answers before it has heard of all that happened", Level: "warn"})
	}
}

// apply adds the answer of c.h to the verdict, and rewrites the event for the next handler. It
// returns the fields that changed.
func (c *chain) apply(o Outcome) (changed []string) {
	h, v := c.h, c.v
	if !o.decided {
		return nil
	}
	if o.Notify != nil {
		c.e.Notices.notify(c.ev, h, *o.Notify)
	}
	if !o.Block {
		for _, ch := range o.Changes {
			if c.change(ch) {
				changed = append(changed, ch.Key)
			}
		}
	}
	decided := o // keeps o off the heap: most outcomes are zero
	v.addVerbs(h, &decided)
	return changed
}

// change rewrites one field, and reports whether its value changed. Fields that depend on the tool
// are updated at once: later filters use them.
func (c *chain) change(ch Change) bool {
	before := c.ev.Field(ch.Key)
	switch ch.Key {
	case "content":
		ch.Value = chat.AsBlocks(ch.Value)
	case "messages":
		// already checked: see Field.Check
		if list, err := chat.DecodeMessages(ch.Value); err == nil {
			ch.Value = chat.MessageList(list)
		}
	}
	c.ev = c.ev.Merged(ch.Key, ch.Value)
	if ch.Key == "tool" {
		t := c.tools[c.ev.Text("tool")]
		_, kind, readOnly := t.values("")
		c.ev = c.ev.WithTool(kind, readOnly, t.args())
	}
	if ch.Key == "tool" || ch.Key == "args" {
		c.retouch()
	}
	if !slices.Contains(c.v.Changed, ch.Key) {
		c.v.Changed = append(c.v.Changed, ch.Key)
	}
	// messages are not compared: there may be many
	return ch.Key == "messages" || differs(before, c.ev.Field(ch.Key))
}
