// This file formats the result of a line of input as JSON. It omits absent parts.

package scripttest

import (
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// verdict formats v with the keys that a handler returns, and the fields of ev that were rewritten.
func verdict(ev *event.Event, v *engine.Verdict) map[string]any {
	out := v.Table()
	out["trail"] = trail(v.Trail)
	changed := map[string]any{}
	for _, key := range v.Changed {
		changed[key], _ = value.Plain(ev.Field(key))
	}
	if len(changed) > 0 {
		out["changed"] = changed
	}
	return out
}

// result is the result of a tool call.
type result struct {
	Content    string         `json:"content"`
	Details    map[string]any `json:"details,omitempty"`
	Display    *ui.Display    `json:"display,omitempty"`
	ForUser    string         `json:"for_user,omitempty"`
	Silent     bool           `json:"silent,omitempty"`
	IsError    bool           `json:"is_error,omitempty"`
	Tool       string         `json:"tool,omitempty"` // if it is another one
	Args       map[string]any `json:"args,omitempty"` // if they are others
	Skipped    string         `json:"skipped,omitempty"`
	AnsweredBy string         `json:"answered_by,omitempty"`
	Context    []string       `json:"context,omitempty"`
	Stop       string         `json:"stop,omitempty"`
	Abort      string         `json:"abort,omitempty"`
	Trail      []string       `json:"trail,omitempty"`
}

func answer(c *engine.Call, r *engine.Result) result {
	out := result{Content: chat.PlainText(r.Content), Details: r.Details, Display: r.Display,
		ForUser: r.ForUser, Silent: r.Silent, IsError: r.IsError,
		Skipped: r.Skipped, AnsweredBy: r.AnsweredBy, Context: contexts(r.Contexts), Stop: r.Stop,
		Abort: r.Abort, Trail: trail(r.Trail)}
	if r.Tool != c.Tool {
		out.Tool = r.Tool
	}
	if compact(r.Args) != compact(c.Args) {
		out.Args = r.Args
	}
	return out
}

func trail(steps engine.Trail) []string {
	out := []string{}
	for _, s := range steps {
		out = append(out, s.Event+" "+s.Outcome)
	}
	return out
}

func contexts(list []engine.Context) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Text)
	}
	return out
}

func chunk(c chat.Chunk) map[string]any {
	switch {
	case c.Usage != nil:
		return map[string]any{"usage": c.Usage.Value()}
	case c.ToolCall != nil:
		t := c.ToolCall
		return map[string]any{"tool_call": map[string]any{"index": t.Index, "id": t.ID,
			"name": t.Name, "args_delta": t.ArgsDelta}}
	case c.Reasoning != "":
		return map[string]any{"reasoning": c.Reasoning}
	case c.Warning != "":
		return map[string]any{"warning": c.Warning}
	case c.Source != nil:
		return map[string]any{"source": map[string]any{"kind": c.Source.Kind, "id": c.Source.ID,
			"url": c.Source.URL, "title": c.Source.Title}}
	}
	return map[string]any{"text": c.Text}
}

// list prints what the script has registered, with the line of each call.
func (s *session) list(string) {
	var lines []string
	for _, h := range s.gen.Registry.Handlers {
		line := fmt.Sprintf("%d: %s [%s] priority %v", h.Line, h.Label(), h.Filter.String(),
			h.Priority)
		if h.Timeout != nil {
			line += fmt.Sprintf(" timeout %v", *h.Timeout)
		}
		if h.OnError != "" {
			line += " on_error " + string(h.OnError)
		}
		lines = append(lines, line)
	}
	for _, t := range s.gen.Registry.Tools {
		lines = append(lines,
			fmt.Sprintf("%d: tool %s (%s, read_only %v, approve %v, override %v): %s %s", t.Line,
				t.Name, t.Kind, t.ReadOnly, !t.NoApproval, t.Override, t.Description,
				compact(t.Schema)))
	}
	for _, c := range s.gen.Registry.Commands {
		lines = append(lines, fmt.Sprintf("%d: command %s: %s", c.Line, c.Usage(), c.Description))
	}
	for _, p := range s.gen.Registry.Providers {
		lines = append(lines, fmt.Sprintf("%d: provider %s %s", p.Line, p.Name, compact(p.Models)))
	}
	for _, r := range s.gen.Registry.Renderers {
		lines = append(lines, fmt.Sprintf("%d: %s", r.Line, r.Label()))
	}
	for _, x := range s.gen.Registry.Shortcuts {
		lines = append(lines, fmt.Sprintf("%d: shortcut %s: %s", x.Line, x.Key, x.Description))
	}
	for _, o := range s.gen.Registry.Options {
		lines = append(lines, fmt.Sprintf("%d: option %s %s = %s", o.Line, o.Name, o.Type,
			compact(o.Value)))
	}
	for _, r := range s.gen.Registry.Redactors {
		line := fmt.Sprintf("%d: redactor %s", r.Line, r.Name)
		for _, p := range r.Patterns {
			line += " " + p.String()
		}
		lines = append(lines, line)
	}
	s.flush(lines...)
}
