// This file is one turn: one model call and its batch of tool calls.
package agent

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// turn makes one model call and runs what it asks for. It reports whether another turn follows; if not,
// p.end says how the prompt ended. turn_end is told in every case.
func (p *prompt) turn() (more bool) {
	p.turns++
	p.a.addJoined()
	p.a.change(func(env *engine.Envelope) { env.Turn, env.Model = p.turns, p.a.Model() })
	t := &turnEnd{}
	defer func() { p.turnEnd(t, more) }()
	if !p.turnStart() {
		return false
	}
	r, err := p.ask()
	t.reply = r
	p.keep(r)
	switch {
	case err != nil && p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case err != nil:
		return p.over(Failed, err.Error())
	case len(r.uses) == 0:
		return p.done()
	}
	return p.batch(r.uses)
}

// turnStart asks the handlers of turn_start.
func (p *prompt) turnStart() bool {
	_, v := p.a.engine.Intercept(p.ctx, p.a.engine.NewEvent("turn_start", p.a.Envelope(), map[string]any{"turn": p.turns}))
	p.a.addContexts(v.Contexts, session.ForTurn, p.turns)
	why := ""
	if !v.Blocked && !v.Stop && len(v.Asks) > 0 {
		why = p.askUser(v.Asks)
	}
	switch {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case v.Blocked:
		p.end.Refused++
		return p.over(Blocked, reason("refused", v))
	case v.Stop:
		return p.over(Stopped, reason("stopped", v))
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
	d := &engine.Dialog{Script: asks[0].Script, Kind: "confirm", Title: asks[0].Text, Detail: strings.Join(who, "\n")}
	dialogs := p.a.engine.Dialogs()
	if dialogs == nil {
		return "refused: nobody can be asked here: " + strings.Join(who, "; ")
	}
	yes, err := dialogs.Confirm(p.ctx, d)
	switch {
	case err != nil:
		return "refused: nobody could be asked: " + err.Error()
	case !yes:
		return "refused by the user: " + strings.Join(who, "; ")
	}
	return ""
}

// keep puts what the model said into the session. Of a message that was cut off, only the text stands: a
// tool call that never was made must not wait for its result.
func (p *prompt) keep(r *reply) {
	p.usage = p.usage.Add(r.usage)
	p.account(r)
	if r.text() == "" && len(r.uses) == 0 && r.thought() == "" {
		return // nothing was said
	}
	m := &engine.Message{Role: "assistant", Reasoning: r.thought()}
	if r.text() != "" {
		m.Content = engine.TextResult(r.text()).Content
		p.end.Response = r.text()
	}
	for _, u := range r.uses {
		m.ToolCalls = append(m.ToolCalls, u.ToolUse)
	}
	p.a.append(session.Entry{ID: r.id, Message: m})
}

// account adds up tokens and money, and puts them into the envelope.
func (p *prompt) account(r *reply) {
	m, u := r.model, r.usage
	if m.Price == nil {
		p.priced = false
		p.a.charge(u, nil)
	} else {
		const million = 1e6
		cost := (float64(u.Input)*m.Price.Input + float64(u.Output)*m.Price.Output +
			float64(u.CacheRead)*m.Price.CacheRead + float64(u.CacheWrite)*m.Price.CacheWrite) / million
		p.cost += cost
		p.a.cost += cost
		p.a.charge(u, &cost)
	}
	tokens, total := u.Input+u.Output+u.CacheRead+u.CacheWrite, p.a.cost
	if tokens == 0 {
		return // nobody counted
	}
	p.a.change(func(env *engine.Envelope) {
		env.Cost = func() float64 { return total }
		env.Window = func() map[string]any {
			w := map[string]any{"tokens": tokens, "limit": m.Context, "percent": 0.0}
			if m.Context > 0 {
				w["percent"] = 100 * float64(tokens) / float64(m.Context)
			}
			return w
		}
	})
}

// turnEnd is what turn_end tells.
type turnEnd struct{ reply *reply }

func (p *prompt) turnEnd(t *turnEnd, more bool) {
	fields := map[string]any{"cause": p.cause(more), "usage": usageValue(engine.Usage{}), "has_tool_calls": false}
	if p.end.Error != "" {
		fields["error"] = p.end.Error
	}
	if r := t.reply; r != nil {
		fields["usage"], fields["has_tool_calls"] = usageValue(r.usage), len(r.uses) > 0
		if r.finish != "" {
			fields["finish_reason"] = r.finish
		}
	}
	p.a.watch.did("turn", map[string]any{"turn": p.turns, "cause": fields["cause"]})
	p.a.engine.Emit(p.a.engine.NewEvent("turn_end", p.a.Envelope(), fields))
}

// cause is why the turn ended. Source: EVENTS, turn_end.
func (p *prompt) cause(more bool) string {
	switch {
	case more && p.steered:
		return "steered"
	case more:
		return "continue"
	case p.looped:
		return "loop_detected"
	case p.end.Status == Failed:
		return "error"
	case p.end.Status == Cancelled, p.end.Status == Blocked:
		return string(p.end.Status)
	}
	return "normal"
}

// ask makes the model call of the turn.
func (p *prompt) ask() (*reply, error) {
	env := p.a.Envelope()
	return p.a.request(p.ctx, &ask{purpose: p.a.purpose(), system: p.system, messages: p.a.session.Messages(env.PromptID, p.turns),
		tools: p.a.tools(), iteration: p.turns, shown: true})
}
