// This file passes events to a program, and asks it about those that it intercepts.

package zot

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
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
			l.tell("warn", fmt.Sprintf("subscribe: unknown event %.40q%s", name,
				suggest.DidYouMean(name, names)))
			continue
		}
		if !l.subscribed.first("event " + name) {
			continue
		}
		o := observed[i]
		handler := l.function(func(_ *engine.Run, args []any) (any, error) {
			ev := args[0].(*event.Event)
			m := o.fields(ev)
			m["type"], m["event"] = "event", o.name
			return nil, l.send(m)
		})
		if _, err := l.invoke(run, "on", o.ours, nil, handler); err != nil {
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
		_, err = l.invoke(run, "on", "tool_call", nil, l.function(l.toolCall))
		if err == nil { // what other handlers have made of the arguments
			_, err = l.invoke(run, "guard", nil, l.function(l.finalCall))
		}
	case "turn_start":
		_, err = l.invoke(run, "on", "turn_start", nil, l.function(l.turnStart))
	case "assistant_message": // a program that rewrites what is said hides something
		_, err = l.invoke(run, "on", "assistant_message", map[string]any{"scrub": true},
			l.function(l.assistantMessage))
	case "before_agent_start":
		_, err = l.invoke(run, "on", "agent_before_start", nil, l.function(l.beforeAgentStart))
	default:
		names := []string{"tool_call", "turn_start", "assistant_message", "before_agent_start"}
		l.tell("warn", fmt.Sprintf("subscribe: %.40q cannot be intercepted%s", name,
			suggest.DidYouMean(name, names)))
	}
	return err
}

// decide asks the program about an event.
func (l *link) decide(run *engine.Run, name string, m message) (*frame, error) {
	m["type"], m["event"] = "event_intercept", name
	return l.askProgram(run, m)
}

// refusal returns the outcome of an answer that blocks, nil if it does not.
func refusal(l *link, f *frame) map[string]any {
	if !f.Block {
		return nil
	}
	reason := f.Reason
	if reason == "" {
		reason = "blocked by the extension " + l.manifest.Name
	}
	return map[string]any{"block": true, "reason": reason}
}

// calls remembers the arguments about which a program was asked last, by call.
type calls struct {
	mu   sync.Mutex
	args map[string]string
	ids  []string // in order
}

// mostCalls is how many calls are remembered: more than run at a time.
const mostCalls = 100

func (c *calls) remember(id, args string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.args == nil {
		c.args = map[string]string{}
	}
	if _, ok := c.args[id]; !ok {
		c.ids = append(c.ids, id)
	}
	c.args[id] = args
	if len(c.ids) > mostCalls {
		delete(c.args, c.ids[0])
		c.ids = c.ids[1:]
	}
}

func (c *calls) recall(id string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	args, ok := c.args[id]
	return args, ok
}

// asText returns the tool and the arguments of a call as text, to compare them.
func asText(tool string, args any) string {
	plain, err := value.Plain(args)
	if err != nil {
		return ""
	}
	b, err := json.Marshal(plain) // sorted keys
	if err != nil {
		return ""
	}
	return tool + " " + string(b)
}

// toolCall asks about a tool call, which the program may refuse or change.
func (l *link) toolCall(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	f, err := l.decide(run, "tool_call", toolCall(ev))
	if err != nil {
		return nil, err
	}
	if out := refusal(l, f); out != nil {
		return out, nil
	}
	id, tool, final := ev.Text("call_id"), ev.Text("tool"), ev.Field("args")
	if len(f.ModifiedArgs) == 0 || string(f.ModifiedArgs) == "null" {
		l.seen.remember(id, asText(tool, final))
		return nil, nil
	}
	changed := table(f.ModifiedArgs)
	if changed == nil {
		return nil, fmt.Errorf("modified_args: got %.80s, want a JSON object", f.ModifiedArgs)
	}
	l.seen.remember(id, asText(tool, changed))
	return map[string]any{"args": changed}, nil
}

// finalCall is a guard: it asks about the final arguments, if the program has not seen them.
func (l *link) finalCall(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	now := asText(ev.Text("tool"), ev.Field("args"))
	if seen, ok := l.seen.recall(ev.Text("call_id")); ok && seen == now && now != "" {
		return nil, nil
	}
	f, err := l.decide(run, "tool_call", toolCall(ev))
	if err != nil {
		return nil, err
	}
	if out := refusal(l, f); out != nil {
		return out, nil
	}
	if changed := table(f.ModifiedArgs); changed != nil && asText(ev.Text("tool"), changed) != now {
		return map[string]any{"ask": "the extension " + l.manifest.Name + " would run this call " +
			"with other arguments, which another script has replaced: run it all the same?"}, nil
	}
	return nil, nil
}

// turnStart asks whether the model may be called.
func (l *link) turnStart(run *engine.Run, args []any) (any, error) {
	f, err := l.decide(run, "turn_start", step(args[0].(*event.Event)))
	if err != nil {
		return nil, err
	}
	if out := refusal(l, f); out != nil {
		return out, nil
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
	if out := refusal(l, f); out != nil {
		return out, nil
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
	if out := refusal(l, f); out != nil {
		return out, nil
	}
	if f.SystemPrompt != "" {
		return map[string]any{"system_prompt": f.SystemPrompt}, nil
	}
	return nil, nil
}
