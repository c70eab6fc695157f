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

// subscribe registers handlers for the events that the program names, in the order of observed: of
// two events of the protocol that have the same cause, the first is sent first.
func (l *link) subscribe(run *engine.Run, f *frame) error {
	var names []string
	for i := range observed {
		o := &observed[i]
		names = append(names, o.name)
		if !slices.Contains(f.Events, o.name) || !l.subscribed.first("event "+o.name+" "+o.ours) {
			continue
		}
		// of what others may change, the last handler sees what has become of it
		options := map[string]any{"priority": lastPriority}
		handler := l.api.Func(func(_ *engine.Run, args []any) (any, error) {
			return nil, l.tellEvent(o, args[0].(*event.Event))
		})
		if _, err := l.api.Invoke(run, "on", o.ours, options, handler); err != nil {
			return err
		}
	}
	for _, name := range f.Events {
		if !slices.Contains(names, name) {
			l.api.Tell("warn", fmt.Sprintf("subscribe: unknown event %.40q%s", name,
				suggest.DidYouMean(name, names)))
		}
	}
	for _, name := range f.Intercept {
		if err := l.intercept(run, name); err != nil {
			return err
		}
	}
	return nil
}

// lastPriority is a priority after those that scripts use.
const lastPriority = 1000.0

// tellEvent sends an event to the program, which does not answer.
func (l *link) tellEvent(o *observation, ev *event.Event) error {
	m := framed("event", o.name, ev, o.fields(ev))
	m["sequence"] = l.format.events.Add(1)
	return l.send(m)
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
func (l *link) decide(run *engine.Run, name string, ev *event.Event, m message) (*frame, error) {
	return l.askProgram(run, framed("event_intercept", name, ev, m))
}

// decideCall asks about a tool call, which the program may refuse or change.
func (l *link) decideCall(run *engine.Run, ev *event.Event) (extapi.Decision, error) {
	f, err := l.decide(run, "tool_call", ev, toolCall(ev))
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
	ev := args[0].(*event.Event)
	f, err := l.decide(run, "turn_start", ev, step(ev))
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
	f, err := l.decide(run, "assistant_message", ev, saidText(ev))
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
	provider, model := l.format.model()
	f, err := l.decide(run, "before_agent_start", ev, message{"text": ev.Text("prompt"),
		"system_prompt": ev.Text("system_prompt"), "provider": provider, "model": model})
	if err != nil {
		return nil, err
	}
	if f.Block {
		return l.api.Refusal(f.Reason), nil
	}
	if f.SystemPrompt != nil { // "" removes it
		return map[string]any{"system_prompt": *f.SystemPrompt}, nil
	}
	return nil, nil
}
