package extapi

import (
	"cmp"
	"fmt"
	"reflect"
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
	Abort  string         // "prompt" or "agent": what ends, with Reason; "" = nothing
	Tool   string         // another tool; "" = as it is
	Allow  bool           // spares the routine question
	Args   map[string]any // all arguments in place of those of the call; nil = as they are
	Answer map[string]any // a tool's result, in place of running the tool; nil = none
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

// outcome returns what a handler of a tool call returns, besides changes of the call; empty if it
// lets the call through.
func (d *Decision) outcome(a API) map[string]any {
	switch {
	case d.Abort != "":
		return a.Abort(d.Abort, d.Reason)
	case d.Block:
		return a.Refusal(d.Reason)
	case d.Ask != "":
		return map[string]any{"ask": d.Ask}
	}
	return map[string]any{}
}

// Abort returns the outcome of an event that ends the prompt or the agent.
func (a API) Abort(what, reason string) map[string]any {
	if reason == "" {
		reason = "ended by the extension " + a.Bind.Gen.Header.Name
	}
	return map[string]any{"abort": what, "reason": reason}
}

// Replaced returns what replaces a table as a whole, where handlers' tables are merged: keys that
// are no longer there are removed.
func Replaced(old any, now map[string]any) map[string]any {
	out := map[string]any{}
	plain, _ := value.Plain(old) // it is a table of an event, which is plain
	for key := range table(plain) {
		out[key] = nil
	}
	for key, v := range now {
		out[key] = v
	}
	return out
}

func table(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// GuardCalls registers handlers for tool calls, with the options of ext.guard; nil = none. decide
// is asked before each call, which it may change or answer, and once more as a guard if others have
// changed the tool or the arguments since.
func (a API) GuardCalls(run *engine.Run, options any,
	decide func(*engine.Run, *event.Event) (Decision, error)) error {
	return a.GuardSome(run, options, func(*event.Event) bool { return true }, decide)
}

// GuardSome is GuardCalls for the calls that about selects among those that the options match.
// about is asked about each of them, and must be fast.
func (a API) GuardSome(run *engine.Run, options any, about func(*event.Event) bool,
	decide func(*engine.Run, *event.Event) (Decision, error)) error {
	c := &guarded{a: a, about: about, decide: decide, known: map[string]decided{}}
	_, err := a.Invoke(run, "on", "tool_call", options, a.Func(c.first))
	if err == nil {
		_, err = a.Invoke(run, "guard", options, a.Func(c.final))
	}
	return err
}

// guarded are the calls about which an extension decides.
type guarded struct {
	a      API
	about  func(*event.Event) bool
	decide func(*engine.Run, *event.Event) (Decision, error)

	mu    sync.Mutex
	known map[string]decided // what it has decided about last, by call
	ids   []string           // in order
}

// decided is what an extension has decided about a call.
type decided struct {
	call     toolCall
	answered bool // the tool does not run, whatever the call is now
}

// mostCalls is how many calls are remembered: more than run at a time.
const mostCalls = 100

func (c *guarded) remember(id string, d decided) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[id]; !ok {
		c.ids = append(c.ids, id)
	}
	c.known[id] = d
	if len(c.ids) > mostCalls {
		delete(c.known, c.ids[0])
		c.ids = c.ids[1:]
	}
}

func (c *guarded) recall(id string) decided {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[id]
}

// toolCall is a tool and its arguments, to compare them.
type toolCall struct {
	tool string
	args any // plain data; nil = it is not known
}

// toolCallOf returns the call of a tool with arguments.
func toolCallOf(tool string, args any) toolCall {
	known, err := value.Plain(args)
	if err != nil {
		known = nil
	}
	return toolCall{tool, known}
}

// is reports whether both are the same call. One that is not known is the same as none.
func (c toolCall) is(other toolCall) bool {
	return c.args != nil && c.tool == other.tool && reflect.DeepEqual(c.args, other.args)
}

// first asks about a call before others have seen it.
func (c *guarded) first(run *engine.Run, args []any) (any, error) {
	ev := args[0].(*event.Event)
	if !c.about(ev) {
		return nil, nil
	}
	id, tool, final := ev.Text("call_id"), ev.Text("tool"), ev.Field("args")
	d, err := c.decide(run, ev)
	if err != nil { // the policy of failures answers, once
		c.remember(id, decided{call: toolCallOf(tool, final)})
		return nil, err
	}
	out := d.outcome(c.a)
	if d.Block || d.Abort != "" {
		return out, nil
	}
	if d.Allow && d.Ask == "" {
		out["allow"] = true
	}
	if d.Context != "" {
		out["context"] = d.Context
	}
	if d.Tool != "" && d.Tool != tool {
		tool, out["tool"] = d.Tool, d.Tool
	}
	if d.Args != nil {
		out["args"] = Replaced(final, d.Args)
		final = d.Args
	}
	if d.Answer != nil {
		out["respond"] = d.Answer
	}
	c.remember(id, decided{toolCallOf(tool, final), d.Answer != nil})
	if len(out) == 0 {
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
	now, before := toolCallOf(tool, ev.Field("args")), c.recall(ev.Text("call_id"))
	if now.is(before.call) {
		return nil, nil
	}
	d, err := c.decide(run, ev)
	if err != nil {
		return nil, err
	}
	name := c.a.Bind.Gen.Header.Name
	switch {
	case d.Abort != "": // a guard cannot end the prompt: it refuses
		return c.a.Refusal(d.Reason), nil
	case d.Block || d.Ask != "":
		return d.outcome(c.a), nil
	case d.Answer != nil && !before.answered:
		return map[string]any{"ask": fmt.Sprintf("the extension %s would answer this call, which "+
			"another script has changed, in place of the tool: run it all the same?", name)}, nil
	case d.Tool != "" && d.Tool != tool,
		d.Args != nil && !now.is(toolCallOf(cmp.Or(d.Tool, tool), d.Args)):
		return map[string]any{"ask": fmt.Sprintf("the extension %s would run this call with other "+
			"arguments, which another script has replaced: run it all the same?", name)}, nil
	}
	return nil, nil
}
