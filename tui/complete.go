package tui

import (
	"fmt"
	"slices"
	"strings"
)

// completionsShown is how many commands are offered at once.
const completionsShown = 6

// completion offers slash commands while one is being typed, and a command's arguments when tab asks for them.
type completion struct {
	theme   *theme
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

// arguments offers what a command said, if text is still what stands in the editor.
func (c *completion) arguments(text string, msg completionsMsg) {
	if text != msg.text {
		return
	}
	c.close()
	name, _, _ := strings.Cut(text, " ")
	c.head, c.tail = name+" ", ""
	for _, o := range msg.list {
		c.matches = append(c.matches, Command{Name: firstLine(clean(o.Value)), Description: o.Description})
	}
}

// wantsArguments reports whether text is a command line whose arguments a command may know.
func wantsArguments(text string) bool {
	return strings.HasPrefix(text, "/") && strings.Contains(text, " ") && !strings.Contains(text, "\n")
}

// update finds the commands that text may become.
func (c *completion) update(text string, commands []Command) {
	c.matches, c.head, c.tail = c.matches[:0], "/", " "
	name, isCommand := strings.CutPrefix(text, "/")
	if !isCommand || strings.ContainsAny(name, " \n") {
		return
	}
	for _, cmd := range commands {
		if strings.HasPrefix(cmd.Name, name) {
			c.matches = append(c.matches, cmd)
		}
	}
	if len(c.matches) == 1 && c.matches[0].Name == name { // nothing left to complete
		c.matches = c.matches[:0]
	}
	c.at = min(c.at, max(len(c.matches)-1, 0))
	if whole := slices.IndexFunc(c.matches, func(cmd Command) bool { return cmd.Name == name }); whole >= 0 {
		c.at = whole // a whole name is meant, whatever else begins so
	}
}

func (c *completion) open() bool { return len(c.matches) > 0 }

func (c *completion) close() { c.matches, c.at = c.matches[:0], 0 }

// move goes up or down in the list, around its ends.
func (c *completion) move(step int) { c.at = (c.at + step + len(c.matches)) % len(c.matches) }

// chosen is what the editor's text becomes.
func (c *completion) chosen() string { return c.head + c.matches[c.at].Name + c.tail }

func (c *completion) layout(th *theme, width int) []string {
	if !c.open() {
		return nil
	}
	from := max(0, min(c.at-completionsShown/2, len(c.matches)-completionsShown))
	var out []string
	for i := from; i < min(from+completionsShown, len(c.matches)); i++ {
		cmd := c.matches[i]
		name := clean(cmd.Name)
		if c.head == "/" {
			name = "/" + name
			if cmd.Hint != "" {
				name += " " + firstLine(clean(cmd.Hint))
			}
		}
		text := fmt.Sprintf("%-15s %s", name, firstLine(clean(cmd.Description)))
		if cmd.Script != "" {
			text += " [" + clean(cmd.Script) + "]"
		}
		if text = fit(text, width-2); i == c.at {
			out = append(out, th.choice.Render("› "+text))
		} else {
			out = append(out, "  "+th.dim.Render(text))
		}
	}
	return out
}
