// This file holds the slash commands.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// builtins returns the screen's own commands.
func builtins() []Command {
	return []Command{
		{Name: "help", Description: "keys and commands; /help NAME: a page of the documents"},
		{Name: "scripts", Description: "the scripts: what they do, disable, reload, edit, log"},
		{Name: "ext", Description: "install, update, remove scripts: the commands of agent ext"},
		{Name: "reload", Description: "read all scripts again"},
		{Name: "welcome", Description: "the page of the first start, with scripts to begin with"},
		{Name: "keys", Description: "the keys, where each is set, and how to change them"},
		{Name: "theme", Description: "the colours"},
		{Name: "fullscreen", Description: "take the whole screen, or give it back"},
		{Name: "quit", Description: "leave"},
	}
}

// commands handles slash commands. It sees everything that the user sends first, and opens a list
// if a command's arguments are picked from one.
type commands struct {
	keyless
	unseen
	*shared
	transcript *transcript
	overlays   *overlays
	work       *work
	scripts    *scripts
	greeting   *greeting
	looks      *looks
	inline     *inlineLayout

	list    []Command // of the agent and of scripts
	picking picking
}

// all returns the screen's commands and those of the agent and of scripts.
func (c *commands) all() []Command { return append(builtins(), c.list...) }

// handleMsg implements component.
func (c *commands) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case commandsMsg:
		c.list = msg
	case choicesMsg:
		return c.pick(msg)
	case pickMsg:
		return c.askAtStart(string(msg))
	case moreMsg:
		c.more(msg)
	case *event.Event:
		if name := msg.Name(); name == "script_load" || name == "script_unload" {
			return askCommands(c.backend)
		}
	}
	return nil
}

// askCommands requests the commands of the agent and of scripts.
func askCommands(b Backend) tea.Cmd {
	f := b.Commands
	if f == nil {
		return nil
	}
	return func() tea.Msg { return commandsMsg(f()) }
}

// submit runs text if it is one of the screen's commands and sends it to the agent otherwise.
func (c *commands) submit(text, kind string) tea.Cmd {
	switch strings.TrimSpace(text) {
	case "", "!", "!!":
		return nil
	case "/help":
		c.showCommand(text)
		c.transcript.addEntry(&sayBlock{text: c.help()})
		return nil
	case "/keys":
		c.showCommand(text)
		c.transcript.addEntry(&sayBlock{text: c.keyTable(false), narrow: c.keyTable(true)})
		return nil
	case "/scripts", "/ext":
		return c.scripts.openList(c.overlays.lastKey)
	case "/welcome":
		return c.greeting.openGreeting(c.overlays.lastKey)
	case "/reload":
		return callCmd(c.backend.Reload)
	case "/theme":
		return c.looks.openList()
	case "/fullscreen":
		return c.inline.toggle()
	case "/trust": // it does not wait for the agent
		if f := c.backend.Trust; f != nil {
			return callCmd(f)
		}
	case "/quit":
		return tea.Quit
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(text), "/help "); ok {
		c.showCommand(text)
		return c.showPage(strings.TrimSpace(name))
	}
	if name, rest, ok := slash.Split(strings.TrimSpace(text)); ok && name == "ext" &&
		c.backend.Ext != nil {
		c.showCommand(text)
		return callCmd(func() { c.backend.Ext(rest) })
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(text), "/theme "); ok {
		return c.looks.choose(strings.TrimSpace(name))
	}
	if name := c.picks(text); name != "" {
		return c.askChoices(name, c.overlays.lastKey)
	}
	if name, _, ok := slash.Split(strings.TrimSpace(text)); ok &&
		slices.ContainsFunc(builtins(), func(b Command) bool { return b.Name == name }) {
		c.transcript.addEntry(&noticeBlock{"error", "/" + name + ": it takes no arguments"})
		return nil
	}
	return c.work.sendInput(text, kind)
}

// showCommand shows a command of the screen that prints something, as the agent's are shown.
func (c *commands) showCommand(text string) {
	c.transcript.addEntry(c.newUserBlock(strings.TrimSpace(text), false))
}

