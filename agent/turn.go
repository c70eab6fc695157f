// This file runs one turn: one model call and its batch of tool calls.

package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// turn makes one model call and runs its tool calls. It reports whether another turn follows; if
// not, p.end says how the prompt ended. turn_end is emitted in every case.
func (p *prompt) turn() (more bool) {
	p.turns++
	p.a.journal.addJoined()
	p.a.report.Change(func(env *event.Envelope) { env.Turn, env.Model = p.turns, p.a.Model() })
	t := &turnEnd{}
	defer func() {
		more = more && p.goesOn()
		p.turnEnd(t, more)
	}()
	if !p.turnStart() {
		return false
	}
	r, err := p.askModel()
	t.reply = r
	p.keep(r, err)
	if err != nil {
		return p.failed(err)
	}
	p.cutOff(r)
	switch {
	case len(r.Uses) > 0:
		if more := p.batch(r.Uses); !more || r.Stopped == "" {
			return more
		}
		return p.over(Stopped, r.Stopped)
	case r.Stopped != "":
		return p.over(Stopped, r.Stopped)
	}
	return p.done()
}

// cutOff notifies the user that an answer is incomplete, because it may look complete.
func (p *prompt) cutOff(r *ask.Reply) {
	if strings.TrimSpace(r.Said) == "" && len(r.Uses) == 0 && !r.Scripted && r.Stopped == "" &&
		(r.Finish == "stop" || r.Finish == "") {
		p.a.report.Notify("warn", "the answer of "+r.Name+" is empty")
	}
	switch r.Finish {
	case "length":
		p.a.report.Notify("warn", "the answer of "+r.Name+
			" is cut off: it has reached the most that it may write in one reply, or its context "+
			"is full")
	case "refusal", "content_filter":
		p.a.report.Notify("warn", "the answer of "+r.Name+
			" is cut off: the model, or its server, refused to continue ("+r.Finish+")")
	}
}

// failed ends the prompt because the request to the model failed.
func (p *prompt) failed(err error) bool {
	var h *ask.Halt
	switch halted := errors.As(err, &h); {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case !halted:
		return p.over(Failed, plain.Error(err))
	case h.Refused:
		p.end.Refused++
		return p.over(Blocked, h.Why)
	case h.All:
		p.a.shared.endAll(h.Why)
	}
	return p.over(Failed, h.Why)
}

