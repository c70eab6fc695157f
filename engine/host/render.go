// This file implements ext.render: functions that draw entries of the transcript.

package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
)

func render(c *engine.HostCall) (any, error) {
	m := table(c.Args[0])
	tool, entry := text(m["tool"]), text(m["entry"])
	call, hasCall := m["call"].(engine.Func)
	result, hasResult := m["result"].(engine.Func)
	partial, _ := m["partial"].(bool)
	switch {
	case (tool == "") == (entry == ""):
		return nil, errors.New(
			"ext.render: want either tool, the name of a tool, or entry, a kind of entries")
	case entry != "" && hasResult:
		return nil, errors.New(
			"ext.render: result: it belongs to a tool; an entry is drawn by call(data, width)")
	case entry != "" && !hasCall:
		return nil, errors.New("ext.render: call: got nil, want function")
	case !hasCall && !hasResult:
		return nil, errors.New("ext.render: got neither call nor result, want one of them or both")
	case entry != "" && !named(entryKind(), entry):
		return nil, fmt.Errorf(
			"ext.render: entry: got %.80q, want up to 64 letters, digits, _, ., : and -", entry)
	case entry != "":
		return nil, addRenderer(c, ui.DrawEntry, entry, call, false)
	case partial && !hasResult:
		return nil, errors.New(
			"ext.render: partial: it needs result, which then draws the output so far")
	}
	if hasCall {
		if err := addRenderer(c, ui.DrawCall, tool, call, true); err != nil {
			return nil, err
		}
	}
	if hasResult {
		return nil, addRenderer(c, ui.DrawResult, tool, result, partial)
	}
	return nil, nil
}

func addRenderer(c *engine.HostCall, part ui.DrawPart, name string, fn engine.Func,
	partial bool) error {
	r := &engine.Renderer{Part: part, Name: name, Line: c.Pos.Line, Partial: partial}
	r.Draw = drawing(c.Gen, r.Label(), fn)
	return c.Gen.Registry.AddRenderer(r)
}

// drawFunc is the type of engine.Renderer.Draw.
type drawFunc = func(q ui.DrawRequest) (*ui.Drawing, error)

// drawing calls fn: text is Markdown, a list is lines, and nil leaves this entry to the default.
func drawing(g *engine.Generation, label string, fn engine.Func) drawFunc {
	return func(q ui.DrawRequest) (*ui.Drawing, error) {
		v, err := runRender(context.Background(), g, label, fn, q.Value, float64(q.Width),
			map[string]any{"expanded": q.Expanded, "partial": q.Partial})
		if err != nil || v == nil {
			return nil, err
		}
		if s, ok := v.(string); ok {
			if len(s) > maxLineText {
				return nil, fmt.Errorf("%s returned %d bytes, want at most %d", label, len(s),
					maxLineText)
			}
			return &ui.Drawing{Markdown: g.Engine().Mask.Text(s)}, nil
		}
		lines, err := rendered(label, v)
		if err != nil {
			return nil, err
		}
		return &ui.Drawing{Lines: maskLines(g.Engine(), lines)}, nil
	}
}
