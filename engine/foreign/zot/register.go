// This file registers commands and tools, and calls them.

package zot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// addCommand registers a slash command.
func (l *link) addCommand(run *engine.Run, f *frame) error {
	name := f.Name
	_, err := l.api.Invoke(run, "command", map[string]any{"name": name,
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

// addTool registers a tool that the model can call.
func (l *link) addTool(run *engine.Run, f *frame) error {
	var schema any = map[string]any{"type": "object"}
	if len(f.Schema) > 0 && string(f.Schema) != "null" {
		if err := json.Unmarshal(f.Schema, &schema); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	name := f.Name
	_, err := l.api.Invoke(run, "tool", map[string]any{"name": name, "description": f.Description,
		"schema": schema,
		"run": l.api.Func(func(run *engine.Run, args []any) (any, error) {
			plain, err := value.Plain(args[0])
			if err != nil {
				return nil, err
			}
			if plain == nil {
				plain = map[string]any{}
			}
			l.program.Use()
			answer, err := l.askProgram(run, message{"type": "tool_call", "name": name,
				"args": plain})
			if err != nil {
				return nil, err
			}
			return answer.result(), nil
		})})
	return err
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
		spec := panelSpec{ID: f.ID, Title: f.Title, Lines: f.Lines, Footer: f.Footer}
		if f.OpenPanel != nil {
			spec = *f.OpenPanel
		}
		run := l.api.NewRun(context.Background(), f.Type)
		defer run.End()
		if err := l.panels.openPanel(l, run, spec); err != nil {
			l.api.Tell("warn", fmt.Sprintf("open_panel: %v", err))
		}
	case "submit", "submit_slash":
		text := f.Text
		if f.Type == "submit_slash" && len(text) > 0 && text[0] != '/' {
			text = "/" + text
		}
		act(l, f, "agent.send", text)
	case "call_tool":
		go l.callTool(f) // one that calls this program again must not be in its way
	case "clear_notes", "call_tool_cancel", "shutdown_ack":
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

// mostCalling limits the calls of tools that a program has begun and that have not ended.
const mostCalling = 100

// callTool calls a tool of the agent for the program.
func (l *link) callTool(f *frame) {
	answer := message{"type": "call_tool_result", "id": f.ID}
	r, err := l.toolResult(f)
	if answer["content"], answer["is_error"] = r["content"], r["is_error"] == true; err != nil {
		answer["is_error"] = true
		answer["content"] = []any{map[string]any{"type": "text", "text": err.Error()}}
	}
	_ = l.send(answer) // a program that is gone needs no answer
}

// toolResult returns the result of a tool that the program calls.
func (l *link) toolResult(f *frame) (map[string]any, error) {
	defer l.calls.Add(-1)
	switch n := l.calls.Add(1); {
	case f.circle != nil:
		return nil, f.circle
	case n > mostCalling:
		return nil, fmt.Errorf("%d calls of tools at a time are too many: wait for results", n)
	}
	run := l.api.NewRun(f.cause, "call_tool "+f.Name)
	defer run.End()
	v, err := l.api.Invoke(run, "tools.call", f.Name, table(f.Args))
	r, ok := v.(map[string]any)
	if err == nil && !ok {
		err = fmt.Errorf("the tool returned nothing")
	}
	return r, err
}
