package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// builtins are the commands of the screen itself.
func builtins() []Command {
	return []Command{
		{Name: "help", Description: "keys and commands"},
		{Name: "scripts", Description: "the scripts that are loaded"},
		{Name: "reload", Description: "read all scripts again"},
		{Name: "quit", Description: "leave"},
	}
}

// allCommands are the screen's commands and those of the agent and of scripts.
func (m *model) allCommands() []Command { return append(builtins(), m.commands...) }

// submit sends what is in the editor: to the screen itself if it is one of its commands, else to the agent.
func (m *model) submit(kind string) tea.Cmd {
	text := m.editor.take()
	m.complete.close()
	m.transcript.end()
	switch strings.TrimSpace(text) {
	case "", "!", "!!":
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
	case "/quit":
		return tea.Quit
	}
	if c := m.picks(text); c != "" {
		return m.askChoices(c, m.lastKey)
	}
	return m.send(text, kind)
}

// picks is the name of the command that text is, if what it takes is picked from a list; else "".
func (m *model) picks(text string) string {
	for _, c := range m.commands {
		if c.Picks && strings.TrimSpace(text) == "/"+c.Name && m.backend.Choices != nil {
			return c.Name
		}
	}
	return ""
}

// choicesMsg is what a command can be given.
type choicesMsg struct {
	command, title string
	choices        []engine.Choice
	asked          time.Time // of the key by which the user asked, zero = the command line or the program did
	atStart        bool      // the command line asked, before there was a key
}

// moreMsg is what a command can be given by now: its list is open, or was.
type moreMsg struct {
	command, detail string
	choices         []engine.Choice
}

func (m *model) askChoices(command string, asked time.Time) tea.Cmd {
	f := m.backend.Choices
	if f == nil {
		return nil
	}
	return func() tea.Msg {
		title, choices := f(command)
		return choicesMsg{command: command, title: title, choices: choices, asked: asked}
	}
}

// askAtStart opens the list that the command line asked for. The user waits for it, so that it takes keys
// at once, unless a key was pressed before it came up.
func (m *model) askAtStart(command string) tea.Cmd {
	ask := m.askChoices(command, time.Time{})
	if ask == nil {
		return nil
	}
	return func() tea.Msg {
		msg := ask().(choicesMsg)
		msg.atStart = true
		return msg
	}
}

// pick lets the user pick what the command is given.
func (m *model) pick(msg choicesMsg) tea.Cmd {
	if len(msg.choices) == 0 {
		m.transcript.add(&noticeBlock{"info", clean(msg.title) + ": there is nothing to pick from"})
		return nil
	}
	c := newChooser(msg.title, "", msg.choices)
	m.picking = picking{msg.command, c}
	d := newDialog(c)
	d.then = func(answer any) tea.Cmd {
		if value, ok := answer.(string); ok {
			return m.send("/"+msg.command+" "+value, kindPrompt)
		}
		return nil
	}
	if m.openPicker(d, msg.asked); msg.atStart {
		d.opened = m.lastKey.IsZero() && m.dialogs.front() == d
	}
	return nil
}

// picking is the list that was opened last, and the command that it is for.
type picking struct {
	command string
	*chooser
}

// more fills in a list that is open. Who has picked does not mind.
func (m *model) more(msg moreMsg) {
	if m.picking.chooser != nil && m.picking.command == msg.command {
		m.picking.offer(msg.detail, msg.choices)
	}
}

// helpShortcuts lists the keys of scripts.
func (m *model) helpShortcuts(b *strings.Builder) {
	if m.backend.Shortcuts == nil {
		return
	}
	list := m.backend.Shortcuts()
	for _, s := range list {
		fmt.Fprintf(b, "- %s %s (%s)\n", clean(s.Key), firstLine(clean(s.Description)), clean(s.Script))
	}
	if len(list) > 0 {
		b.WriteString("\n")
	}
}

func (m *model) help() string {
	var b strings.Builder
	b.WriteString(`**Keys**

- enter sends: while the agent works it steers it, before its next step; alt+enter lets the text wait until it is done
- shift+enter, ctrl+j or a backslash at the end begin a new line
- !command runs in the shell and the model sees it; !!command runs and it does not
- up and down bring back earlier prompts, and what still waits; tab completes commands and their arguments
- esc interrupts and brings back what waits; ctrl+c too, or it empties the editor; twice leaves, as ctrl+d; ctrl+z suspends
- shift+tab changes the permission mode: default, accept-edits, plan; /permission yolo is the way to yolo
- page up, page down and the wheel scroll; ctrl+end goes to the end
- ctrl+o shows long results in full, and folds them again; ctrl+l draws the screen anew
- a question takes keys once you have paused typing: arrow keys and enter choose, or the letter behind an answer (others go to the editor); page up and down scroll: nothing can be allowed before all of it was on the screen; esc interrupts (where nothing runs: says no); e edits the arguments of a call: ctrl+s allows it with them, esc goes back

`)
	m.helpShortcuts(&b)
	b.WriteString("**Commands**\n\n")
	for _, c := range m.allCommands() {
		fmt.Fprintf(&b, "- `/%s` %s", clean(c.Name), firstLine(clean(c.Description)))
		if c.Script != "" {
			fmt.Fprintf(&b, " (%s)", clean(c.Script))
		}
		b.WriteString("\n")
	}
	return b.String()
}
