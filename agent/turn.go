// This file is one turn: one model call and its batch of tool calls.

package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
)

// turn makes one model call and runs what it asks for. It reports whether another turn follows; if
// not, p.end says how the prompt ended. turn_end is told in every case.
func (p *prompt) turn() (more bool) {
	p.turns++
	p.a.journal.addJoined()
	p.a.report.Change(func(env *engine.Envelope) { env.Turn, env.Model = p.turns, p.a.Model() })
	t := &turnEnd{}
	defer func() {
		more = more && p.goesOn()
		p.turnEnd(t, more)
	}()
	if !p.turnStart() {
		return false
	}
	r, err := p.ask()
	t.reply = r
	p.keep(r, err)
	if err != nil {
		return p.failed(err)
	}
	p.cutOff(r)
	switch {
	case len(r.uses) > 0:
		if more := p.batch(r.uses); !more || r.stopped == "" {
			return more
		}
		return p.over(Stopped, r.stopped)
	case r.stopped != "":
		return p.over(Stopped, r.stopped)
	}
	return p.done()
}

// cutOff tells the user of an answer that is not all that the model had to say: it may look as if
// it were.
func (p *prompt) cutOff(r *reply) {
	if strings.TrimSpace(r.said) == "" && len(r.uses) == 0 && !r.scripted && r.stopped == "" &&
		(r.finish == "stop" || r.finish == "") {
		p.a.report.Notify("warn", "the answer of "+r.name+" is empty")
	}
	switch r.finish {
	case "length":
		p.a.report.Notify("warn", "the answer of "+r.name+
			" is cut off: it has reached the most that it may write in one reply, or its context "+
			"is full")
	case "refusal", "content_filter":
		p.a.report.Notify("warn", "the answer of "+r.name+
			" is cut off: the model, or its server, refused to go on ("+r.finish+")")
	}
}

// failed ends the prompt because its model was not asked, or did not answer.
func (p *prompt) failed(err error) bool {
	var h *halt
	switch halted := errors.As(err, &h); {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case !halted:
		return p.over(Failed, plain.Error(err))
	case h.status == Blocked:
		p.end.Refused++
	case h.all:
		p.a.endAll(h.why)
	}
	return p.over(h.status, h.why)
}

// turnStart asks the handlers of turn_start.
func (p *prompt) turnStart() bool {
	_, v := p.a.engine.Intercept(p.ctx, p.a.engine.New(p.a.Envelope(),
		event.TurnStart{Turn: p.turns}))
	p.a.journal.addContexts(v.Contexts, session.ForTurn, p.turns)
	why := ""
	if !v.Blocked && !v.Stop && len(v.Asks) > 0 {
		why = p.askUser(v.Asks)
	}
	switch {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case v.Blocked:
		p.end.Refused++
		return p.over(Blocked, report.Reason("refused", v))
	case v.Stop:
		return p.over(Stopped, report.Reason("stopped", v))
	case why != "":
		p.end.Refused++
		return p.over(Blocked, why)
	}
	return true
}

// askUser asks whether the turn may begin; it returns why not, or "".
func (p *prompt) askUser(asks []engine.Ask) string {
	var who []string
	for _, ask := range asks {
		line := fmt.Sprintf("%s:%d asks: %s", ask.Script, ask.Line, ask.Text)
		if ask.Reason != "" {
			line += " (" + ask.Reason + ")"
		}
		who = append(who, line)
	}
	d := &engine.Dialog{Script: asks[0].Script, Kind: "confirm", Title: asks[0].Text,
		Detail: strings.Join(who, "\n")}
	dialogs := p.a.engine.Dialogs()
	if dialogs == nil {
		return "refused: nobody can be asked here: " + strings.Join(who, "; ")
	}
	yes, err := dialogs.Confirm(p.ctx, d)
	switch {
	case err != nil:
		return "refused: nobody could be asked: " + plain.Error(err)
	case !yes:
		return "refused by the user: " + strings.Join(who, "; ")
	}
	return ""
}

// brokenOff stands behind the text of a reply that its server did not end: the model would take it
// for all that it said.
const brokenOff = "\n\n[the reply broke off here: the server failed]"

