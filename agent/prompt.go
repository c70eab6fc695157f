// This file runs a prompt from the user's input to its end.

package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/slash"
)

// Status is how a prompt ended.
type Status string

// The statuses of a prompt. Source: docs/events.md, "How a prompt ends".
const (
	Completed Status = "completed" // the model is done
	Cancelled Status = "cancelled" // the user interrupted
	Blocked   Status = "blocked"   // a script refused the input, the prompt or a turn
	Stopped   Status = "stopped"   // a script ended the prompt without an error
	Limit     Status = "limit"     // a limit of Options.Limits was reached
	Failed    Status = "error"     // a script aborted, or the request to the model failed
	Handled   Status = "handled"   // no model was asked: a script or a command handled the input
	// the model got the input during another prompt; see Input.ID
	Steered Status = "steered"
)

// End is the result of a prompt, as a user may see it. Insert is not masked.
type End struct {
	Status   Status
	Response string // the model's last text
	Reason   string // why it ended that way; "" for Completed and Cancelled, and if unknown
	Error    string // Reason if the status is Failed, else ""
	// number of denied tool calls, including sub-agents', and of a denied prompt
	Refused int
	Insert  string // text for the editor, from a command

	said string // Response before handlers changed it
}

func failed(why string) *End { return &End{Status: Failed, Reason: why, Error: why} }

// prompt is one prompt in progress.
type prompt struct {
	a        *Agent
	ctx      context.Context
	text     string
	images   []chat.Block
	files    []session.Context // attached by the user
	contexts []engine.Context  // of input and agent_before_start
	system   string
	start    time.Time

	last      string // the user's last message
	spoken    bool   // the model was done, and the prompt continues only for steering
	steered   bool   // the turn ended because of steering
	looped    bool   // the prompt ended because of a loop
	continued int    // how often in a row agent_before_end continued it
	repeats   repeats

	end    End
	turns  int
	calls  int
	names  []any // of tools, in order of their first call
	usage  chat.Usage
	cost   float64
	priced bool // all prices are known
	budget *budget
	most   int // turns
}

// work runs the turns of the prompt. It emits agent_end in every case.
func (p *prompt) work() (end End) {
	p.a.worker.setBusy(true)
	p.a.refused.Store(0)
	p.budget, p.most = p.a.shared.pool.beginBudget(p.a.parent != nil), p.a.o.Limits.Turns
	defer func() {
		p.finishPrompt()
		p.end.Refused += int(p.a.refused.Load())
		end = p.end
	}()
	p.a.worker.ready(p.ctx)
	if p.before() {
		p.a.report.Tell(event.AgentStart{Prompt: p.text})
		p.addUserMessage(Input{ID: p.a.Envelope().PromptID, Text: p.text, Images: p.images,
			files: p.files}, p.contexts)
		for more := p.goesOn(); more && p.nextRequest(); {
			more = p.turn()
		}
	}
	return end
}

// addUserMessage adds a message of the user, the files attached to it, and what scripts add to it,
// to the session.
func (p *prompt) addUserMessage(in Input, contexts []engine.Context) {
	p.last = in.Text
	p.a.journal.append(session.Entry{ID: in.ID, Sender: in.script(), Message: &chat.Message{
		Role: "user", Content: append(engine.TextResult(in.Text).Content, in.Images...)}})
	for _, f := range in.files {
		p.a.journal.append(session.Entry{Context: &f})
	}
	p.a.journal.addContexts(contexts, session.ForPrompt, 0)
}

// goesOn reports whether another model call is allowed: the user has not stopped the prompt, and no
// limit is reached. It is called before turn_end, which says why a turn was the last one.
func (p *prompt) goesOn() bool {
	switch {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case p.a.queue.isHalted():
		return p.over(Stopped, "stopped by the user")
	}
	return p.within()
}

// nextRequest prepares the next model call; false if there is none.
func (p *prompt) nextRequest() bool {
	p.a.settings.noteModel()
	p.a.journal.addNotes()
	p.addEnded()
	return p.steer()
}

// steer adds the input that arrived meanwhile to the conversation.
func (p *prompt) steer() bool {
	p.steered = false
	var texts []any
	for _, in := range p.a.queue.steering() {
		contexts, end := p.a.worker.input(p.ctx, &in)
		if end == nil && isCommand(in.Text) && !in.asked { // a script turned it into one
			name, rest, _ := slash.Split(in.Text)
			var c slash.Result
			c, end = p.a.worker.command(p.ctx, name, rest, false)
			in.Text = c.Prompt
		}
		if end != nil {
			p.a.queue.tellEnd(in, maskEnd(p.a.engine, *end))
			continue
		}
		p.addUserMessage(in, contexts)
		p.a.queue.tellEnd(in, End{Status: Steered})
		texts = append(texts, in.Text)
	}
	if len(texts) > 0 {
		p.spoken, p.continued = false, 0
		p.a.report.Tell(event.SteeringInjected{Count: len(texts), Texts: texts})
	}
	if p.spoken { // all of it was handled without the model
		return p.done()
	}
	return true
}

