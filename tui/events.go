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
		return m.scriptLoad(ev)
	case "script_unload":
		return m.scriptUnload(ev)
	case "script_error":
		return m.scriptError(ev)
	case "session_start":
		m.status.know(ev.Env())
	case "agent_start":
		return m.agentStart(ev)
	case "agent_end":
		m.agentEnd(ev)
	case "message_end":
		m.messageEnd(ev)
	case "tool_call", "tool_permission", "tool_start", "tool_approval", "tool_skipped", "tool_result", "tool_end":
		return m.toolEvent(ev)
	case "notification":
		return m.notification(ev)
	case "say":
		m.say(ev)
	case "error":
		text := clean(ev.Text("message"))
		m.failure = text
		if stage := clean(ev.Text("stage")); stage != "" {
			text = stage + ": " + text
		}
		m.transcript.add(&noticeBlock{"error", text})
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
	cmds := []tea.Cmd{m.askBroken(), m.askCommands()}
	if ev.Text("cause") != "start" { // at the start nobody waits for it
		cmds = append(cmds, m.toasts.add("success", text))
	}
	return tea.Batch(cmds...)
}

func (m *model) scriptUnload(ev *engine.Event) tea.Cmd {
	cmds := []tea.Cmd{m.askBroken(), m.askCommands()}
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
	script, handler := clean(ev.Text("script")), ev.Text("handler")
	pos := engine.Position{File: clean(ev.Text("file"))}
	if line, ok := engine.Number(ev.Field("line")); ok {
		pos.Line = int(line)
	}
	if column, ok := engine.Number(ev.Field("column")); ok {
		pos.Column = int(column)
	}
	message := clean(ev.Text("message"))
	if pos.File != "" {
		message = pos.String() + ": " + message
	}
	b := &failureBlock{message: message, excerpt: clean(ev.Text("excerpt"))}
	var hints []string
	if h := clean(ev.Text("hint")); h != "" {
		hints = append(hints, "hint: "+h)
	}
	if handler == "load" {
		m.status.errors[script] = true
		if kept, _ := ev.Field("kept_previous").(bool); kept {
			hints = append(hints, "the last good version of "+script+" stays in force")
		}
	} else if handler != "" {
		hints = append(hints, "in "+clean(handler))
	}
	b.hint = strings.Join(hints, "\n")
	m.transcript.add(b)
	return tea.Batch(m.toasts.add("error", firstLine(message)), m.askBroken())
}

// agentStart shows the prompt that is being worked on now, if it is not in the transcript yet.
func (m *model) agentStart(ev *engine.Event) tea.Cmd {
	if ev.Env().Depth > 0 {
		return nil
	}
	m.status.know(ev.Env())
	m.failure = ""
	if !m.begun { // nobody has told that it begins
		m.begin(ev.Text("prompt"))
	}
	return m.status.start(m.now())
}

func (m *model) agentEnd(ev *engine.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	m.status.stop()
	m.finishMessage("")
	for id, i := range m.calls { // a call that nobody ended: the agent was stopped
		b := m.transcript.entries[i].block.(*toolBlock)
		b.state = toolCancelled
		m.transcript.changed(i)
		delete(m.calls, id)
	}
	m.told = true
	text, level := clean(ev.Text("error")), "error"
	switch status := ev.Text("status"); status {
	case "completed", "":
		return
	case "cancelled":
		text, level = "interrupted", "warn"
	case "error":
		if text == m.failure { // an error event has told it already
			return
		}
	default:
		level = "warn"
		text = strings.TrimSuffix(status+": "+text, ": ")
	}
	m.transcript.add(&noticeBlock{level, text})
}

// delta appends to a message or to a tool's output.
func (m *model) delta(d *delta) {
	ev := d.ev
	if ev.Name() == "tool_output" {
		if i, ok := m.calls[ev.Text("call_id")]; ok {
			m.transcript.entries[i].block.(*toolBlock).write(d.text)
			m.transcript.changed(i)
		}
		return
	}
	if ev.Env().Depth > 0 {
		return
	}
	if ev.Text("kind") == "reasoning" {
		if m.thought < 0 {
			m.thought = m.transcript.add(&thoughtBlock{})
		}
		m.transcript.entries[m.thought].block.(*thoughtBlock).stream.write(string(d.text))
		m.transcript.changed(m.thought)
		return
	}
	m.finishThought()
	if m.message < 0 {
		m.message = m.transcript.add(&messageBlock{})
	}
	m.transcript.entries[m.message].block.(*messageBlock).stream.write(string(d.text))
	m.transcript.changed(m.message)
}

func (m *model) messageEnd(ev *engine.Event) {
	if ev.Env().Depth == 0 {
		m.finishMessage(ev.Text("text"))
	}
}

// finishMessage ends the message that streams; its text is the final one, if that is not empty.
func (m *model) finishMessage(text string) {
	m.finishThought()
	text = clean(text)
	if m.message < 0 {
		if strings.TrimSpace(text) == "" {
			return
		}
		m.message = m.transcript.add(&messageBlock{})
	}
	b := m.transcript.entries[m.message].block.(*messageBlock)
	if b.final = text; text == "" {
		b.final = string(b.stream.text)
	}
	b.finished, b.stream = true, stream{}
	m.transcript.changed(m.message)
	m.message = -1
}

func (m *model) finishThought() {
	if m.thought >= 0 {
		m.transcript.entries[m.thought].block.(*thoughtBlock).finished = true
		m.transcript.changed(m.thought)
		m.thought = -1
	}
}

func (m *model) notification(ev *engine.Event) tea.Cmd {
	level, text := ev.Text("level"), clean(ev.Text("message"))
	if source := clean(ev.Text("source")); source != "" && source != "agent" {
		text = "[" + source + "] " + text
	}
	m.transcript.add(&noticeBlock{level, text})
	if level == "warn" || level == "error" {
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
