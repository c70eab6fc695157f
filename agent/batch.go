// This file runs the tool calls of one message.

package agent

import (
	"context"
	"slices"
	"time"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// batch is the tool calls of one message. They are dispatched one after the other. A call that only
// reads runs concurrently with the next ones; a call that changes something runs alone.
type batch struct {
	p       *prompt
	ctx     context.Context
	cancel  context.CancelCauseFunc // ends the running calls
	uses    []ask.ToolUse
	results []*engine.Result // by call
	done    []chan struct{}  // by call: closed when its result is in the session
	ended   chan ended
	running int

	cut     context.Context         // of the calls that the time limit ends
	cutNow  context.CancelCauseFunc // ends them
	late    *time.Timer             // fires when the limit may be reached
	limited bool                    // it is reached, and the prompt was not extended

	abort string // why the prompt ends at once
	loop  string // why it ends as a loop
	stop  *string
	all   bool // abort = "agent"
}

// ended is a call that has ended.
type ended struct {
	call   int
	result *engine.Result
}

// batch runs the calls and adds each result to the session as soon as it is there. It reports
// whether another turn follows. Each call gets a result in every case, because providers refuse a
// conversation with a missing one.
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

// waitCalls waits for the running calls to end.
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

// overtime ends the running calls if the time limit is reached, unless a script or the user extends
// it; the calls continue while they are asked. It does not end a sub-agent, which has the same
// limit and ends by itself with the result so far.
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

// leastTime is how long calls may run in any case: an extension that is used up already must not
// lead to one question after the other.
const leastTime = time.Second

// overtimeText is the result for the model of a call that the time limit has ended or prevented.
const overtimeText = "the limit of time of this prompt is reached"

// beginCall dispatches a call and returns when the next one may begin.
func (b *batch) beginCall(i int) {
	u := b.uses[i]
	b.p.name(u)
	if t := b.p.a.engine.Scripts.Snapshot().Tool(u.Tool); t == nil || !t.ReadOnly {
		b.waitCalls() // it, and a question about it, must see their effects
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
		Env: a.Envelope(), Number: i + 1, Of: len(b.uses), Together: func(readOnly, asked bool) {
			if readOnly {
				close(next)
			} else if why := b.alone(i, asked); why != nil {
				cancel(why)
			}
		}}
	b.running++
	go a.watch.dispatch(ctx, a.engine, call, func(r *engine.Result) {
		cancel(nil)
		b.ended <- ended{i, r}
	})
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

// alone waits for the calls before i to end. It returns an error if their end is a reason not to
// run the call. What the user said before he allowed the call is no such reason.
func (b *batch) alone(i int, asked bool) error {
	for _, done := range b.done[:i] {
		select {
		case <-done:
		case <-b.ctx.Done(): // the caller would see it a moment later
			return context.Cause(b.ctx)
		}
	}
	if !asked && b.p.a.queue.steers() {
		return &engine.SkipError{Cause: "steered", Text: steeredText}
	}
	return nil
}

// steeredText is the result for the model of a call that was skipped because of steering.
const steeredText = "not run: the user has said something meanwhile, which follows"

// skips returns why a call is not dispatched; cause "" = it is.
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

// finishCall adds a call's result to the session.
func (b *batch) finishCall(e ended) {
	b.running--
	b.p.a.shared.main.assembly.toolEnded()
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

// conclude reports that the calls have ended, and whether another turn follows.
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
	p.a.journal.addContexts(p.a.instructions.near(b.results), session.ForSession, 0)
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

// abortText says who ended the prompt, and why if a reason was given.
func abortText(r *engine.Result) string {
	text := r.AbortBy + " ended the " + r.Abort
	for _, s := range r.Trail {
		if s.Outcome == "abort" && s.Reason != "" {
			text += ": " + s.Reason
		}
	}
	return text
}

// name records the name of a called tool.
func (p *prompt) name(u ask.ToolUse) {
	p.calls++
	if !slices.Contains(p.names, any(u.Tool)) {
		p.names = append(p.names, u.Tool)
	}
}

// count counts a refused call.
func (p *prompt) count(r *engine.Result) {
	if r.Skipped == "denied" {
		p.end.Refused++
	}
}

// caller returns the origin of the model's calls.
func (p *prompt) caller() string {
	if p.a.parent != nil {
		return "subagent"
	}
	return "model"
}

// skip returns the result of a call that is not dispatched. It emits the same events as a
// dispatched call.
func (p *prompt) skip(u ask.ToolUse, cause, text string) *engine.Result {
	return p.a.engine.Skip(&engine.Call{ID: u.ID, Tool: u.Tool, Args: u.Args, Origin: p.caller(),
		Env: p.a.Envelope()}, cause, text)
}

// toolEntry returns a call's result as an entry of the session: under the model's own name for the
// call, and with the tool that actually ran if it was another one.
func toolEntry(u ask.ToolUse, r *engine.Result) session.Entry {
	run := &session.ToolRun{Skipped: r.Skipped, Details: r.Details, Display: r.Display,
		ForUser: r.ForUser, Silent: r.Silent, Trail: r.Trail,
		Took: time.Duration(r.DurationMS) * time.Millisecond}
	if engine.UserApproval(r.Source) != "" {
		run.Source = r.Source
	}
	if r.Tool != u.Tool {
		run.Tool = r.Tool
	}
	if !ask.SameArgs(r.Args, u.Args) {
		run.Args = r.Args
	}
	return session.Entry{Tool: run, Message: &chat.Message{Role: "tool", CallID: u.ID,
		Tool: u.Tool, Content: r.Content, IsError: r.IsError}}
}
