// This file takes a prompt from the user's input to its end.
package agent

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// Input is what the user gave.
type Input struct {
	Text   string
	Images []engine.Block
	Kind   string // "" = "prompt"
	Source string // interactive, cli, queue, rpc, script; "" = "interactive"
}

// Status is how a prompt ended.
type Status string

// The statuses. Source: EVENTS, "ended by".
const (
	Completed Status = "completed" // the model is done
	Cancelled Status = "cancelled" // the user interrupted
	Blocked   Status = "blocked"   // a script refused the input, the prompt or a turn
	Stopped   Status = "stopped"   // a script said it is enough
	Limit     Status = "limit"     // Options.MaxTurns
	Failed    Status = "error"     // a script aborted, or the model could not be asked
	Handled   Status = "handled"   // no model was asked: a script or a command dealt with the input
)

// End is what came of a prompt.
type End struct {
	Status   Status
	Response string // the last text of the model
	Reason   string // why it ended like that, for all but Completed and Cancelled; may be ""
	Error    string // the same as Reason for Failed, else ""
	Refused  int    // tool calls that were denied, and the prompt itself if it was
	Insert   string // text for the editor, from a command
}

func failed(why string) *End { return &End{Status: Failed, Reason: why, Error: why} }

// commandName is how input must begin to be a slash command: a path has more slashes.
var commandName = regexp.MustCompile(`^/([a-z][a-z0-9_-]*)(?:\s|$)`)

// Prompt works on one input to its end: it returns when nothing of it runs any more. When ctx ends, all
// that is under way stops, and the status is Cancelled. Prompts wait for each other.
func (a *Agent) Prompt(ctx context.Context, in Input) End {
	if !a.acquire(ctx) {
		return End{Status: Cancelled}
	}
	defer a.release()
	if a.closed.Load() {
		return *failed("the session has ended")
	}
	if in.Kind == "" {
		in.Kind = "prompt"
	}
	if in.Source == "" {
		in.Source = "interactive"
	}
	a.change(func(env *engine.Envelope) {
		env.PromptID, env.Turn, env.Model = a.session.NewID(), 0, a.Model()
	})
	contexts, end := a.input(ctx, &in)
	if end != nil {
		return *end
	}
	insert := ""
	if m := commandName.FindStringSubmatch(in.Text); m != nil {
		c, end := a.command(ctx, m[1], strings.TrimSpace(in.Text[len(m[1])+1:]))
		if end != nil {
			return *end
		}
		in.Text, insert = c.Prompt, c.Insert
	}
	p := &prompt{a: a, ctx: ctx, text: in.Text, images: in.Images, contexts: contexts, start: time.Now(), names: []any{}, priced: true}
	p.end.Insert = insert
	return p.work()
}

// input asks the handlers of input; an End means that it is over already.
func (a *Agent) input(ctx context.Context, in *Input) ([]engine.Context, *End) {
	fields := map[string]any{"kind": in.Kind, "text": in.Text, "source": in.Source}
	if len(in.Images) > 0 {
		fields["images"] = engine.BlockValues(in.Images)
	}
	ev, v := a.engine.Intercept(ctx, a.engine.NewEvent("input", a.Envelope(), fields))
	in.Text = ev.Text("text")
	in.Images = images(ev.Field("images"))
	switch {
	case ctx.Err() != nil:
		return nil, &End{Status: Cancelled}
	case v.Blocked:
		why := reason("refused", v)
		a.engine.Notify(a.Envelope(), "agent", engine.Notice{Text: "the prompt was " + why, Level: "warn"}) // there is no agent_end to tell it
		return nil, &End{Status: Blocked, Reason: why, Refused: 1}
	case v.Handled:
		return nil, &End{Status: Handled, Reason: v.Reason}
	}
	return v.Contexts, nil
}

// images reads image blocks back from an event's field.
func images(v any) []engine.Block {
	p, err := engine.Plain(v)
	list, _ := p.([]any)
	if err != nil {
		return nil
	}
	var blocks []engine.Block
	for _, e := range list {
		if m, ok := e.(map[string]any); ok && engine.Text(m, "data") != "" {
			blocks = append(blocks, engine.Block{Type: "image", MimeType: engine.Text(m, "mime_type"), Data: engine.Text(m, "data")})
		}
	}
	return blocks
}

