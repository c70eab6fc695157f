// This file holds the form in which one of many is picked.
package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// choicesShown is how many choices are in sight at most: the conversation above stays in sight too.
const choicesShown = 12

// chooser is a form with a list to pick from, and a line that filters it. Its answer is the value picked.
type chooser struct {
	title   string
	detail  string
	choices []engine.Choice // texts on one line each and clean, but for the values
	folded  []string        // what the filter looks at: label and description in small letters
	filter  area
	found   []int // choices that the filter lets through, best first
	at      int   // in found
	page    int
}

func newChooser(title, detail string, choices []engine.Choice) *chooser {
	c := &chooser{title: firstLine(clean(title)), detail: strings.TrimSpace(clean(detail)), page: 1}
	for _, x := range choices {
		if x.Label == "" {
			x.Label = x.Value
		}
		x.Label, x.Description = oneLine(x.Label), oneLine(x.Description)
		c.choices = append(c.choices, x)
		c.folded = append(c.folded, strings.ToLower(x.Label+" "+x.Description))
	}
	c.narrow()
	return c
}

// oneLine is text on one line, clean.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// narrow filters the choices: those that have the words of the filter come before those that only have its
// letters in this order.
func (c *chooser) narrow() {
	c.found, c.at = c.found[:0], 0
	words := strings.Fields(strings.ToLower(c.filter.text))
	letters := strings.Join(words, "")
	var loose []int
	for i, text := range c.folded {
		switch {
		case hasAll(text, words):
			c.found = append(c.found, i)
		case hasInOrder(text, letters):
			loose = append(loose, i)
		}
	}
	c.found = append(c.found, loose...)
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func hasInOrder(text, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}

// key implements form.
func (c *chooser) key(msg tea.KeyPressMsg) (any, bool) {
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter":
		if len(c.found) == 0 {
			return nil, false
		}
		return c.choices[c.found[c.at]].Value, true
	case "up", "ctrl+p", "shift+tab":
		c.move(-1)
	case "down", "ctrl+n", "tab":
		c.move(1)
	case "pgup":
		c.move(-c.page)
	case "pgdown":
		c.move(c.page)
	default:
		c.edit(func() { c.filter.edit(msg) })
	}
	return nil, false
}

func (c *chooser) move(n int) { c.at = max(0, min(c.at+n, len(c.found)-1)) }

// edit changes the filter's line.
func (c *chooser) edit(change func()) {
	before := c.filter.text
	if change(); c.filter.text != before {
		c.narrow()
	}
}

// paste implements form.
func (c *chooser) paste(text string) bool {
	c.edit(func() { c.filter.insert(oneLine(text)) })
	return true
}

// layout implements form.
func (c *chooser) layout(th *theme, width, height int, armed bool) ([]string, *tea.Cursor) {
	rows := []string{titleRule(th, c.title, width)}
	if c.detail != "" {
		detail := wrap(c.detail, width-2)
		rows = append(rows, indent("  ", detail[:min(len(detail), max(0, height-6))])...)
	}
	const ask = "  Filter: "
	line, x, y := c.filter.layout(width-len(ask), 1)
	cursor := tea.NewCursor(x+len(ask), y+len(rows))
	rows = append(rows, th.bold.Render(ask)+line[0])
	c.page = max(1, min(choicesShown, height-len(rows)-1))
	from := max(0, min(c.at-c.page/2, len(c.found)-c.page))
	for i := from; i < min(from+c.page, len(c.found)); i++ {
		rows = append(rows, c.row(th, width, i, armed))
	}
	note := fmt.Sprintf("%d of %d · enter picks, esc cancels", len(c.found), len(c.choices))
	if len(c.found) == 0 {
		note = "nothing fits · esc cancels"
	}
	return append(rows, "  "+th.dim.Render(fit(note, width-2))), cursor
}

// row draws one choice.
func (c *chooser) row(th *theme, width, i int, armed bool) string {
	x := c.choices[c.found[i]]
	label := fit(x.Label, width-2)
	if room := width - 2 - cells(label) - 2; x.Description != "" && room > 8 {
		description := fit(x.Description, room)
		if i == c.at && armed {
			return th.choice.Render("› " + label + "  " + description)
		}
		return "  " + label + "  " + th.dim.Render(description)
	}
	if i == c.at && armed {
		return th.choice.Render("› " + label)
	}
	return "  " + label
}

// liner is a form with one line to write. Its answer is the line.
type liner struct {
	title, detail string
	line          area
}

func newLiner(title, detail, text string) *liner {
	l := &liner{title: firstLine(clean(title)), detail: strings.TrimSpace(clean(detail))}
	l.line.set(oneLine(text))
	return l
}

// key implements form.
func (l *liner) key(msg tea.KeyPressMsg) (any, bool) {
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter":
		return l.line.text, true
	}
	l.line.edit(msg)
	return nil, false
}

// paste implements form.
func (l *liner) paste(text string) bool {
	l.line.insert(strings.ReplaceAll(text, "\n", " "))
	return true
}

// layout implements form.
func (l *liner) layout(th *theme, width, height int, armed bool) ([]string, *tea.Cursor) {
	rows := []string{titleRule(th, l.title, width)}
	if l.detail != "" {
		detail := wrap(l.detail, width-2)
		rows = append(rows, indent("  ", detail[:min(len(detail), max(0, height-3))])...)
	}
	lines, x, y := l.line.layout(width-gutter, 1)
	cursor := tea.NewCursor(x+gutter, y+len(rows))
	note := "enter gives it, esc cancels"
	if !armed {
		note = "pause, then type"
	}
	return append(rows, th.user.Render(prompt)+lines[0], "  "+th.dim.Render(fit(note, width-2))), cursor
}
