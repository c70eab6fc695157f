// This file lets scripts handle a request before it is sent (llm_request).

package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Prepare is the first half of Ask: it lets scripts change q, which it modifies. A non-nil reply is
// a script's answer in the model's place.
func (a *Asker) Prepare(ctx context.Context, q *Request) (*chat.Reply, error) {
	q.Messages = a.MaskMessages(q.Messages)
	if err := a.askEach(ctx, q, true); err != nil {
		return nil, err
	}
	request, tools := a.requestEvent(q), q.Tools
	request.Messages = chat.MessageList(q.Messages)
	request.Tools = value.NewLazy(func() any { return toolValues(tools) })
	ev, v := a.engine.InterceptUnseen(ctx, a.engine.Events.New(a.report.Envelope(), request))
	defer a.showRequest(q) // with the scripts' changes, and also if they refused it
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case v.Blocked:
		return nil, &Halt{Refused: true, Why: report.Reason("refused", v)}
	case v.Abort != "":
		return nil, aborted(v)
	}
	if err := a.takeRequest(ctx, q, ev, v); err != nil {
		return nil, err
	}
	if v.Answerer == nil {
		return nil, nil
	}
	said, err := chat.DecodeReply(v.Respond)
	if err != nil { // it was validated when it was returned
		return nil, fmt.Errorf("%s: respond: %w", v.Answerer.ScriptName(), err)
	}
	return said, nil
}

// showRequest emits the request to the stream, without its messages, which are long and have been
// shown.
func (a *Asker) showRequest(q *Request) {
	names := make([]any, len(q.Tools))
	for i, t := range q.Tools {
		names[i] = t.Name
	}
	request := a.requestEvent(q)
	request.Tools = names
	a.engine.Emitter.EmitShown(nil, a.engine.Events.New(a.report.Envelope(), request))
}

// requestEvent returns llm_request for q, without its messages and tools.
func (a *Asker) requestEvent(q *Request) event.LLMRequest {
	return event.LLMRequest{Purpose: q.Purpose, Model: a.o.Settings.ModelName(q.Model),
		Iteration: max(q.Iteration, 1), LastTurn: q.Last,
		Options: optionsOf(q), ToolChoice: q.ToolChoice}
}

func optionsOf(q *Request) map[string]any {
	if q.Options == nil {
		return map[string]any{}
	}
	return q.Options
}

func toolValues(tools []chat.ToolSpec) []any {
	values := make([]any, len(tools))
	for i, t := range tools {
		values[i] = t.Value()
	}
	return values
}

func aborted(v *engine.Verdict) error {
	why := v.By.ScriptName() + " ended the " + v.Abort
	if v.Reason != "" {
		why += ": " + v.Reason
	}
	return &Halt{Why: why, All: v.Abort == "agent"}
}

// takeRequest applies the scripts' changes. Invalid ones are reported and ignored; it fails only if
// there are no messages.
func (a *Asker) takeRequest(ctx context.Context, q *Request, ev *event.Event,
	v *engine.Verdict) error {
	by := report.Rewriters(v)
	for _, key := range v.Changed {
		var err error
		switch key {
		case "model":
			err = a.takeModel(q, ev.Text(key))
		case "tools":
			err = takeTools(q, ev.Field(key))
		case "tool_choice":
			q.ToolChoice = ev.Text(key)
		case "options":
			q.Options, _ = ev.Field(key).(map[string]any)
		case "messages":
			if err := a.TakeMessages(q, ev.Field(key), by); err != nil {
				return err
			}
			if err := a.askEach(ctx, q, false); err != nil {
				return err
			}
		}
		if err != nil {
			a.report.Complain(by, key+": "+plain.Error(err)+"; it stays as it was")
		}
	}
	if err := checkChoice(q); err != nil {
		a.report.Complain(by, "tool_choice: "+plain.Error(err)+"; the model chooses")
		q.ToolChoice = ""
	}
	return nil
}

func (a *Asker) takeModel(q *Request, name string) error {
	_, _, err := a.o.Settings.Resolve(name)
	if err == nil {
		q.Model = name
	}
	return err
}

// toolName matches tool names that providers accept.
var toolName = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)

func takeTools(q *Request, v any) error {
	base := q.Tools
	if base == nil {
		base = []chat.ToolSpec{}
	}
	specs, err := chat.DecodeToolSpecs(v, base)
	if err != nil {
		return fmt.Errorf("tools%w", err)
	}
	seen := map[string]bool{}
	for _, t := range specs {
		if !toolName().MatchString(t.Name) {
			return fmt.Errorf("got a tool named %q, want at most 64 letters, digits, _ and -",
				t.Name)
		}
		if seen[t.Name] {
			return fmt.Errorf("got the tool %s twice", t.Name)
		}
		seen[t.Name] = true
	}
	q.Tools = specs
	return nil
}

// checkChoice returns an error for a tool_choice that a provider would refuse.
func checkChoice(q *Request) error {
	switch q.ToolChoice {
	case "", "auto", "none":
		return nil
	case "required":
		if len(q.Tools) == 0 {
			return fmt.Errorf("got \"required\", but no tool is offered")
		}
		return nil
	}
	names := []string{"auto", "none", "required"}
	for _, t := range q.Tools {
		if t.Name == q.ToolChoice {
			return nil
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("got %q, want auto, none, required, or a tool that is offered%s",
		q.ToolChoice, suggest.DidYouMean(q.ToolChoice, names))
}

// TakeMessages applies a conversation that scripts rewrote, repaired if necessary.
func (a *Asker) TakeMessages(q *Request, v any, by string) error {
	list, err := chat.DecodeMessages(v)
	if err != nil { // it was validated when it was returned
		return fmt.Errorf("%s: messages%w", by, err)
	}
	m, err := repair(list, by)
	if err != nil {
		return err
	}
	if len(m.notes) > 0 {
		a.report.Complain(by, "messages: "+strings.Join(m.notes, ", "))
	}
	q.Messages = m.out
	if m.system != "" {
		q.System = strings.TrimLeft(q.System+"\n\n"+m.system, "\n")
	}
	return nil
}

// jsonText encodes a call's arguments as a model would.
func jsonText(args map[string]any) (string, error) {
	b, err := json.Marshal(args)
	return string(b), err
}