// command runs a slash command of a script; without an End its result holds a prompt for the model. What
// went wrong is told by an event: script_error if the script failed, else error.
func (a *Agent) command(ctx context.Context, name, rest string) (engine.CommandResult, *End) {
	names := a.engine.Snapshot().CommandNames()
	if a.engine.Snapshot().Command(name) == nil {
		why := "unknown command /" + name + engine.DidYouMean(name, names)
		a.fail("command", why, false)
		return engine.CommandResult{}, failed(why)
	}
	c, err := a.engine.RunCommand(ctx, a.Envelope(), name, rest)
	switch {
	case ctx.Err() != nil:
		return c, &End{Status: Cancelled}
	case err != nil:
		return c, failed(err.Error())
	case c.Error != "":
		a.fail("command", "/"+name+": "+c.Error, false)
		return c, failed(c.Error)
	case c.Prompt == "":
		return c, &End{Status: Handled, Insert: c.Insert}
	}
	return c, nil
}

// reason is who refused or stopped, and why: "refused by guard.lua: too late".
func reason(what string, v *engine.Verdict) string {
	by, why := "a script", "no reason given"
	if v.By != nil {
		by = v.By.ScriptName()
	}
	if v.Reason != "" {
		why = v.Reason
	}
	return what + " by " + by + ": " + why
}

// prompt is one prompt under way.
type prompt struct {
	a        *Agent
	ctx      context.Context
	text     string
	images   []engine.Block
	contexts []engine.Context // of input and agent_before_start
	system   string
	start    time.Time

	end    End
	turns  int
	calls  int
	names  []any // of tools, in order of their first call
	usage  engine.Usage
	cost   float64
	priced bool // the price of everything is known
}

// work takes the prompt through its turns. Whatever happens, it ends with agent_end.
func (p *prompt) work() End {
	defer p.finish()
	if !p.before() {
		return p.end
	}
	p.a.engine.Emit(p.a.engine.NewEvent("agent_start", p.a.Envelope(), map[string]any{"prompt": p.text}))
	p.a.append(session.Entry{ID: p.a.Envelope().PromptID, Message: &engine.Message{Role: "user",
		Content: append(engine.TextResult(p.text).Content, p.images...)}})
	p.a.addContexts(p.contexts, session.ForPrompt, 0)
	for p.turn() {
	}
	return p.end
}

// before asks the handlers of agent_before_start.
func (p *prompt) before() bool {
	system := p.a.o.System
	if system == "" {
		system = p.a.systemPrompt()
	}
	ev, v := p.a.engine.Intercept(p.ctx, p.a.engine.NewEvent("agent_before_start", p.a.Envelope(),
		map[string]any{"prompt": p.text, "system_prompt": system}))
	p.text, p.system = ev.Text("prompt"), ev.Text("system_prompt")
	p.contexts = append(p.contexts, v.Contexts...)
	switch {
	case p.ctx.Err() != nil:
		p.over(Cancelled, "")
	case v.Blocked:
		p.end.Refused++
		p.over(Blocked, reason("refused", v))
	default:
		return true
	}
	return false
}

// over notes how the prompt ended, and why; it returns false: no further turn.
func (p *prompt) over(s Status, why string) bool {
	p.end.Status, p.end.Reason = s, why
	if s == Failed {
		p.end.Error = why
	}
	return false
}

// finish writes down and tells how it ended. An error in the event is why it was not completed.
func (p *prompt) finish() {
	why := p.end.Reason
	data := map[string]any{"status": string(p.end.Status)}
	fields := map[string]any{
		"response": p.end.Response, "status": string(p.end.Status), "turns": p.turns, "tool_calls": p.calls,
		"tool_names": p.names, "usage": usageValue(p.usage),
		"duration_ms": float64(time.Since(p.start).Microseconds()) / 1e3,
	}
	if why != "" {
		data["error"], fields["error"] = why, why
	}
	if p.priced && p.turns > 0 {
		fields["cost"] = p.cost
	}
	if p.turns > 0 {
		p.a.append(session.Entry{Event: &session.Event{Name: "agent_end", Data: data}})
	}
	p.a.engine.Emit(p.a.engine.NewEvent("agent_end", p.a.Envelope(), fields))
}

func usageValue(u engine.Usage) map[string]any {
	return map[string]any{"input": u.Input, "output": u.Output, "cache_read": u.CacheRead, "cache_write": u.CacheWrite}
}

// limited ends the prompt if it has had all its turns.
func (p *prompt) limited() bool {
	if p.turns < p.a.o.MaxTurns {
		return false
	}
	p.over(Limit, fmt.Sprintf("ended after %d turns: go on with another prompt", p.turns))
	return true
}
