package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// builtins are the commands of the screen itself.
func builtins() []Command {
	return []Command{
		{Name: "help", Description: "keys and commands"},
		{Name: "scripts", Description: "the scripts that are loaded"},
		{Name: "reload", Description: "read all scripts again"},
		{Name: "clear", Description: "empty the screen and begin a new session"},
		{Name: "quit", Description: "leave"},
	}
}

// allCommands are the screen's commands and those of scripts.
func (m *model) allCommands() []Command { return append(builtins(), m.commands...) }

// submit sends what is in the editor: to the screen itself if it is one of its commands, else to the backend.
func (m *model) submit() tea.Cmd {
	text := m.editor.take()
	m.complete.close()
	m.transcript.end()
	switch strings.TrimSpace(text) {
	case "":
		return nil
	case "/help":
		m.transcript.add(&sayBlock{text: m.help()})
		return nil
	case "/scripts":
		if f := m.backend.Scripts; f != nil {
			return func() tea.Msg { return scriptsMsg(f()) }
		}
		return nil
	case "/reload":
		return call(m.backend.Reload)
	case "/clear":
		m.clear()
		return call(m.backend.Clear)
	case "/quit":
		return tea.Quit
	}
	return m.send(text)
}

// send hands a text to the backend. It is shown at once if nothing is in its way, else when it begins.
func (m *model) send(text string) tea.Cmd {
	select {
	case m.submits <- text:
	default:
		m.editor.set(text)
		return m.toasts.add("error", "too many prompts wait; send this one later")
	}
	now := !m.status.working && len(m.queued()) == 0
	if now {
		m.transcript.add(&userBlock{clean(text)})
	}
	m.pending = append(m.pending, pendingText{text, now})
	return nil
}

// clear empties the screen.
func (m *model) clear() {
	m.transcript.clear()
	m.calls, m.message, m.thought = map[string]int{}, -1, -1
	m.greet()
}

func (m *model) help() string {
	var b strings.Builder
	b.WriteString(`**Keys**

- enter sends; alt+enter, ctrl+j or a backslash at the end begin a new line
- up and down bring back earlier prompts; tab completes commands and their arguments
- esc interrupts; ctrl+c interrupts or empties the editor, twice leaves; ctrl+d leaves
- shift+tab changes the permission mode
- page up, page down and the wheel scroll; ctrl+end goes to the end
- ctrl+o shows long results in full, and folds them again
- a question: its keys answer, page up and down scroll, esc interrupts (where nothing runs: says no); e edits the arguments of a call: ctrl+s allows it with them, esc goes back

**Commands**

`)
	for _, c := range m.allCommands() {
		fmt.Fprintf(&b, "- `/%s` %s", clean(c.Name), firstLine(clean(c.Description)))
		if c.Script != "" {
			fmt.Fprintf(&b, " (%s)", clean(c.Script))
		}
		b.WriteString("\n")
	}
	return b.String()
}
