package tui

import (
	"fmt"
	"strings"
)

// completionsShown is how many commands are offered at once.
const completionsShown = 6

// completion offers slash commands while one is being typed.
type completion struct {
	theme   *theme
	matches []Command
	at      int
}

// update finds the commands that text may become.
func (c *completion) update(text string, commands []Command) {
	c.matches = c.matches[:0]
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
}

func (c *completion) open() bool { return len(c.matches) > 0 }

func (c *completion) close() { c.matches, c.at = c.matches[:0], 0 }

// move goes up or down in the list, around its ends.
func (c *completion) move(step int) { c.at = (c.at + step + len(c.matches)) % len(c.matches) }

// chosen is what the editor's text becomes.
func (c *completion) chosen() string { return "/" + c.matches[c.at].Name + " " }

func (c *completion) layout(th *theme, width int) []string {
	if !c.open() {
		return nil
	}
	from := max(0, min(c.at-completionsShown/2, len(c.matches)-completionsShown))
	var out []string
	for i := from; i < min(from+completionsShown, len(c.matches)); i++ {
		cmd := c.matches[i]
		text := fmt.Sprintf("/%-14s %s", clean(cmd.Name), firstLine(clean(cmd.Description)))
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
