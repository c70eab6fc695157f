// This file records who rewrote a call or a result, and the original: users must not mistake a
// script's text for the model's.

package engine

import (
	"reflect"
	"slices"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/canonical"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Author is a handler that rewrote something.
type Author struct {
	Script  string // "" = the user, in the dialog of a question
	Line    int    // where the handler was registered
	Changed []string
}

// String names the author as "guard.lua:12", or "you".
func (a Author) String() string {
	if a.Script == "" {
		return "you"
	}
	return fault.Position{File: a.Script, Line: a.Line}.String()
}

// Rewrite describes how a call or a result was changed before it took effect.
type Rewrite struct {
	By   []Author       // in order
	Tool string         // the original tool, "" = unchanged
	Args map[string]any // the original arguments; nil = unchanged

	// Content is the tool's original result, as text; nil = unchanged, or hidden.
	Content *string
}

// Authors returns those who rewrote something in events of that name.
func (t Trail) Authors(event string) []Author {
	var list []Author
	for _, s := range t {
		if s.Event == event && len(s.Changed) > 0 {
			list = append(list, Author{s.Script, s.Line, s.Changed})
		}
	}
	return list
}

// stepApproval is the event name of the step in which the user edited the arguments.
const stepApproval = "approval"

// RewriteOf returns what scripts and the user changed in a call that was made as tool with args and
// ran as ranTool with ranArgs, nil if nothing. A difference without an author is one of form.
func RewriteOf(trail Trail, tool string, args map[string]any, ranTool string,
	ranArgs map[string]any) *Rewrite {
	r := &Rewrite{By: append(trail.Authors("tool_call"), trail.Authors(stepApproval)...)}
	if len(r.By) == 0 {
		return nil
	}
	if tool != ranTool {
		r.Tool = tool
	}
	if !sameArgs(args, ranArgs) {
		r.Args = args
	}
	if r.Tool == "" && r.Args == nil {
		return nil
	}
	return r
}

// rewriteSoFar returns the changes to the call so far.
func (d *dispatch) rewriteSoFar() *Rewrite {
	return RewriteOf(d.verdict.Trail, d.call.Tool, d.call.Args, d.tool, d.args)
}

// resultRewrite returns the changes of handlers to the result, nil if there are none. Text that a
// scrubbing handler removed is not included.
func resultRewrite(trail Trail, before []chat.Block) *Rewrite {
	by := trail.Authors("tool_result")
	if len(by) == 0 {
		return nil
	}
	r := &Rewrite{By: by}
	text := chat.PlainText(before)
	for _, s := range trail {
		switch changed := s.Event == "tool_result" && slices.Contains(s.Changed, "content"); {
		case changed && s.hides:
			r.Content = nil
			return r
		case changed:
			r.Content = &text
		}
	}
	return r
}

// Value returns r for scripts and front ends.
func (r *Rewrite) Value() map[string]any {
	by := make([]any, len(r.By))
	for i, a := range r.By {
		m := map[string]any{}
		if a.Script != "" {
			m["script"], m["line"] = a.Script, a.Line
		}
		m["changed"] = value.TextList(a.Changed)
		by[i] = m
	}
	m := map[string]any{"by": by}
	if r.Tool != "" {
		m["tool"] = r.Tool
	}
	if r.Args != nil {
		m["args"] = r.Args
	}
	if r.Content != nil {
		m["content"] = *r.Content
	}
	return m
}

// Masked returns r masked for display other than on the user's own screen; r may be nil. See
// redact.Mask for where it must not be called.
func (r *Rewrite) Masked(k *redact.Mask) *Rewrite {
	if r == nil || !k.On() {
		return r
	}
	return DecodeRewrite(k.Value(r.Value()))
}

// DecodeRewrite parses the fields rewritten and result_rewritten of an event; nil if v is not a
// rewrite.
func DecodeRewrite(v any) *Rewrite {
	p, err := value.Plain(v)
	m, ok := p.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	r := &Rewrite{Tool: value.Text(m, "tool")}
	r.Args, _ = m["args"].(map[string]any)
	if text, ok := m["content"].(string); ok {
		r.Content = &text
	}
	list, _ := m["by"].([]any)
	for _, x := range list {
		b, _ := x.(map[string]any)
		line, _ := value.Number(b["line"])
		a := Author{Script: value.Text(b, "script"), Line: int(line)}
		changed, _ := b["changed"].([]any)
		for _, c := range changed {
			name, _ := c.(string)
			a.Changed = append(a.Changed, name)
		}
		r.By = append(r.By, a)
	}
	return r
}

// differs compares a field of an event before and after a handler's answer.
func differs(before, after any) bool {
	a, err := value.Plain(before)
	b, err2 := value.Plain(after)
	return err != nil || err2 != nil || !reflect.DeepEqual(a, b)
}

// canonical converts the arguments of the call to the form of its tool's schema, before any handler
// runs.
func (d *dispatch) canonical() {
	t := d.snap.tools[d.call.Tool]
	if t == nil {
		return
	}
	args, notes := canonical.Args(t.Schema, t.Aliases, d.call.Args)
	if len(notes) == 0 {
		return
	}
	c := *d.call
	c.Args = args
	d.call, d.notes = &c, notes
}
