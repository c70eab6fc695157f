// This file reads what commands and shortcuts of scripts return.

package engine

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// CommandResult is what a slash command came to; at most one field is set.
type CommandResult struct {
	Prompt  string // send this to the model
	Insert  string // put this into the editor
	Display string // Markdown to show; Commands.Run has emitted it as a say event already
	Error   string // what went wrong, for the user
}

// CommandFields are the keys of what a command of a script returns; panel are those of
// ext.ui.panel, nil = there are no panels.
func CommandFields(panel []value.Field) []value.Field {
	fields := []value.Field{
		{Name: "prompt", Type: "string?", Doc: "sent to the model, in place of the command"},
		{Name: "insert", Type: "string?", Doc: "put into the editor"},
		{Name: "display", Type: "string?",
			Doc: "Markdown: shown, not in the session, not sent to the model"},
		{Name: "error", Type: "string?", Doc: "what went wrong, for the user"},
	}
	if panel != nil {
		fields = append(fields, value.Field{Name: "panel", Type: "table?", Fields: panel,
			Doc: "opened as ext.ui.panel does (needs the grant ui); where there is no screen, a " +
				"sentence says so"})
	}
	return fields
}

// commandResult reads what a function that was registered at line has returned in r, and opens its
// panel.
func (g *Generation) commandResult(r *Run, line int, v any) (CommandResult, error) {
	if v == nil || v == false {
		return CommandResult{}, nil
	}
	var panels []value.Field
	open := g.engine.builtin("ui.panel")
	if open != nil {
		panels = open.Row.Params[0].Fields
	}
	c, err := value.Check(value.Field{Type: "table", Fields: CommandFields(panels)}, v)
	if err != nil {
		return CommandResult{},
			fmt.Errorf("returned%w; return nil, {prompt=}, {insert=}, {display=}, {panel=} or "+
				"{error=}", err)
	}
	m := c.(map[string]any)
	out := CommandResult{value.Text(m, "prompt"), value.Text(m, "insert"), value.Text(m, "display"),
		value.Text(m, "error")}
	if panel, ok := m["panel"].(map[string]any); ok {
		if err := g.openPanel(r, line, open, panel, &out); err != nil {
			return CommandResult{}, err
		}
		delete(m, "panel")
	}
	if err := value.CheckSize(m); err != nil {
		return CommandResult{}, fmt.Errorf("returned: %w", err)
	}
	return out, nil
}

// openPanel opens the panel that r has returned, as ext.ui.panel does. Where there is no screen,
// out says so, if it says nothing else.
func (g *Generation) openPanel(r *Run, line int, open *Builtin, panel map[string]any,
	out *CommandResult) error {
	name := r.Label + " panel"
	if !g.Header.Grants.Has(open.Row.Grant) {
		return Needs(name, open.Row.Grant)
	}
	if s := g.engine.Screen.Surface(); s == nil || s.Open == nil {
		if *out == (CommandResult{}) {
			out.Display = strings.TrimPrefix(r.Label, "command ") +
				" opens a panel, and there is no screen for it here"
		}
		return nil
	}
	_, err := open.Func(&HostCall{Gen: g, Run: r, Args: []any{panel}, As: name,
		Pos: Position{File: g.Name, Line: line}})
	return err
}
