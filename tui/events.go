// This file turns events into entries of the transcript and toasts.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// event passes an event to its method. Events that are not listed are not shown in the
// conversation.
func (c *conversation) event(ev *event.Event) tea.Cmd {
	switch ev.Name() {
	case "script_load":
		return c.scriptLoad(ev)
	case "script_unload":
		return c.scriptUnload(ev)
	case "script_error":
		return c.scriptError(ev)
	case "session_compact":
		c.compacted(ev)
	case "message_end":
		c.messageEnd(ev)
	case "tool_input_start", "tool_input_end":
		c.inputEvent(ev)
	case "user_shell":
		c.userShell(ev)
	case "tool_call", "tool_permission", "tool_start", "tool_approval", "tool_skipped",
		"tool_result", "tool_end":
		c.toolEvent(ev)
	case "subagent_start", "subagent_event", "subagent_end":
		c.subagentEvent(ev)
	case "llm_retry", "llm_warning", "llm_source":
		c.modelEvent(ev)
	case "limit_reached", "limit_extended", "loop_detected":
		c.limitEvent(ev)
	case "model_change", "thinking_change", "permission_change", "agent_switch":
		c.changeEvent(ev)
	case "notification":
		return c.notification(ev)
	case "say":
		c.addSay(ev)
	}
	return nil
}

func (c *conversation) scriptLoad(ev *event.Event) tea.Cmd {
	start := ev.Text("cause") == "start"
	if start && strings.HasPrefix(ev.Text("path"), scriptfile.BuiltinPath) { // part of the program
		return nil
	}
	script := cells.Clean(ev.Text("script"))
	n, _ := value.Number(ev.Field("handlers"))
	ms, _ := value.Number(ev.Field("ms"))
	handlers := "" // a script with only tools, commands or a provider has none
	switch {
	case n == 1:
		handlers = "1 handler, "
	case n > 1:
		handlers = fmt.Sprintf("%.0f handlers, ", n)
	}
	text := fmt.Sprintf("%s loaded: %s%.1f ms", script, handlers, ms)
	c.transcript.addEntry(&noticeBlock{"dim", text})
	if start { // no user waits for it
		return nil
	}
	return c.toasts.addToast("success", text)
}

func (c *conversation) scriptUnload(ev *event.Event) tea.Cmd {
	if ev.Text("cause") != "removed" { // the next version's script_load reports it
		return nil
	}
	text := cells.Clean(ev.Text("script")) + " removed: it no longer runs"
	c.transcript.addEntry(&noticeBlock{"dim", text})
	return c.toasts.addToast("info", text)
}

func (c *conversation) scriptError(ev *event.Event) tea.Cmd {
	se, kept := engine.ScriptErrorOf(ev)
	message := cells.Clean(se.Error())
	b := &failureBlock{message: message, excerpt: cells.Clean(se.Excerpt)}
	var hints []string
	if se.Hint != "" {
		hints = append(hints, "hint: "+cells.Clean(se.Hint))
	}
	if script := cells.Clean(se.Script); se.Handler == "load" {
		if kept {
			hints = append(hints, "the last good version of "+script+" stays in force")
		}
	} else if se.Handler != "" {
		hints = append(hints, "in "+cells.Clean(se.Handler))
	}
	b.hint = strings.Join(hints, "\n")
	c.transcript.addEntry(b)
	if c.transcript.follow { // it is visible: once is enough
		return nil
	}
	return c.toasts.addToast("error", plain.FirstLine(message))
}

func (c *conversation) notification(ev *event.Event) tea.Cmd {
	level, text := ev.Text("level"), cells.Clean(ev.Text("message"))
	if source := cells.Clean(ev.Text("source")); source != "" && source != "agent" {
		text = "[" + source + "] " + text
	}
	stage := ev.Text("stage")
	if stage == "limit" { // the end of the prompt reports it
		return nil
	}
	c.transcript.addEntry(&noticeBlock{level, text})
	if (level == "warn" || level == "error") && stage == "" {
		return c.toasts.addToast(level, plain.FirstLine(text))
	}
	return nil
}

func (c *conversation) addSay(ev *event.Event) {
	source := cells.Clean(ev.Text("source"))
	if source == "agent" {
		source = ""
	}
	c.transcript.addEntry(&sayBlock{source, cells.Clean(ev.Text("markdown"))})
}
