// This file asks the user of the client about tool calls.

package rpc

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Approve implements engine.Approver.
func (d *desk) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	masked := d.maskArgs(q.Call.Args)
	options := []string{"once", "session", "reject"}
	if q.Always != "" {
		options = []string{"once", "session", "always", "reject"}
	}
	asks := make([]any, len(q.Asks))
	for i := range q.Asks {
		asks[i] = d.askFields(&q.Asks[i])
		if q.Asks[i].Failure != nil { // it is asked anew each time
			options = []string{"once", "reject"}
		}
	}
	fields := map[string]any{"kind": "approve", "call_id": q.Call.ID, "tool": q.Call.Tool,
		"tool_kind": q.Kind, "args": masked, "asks": asks, "options": options}
	if q.Rewritten != nil {
		fields["rewritten"] = d.maskArgs(q.Rewritten.Value())
	}
	if preview := d.previewFields(q.Preview); preview != nil {
		fields["preview"] = preview
	}
	if contains(options, "always") {
		fields["always"] = d.mask(q.Always)
	}
	if env := q.Call.Env; env != nil {
		fields["agent"], fields["depth"] = env.Agent, env.Depth
	}
	v, err := d.ask(ctx, fields, func(p params) (any,
		error) {
		return approval(p, options, q.Call.Args, masked)
	})
	if err != nil {
		return engine.Answer{}, err
	}
	return v.(engine.Answer), nil
}

// previewFields is what the call would do, nil if that is not known.
func (d *desk) previewFields(p *engine.Preview) map[string]any {
	if p == nil {
		return nil
	}
	if opened := d.s.opened.Load(); opened != nil {
		p = p.Masked(opened.Engine.Mask)
	}
	fields := map[string]any{}
	for k, v := range map[string]string{"note": p.Note, "fails": p.Fails, "title": p.Display.Title,
		"kind": p.Display.Kind, "lang": p.Display.Lang, "text": p.Display.Text} {
		if v != "" {
			fields[k] = v
		}
	}
	if p.File != nil {
		fields["path"], fields["exists"] = p.File.Path, p.File.Before != nil
	}
	return fields
}

func (d *desk) askFields(a *engine.Ask) map[string]any {
	fields := map[string]any{"text": d.mask(a.Text)}
	if a.Script != "" {
		fields["script"] = a.Script
	}
	if a.Rule != "" {
		fields["rule"] = d.mask(a.Rule)
	}
	if a.Line > 0 {
		fields["line"] = a.Line
	}
	if a.Reason != "" {
		fields["reason"] = d.mask(a.Reason)
	}
	if len(a.Detail) > 0 {
		fields["detail"] = d.maskArgs(a.Detail)
	}
	if a.Failure != nil {
		fields["failure"] = d.mask(a.Failure.Detail())
	}
	return fields
}

func (d *desk) maskArgs(args map[string]any) map[string]any {
	p := d.s.opened.Load()
	if p == nil {
		return args
	}
	masked, _ := p.Engine.Mask.Value(args).(map[string]any)
	return masked
}

// approval reads a decision.
func approval(p params, options []string, args, masked map[string]any) (any, error) {
	decision := p.text("decision")
	if !slices.Contains(options, decision) {
		return nil, wrong("ui.respond", "decision: got %s, want one of %s%s", quoted(p["decision"]),
			strings.Join(options, ", "), suggest.DidYouMean(decision, options))
	}
	if decision == "reject" {
		if p["args"] != nil {
			return nil, wrong("ui.respond", "args: they do not run if the call is rejected")
		}
		return engine.Answer{Reason: p.text("reason")}, nil
	}
	if p["reason"] != nil {
		return nil, wrong("ui.respond", "reason: it goes with reject")
	}
	a := engine.Answer{Allow: true, Session: decision == "session", Always: decision == "always"}
	edited, given := p["args"].(map[string]any)
	if !given {
		return a, nil
	}
	if _, err := value.Plain(edited); err != nil {
		return nil, wrong("ui.respond", "args: %v", err)
	}
	if err := value.CheckSize(edited); err != nil {
		return nil, wrong("ui.respond", "args: %v", err)
	}
	v, at := unmask(edited, masked, args, "args")
	if at != "" {
		return nil, wrong("ui.respond",
			"%s: masked text in it was moved or changed: send it as it came, or write it out", at)
	}
	a.Args, _ = v.(map[string]any)
	return a, nil
}

// maskMark begins what stands for something that was masked.
const maskMark = "[redacted:"

// unmask puts what was masked back where it was left as it came. at names a place where it was not.
func unmask(edited, masked, original any, at string) (v any, wrongAt string) {
	if reflect.DeepEqual(edited, masked) {
		return original, ""
	}
	switch e := edited.(type) {
	case string:
		was, _ := original.(string)
		if strings.Contains(e, maskMark) && !strings.Contains(was, maskMark) {
			return nil, at
		}
	case map[string]any:
		m, _ := masked.(map[string]any)
		o, _ := original.(map[string]any)
		out := make(map[string]any, len(e))
		for _, k := range value.SortedKeys(e) {
			if out[k], wrongAt = unmask(e[k], m[k], o[k], at+"."+k); wrongAt != "" {
				return nil, wrongAt
			}
		}
		return out, ""
	case []any:
		m, _ := masked.([]any)
		o, _ := original.([]any)
		out := make([]any, len(e))
		for i := range e {
			var mi, oi any
			if i < len(m) && i < len(o) {
				mi, oi = m[i], o[i]
			}
			if out[i], wrongAt = unmask(e[i], mi, oi, at+"[]"); wrongAt != "" {
				return nil, wrongAt
			}
		}
		return out, ""
	}
	return edited, ""
}