// maxContinues is how often in a row agent_before_end may continue a prompt: more means a loop.
// Source: docs/events.md, "What a handler may return".
const maxContinues = 8

// done is called when the model is done. It returns true if the prompt continues, because of
// steering or because a script wants that.
func (p *prompt) done() bool {
	if p.steered = p.a.queue.steers(); p.steered {
		p.spoken = true
		return true
	}
	fired := event.AgentBeforeEnd{Response: p.end.Response, LastUserMessage: p.last,
		ToolCalls: p.calls}
	shown := p.a.engine.Events.New(p.a.Envelope(), fired)
	fired.Response = p.end.said
	_, v := p.a.engine.InterceptUnseen(p.ctx, p.a.engine.Events.New(p.a.Envelope(), fired))
	p.a.engine.Emitter.EmitShown(nil, shown)
	switch {
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case v.Continue != "" && p.continued < maxContinues:
		p.continued++
		p.spoken = false
		p.a.journal.append(session.Entry{Message: &chat.Message{Role: "user",
			Content: engine.TextResult(
				engine.Context{Script: continuer(v), Text: v.Continue}.Wrap()).Content}})
		return true
	case v.Continue != "":
		p.a.report.Notify("warn",
			fmt.Sprintf("%s continued the prompt %d times in a row: it ends here",
				continuer(v), maxContinues))
	case p.a.queue.steers(): // it arrived while the handlers ran
		return p.done()
	}
	return p.over(Completed, "")
}

// continuer returns the script that continued the prompt.
func continuer(v *engine.Verdict) string {
	for _, s := range v.Trail {
		if s.Outcome == "continue" {
			return s.Script
		}
	}
	return "a script"
}

// before runs the handlers of agent_before_start.
func (p *prompt) before() bool {
	ev, v := p.a.engine.Intercept(p.ctx, p.a.engine.Events.New(p.a.Envelope(),
		event.AgentBeforeStart{Prompt: p.text, SystemPrompt: p.a.instructions.systemPrompt()}))
	p.text, p.system = ev.Text("prompt"), ev.Text("system_prompt")
	p.contexts = append(p.contexts, v.Contexts...)
	switch {
	case p.ctx.Err() != nil:
		p.over(Cancelled, "")
	case v.Blocked:
		p.end.Refused++
		p.over(Blocked, report.Reason("refused", v))
	case empty(p.text, p.images):
		why := report.Rewriters(v) + " left nothing of the prompt: a model cannot be asked nothing"
		p.a.report.Fail("prompt", why, false)
		p.over(Failed, why)
	default:
		return true
	}
	return false
}

// over records how and why the prompt ended. It returns false: no further turn.
func (p *prompt) over(s Status, why string) bool {
	var abort *abortError
	if errors.As(context.Cause(p.ctx), &abort) && s == Cancelled {
		s, why = Failed, abort.text
	}
	p.end.Status, p.end.Reason = s, why
	if s == Failed {
		p.end.Error = why
	}
	return false
}

// finishPrompt records and reports the end of the prompt. The error in the event says why it was
// not completed.
func (p *prompt) finishPrompt() {
	why := p.end.Reason
	data := map[string]any{"status": string(p.end.Status)}
	fired := event.AgentEnd{
		Response: p.end.Response, Status: string(p.end.Status), Error: why, Turns: p.turns,
		ToolCalls: p.calls,
		ToolNames: p.names, Usage: p.usage.Value(),
		DurationMS: float64(time.Since(p.start).Microseconds()) / 1e3,
	}
	if why != "" {
		data["error"] = why
	}
	if p.priced && p.turns > 0 {
		fired.Cost = &p.cost
	}
	if p.turns > 0 {
		data["turns"], data["usage"], data["duration_ms"] = p.turns, fired.Usage, fired.DurationMS
		if fired.Cost != nil {
			data["cost"] = p.cost
		}
		p.a.journal.append(session.Entry{Event: &session.Event{Name: "agent_end", Data: data}})
	}
	p.a.journal.addNotes()
	shown := p.a.engine.Events.New(p.a.Envelope(), fired)
	fired.Response = p.end.said
	p.a.engine.Emitter.EmitShown(p.a.engine.Events.New(p.a.Envelope(), fired), shown)
	e := p.a.engine // the result is masked like the stream
	p.end.Response, p.end.Reason, p.end.Error = e.Mask.Text(p.end.Response),
		e.Mask.Text(p.end.Reason),
		e.Mask.Text(p.end.Error)
}

// addEnded reports ended jobs to the model. Jobs that a sub-agent left running are reported to the
// main agent.
func (p *prompt) addEnded() {
	a := p.a
	notes := a.o.Jobs.Ended(func(agent string) bool {
		return agent == a.Envelope().AgentID || a.parent == nil && a.shared.subagents.find(a,
			agent) == nil
	})
	for _, note := range notes {
		a.journal.addContexts([]engine.Context{{Script: tool.Bash, Text: note}},
			session.ForSession, 0)
	}
}