// showPage adds a page of the documents to the conversation.
func (c *commands) showPage(name string) tea.Cmd {
	if c.backend.Page == nil {
		return nil
	}
	page, err := c.backend.Page(name)
	if err != nil {
		c.transcript.addEntry(&noticeBlock{"error", plain.Error(err)})
		return nil
	}
	c.inline.showFrom(c.transcript.addEntry(&sayBlock{text: page, document: true}))
	return nil
}

// picks returns the name of the command in text if its arguments are picked from a list, else "".
func (c *commands) picks(text string) string {
	for _, cmd := range c.list {
		if cmd.Picks && strings.TrimSpace(text) == "/"+cmd.Name && c.backend.Choices != nil {
			return cmd.Name
		}
	}
	return ""
}

// pickMsg names a command whose arguments the user is to pick.
type pickMsg string

// commandsMsg lists the commands of the agent and of scripts.
type commandsMsg []Command

// choicesMsg lists the possible arguments of a command.
type choicesMsg struct {
	command, title, current string
	choices                 []ui.Choice
	// time of the key by which the user asked; zero if the command line or the program did
	asked   time.Time
	atStart bool // the command line asked, before any key
}

// moreMsg updates the possible arguments of a command whose list is, or was, open.
type moreMsg struct {
	command, detail string
	choices         []ui.Choice
}

func (c *commands) askChoices(command string, asked time.Time) tea.Cmd {
	f, current := c.backend.Choices, c.backend.Current
	if f == nil {
		return nil
	}
	return func() tea.Msg {
		title, choices := f(command)
		msg := choicesMsg{command: command, title: title, choices: choices, asked: asked}
		if current != nil {
			msg.current = current(command)
		}
		return msg
	}
}

// askAtStart opens the list that the command line asked for. The user waits for it, so it takes
// keys at once unless a key was pressed before it opened.
func (c *commands) askAtStart(command string) tea.Cmd {
	ask := c.askChoices(command, time.Time{})
	if ask == nil {
		return nil
	}
	return func() tea.Msg {
		msg := ask().(choicesMsg)
		msg.atStart = true
		return msg
	}
}

// pick opens a list of a command's arguments.
func (c *commands) pick(msg choicesMsg) tea.Cmd {
	if len(msg.choices) == 0 {
		c.transcript.addEntry(&noticeBlock{"info", cells.Clean(msg.title) +
			": there is nothing to pick from"})
		return nil
	}
	list := newChooser(msg.title, "", msg.choices)
	list.Begin(msg.current)
	c.picking = picking{msg.command, list}
	d := newDialog(list)
	d.then = func(answer any) tea.Cmd {
		if value, ok := answer.(string); ok {
			return c.work.sendInput("/"+msg.command+" "+value, kindPrompt)
		}
		return nil
	}
	if c.overlays.openPicker(d, msg.asked); msg.atStart {
		d.opened = c.overlays.lastKey.IsZero() && c.overlays.dialogs.front() == d
	}
	return nil
}

// picking is the most recently opened list and its command.
type picking struct {
	command string
	list    *chooser
}

// more updates an open list. It does nothing if the user has already picked.
func (c *commands) more(msg moreMsg) {
	if c.picking.list != nil && c.picking.command == msg.command {
		c.picking.list.offer(msg.detail, msg.choices)
	}
}

// fixedKeys describes the keys that are not in the table.
const fixedKeys = "- `ctrl+c` interrupts, or clears the editor if nothing runs; twice, it quits\n" +
	"- `!command` runs in the shell and the model sees it; `!!command` runs and it does not\n" +
	"- `@` and letters of a path list files to attach\n" +
	"- a pasted text of more than 5 lines, or 1000 characters, is drawn as its size and edited " +
	"as one character; the model gets the text, and of more than 50 KB the beginning, the end " +
	"and the name of a file; `ctrl+o` shows it in the conversation\n" +
	"- `esc` twice in an empty editor, while nothing runs, lists the prompts: enter goes back to " +
	"before one, and puts it into the editor\n" +
	"- a " + selectedEntry + "\n" +
	"- text that is selected with the mouse is copied; with shift held (in some terminals option " +
	"or fn), the terminal itself selects\n" +
	"- what is printed stays in the terminal; `ctrl+o`, page up, a search or a selection show " +
	"the whole conversation, with the mouse, until esc; /fullscreen stays there\n" +
	"- a question takes keys once you have paused typing: arrow keys and enter choose, or the " +
	"letter behind an answer (other letters go to the editor); page up and down scroll: a call " +
	"can be allowed only after all of it was on the screen; esc interrupts (if nothing runs: " +
	"says no); e edits the arguments of a call: ctrl+s allows it with them, esc goes back\n\n"

