// This file asks scripts about a request before it is made (llm_request).

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// beforeRequest lets scripts change q, which is theirs to change. A reply is what a script answers
// in the model's place.
func (a *Agent) beforeRequest(ctx context.Context, q *ask) (*engine.Reply, error) {
	q.messages = a.maskMessages(q.messages)
	if err := a.askEach(ctx, q, true); err != nil {
		return nil, err
	}
	request, tools := a.requestEvent(q), q.tools
	request.Messages = engine.MessageList(q.messages)
	request.Tools = value.NewLazy(func() any { return toolValues(tools) })
	ev, v := a.engine.InterceptUnseen(ctx, a.engine.New(a.Envelope(), request))
	defer a.showRequest(q) // with what scripts changed, and also if they refused it
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case v.Blocked:
		return nil, &halt{status: Blocked, why: report.Reason("refused", v)}
	case v.Abort != "":
		return nil, aborted(v)
	}
	if err := a.takeRequest(ctx, q, ev, v); err != nil {
		return nil, err
	}
	if v.Answerer == nil {
		return nil, nil
	}
	said, err := engine.DecodeReply(v.Respond)
	if err != nil { // it was checked when it was returned
		return nil, fmt.Errorf("%s: respond: %w", v.Answerer.ScriptName(), err)
	}
	return said, nil
}

// showRequest tells the stream of the request: the messages are no part of that, they are long and
// were shown.
func (a *Agent) showRequest(q *ask) {
	names := make([]any, len(q.tools))
	for i, t := range q.tools {
		names[i] = t.Name
	}
	request := a.requestEvent(q)
	request.Tools = names
	a.engine.EmitShown(nil, a.engine.New(a.Envelope(), request))
}

// requestEvent is llm_request for q, without its messages and tools.
func (a *Agent) requestEvent(q *ask) event.LLMRequest {
	return event.LLMRequest{Purpose: q.purpose, Model: a.settings.modelName(q.model),
		Iteration: max(q.iteration, 1), LastTurn: q.last,
		Options: optionsOf(q), ToolChoice: q.toolChoice}
}

func optionsOf(q *ask) map[string]any {
	if q.options == nil {
		return map[string]any{}
	}
	return q.options
}

func toolValues(tools []engine.ToolSpec) []any {
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
	return &halt{status: Failed, why: why, all: v.Abort == "agent"}
}

// takeRequest takes over what scripts changed. What cannot be is left as it was, and told; only
// without messages nothing can be asked.
func (a *Agent) takeRequest(ctx context.Context, q *ask, ev *engine.Event,
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
			q.toolChoice = ev.Text(key)
		case "options":
			q.options, _ = ev.Field(key).(map[string]any)
		case "messages":
			if err := a.takeMessages(q, ev.Field(key), by); err != nil {
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
		q.toolChoice = ""
	}
	return nil
}

func (a *Agent) takeModel(q *ask, name string) error {
	_, _, err := a.settings.resolve(name)
	if err == nil {
		q.model = name
	}
	return err
}

// toolName is what providers take as the name of a tool.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func takeTools(q *ask, v any) error {
	base := q.tools
	if base == nil {
		base = []engine.ToolSpec{}
	}
	specs, err := engine.DecodeToolSpecs(v, base)
	if err != nil {
		return fmt.Errorf("tools%w", err)
	}
	seen := map[string]bool{}
	for _, t := range specs {
		if !toolName.MatchString(t.Name) {
			return fmt.Errorf("got a tool named %q, want at most 64 letters, digits, _ and -",
				t.Name)
		}
		if seen[t.Name] {
			return fmt.Errorf("got the tool %s twice", t.Name)
		}
		seen[t.Name] = true
	}
	q.tools = specs
	return nil
}

// checkChoice reports a tool_choice that a provider would refuse.
func checkChoice(q *ask) error {
	switch q.toolChoice {
	case "", "auto", "none":
		return nil
	case "required":
		if len(q.tools) == 0 {
			return fmt.Errorf("got \"required\", but no tool is offered")
		}
		return nil
	}
	names := []string{"auto", "none", "required"}
	for _, t := range q.tools {
		if t.Name == q.toolChoice {
			return nil
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("got %q, want auto, none, required, or a tool that is offered%s",
		q.toolChoice, suggest.DidYouMean(q.toolChoice, names))
}

// takeMessages takes over a conversation that scripts rewrote, mended as far as that is needed.
func (a *Agent) takeMessages(q *ask, v any, by string) error {
	list, err := engine.DecodeMessages(v)
	if err != nil { // it was checked when it was returned
		return fmt.Errorf("%s: messages%w", by, err)
	}
	m, err := mend(list, by)
	if err != nil {
		return err
	}
	if len(m.notes) > 0 {
		a.report.Complain(by, "messages: "+strings.Join(m.notes, ", "))
	}
	q.messages = m.out
	if m.system != "" {
		q.system = strings.TrimLeft(q.system+"\n\n"+m.system, "\n")
	}
	return nil
}

// jsonText writes a call's arguments as a model would.
func jsonText(args map[string]any) (string, error) {
	b, err := json.Marshal(args)
	return string(b), err
}
