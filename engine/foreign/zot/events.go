// This file passes events to a program, and asks it about those that it intercepts.

package zot

import (
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/suggest"
)

// observed are the events of the protocol: by name, ours and the fields of its frame. Ours that may
// be changed are only observed here.
var observed = []struct {
	name, ours string
	fields     func(ev *event.Event) message
}{
	{"session_start", "session_start", nothing},
	{"session_end", "session_end", nothing},
	{"user_prompt_submit", "input", saidText},
	{"turn_start", "turn_start", step},
	{"turn_end", "turn_end", turnEnd},
	{"tool_call", "tool_start", toolCall},
	{"tool_result", "tool_end", toolResult},
	{"permission_decision", "tool_approval", permission},
	{"assistant_message", "assistant_message", saidText},
	{"pre_compact", "session_before_compact", nothing},
	{"post_compact", "session_compact", nothing},
	{"subagent_start", "subagent_start", nothing},
	{"subagent_stop", "subagent_end", nothing},
}

func nothing(*event.Event) message { return message{} }

func saidText(ev *event.Event) message { return message{"text": ev.Text("text")} }

func step(ev *event.Event) message { return message{"step": ev.Field("turn")} }

func turnEnd(ev *event.Event) message {
	m := message{"stop": ev.Text("finish_reason")}
	if text := ev.Text("error"); text != "" {
		m["error"] = text
	}
	return m
}

func toolCall(ev *event.Event) message {
	return message{"tool_id": ev.Text("call_id"), "tool_name": ev.Text("tool"),
		"tool_args": ev.Field("args")}
}

func toolResult(ev *event.Event) message {
	m := toolCall(ev)
	m["status"] = "completed"
	if failed, _ := ev.Field("is_error").(bool); failed {
		m["status"] = "failed"
	}
	return m
}

func permission(ev *event.Event) message {
	m := toolCall(ev)
	m["decision"], m["source"] = ev.Text("decision"), ev.Text("source")
	return m
}

// subscribe registers handlers for the events that the program names.
func (l *link) subscribe(run *engine.Run, f *frame) error {
	var names []string
	for _, o := range observed {
		names = append(names, o.name)
	}
	for _, name := range f.Events {
		i := slices.Index(names, name)
		if i < 0 {
			l.api.Tell("warn", fmt.Sprintf("subscribe: unknown event %.40q%s", name,
				suggest.DidYouMean(name, names)))
			continue
		}
		if !l.subscribed.first("event " + name) {
			continue
		}
		o := observed[i]
		handler := l.api.Func(func(_ *engine.Run, args []any) (any, error) {
			ev := args[0].(*event.Event)
			m := o.fields(ev)
			m["type"], m["event"] = "event", o.name
			m["session_id"], m["cwd"] = ev.Env().SessionID, ev.Env().CWD
			m["sequence"] = l.format.events.Add(1)
			return nil, l.send(m)
		})
		if _, err := l.api.Invoke(run, "on", o.ours, nil, handler); err != nil {
			return err
		}
	}
	for _, name := range f.Intercept {
		if err := l.intercept(run, name); err != nil {
			return err
		}
	}
	return nil
}

// subscriptions are the events that a program has named, by kind and name.
type subscriptions map[string]bool

// first reports whether an event is named for the first time: it is sent once, however often it was
// named.
func (s subscriptions) first(what string) bool {
	named := s[what]
	s[what] = true
	return !named
}

// intercept registers the handlers for an event that the program decides about.
func (l *link) intercept(run *engine.Run, name string) error {
	if !l.subscribed.first("intercept " + name) {
		return nil
	}
	var err error
	switch name {
	case "tool_call":
		err = l.api.GuardCalls(run, nil, l.decideCall)
	case "turn_start":
		_, err = l.api.Invoke(run, "on", "turn_start", nil, l.api.Func(l.turnStart))
	case "assistant_message": // a program that rewrites what is said hides something
		_, err = l.api.Invoke(run, "on", "assistant_message", map[string]any{"scrub": true},
			l.api.Func(l.assistantMessage))
	case "before_agent_start":
		_, err = l.api.Invoke(run, "on", "agent_before_start", nil, l.api.Func(l.beforeAgentStart))
	default:
		names := []string{"tool_call", "turn_start", "assistant_message", "before_agent_start"}
		l.api.Tell("warn", fmt.Sprintf("subscribe: %.40q cannot be intercepted%s", name,
			suggest.DidYouMean(name, names)))
	}
	return err
}

// decide asks the program about an event.
func (l *link) decide(run *engine.Run, name string, m message) (*frame, error) {
	m["type"], m["event"] = "event_intercept", name
	return l.askProgram(run, m)
}

// decideCall asks about a tool call, which the program may refuse or change.
func (l *link) decideCall(run *engine.Run, ev *event.Event) (extapi.Decision, error) {
	f, err := l.decide(run, "tool_call", toolCall(ev))
	if err != nil {
		return extapi.Decision{}, err
	}
	d := extapi.Decision{Block: f.Block, Reason: f.Reason}
	if len(f.ModifiedArgs) > 0 && string(f.ModifiedArgs) != "null" {
		if d.Args = table(f.ModifiedArgs); d.Args == nil {
			return d, fmt.Errorf("modified_args: got %.80s, want a JSON object", f.ModifiedArgs)
		}
	}
	return d, nil
}

// turnStart asks whether the model may be called.
func (l *link) turnStart(run *engine.Run, args []any) (any, error) {
	f, err := l.decide(run, "turn_start", step(args[0].(*event.Event)))
	if err != nil {
		return nil, err
	}
	if f.Block {
		return l.api.Refusal(f.Reason), nil
	}
	return nil, nil
}

// assistantMessage asks what is shown of a message.
func (l *link) assistantMessage(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	f, err := l.decide(run, "assistant_message", message{"text": ev.Text("text")})
	if err != nil {
		return nil, err
	}
	if f.Block {
		return l.api.Refusal(f.Reason), nil
	}
	if f.ReplaceText != "" {
		return map[string]any{"text": f.ReplaceText}, nil
	}
	return nil, nil
}

// beforeAgentStart asks for another system prompt.
func (l *link) beforeAgentStart(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	f, err := l.decide(run, "before_agent_start", message{"text": ev.Text("prompt"),
		"system_prompt": ev.Text("system_prompt")})
	if err != nil {
		return nil, err
	}
	if f.Block {
		return l.api.Refusal(f.Reason), nil
	}
	if f.SystemPrompt != "" {
		return map[string]any{"system_prompt": f.SystemPrompt}, nil
	}
	return nil, nil
}
