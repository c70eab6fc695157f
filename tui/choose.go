// This file holds the forms in which the user picks from a list or writes a line.

package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/picklist"
	"github.com/agentscripts/agent/tui/internal/scroll"
)

// choicesShown is the greatest number of visible choices: the conversation above stays visible too.
const choicesShown = 12

// chooser is a form with a list to pick from and a filter line. Its answer is the picked value or,
// if several can be picked, a []string of the marked ones.
type chooser struct {
	sheet
	picklist.List
	title   string
	detail  string
	lasting bool // there is no filter: letters go to the editor, see strict
	page    int
	reading scroll.Reader // scrolls the detail, if it is too long
	refused bool          // the user tried to pick before all of the detail had been on the screen

	stood func(value string) // called with each value that the user moves to; nil = no one asks
}

func newChooser(title, detail string, choices []ui.Choice) *chooser {
	c := &chooser{title: cells.Clean(title), page: 1}
	c.offer(detail, choices)
	return c
}

// offer replaces the detail and the choices. The filter and the user's position in the list stay.
func (c *chooser) offer(detail string, choices []ui.Choice) {
	if detail = strings.TrimSpace(cells.Clean(detail)); detail != c.detail {
		c.detail, c.reading = detail, scroll.Reader{}
	}
	c.Offer(choices)
}

// key implements component.
func (c *chooser) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	before := c.Value()
	defer func() {
		if value := c.Value(); c.stood != nil && !c.done && value != before && value != "" {
			c.stood(value)
		}
	}()
	switch msg.String() {
	case "esc":
		return c.give(nil)
	case "enter":
		switch {
		case !c.reading.All:
			c.refused = true
			return nil, true
		case c.Several:
			return c.give(c.Marked())
		case c.Found() == 0:
			return nil, true
		}
		return c.give(c.Value())
	case "tab":
		if c.Several {
			c.Toggle()
		} else {
			c.Move(1)
		}
	case "up", "ctrl+p", "shift+tab":
		c.Move(-1)
	case "down", "ctrl+n":
		c.Move(1)
	case "pgup":
		c.turn(-1)
	case "pgdown":
		c.turn(1)
	default:
		if !c.lasting {
			c.Edit(func() { c.Filter.Key(msg) })
		}
	}
	return nil, true
}

// strays implements strict.
func (c *chooser) strays(msg tea.KeyPressMsg) bool { return c.lasting && msg.Text != "" }

// answers implements strict.
func (c *chooser) answers(msg tea.KeyPressMsg) bool {
	return c.lasting && msg.String() == "enter"
}

// turn scrolls by a page: the detail if it is too long, so that all of it can be read, else the
// choices.
func (c *chooser) turn(n int) {
	if c.reading.Scrolls() {
		c.reading.Turn(n)
		return
	}
	c.Move(n * c.page)
}

// paste implements paster.
func (c *chooser) paste(text string) bool {
	if c.lasting {
		return false
	}
	c.Edit(func() { c.Filter.Insert(plain.OneLine(text)) })
	return true
}

// heading implements form.
func (c *chooser) heading() string { return headingOf(c.title, &c.reading) }

// headingOf returns a title. It names the visible part of the text below it, unless a line of its
// own does.
func headingOf(title string, reading *scroll.Reader) string {
	title = plain.FirstLine(title)
	room := titleRoom(reading.Width)
	where := reading.Where(room)
	switch {
	case where == "" || reading.Noted:
		return title
	case cells.Width(where)+5 > room:
		return where
	}
	return where + " · " + title
}

// askedLines returns the lines between the title and the input: the detail, and the title itself if
// it is too long for its line.
func askedLines(title, detail string, width int) []string {
	var lines []string
	if strings.Contains(title, "\n") || cells.Width(title) > titleRoom(width) {
		lines = cells.Wrap(title, width)
	}
	if detail != "" {
		lines = append(lines, cells.Wrap(detail, width)...)
	}
	return lines
}

// choicesLeast is how many choices stay visible below a long detail.
const choicesLeast = 4