// selectedEntry describes the keys of an entry that is selected.
const selectedEntry = "selected entry: up and down go on, enter or a second click folds and " +
	"unfolds it, y copies it, w (or the right button) says who decided about a tool call; esc " +
	"returns to the editor, and to a question"

// help describes the keys and the commands.
func (c *commands) help() string {
	var b strings.Builder
	b.WriteString("**Keys** (/keys says how to change them)\n\n")
	for _, row := range c.keys.Rows() {
		if len(row.Keys) > 0 {
			fmt.Fprintf(&b, "- `%s` %s\n", strings.Join(row.Keys, "`, `"), row.Help)
		}
	}
	b.WriteString(fixedKeys)
	for i, s := range c.shortcuts() {
		if i == 0 {
			b.WriteString("**Keys of scripts**\n\n")
		}
		fmt.Fprintf(&b, "- `%s` %s (%s)\n", s.Key, s.Description, s.Script)
	}
	b.WriteString("\n**Commands**\n\n")
	for _, cmd := range c.all() {
		fmt.Fprintf(&b, "- `/%s` %s", cells.Clean(cmd.Name),
			plain.FirstLine(cells.Clean(cmd.Description)))
		if cmd.Script != "" {
			fmt.Fprintf(&b, " (%s)", cells.Clean(cmd.Script))
		}
		b.WriteString("\n")
	}
	if c.backend.Pages != nil {
		fmt.Fprintf(&b, "\n**Pages** (`/help NAME` shows one)\n\n%s\n",
			strings.Join(c.backend.Pages(), ", "))
	}
	return b.String()
}

// shortcuts lists the keys of scripts, in clean texts.
func (c *commands) shortcuts() (list []Shortcut) {
	if c.backend.Shortcuts == nil {
		return nil
	}
	for _, s := range c.backend.Shortcuts() {
		list = append(list, Shortcut{cells.Clean(s.Key),
			plain.FirstLine(cells.Clean(s.Description)), cells.Clean(s.Script)})
	}
	return list
}

// keyTable lists all actions with their keys, what they do, and where each is set. On a narrow
// screen it has two columns.
func (c *commands) keyTable(narrow bool) string {
	var b strings.Builder
	if narrow {
		b.WriteString("| keys | what it does |\n|---|---|\n")
	} else {
		b.WriteString("| action | keys | what it does | from |\n|---|---|---|---|\n")
	}
	row := func(action, keys, does, from string) {
		cell := func(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
		switch {
		case !narrow:
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(action), cell(keys), cell(does),
				cell(from))
		case from == "default":
			fmt.Fprintf(&b, "| %s | `%s`: %s |\n", cell(keys), cell(action), cell(does))
		default:
			fmt.Fprintf(&b, "| %s | `%s`: %s (%s) |\n", cell(keys), cell(action), cell(does),
				cell(from))
		}
	}
	for _, r := range c.keys.Rows() {
		keys, from := strings.Join(r.Keys, ", "), "default"
		if keys == "" {
			keys = "none"
		}
		if r.Where != "" {
			from = cells.Clean(r.Where)
		}
		row(r.Action, keys, r.Help, from)
	}
	for _, s := range c.shortcuts() {
		row("shortcut", s.Key, s.Description, s.Script)
	}
	return b.String() + "\nKeys that scroll, select, search and unfold show the whole " +
		"conversation on a screen of its own, unless /fullscreen has taken it; esc goes back.\n" +
		"\nA " + selectedEntry + ".\n\nTo change one, in `config.toml`:\n\n```toml\n[keys]\n" +
		"search = \"alt+s\"\nunfold = [\"ctrl+o\", \"f5\"]\nsuspend = []   # none\n```\n"
}
