// This file draws events: each changes the transcript, the status line or the toasts.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// event sorts an event to its method. Events that are not named here are not shown.
func (m *model) event(ev *engine.Event) tea.Cmd {
	switch ev.Name() {
	case "script_load":
		m.transcript.canvas.sketches.epoch++
		return m.scriptLoad(ev)
	case "script_unload":
		m.transcript.canvas.sketches.epoch++
		return m.scriptUnload(ev)
	case "script_error":
		return m.scriptError(ev)
	case "input", "steering_injected", "interrupt", "busy_change", "wait_input", "agent_start", "turn_end", "agent_end":
		m.agentEvent(ev)
	case "input_queued":
		m.stale = true
	case "session_start", "session_compact":
		return m.sessionEvent(ev)
	case "message_end":
		m.messageEnd(ev)
	case "tool_input_start", "tool_input_end":
		m.inputEvent(ev)
	case "user_shell":
		m.userShell(ev)
	case "tool_call", "tool_permission", "tool_start", "tool_approval", "tool_skipped", "tool_result", "tool_end":
		m.toolEvent(ev)
	case "subagent_start", "subagent_event", "subagent_end":
		m.subagentEvent(ev)
	case "llm_retry", "llm_warning", "llm_source":
		m.modelEvent(ev)
	case "limit_reached", "limit_extended", "loop_detected":
		m.limitEvent(ev)
	case "model_change", "thinking_change", "permission_change", "agent_switch":
		m.changeEvent(ev)
	case "notification":
		m.stale = m.stale || ev.Text("level") == "warn" // of a script whose file is gone, say
		return m.notification(ev)
	case "say":
		m.say(ev)
	case "error":
		m.work.failure = clean(ev.Text("message")) // a notification says the same
	}
	return nil
}

func (m *model) scriptLoad(ev *engine.Event) tea.Cmd {
	script := clean(ev.Text("script"))
	delete(m.status.errors, script)
	n, _ := engine.Number(ev.Field("handlers"))
	ms, _ := engine.Number(ev.Field("ms"))
	handlers := "" // a script of tools, commands or a provider has none
	switch {
	case n == 1:
		handlers = "1 handler, "
	case n > 1:
		handlers = fmt.Sprintf("%.0f handlers, ", n)
	}
	text := fmt.Sprintf("%s loaded: %s%.1f ms", script, handlers, ms)
	m.transcript.add(&noticeBlock{"dim", text})
	m.stale = true
	cmds := []tea.Cmd{m.askCommands()}
	if ev.Text("cause") != "start" { // at the start nobody waits for it
		cmds = append(cmds, m.toasts.add("success", text))
	}
	return tea.Batch(cmds...)
}

func (m *model) scriptUnload(ev *engine.Event) tea.Cmd {
	m.stale = true
	cmds := []tea.Cmd{m.askCommands()}
	if ev.Text("cause") == "removed" { // otherwise the next version's script_load says it
		script := clean(ev.Text("script"))
		delete(m.status.errors, script)
		text := script + " removed: it no longer runs"
		m.transcript.add(&noticeBlock{"dim", text})
		cmds = append(cmds, m.toasts.add("info", text))
	}
	return tea.Batch(cmds...)
}

func (m *model) scriptError(ev *engine.Event) tea.Cmd {
	se, kept := engine.ScriptErrorOf(ev)
	message := clean(se.Error())
	b := &failureBlock{message: message, excerpt: clean(se.Excerpt)}
	var hints []string
	if se.Hint != "" {
		hints = append(hints, "hint: "+clean(se.Hint))
	}
	if script := clean(se.Script); se.Handler == "load" {
		m.status.errors[script] = true
		if kept {
			hints = append(hints, "the last good version of "+script+" stays in force")
		}
	} else if se.Handler != "" {
		hints = append(hints, "in "+clean(se.Handler))
	}
	b.hint = strings.Join(hints, "\n")
	m.transcript.add(b)
	m.stale = true
	if m.transcript.follow { // it is in sight: once is enough
		return nil
	}
	return m.toasts.add("error", firstLine(message))
}

func (m *model) notification(ev *engine.Event) tea.Cmd {
	level, text := ev.Text("level"), clean(ev.Text("message"))
	if source := clean(ev.Text("source")); source != "" && source != "agent" {
		text = "[" + source + "] " + text
	}
	stage := ev.Text("stage")
	if stage == "limit" { // the end of the prompt says it
		return nil
	}
	m.transcript.add(&noticeBlock{level, text})
	if (level == "warn" || level == "error") && stage == "" {
		return m.toasts.add(level, firstLine(text))
	}
	return nil
}

func (m *model) say(ev *engine.Event) {
	source := clean(ev.Text("source"))
	if source == "agent" {
		source = ""
	}
	m.transcript.add(&sayBlock{source, clean(ev.Text("markdown"))})
}