// layout implements component.
func (c *chooser) layout(width, height int) ([]string, *tea.Cursor) {
	th, listens := c.theme, c.listens
	side := "  "
	if width < ruleLeast {
		side = ""
	}
	filtered, noted := height > 2 && !c.lasting, height > 3 // the less important lines go first
	left := height
	for _, line := range []bool{filtered, noted} {
		if line {
			left--
		}
	}
	detail := askedLines(c.title, c.detail, width-len(side))
	room := max(left-min(c.Found(), choicesLeast), min(left-1, 1)) // one line of it at least
	rows := cells.Indent(side, c.reading.Cut(th.dim.Render, detail, width-len(side),
		min(len(detail), room)))
	var cursor *tea.Cursor
	if filtered {
		ask := side + cells.Longest(width/2, "Filter: ", "/")
		line, x, y := c.Filter.Layout(width-len(ask), 1)
		cursor = tea.NewCursor(min(x+len(ask), width-1), y+len(rows))
		rows = append(rows, th.bold.Render(ask)+cells.Fit(line[0], width-len(ask)))
		left++
	}
	c.page = max(1, min(choicesShown, left-len(rows)))
	from := max(0, min(c.At()-c.page/2, c.Found()-c.page))
	mark := 0
	if c.Several {
		mark = len("[x] ")
	}
	first := c.LabelCells(width-2, mark)
	for i := from; i < min(from+c.page, c.Found()); i++ {
		rows = append(rows, c.row(th, width, first, i, listens))
	}
	if noted {
		rows = append(rows, c.keyHint(th, width))
	}
	return rows, cursor
}

// keyHint lists the available keys.
func (c *chooser) keyHint(th *theme, width int) string {
	if !c.reading.All {
		text := cells.Fit(cells.Longest(width,
			"  read all of it before you pick: page down goes on",
			"page down: read", "pgdn: read"), width)
		if c.refused {
			return th.alarm.Render(text)
		}
		return th.warn.Render(text)
	}
	note := fmt.Sprintf(c.esc("%d of %d · enter picks, "), min(c.Found(), len(c.Choices())),
		len(c.Choices()))
	switch {
	case c.Several:
		note = fmt.Sprintf(c.esc("%d of %d marked · tab marks, enter is done, "),
			len(c.Marked()), len(c.Choices()))
	case c.Found() == 0:
		note = c.esc("no match · ")
	}
	if c.Other {
		note += " · or write something else"
	}
	return th.dim.Render(cells.Fit("  "+note, width))
}

// row draws one choice; first is the width of the column of labels.
func (c *chooser) row(th *theme, width, first, i int, listens bool) string {
	x := c.Row(i)
	if c.Several {
		mark := "[ ] "
		if x.Marked {
			mark = "[x] "
		}
		x.Label = mark + x.Label
	}
	about := x.About
	label := cells.Fit(x.Label, width-2)
	if room := width - 2 - first - 2; about != "" && room > 8 {
		label = cells.Fit(x.Label, first)
		label += strings.Repeat(" ", first-cells.Width(label))
		about = cells.Fit(about, room)
		if i == c.At() && listens {
			return th.choice.Render("› " + label + "  " + about)
		}
		return "  " + label + "  " + th.dim.Render(about)
	}
	if i == c.At() && listens {
		return th.choice.Render("› " + label)
	}
	return "  " + label
}

// choicesListed is how many choices are listed in lines. More of them are found by their letters.
const choicesListed = 30

// listAnswers implements lineForm.
func (c *chooser) listAnswers() []string {
	lines := append([]string{c.title}, nonEmpty(c.detail)...)
	for i := range c.Found() {
		if i == choicesListed {
			lines = append(lines, fmt.Sprintf("and %d more", c.Found()-i))
			break
		}
		x := c.Row(i)
		if x.Number == 0 {
			continue
		}
		text := fmt.Sprintf("%d: %s", x.Number, x.Label)
		if x.About != "" {
			text += ", " + x.About
		}
		if x.Marked {
			text += ", marked"
		}
		lines = append(lines, text)
	}
	switch {
	case c.Several:
		return append(lines, "write the numbers of your choices, with spaces between them; Ctrl+C "+
			"cancels")
	case c.Other:
		return append(lines, "write a number, or an answer of your own; Ctrl+C cancels")
	}
	return append(lines, "write a number, or letters to shorten the list; Ctrl+C cancels")
}

// readAnswer implements lineForm.
func (c *chooser) readAnswer(line string) (problem string) {
	line = strings.TrimSpace(line)
	var values []string
	for _, word := range strings.Fields(strings.ReplaceAll(line, ",", " ")) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(c.Choices()) {
			values = nil
			break
		}
		values = append(values, c.Choices()[n-1].Value)
	}
	switch {
	case c.Several && (values != nil || line == ""):
		c.give(append([]string{}, values...))
	case len(values) == 1:
		c.give(values[0])
	case c.Several, line == "":
		return "not an answer: write a number; Ctrl+C cancels"
	case c.Other:
		c.give(line)
	default:
		if !c.Narrow(line) {
			return "no choice has " + line + "; Ctrl+C cancels"
		}
		return strings.Join(c.listAnswers(), "\n")
	}
	return ""
}