// keep puts what the model said into the session. Of a message that was cut off, by err, only the
// text stands: a tool call that never was made must not wait for its result.
func (p *prompt) keep(r *reply, err error) {
	p.usage = p.usage.Add(r.usage)
	switch {
	case r.cost != nil:
		p.cost += *r.cost
	case r.name != "": // somebody was asked
		p.priced = false
	}
	if r.said == "" && len(r.uses) == 0 && r.thought == "" {
		return // nothing was said
	}
	m, said := &engine.Message{Role: "assistant", Reasoning: r.thought}, r.said
	if h := (*halt)(nil); said != "" && err != nil && p.ctx.Err() == nil && !errors.As(err, &h) {
		said += brokenOff
	}
	if said != "" {
		m.Content = engine.TextResult(said).Content
		p.end.Response, p.end.said = r.shown.text, r.said
	}
	for _, u := range r.uses {
		m.ToolCalls = append(m.ToolCalls, u.ToolUse)
	}
	if r.own != nil {
		provider, _, _ := strings.Cut(r.name, "/")
		m.Own = &engine.ProviderData{Provider: provider, Data: r.own}
	}
	e := session.Entry{ID: r.id, Message: m, RewrittenBy: r.by}
	if said != r.said {
		e.Shown = &r.said
	}
	if s := r.shown; s != nil {
		if s.text != said {
			e.Shown = &s.text
		}
		if s.thought != r.thought {
			e.ShownReasoning = &s.thought
		}
		e.Hidden = s.text == "" && s.thought == "" && r.said+r.thought != ""
	}
	p.a.journal.append(e)
}

// turnEnd is what turn_end tells.
type turnEnd struct{ reply *reply }

func (p *prompt) turnEnd(t *turnEnd, more bool) {
	fired := event.TurnEnd{Cause: p.cause(more), Error: p.end.Error,
		Usage: usageValue(engine.Usage{})}
	if r := t.reply; r != nil {
		fired.Usage, fired.HasToolCalls, fired.FinishReason = usageValue(r.usage), len(r.uses) > 0,
			r.finish
	}
	p.a.watch.did("turn", map[string]any{"turn": p.turns, "cause": fired.Cause})
	p.a.report.Tell(fired)
}

// cause is why the turn ended: the field cause of turn_end.
func (p *prompt) cause(more bool) string {
	switch {
	case more && p.steered:
		return "steered"
	case more:
		return "continue"
	case p.looped:
		return "loop_detected"
	case p.end.Status == Completed:
		return "normal"
	}
	return string(p.end.Status)
}

// ask makes the model call of the turn. A conversation that does not fit into the model's context
// is compacted, once.
func (p *prompt) ask() (*reply, error) {
	if err := p.a.compactIfFull(p.ctx); err != nil {
		return &reply{}, err
	}
	for again := false; ; again = true {
		q := &ask{purpose: p.a.purpose(), system: p.system, tools: p.a.tools(p.ctx),
			iteration: p.turns, last: p.turns >= p.most, shown: true}
		if err := p.context(q); err != nil {
			return &reply{}, err
		}
		r, err := p.a.request(p.ctx, q)
		var f *engine.FailError
		if err == nil || !errors.As(err, &f) || !f.Overflow || p.ctx.Err() != nil {
			return r, err
		}
		if again {
			err = fmt.Errorf(
				"%w; the conversation does not fit into the model's context, also when it is "+
					"compacted", err)
			p.a.report.Fail("model", plain.Error(err), false)
			return r, err
		}
		if e := p.compact(r, err); e != nil {
			return r, e
		}
	}
}

// compact makes room for a request that was too large. That a script refuses it is no reason not to
// try again: it may have made room by itself.
func (p *prompt) compact(r *reply, cause error) error {
	p.a.dropMessage(r)
	p.a.report.Tell(event.LLMRetry{Attempt: 1, Max: 2, Cause: "overflow", Error: cause.Error()})
	err := p.a.compact(p.ctx, "overflow", "")
	var w *engine.WorldError
	switch {
	case err == nil, errors.As(err, &w) && w.Code == "refused":
		return nil
	case p.ctx.Err() != nil:
		return err
	}
	err = fmt.Errorf("%w; it could not be compacted: %w", cause, err)
	p.a.report.Fail("model", plain.Error(err), false)
	return err
}

// context lets scripts choose what of the conversation the model sees this time.
func (p *prompt) context(q *ask) error {
	a := p.a
	q.messages = a.journal.session().Messages(a.Envelope().PromptID, p.turns)
	if len(a.engine.Snapshot().Handlers("context")) == 0 {
		return nil
	}
	q.messages = a.maskMessages(q.messages)
	ev, v := a.engine.InterceptUnseen(p.ctx, a.engine.New(a.Envelope(),
		event.Context{Messages: engine.MessageList(q.messages)}))
	// the messages were shown as they came
	a.engine.EmitShown(nil, a.engine.New(a.Envelope(), event.Context{}))
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if v.Blocked {
		return &halt{status: Blocked, why: report.Reason("refused", v)}
	}
	if !slices.Contains(v.Changed, "messages") {
		return nil
	}
	err := a.takeMessages(q, ev.Field("messages"), report.Rewriters(v))
	if err != nil {
		a.report.Fail("context", plain.Error(err), false)
	}
	return err
}
