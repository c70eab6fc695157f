// This file registers commands, and handles the frames that nobody waits for.

package zot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
)

// addCommand registers a slash command.
func (l *link) addCommand(run *engine.Run, f *frame) error {
	name := f.Name
	_, err := l.api.Invoke(run, "command", map[string]any{"name": strings.ToLower(name),
		"description": f.Description,
		"run": l.api.Func(func(run *engine.Run, args []any) (any, error) {
			text, _ := args[0].(string)
			answer, err := l.askProgram(run, message{"type": "command_invoked",
				"name": name, "args": text})
			if err != nil {
				return nil, err
			}
			return l.commandResult(run, answer)
		})})
	return err
}

// commandResult returns the result of a command as a script returns it.
func (l *link) commandResult(run *engine.Run, f *frame) (any, error) {
	if f.Error != "" {
		return map[string]any{"error": f.Error}, nil
	}
	switch f.Action {
	case "prompt":
		return map[string]any{"prompt": f.Prompt}, nil
	case "insert":
		return map[string]any{"insert": f.Insert}, nil
	case "display":
		return map[string]any{"display": f.Display}, nil
	case "open_panel":
		if f.OpenPanel == nil {
			return nil, fmt.Errorf("command_response: open_panel has no panel")
		}
		return l.panels.openFor(l, run, *f.OpenPanel)
	case "noop", "":
		return nil, nil
	}
	return nil, fmt.Errorf("command_response: unknown action %.40q, want prompt, insert, display, "+
		"open_panel or noop", f.Action)
}

// handleFrames handles the frames that nobody waits for, in order.
func (l *link) handleFrames() {
	for {
		select {
		case f := <-l.heard:
			l.handle(f)
		case <-l.program.Dead():
			return
		}
	}
}

// handle handles one frame that nobody waits for.
func (l *link) handle(f *frame) {
	switch f.Type {
	case "notify":
		level := f.Level
		if !slices.Contains(ui.Levels(), level) {
			level = "info"
		}
		l.api.Tell(level, f.Message)
	case "panel_render":
		l.panels.render(panelSpec{ID: f.PanelID, Title: f.Title, Lines: f.Lines, Footer: f.Footer})
	case "panel_close":
		l.panels.close(f.PanelID)
	case "open_panel":
		if f.Panel == nil {
			l.api.Log("warn", "open_panel has no panel")
			return
		}
		run := l.api.NewRun(context.Background(), f.Type)
		defer run.End()
		if err := l.panels.openPanel(l, run, *f.Panel); err != nil {
			l.api.Tell("warn", fmt.Sprintf("open_panel: %v", err))
		}
	case "submit", "submit_slash":
		text := f.Text
		if f.Type == "submit_slash" && len(text) > 0 && text[0] != '/' {
			text = "/" + text
		}
		act(l, f, "agent.send", text)
	case "call_tool":
		l.calls.beginCall(l, f)
	case "call_tool_cancel":
		l.calls.cancel(f.ID)
	case "clear_notes", "shutdown_ack":
	default:
		l.api.Log("warn", fmt.Sprintf("a frame has the unknown type %.40q", f.Type))
	}
}

// act calls a function of ext for a frame, and reports its error.
func act(l *link, f *frame, name string, args ...any) {
	run := l.api.NewRun(context.Background(), f.Type)
	defer run.End()
	if _, err := l.api.Invoke(run, name, args...); err != nil {
		l.api.Tell("warn", fmt.Sprintf("%s: %v", f.Type, err))
	}
}
