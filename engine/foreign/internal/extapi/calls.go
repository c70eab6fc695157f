package extapi

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// Decision is what an extension says about a tool call. The zero value lets it through.
type Decision struct {
	Block  bool
	Reason string         // of Block; "" = that the extension blocks it
	Ask    string         // the question to the user; "" = none
	Args   map[string]any // other arguments; nil = as they are
}

// Refusal returns the outcome of an event that is blocked.
func (a API) Refusal(reason string) map[string]any {
	if reason == "" {
		reason = "blocked by the extension " + a.Bind.Gen.Header.Name
	}
	return map[string]any{"block": true, "reason": reason}
}

// outcome returns what a handler of a tool call returns; nil if it lets the call through.
func (d *Decision) outcome(a API) map[string]any {
	if d.Block {
		return a.Refusal(d.Reason)
	}
	var out map[string]any
	if d.Ask != "" {
		out = map[string]any{"ask": d.Ask}
	}
	return out
}

// GuardCalls registers handlers for the tool calls that a filter matches; nil = all. decide is
// asked before each call, which it may change, and once more as a guard if others have changed the
// tool or the arguments since.
func (a API) GuardCalls(run *engine.Run, filter any,
	decide func(*engine.Run, *event.Event) (Decision, error)) error {
	c := &guarded{a: a, decide: decide, known: map[string]string{}}
	_, err := a.Invoke(run, "on", "tool_call", filter, a.Func(c.first))
	if err == nil {
		_, err = a.Invoke(run, "guard", filter, a.Func(c.final))
	}
	return err
}

// guarded are the calls about which an extension decides.
type guarded struct {
	a      API
	decide func(*engine.Run, *event.Event) (Decision, error)

	mu    sync.Mutex
	known map[string]string // what it has decided about last, by call: see asText
	ids   []string          // in order
}

// mostCalls is how many calls are remembered: more than run at a time.
const mostCalls = 100

func (c *guarded) remember(id, call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[id]; !ok {
		c.ids = append(c.ids, id)
	}
	c.known[id] = call
	if len(c.ids) > mostCalls {
		delete(c.known, c.ids[0])
		c.ids = c.ids[1:]
	}
}

func (c *guarded) recall(id string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call, ok := c.known[id]
	return call, ok
}

// asText returns the tool and the arguments of a call as text, to compare them; "" if they are not
// plain data.
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

// first asks about a call before others have seen it.
func (c *guarded) first(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	d, err := c.decide(run, ev)
	if err != nil { // the policy of failures answers, once
		c.remember(ev.Text("call_id"), asText(ev.Text("tool"), ev.Field("args")))
		return nil, err
	}
	final, out := ev.Field("args"), d.outcome(c.a)
	if !d.Block && d.Args != nil {
		final = d.Args
		if out == nil {
			out = map[string]any{}
		}
		out["args"] = d.Args
	}
	c.remember(ev.Text("call_id"), asText(ev.Text("tool"), final))
	if out == nil {
		return nil, nil
	}
	return out, nil
}

// final asks about the call that is about to run, if it has not been decided about.
func (c *guarded) final(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	tool := ev.Text("tool")
	now := asText(tool, ev.Field("args"))
	if seen, ok := c.recall(ev.Text("call_id")); ok && seen == now && now != "" {
		return nil, nil
	}
	d, err := c.decide(run, ev)
	if err != nil {
		return nil, err
	}
	if out := d.outcome(c.a); out != nil {
		return out, nil
	}
	if d.Args != nil && asText(tool, d.Args) != now {
		return map[string]any{"ask": fmt.Sprintf("the extension %s would run this call with other "+
			"arguments, which another script has replaced: run it all the same?",
			c.a.Bind.Gen.Header.Name)}, nil
	}
	return nil, nil
}
