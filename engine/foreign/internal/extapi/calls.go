package extapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// Decision is what an extension says about a tool call. The zero value lets it through.
type Decision struct {
	Block  bool
	Reason string         // of Block; "" = that the extension blocks it
	Abort  bool           // of Block: the prompt ends as well
	Ask    string         // the question to the user; "" = none
	Allow  bool           // spares the routine question
	Args   map[string]any // other arguments, instead of all; nil = as they are
	// Context is one more text for the model, in answer to the first question about a call.
	Context string
}

// Refusal returns the outcome of an event that is blocked.
func (a API) Refusal(reason string) map[string]any {
	if reason == "" {
		reason = "blocked by the extension " + a.Bind.Gen.Header.Name
	}
	return map[string]any{"block": true, "reason": reason}
}

// outcome returns what a guard returns; nil if it lets the call through.
func (d *Decision) outcome(a API) map[string]any {
	if d.Block {
		return a.Refusal(d.Reason)
	}
	if d.Ask != "" {
		return map[string]any{"ask": d.Ask}
	}
	return nil
}

// outcomeOf returns what a handler of tool_call returns for a call with the given arguments; nil if
// it lets the call through as it is.
func (d *Decision) outcomeOf(a API, args any) map[string]any {
	out := d.outcome(a)
	if d.Block {
		if d.Abort {
			out["abort"] = "prompt"
			delete(out, "block")
		}
		return out
	}
	if out == nil {
		out = map[string]any{}
	}
	if d.Allow && d.Ask == "" {
		out["allow"] = true
	}
	if d.Context != "" {
		out["context"] = d.Context
	}
	if d.Args != nil {
		out["args"] = instead(args, d.Args)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// instead returns what makes a table of another one, key by key: nil removes a key.
func instead(old any, want map[string]any) map[string]any {
	change := maps.Clone(want)
	plain, _ := value.Plain(old)
	had, _ := plain.(map[string]any)
	for key := range had {
		if _, stays := want[key]; !stays {
			change[key] = nil
		}
	}
	return change
}

// GuardCalls registers handlers for the tool calls that a filter matches; nil = all. decide is
// asked before each call, which it may change, and once more as a guard if others have changed the
// tool or the arguments since.
func (a API) GuardCalls(run *engine.Run, filter any,
	decide func(*engine.Run, *event.Event) (Decision, error)) error {
	return a.GuardSome(run, filter, func(*event.Event) bool { return true }, decide)
}

// GuardSome is GuardCalls for the calls that about selects among those that the filter matches.
// about is asked about each of them, and must be fast.
func (a API) GuardSome(run *engine.Run, filter any, about func(*event.Event) bool,
	decide func(*engine.Run, *event.Event) (Decision, error)) error {
	c := &guarded{a: a, about: about, decide: decide, known: map[string]string{}}
	_, err := a.Invoke(run, "on", "tool_call", filter, a.Func(c.first))
	if err == nil {
		_, err = a.Invoke(run, "guard", filter, a.Func(c.final))
	}
	return err
}

// guarded are the calls about which an extension decides.
type guarded struct {
	a      API
	about  func(*event.Event) bool
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
	if !c.about(ev) {
		return nil, nil
	}
	d, err := c.decide(run, ev)
	if err != nil { // the policy of failures answers, once
		c.remember(ev.Text("call_id"), asText(ev.Text("tool"), ev.Field("args")))
		return nil, err
	}
	final, out := ev.Field("args"), d.outcomeOf(c.a, ev.Field("args"))
	if !d.Block && d.Args != nil {
		final = d.Args
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
	if !c.about(ev) {
		return nil, nil
	}
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
