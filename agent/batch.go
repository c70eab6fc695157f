// This file runs the tool calls of one message, one after the other.
package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// toolUse is a tool call as the model asked for it; invalid says what is wrong with its arguments.
type toolUse struct {
	engine.ToolUse
	invalid string
}

// toolUses reads the tool calls of a reply. Ids are unique in the session: some models leave them out or
// say them twice, and a result must find its call.
func (a *Agent) toolUses(r *reply) []toolUse {
	slices.Sort(r.order)
	uses := make([]toolUse, 0, len(r.order))
	for _, i := range r.order {
		c := r.calls[i]
		u := toolUse{ToolUse: engine.ToolUse{ID: c.id, Tool: c.name}}
		for n := 2; u.ID == "" || a.calls[u.ID]; n++ {
			if u.ID = fmt.Sprintf("%s-%d", c.id, n); c.id == "" {
				u.ID = "call_" + a.session.NewID()
			}
		}
		a.calls[u.ID] = true
		var err error
		if u.Args, err = parseArgs(c.args.String()); err != nil {
			u.Args, u.invalid = map[string]any{}, fmt.Sprintf("invalid arguments for %s: %v", c.name, err)
		}
		if c.name == "" {
			u.invalid = "a tool call without the name of a tool"
		}
		uses = append(uses, u)
	}
	return uses
}

// parseArgs reads the JSON text of a call's arguments: an object; none at all is an empty one.
func parseArgs(text string) (map[string]any, error) {
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return map[string]any{}, nil
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("not JSON: %w in %s", err, quote(text))
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("got %s, want an object", engine.TypeName(v))
	}
	if _, err := engine.Plain(m); err != nil {
		return nil, err
	}
	return m, nil
}

// quote shows the end of a text, where what is cut off is missing.
func quote(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		return fmt.Sprintf("...%q", string(r[len(r)-most:]))
	}
	return fmt.Sprintf("%q", text)
}

// batch runs the calls in order and puts each one's result into the session. It reports whether another
// turn follows. Each call gets a result, whatever happens: providers refuse a conversation without.
func (p *prompt) batch(uses []toolUse) bool {
	var contexts []engine.Context
	stop, abort := (*string)(nil), ""
	for _, u := range uses {
		var r *engine.Result
		switch {
		case abort != "":
			r = p.skip(u, "aborted", "not run: "+abort)
		case p.ctx.Err() != nil:
			r = p.skip(u, "aborted", "cancelled by the user")
		case u.invalid != "":
			r = p.skip(u, "invalid", u.invalid)
		default:
			r = p.a.engine.Dispatch(p.ctx, &engine.Call{ID: u.ID, Tool: u.Tool, Args: u.Args, Origin: "model", Env: p.a.Envelope()})
		}
		p.count(u, r)
		p.a.append(toolEntry(u, r))
		contexts = append(contexts, r.Contexts...)
		if r.Stopped && stop == nil {
			stop = &r.Stop
		}
		if r.Abort != "" && abort == "" {
			abort = abortText(r)
		}
	}
	p.a.addContexts(contexts, session.ForPrompt, 0)
	switch {
	case abort != "":
		return p.over(Failed, abort)
	case p.ctx.Err() != nil:
		return p.over(Cancelled, "")
	case stop != nil:
		return p.over(Stopped, *stop)
	}
	return true
}

// abortText says who ended the prompt, and why if they said.
func abortText(r *engine.Result) string {
	text := r.AbortBy + " ended the " + r.Abort
	for _, s := range r.Trail {
		if s.Outcome == "abort" && s.Reason != "" {
			text += ": " + s.Reason
		}
	}
	return text
}

func (p *prompt) count(u toolUse, r *engine.Result) {
	p.calls++
	if !slices.Contains(p.names, any(u.Tool)) {
		p.names = append(p.names, u.Tool)
	}
	if r.Skipped == "denied" {
		p.end.Refused++
	}
}

// skip is the result of a call that does not take the road. It is told as those are that end on it.
func (p *prompt) skip(u toolUse, cause, text string) *engine.Result {
	kind, readOnly := "other", false
	if t := p.a.engine.Snapshot().Tool(u.Tool); t != nil {
		kind, readOnly = t.Kind, t.ReadOnly
	}
	p.a.engine.Emit(p.a.engine.NewEvent("tool_skipped", p.a.Envelope(), map[string]any{"call_id": u.ID, "tool": u.Tool,
		"kind": kind, "read_only": readOnly, "args": u.Args, "cause": cause, "reason": text}))
	r := engine.ErrorResult(text)
	r.Skipped, r.Tool, r.Args = cause, u.Tool, u.Args
	return r
}

// toolEntry is a call's result as it stands in the session: the model's own name for the call, and what
// really ran if that was something else.
func toolEntry(u toolUse, r *engine.Result) session.Entry {
	run := &session.ToolRun{Skipped: r.Skipped, Details: r.Details, Display: r.Display, ForUser: r.ForUser, Silent: r.Silent, Trail: r.Trail}
	if r.Tool != u.Tool {
		run.Tool = r.Tool
	}
	if !maps.EqualFunc(r.Args, u.Args, func(x, y any) bool { return reflect.DeepEqual(x, y) }) {
		run.Args = r.Args
	}
	return session.Entry{Tool: run, Message: &engine.Message{Role: "tool", CallID: u.ID, Tool: u.Tool, Content: r.Content, IsError: r.IsError}}
}
