package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/cells"
	"github.com/agentscripts/agent/tui/textarea"
)

// completionsShown is how many commands are offered at once.
const completionsShown = 6

// completion offers slash commands while one is being typed, and a command's arguments when tab
// asks for them.
type completion struct {
	*shared
	area     *textarea.Area   // the text that is completed
	commands func() []Command // those that there are

	matches []Command // Name is what is offered
	head    string    // what stands before it: "/", or a command with its space
	tail    string    // and behind it
	at      int
}

// Completion is one way for a command's arguments to go on.
type Completion struct{ Value, Description string }

// completionsMsg is what a command offers for the arguments of text.
type completionsMsg struct {
	text string
	list []Completion
}

// handleMsg implements component.
func (c *completion) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case commandsMsg:
		c.findCommands()
	case completionsMsg:
		c.arguments(msg)
	}
	return nil
}

// key implements component: the keys of an open list, but for enter, which also sends.
func (c *completion) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if !c.openList() {
		return nil, false
	}
	switch msg.String() {
	case "esc":
		c.close()
	case "tab":
		c.accept()
	case "up":
		c.move(-1)
	case "down":
		c.move(1)
	default:
		return nil, false
	}
	return nil, true
}

// typed takes over that the text was edited.
func (c *completion) typed() tea.Cmd {
	c.findCommands()
	if c.area.Text() == "/" { // a command begins: there may be new ones
		return askCommands(c.backend)
	}
	return nil
}

// askCommand asks the command in the text how its arguments may go on.
func (c *completion) askCommand() tea.Cmd {
	f, text := c.backend.Complete, c.area.Text()
	if f == nil || !wantsArguments(text) {
		return nil
	}
	return func() tea.Msg { return completionsMsg{text, f(text)} }
}

// arguments offers what a command said, if its line is still what stands in the editor.
func (c *completion) arguments(msg completionsMsg) {
	text := c.area.Text()
	if text != msg.text {
		return
	}
	c.close()
	name, _, _ := strings.Cut(text, " ")
	c.head, c.tail = name+" ", ""
	for _, o := range msg.list {
		c.matches = append(c.matches, Command{Name: firstLine(cells.Clean(o.Value)),
			Description: o.Description})
	}
}

// wantsArguments reports whether text is a command line whose arguments a command may know.
func wantsArguments(text string) bool {
	return strings.HasPrefix(text, "/") && strings.Contains(text, " ") &&
		!strings.Contains(text, "\n")
}

// findCommands finds the commands that the text may become.
func (c *completion) findCommands() {
	c.matches, c.head, c.tail = c.matches[:0], "/", " "
	name, isCommand := strings.CutPrefix(c.area.Text(), "/")
	if !isCommand || strings.ContainsAny(name, " \n") {
		return
	}
	for _, cmd := range c.commands() {
		if strings.HasPrefix(cmd.Name, name) {
			c.matches = append(c.matches, cmd)
		}
	}
	if len(c.matches) == 1 && c.matches[0].Name == name { // nothing left to complete
		c.matches = c.matches[:0]
	}
	c.at = min(c.at, max(len(c.matches)-1, 0))
	if whole := slices.IndexFunc(c.matches,
		func(cmd Command) bool { return cmd.Name == name }); whole >= 0 {
		c.at = whole // a whole name is meant, whatever else begins so
	}
}

func (c *completion) openList() bool { return len(c.matches) > 0 }

func (c *completion) close() { c.matches, c.at = c.matches[:0], 0 }

// move goes up or down in the list, around its ends.
func (c *completion) move(step int) { c.at = (c.at + step + len(c.matches)) % len(c.matches) }

// accept puts what is highlighted into the text, if the list is open.
func (c *completion) accept() {
	if c.openList() {
		c.area.Set(c.head + c.matches[c.at].Name + c.tail)
		c.close()
	}
}

// layout implements component: it draws the part of the list around what is highlighted.
func (c *completion) layout(width, _ int) ([]string, *tea.Cursor) {
	if !c.openList() {
		return nil, nil
	}
	th := c.theme
	from := max(0, min(c.at-completionsShown/2, len(c.matches)-completionsShown))
	var out []string
	for i := from; i < min(from+completionsShown, len(c.matches)); i++ {
		cmd := c.matches[i]
		name := cells.Clean(cmd.Name)
		if c.head == "/" {
			name = "/" + name
			if cmd.Hint != "" {
				name += " " + firstLine(cells.Clean(cmd.Hint))
			}
		}
		text := fmt.Sprintf("%-15s %s", name, firstLine(cells.Clean(cmd.Description)))
		if cmd.Script != "" {
			text += " [" + cells.Clean(cmd.Script) + "]"
		}
		if text = cells.Fit(text, width-2); i == c.at {
			out = append(out, th.choice.Render("› "+text))
		} else {
			out = append(out, "  "+th.dim.Render(text))
		}
	}
	return out, nil
}