// turnStart runs the handlers of turn_start.
func (p *prompt) turnStart() bool {
	_, v := p.a.engine.Intercept(p.ctx, p.a.engine.Events.New(p.a.Envelope(),
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
	for _, each := range asks {
		line := fmt.Sprintf("%s:%d asks: %s", each.Script, each.Line, each.Text)
		if each.Reason != "" {
			line += " (" + each.Reason + ")"
		}
		who = append(who, line)
	}
	d := &ui.Dialog{Script: asks[0].Script, Kind: "confirm", Title: asks[0].Text,
		Detail: strings.Join(who, "\n")}
	dialogs := p.a.engine.User.Dialogs()
	if dialogs == nil {
		return "refused: no one can approve this in a non-interactive run: " +
			strings.Join(who, "; ")
	}
	yes, err := dialogs.Confirm(p.ctx, d)
	switch {
	case err != nil:
		return "refused: the user could not be asked: " + plain.Error(err)
	case !yes:
		return "refused by the user: " + strings.Join(who, "; ")
	}
	return ""
}

// brokenOff is appended to the text of an incomplete reply. Without it, the model would take the
// text for its whole answer.
const brokenOff = "\n\n[the reply broke off here: the server failed]"

// keep adds the model's message to the session. If err has cut it off, only its text is kept: a
// tool call that was never made must not wait for its result.
func (p *prompt) keep(r *ask.Reply, err error) {
	p.usage = p.usage.Add(r.Usage)
	switch {
	case r.Cost != nil:
		p.cost += *r.Cost
	case r.Name != "": // a model was asked
		p.priced = false
	}
	if r.Said == "" && len(r.Uses) == 0 && r.Thought == "" {
		return // nothing was said
	}
	m, said := &chat.Message{Role: "assistant", Reasoning: r.Thought}, r.Said
	if h := (*ask.Halt)(nil); said != "" && err != nil && p.ctx.Err() == nil && !errors.As(err,
		&h) {
		said += brokenOff
	}
	if said != "" {
		m.Content = engine.TextResult(said).Content
		p.end.Response, p.end.said = r.Shown.Text, r.Said
	}
	for _, u := range r.Uses {
		m.ToolCalls = append(m.ToolCalls, u.ToolUse)
	}
	if r.Own != nil {
		provider, _, _ := strings.Cut(r.Name, "/")
		m.Own = &chat.ProviderData{Provider: provider, Data: r.Own}
	}
	e := session.Entry{ID: r.ID, Message: m, RewrittenBy: r.By}
	if said != r.Said {
		e.Shown = &r.Said
	}
	if s := r.Shown; s != nil {
		if s.Text != said {
			e.Shown = &s.Text
		}
		if s.Thought != r.Thought {
			e.ShownReasoning = &s.Thought
		}
		e.Hidden = s.Text == "" && s.Thought == "" && r.Said+r.Thought != ""
	}
	p.a.journal.append(e)
}

// turnEnd emits turn_end.
type turnEnd struct{ reply *ask.Reply }

func (p *prompt) turnEnd(t *turnEnd, more bool) {
	fired := event.TurnEnd{Cause: p.cause(more), Error: p.end.Error,
		Usage: chat.Usage{}.Value()}
	if r := t.reply; r != nil {
		fired.Usage, fired.HasToolCalls, fired.FinishReason = r.Usage.Value(), len(r.Uses) > 0,
			r.Finish
	}
	p.a.watch.did("turn", map[string]any{"turn": p.turns, "cause": fired.Cause})
	p.a.report.Tell(fired)
}

// cause returns why the turn ended: the field cause of turn_end.
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

// askModel makes the model call of the turn. If the conversation does not fit into the model's
// context, it compacts it, once.
func (p *prompt) askModel() (*ask.Reply, error) {
	if err := p.a.compactor.compactIfFull(p.ctx); err != nil {
		return &ask.Reply{}, err
	}
	for again := false; ; again = true {
		q := &ask.Request{Purpose: p.purpose(), System: p.system, Tools: p.a.tools.specs(p.ctx),
			Iteration: p.turns, Last: p.turns >= p.most, Shown: true}
		if err := p.context(q); err != nil {
			return &ask.Reply{}, err
		}
		r, err := p.a.asker.Ask(p.ctx, q)
		var f *fault.FailError
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

// compact makes room after a request that was too large. The request is repeated even if a script
// refuses the compaction, because the script may have made room by itself.
func (p *prompt) compact(r *ask.Reply, cause error) error {
	p.a.asker.Drop(r)
	p.a.report.Tell(event.LLMRetry{Attempt: 1, Max: 2, Cause: "overflow", Error: cause.Error()})
	err := p.a.compactor.compact(p.ctx, "overflow", "")
	var w *fault.WorldError
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

// context lets scripts choose which messages the model sees in this call.
func (p *prompt) context(q *ask.Request) error {
	a := p.a
	q.Messages = a.journal.session().Messages(a.Envelope().PromptID, p.turns)
	if len(a.engine.Scripts.Snapshot().Handlers("context")) == 0 {
		return nil
	}
	q.Messages = a.asker.MaskMessages(q.Messages)
	ev, v := a.engine.InterceptUnseen(p.ctx, a.engine.Events.New(a.Envelope(),
		event.Context{Messages: chat.MessageList(q.Messages)}))
	// handlers got the messages unchanged
	a.engine.Emitter.EmitShown(nil, a.engine.Events.New(a.Envelope(), event.Context{}))
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if v.Blocked {
		return &ask.Halt{Refused: true, Why: report.Reason("refused", v)}
	}
	if !slices.Contains(v.Changed, "messages") {
		return nil
	}
	err := a.asker.TakeMessages(q, ev.Field("messages"), report.Rewriters(v))
	if err != nil {
		a.report.Fail("context", plain.Error(err), false)
	}
	return err
}

// purpose returns the purpose of the agent's requests to the model.
func (p *prompt) purpose() string {
	if p.a.parent != nil {
		return "subagent"
	}
	return "agent"
}
