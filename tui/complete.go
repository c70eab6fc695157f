package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// completionsShown is the greatest number of completions visible at once.
const completionsShown = 6

// completion offers slash commands while one is typed, and a command's arguments when tab asks for
// them.
type completion struct {
	*shared
	area     *textarea.Area   // the text to complete
	commands func() []Command // all commands

	matches []Command // Name is the offered text
	head    string    // the text before it: "/", or a command with its space
	tail    string    // the text after it
	at      int
}

// Completion is one possible continuation of a command's arguments.
type Completion struct{ Value, Description string }

// completionsMsg is a command's completions for the arguments in text.
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

// key implements component. It handles the keys of an open list except enter, which also sends.
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

// typed updates the list after an edit of the text.
func (c *completion) typed() tea.Cmd {
	c.findCommands()
	if c.area.Text() == "/" { // a command begins; scripts may have added some
		return askCommands(c.backend)
	}
	return nil
}

// askCommand asks the command in the text to complete its arguments.
func (c *completion) askCommand() tea.Cmd {
	f, text := c.backend.Complete, c.area.Text()
	if f == nil || !wantsArguments(text) {
		return nil
	}
	return func() tea.Msg { return completionsMsg{text, f(text)} }
}

// arguments offers a command's completions, if its line is still in the editor.
func (c *completion) arguments(msg completionsMsg) {
	text := c.area.Text()
	if text != msg.text {
		return
	}
	c.close()
	name, _, _ := strings.Cut(text, " ")
	c.head, c.tail = name+" ", ""
	for _, o := range msg.list {
		c.matches = append(c.matches, Command{Name: plain.FirstLine(cells.Clean(o.Value)),
			Description: o.Description})
	}
}

// wantsArguments reports whether text is a command line whose arguments a command may complete.
func wantsArguments(text string) bool {
	return strings.HasPrefix(text, "/") && strings.Contains(text, " ") &&
		!strings.Contains(text, "\n")
}

// findCommands finds the commands that begin with the text.
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
		c.at = whole // a complete name means itself, even if others begin with it
	}
}

func (c *completion) openList() bool { return len(c.matches) > 0 }

func (c *completion) close() { c.matches, c.at = c.matches[:0], 0 }

// move goes up or down in the list and wraps around at its ends.
func (c *completion) move(step int) { c.at = (c.at + step + len(c.matches)) % len(c.matches) }

// accept puts the highlighted completion into the text, if the list is open.
func (c *completion) accept() {
	if c.openList() {
		c.area.Set(c.head + c.matches[c.at].Name + c.tail)
		c.close()
	}
}

// layout implements component: it draws the part of the list around the highlighted completion.
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
				name += " " + plain.FirstLine(cells.Clean(cmd.Hint))
			}
		}
		text := fmt.Sprintf("%-15s %s", name, plain.FirstLine(cells.Clean(cmd.Description)))
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
