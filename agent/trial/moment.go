// This file dispatches one event that a person or a test describes.

package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Moment is one event to dispatch.
type Moment struct {
	row    *event.Row
	env    *event.Envelope
	fields map[string]any
}

// NewMoment returns an event by its name and fields, which it checks against the event table of e.
// Fields of the envelope are set over env.
func NewMoment(e *engine.Engine, name string, fields map[string]any, env *event.Envelope) (*Moment,
	error) {
	row := e.Events.Row(name)
	if row == nil {
		var names []string
		for _, r := range e.Events.Rows() {
			names = append(names, r.Name)
		}
		return nil, fmt.Errorf("unknown event %q%s", name,
			suggest.DidYouMeanFor(suggest.ForeignEvent, name, names))
	}
	env, payload := splitEnvelope(row, *env, fields)
	if _, given := fields["origin"]; !given && has(row.Payload, "call_id") {
		env.Origin = "model"
	}
	known := make([]value.Field, len(row.Payload))
	for i, f := range row.Payload {
		f.Type, f.Fields = strings.TrimSuffix(f.Type, "?")+"?", nil // all are optional in a test
		known[i] = f
	}
	args, err := value.CheckArgs(name, []value.Field{
		{Name: "fields", Type: "table", Fields: known}}, []any{payload})
	if err != nil {
		return nil, err
	}
	m := &Moment{row: row, env: env, fields: args[0].(map[string]any)}
	if c, ok := m.fields["content"].(string); ok {
		m.fields["content"] = chat.BlockValues([]chat.Block{{Type: "text", Text: c}})
	}
	if name == "tool_call" && value.Text(m.fields, "tool") == "" {
		return nil, errors.New(`tool_call needs the field "tool"`)
	}
	return m, nil
}

func has(fields []value.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f value.Field) bool { return f.Name == name })
}

// splitEnvelope moves the envelope's keys from fields into env, except those that are the event's
// own.
func splitEnvelope(row *event.Row, env event.Envelope,
	fields map[string]any) (*event.Envelope, map[string]any) {
	payload := map[string]any{}
	for k, v := range fields {
		if has(row.Payload, k) || !env.Set(k, v) {
			payload[k] = v
		}
	}
	return &env, payload
}

// Run dispatches the event: a tool call as far as the guards, any other event through its handlers.
// The outcome has the form of a handler's return value.
func (m *Moment) Run(ctx context.Context, e *engine.Engine) (map[string]any, engine.Trail) {
	if m.row.Name == "tool_call" {
		id := value.Text(m.fields, "call_id")
		if id == "" {
			id = "call_1"
		}
		args, _ := m.fields["args"].(map[string]any)
		r := e.Dispatch(ctx, &engine.Call{ID: id, Tool: value.Text(m.fields, "tool"), Args: args,
			Origin: m.env.Origin, Env: m.env, Preview: true})
		out := map[string]any{}
		if r.Verdict != nil {
			out = decided(r.Verdict)
			for _, key := range r.Verdict.Changed {
				out[key] = map[string]any{"args": r.Args, "tool": r.Tool}[key]
			}
		}
		if r.Skipped != "" && out["block"] == nil && out["abort"] == nil {
			out["block"], out["reason"] = true, chat.PlainText(r.Content)
		}
		return out, r.Trail
	}
	ev := e.Events.Named(m.row.Name, m.env, m.fields)
	if m.row.Phase == event.Observe {
		return map[string]any{}, e.Emitter.Observe(ev).Trail
	}
	ev, v := e.Intercept(ctx, ev)
	out := decided(v)
	for _, key := range v.Changed {
		if p, err := value.Plain(ev.Field(key)); err == nil {
			out[key] = p
		}
	}
	return out, v.Trail
}

// decided returns a verdict in the form of a handler's return value. What is blocked is not asked
// about.
func decided(v *engine.Verdict) map[string]any {
	table := v.Table()
	if v.Blocked {
		delete(table, "ask")
	}
	return table
}
