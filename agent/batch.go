// This file runs the tool calls of one message.

package agent

import (
	"context"
	"slices"
	"time"

	"github.com/agentscripts/agent/agent/ask"
	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// batch is the tool calls of one message. They take the road one after the other; one that only
// reads, once it may run, does not hold up the next, and one that changes something runs alone.
type batch struct {
	p       *prompt
	ctx     context.Context
	cancel  context.CancelCauseFunc // ends the calls under way
	uses    []ask.ToolUse
	results []*engine.Result // by call
	done    []chan struct{}  // by call: closed when its result is in the session
	ended   chan ended
	running int

	cut     context.Context         // of the calls that the limit of time ends
	cutNow  context.CancelCauseFunc // ends them
	late    *time.Timer             // when the limit may be reached
	limited bool                    // it is, and nobody lets the prompt go on

	abort string // why the prompt ends at once
	loop  string // why it ends for a loop
	stop  *string
	all   bool // abort = "agent"
}

// ended is a call that has come to its end.
type ended struct {
	call   int
	result *engine.Result
}

// batch runs the calls and puts each one's result into the session when it is there. It reports
// whether another turn follows. Each call gets a result, whatever happens: providers refuse a
// conversation without.
func (p *prompt) batch(uses []ask.ToolUse) bool {
	n := len(uses)
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	b := &batch{p: p, ctx: ctx, cancel: cancel, uses: uses, results: make([]*engine.Result, n),
		done: make([]chan struct{}, n), ended: make(chan ended, n)}
	b.cut, b.cutNow = context.WithCancelCause(ctx)
	defer b.cutNow(nil)
	b.late = time.NewTimer(max(p.timeLeft(), leastTime))
	defer b.late.Stop()
	for i := range uses {
		b.done[i] = make(chan struct{})
		b.beginCall(i)
	}
	b.waitCalls()
	return b.conclude()
}

// waitCalls waits for the calls under way to end.
func (b *batch) waitCalls() {
	for b.running > 0 {
		select {
		case e := <-b.ended:
			b.finishCall(e)
		case <-b.late.C:
			b.overtime()
		}
	}
}

// overtime ends the calls under way if the limit of time is reached, unless a script or the user
// lets the prompt go on; the calls go on while they are asked. A sub-agent ends by itself: the
// limit is its own, too, and it has a result so far.
func (b *batch) overtime() {
	switch {
	case b.limited || b.p.ctx.Err() != nil:
	case b.p.inTime():
		b.late.Reset(max(b.p.timeLeft(), leastTime))
	default:
		b.limited = true
		b.cutNow(&engine.SkipError{Cause: "aborted", Text: overtimeText})
	}
}

// leastTime is how long calls have in any case: an extension that is used up already must not be
// asked for without end.
const leastTime = time.Second

// overtimeText is what the model is told of a call that the limit of time has ended, or kept from
// running.
const overtimeText = "the limit of time of this prompt is reached"

// beginCall takes a call down the road; it returns when the next one may begin.
func (b *batch) beginCall(i int) {
	u := b.uses[i]
	b.p.name(u)
	if t := b.p.a.engine.Scripts.Snapshot().Tool(u.Tool); t == nil || !t.ReadOnly {
		b.waitCalls() // it, and who is asked about it, sees what the calls before it did
	}
	if cause, text := b.skips(u); cause != "" {
		b.running++
		b.finishCall(ended{i, b.p.skip(u, cause, text)})
		return
	}
	a := b.p.a
	next := make(chan struct{})
	within := b.cut
	if t := a.engine.Scripts.Snapshot().Tool(u.Tool); t != nil && t.Kind == "agent" {
		within = b.ctx
	}
	ctx, cancel := context.WithCancelCause(within)
	call := &engine.Call{ID: u.ID, Tool: u.Tool, Args: u.Args, Origin: b.p.caller(),
		Env: a.Envelope(), Together: func(readOnly bool) {
			if readOnly {
				close(next)
			} else if why := b.alone(i); why != nil {
				cancel(why)
			}
		}}
	b.running++
	go func() {
		defer cancel(nil)
		b.ended <- ended{i, a.watch.dispatch(ctx, a.engine, call)}
	}()
	for {
		select {
		case <-next:
			return
		case e := <-b.ended:
			if b.finishCall(e); e.call == i {
				return
			}
		case <-b.late.C:
			b.overtime()
		}
	}
}

// alone waits for the calls before i to end. It returns why the call does not run after all: what
// they brought about.
func (b *batch) alone(i int) error {
	for _, done := range b.done[:i] {
		select {
		case <-done:
		case <-b.ctx.Done(): // known here a moment before it is known below
			return context.Cause(b.ctx)
		}
	}
	if b.p.a.queue.steers() {
		return &engine.SkipError{Cause: "steered", Text: steeredText}
	}
	return nil
}

// steeredText is what the model is told of a call that was skipped for what the user said.
const steeredText = "not run: the user has said something meanwhile, which follows"

// skips says why a call does not take the road; cause "" = it does.
func (b *batch) skips(u ask.ToolUse) (cause, text string) {
	switch {
	case b.abort != "":
		return "aborted", "not run: " + b.abort
	case b.loop != "":
		return "aborted", "not run: " + b.loop
	case b.p.ctx.Err() != nil:
		return "aborted", "cancelled by the user"
	case b.limited:
		return "aborted", "not run: " + overtimeText
	case u.Invalid != "":
		return "invalid", u.Invalid
	case b.p.a.queue.steers():
		return "steered", steeredText
	}
	if cause, text = b.p.a.tools.whyNot(b.p.ctx, u.Tool); cause != "" {
		return cause, text
	}
	if b.loop = b.p.loops(u); b.loop != "" {
		return "denied", b.loop
	}
	return "", ""
}

// finishCall puts a call's result into the session.
func (b *batch) finishCall(e ended) {
	b.running--
	r := e.result
	b.results[e.call] = r
	b.p.count(r)
	fit(b.p.a.o.Output, r)
	b.p.a.journal.append(toolEntry(b.uses[e.call], r))
	if r.Stopped && b.stop == nil {
		b.stop = &r.Stop
	}
	if r.Abort != "" && b.abort == "" {
		b.abort = abortText(r)
		b.cancel(&engine.SkipError{Cause: "aborted", Text: "not run: " + b.abort})
	}
	b.all = b.all || r.Abort == "agent"
	close(b.done[e.call])
}

// conclude tells that the calls have ended, and finds out whether another turn follows.
func (b *batch) conclude() bool {
	p := b.p
	var contexts []engine.Context
	failures := 0
	for _, r := range b.results {
		contexts = append(contexts, r.Contexts...)
		if r.IsError {
			failures++
		}
	}
	_, v := p.a.engine.Intercept(p.ctx, p.a.engine.Events.New(p.a.Envelope(),
		event.ToolBatchEnd{Calls: len(b.uses), Errors: failures}))
	p.a.journal.addContexts(append(contexts, v.Contexts...), session.ForPrompt, 0)
	if v.Stop && b.stop == nil {
		why := report.Reason("stopped", v)
		b.stop = &why
	}
	switch {
	case b.abort != "":
		if b.all {
			p.a.shared.endAll(b.abort)
		}
		return p.over(Failed, b.abort)
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case b.limited:
		return p.over(Limit, p.end.Reason)
	case b.loop != "":
		p.looped = true
		return p.over(Blocked, b.loop)
	case b.stop != nil:
		return p.over(Stopped, *b.stop)
	}
	p.steered = p.a.queue.steers()
	return true
}

// abortText says who ended the prompt, and why if they said.
func abortText(r *engine.Result) string {
	text := r.AbortBy + " ended the " + r.Abort
	for _, s := range r.Trail {
		if s.Outcome == "abort" && s.Reason != "" {
			text += ": " + s.Reason
		}
	}
	return text
}

// name notes what the model called.
func (p *prompt) name(u ask.ToolUse) {
	p.calls++
	if !slices.Contains(p.names, any(u.Tool)) {
		p.names = append(p.names, u.Tool)
	}
}

// count counts what was refused.
func (p *prompt) count(r *engine.Result) {
	if r.Skipped == "denied" {
		p.end.Refused++
	}
}

// caller is the origin of calls that the model makes.
func (p *prompt) caller() string {
	if p.a.parent != nil {
		return "subagent"
	}
	return "model"
}

// skip is the result of a call that does not take the road. It is told as those are that end on it.
func (p *prompt) skip(u ask.ToolUse, cause, text string) *engine.Result {
	return p.a.engine.Skip(&engine.Call{ID: u.ID, Tool: u.Tool, Args: u.Args, Origin: p.caller(),
		Env: p.a.Envelope()}, cause, text)
}

// toolEntry is a call's result as it stands in the session: the model's own name for the call, and
// what really ran if that was something else.
func toolEntry(u ask.ToolUse, r *engine.Result) session.Entry {
	run := &session.ToolRun{Skipped: r.Skipped, Details: r.Details, Display: r.Display,
		ForUser: r.ForUser, Silent: r.Silent, Trail: r.Trail}
	if r.Tool != u.Tool {
		run.Tool = r.Tool
	}
	if !ask.SameArgs(r.Args, u.Args) {
		run.Args = r.Args
	}
	return session.Entry{Tool: run, Message: &chat.Message{Role: "tool", CallID: u.ID,
		Tool: u.Tool, Content: r.Content, IsError: r.IsError}}
}
