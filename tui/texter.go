// This file holds the forms with a text to edit: of one line, and of several.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/scroll"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// texter is a form with a text of several lines to edit. Its answer is the text.
type texter struct {
	sheet
	title, detail string
	area          textarea.Area
	page          int  // visible rows
	full          bool // something did not fit
	replaced      bool // the text was replaced by lines of the user
}

func newTexter(title, detail, text string) *texter {
	t := &texter{title: cells.Clean(title), detail: strings.TrimSpace(cells.Clean(detail)), page: 1}
	t.area.Set(cells.Clean(text))
	return t
}

// key implements component.
func (t *texter) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	t.full = false
	switch msg.String() {
	case "esc":
		return t.give(nil)
	case "ctrl+s":
		return t.give(t.area.Text())
	case "enter", "alt+enter", "ctrl+j", "shift+enter":
		t.paste("\n")
	case "up":
		t.area.Vertical(-1)
	case "down":
		t.area.Vertical(1)
	case "pgup", "pgdown":
		step := map[string]int{"pgup": -1, "pgdown": 1}[msg.String()]
		for range t.page {
			t.area.Vertical(step)
		}
	default:
		if t.full = len(t.area.Text())+t.area.Grows(msg) > editorLimit; !t.full {
			t.area.Key(msg)
		}
	}
	return nil, true
}

// paste implements paster.
func (t *texter) paste(text string) bool {
	if t.full = len(t.area.Text())+len(text) > editorLimit; !t.full {
		t.area.Insert(text)
	}
	return true
}

// heading implements form.
func (t *texter) heading() string { return plain.FirstLine(t.title) }

// layout implements component.
func (t *texter) layout(width, height int) ([]string, *tea.Cursor) {
	th := t.theme
	var rows []string
	const besides = 3 // two rows of text, note
	if detail := askedLines(t.title, t.detail, width-2); len(detail) > 0 && height > besides {
		rows = cells.Indent("  ", detail)
		if room := height - besides; len(rows) > room {
			rows = append(rows[:room-1:room-1], "  "+
				th.dim.Render(cells.Fit(fmt.Sprintf("… %d more lines", len(detail)-room+1),
					width-2)))
		}
	}
	noted := height > 1
	t.page = max(1, height-len(rows))
	if noted {
		t.page = max(1, t.page-1)
	}
	text, x, y := t.area.Layout(width-argsGutter, t.page)
	y += len(rows)
	rows = append(rows, cells.Indent("  "+th.warn.Render("│ "), text)...)
	note := t.esc("ctrl+s is done, ")
	switch {
	case t.full:
		note = "that would be too long; " + note
	case t.area.Rows() > t.page:
		note += "; " + t.area.Line()
	}
	if noted {
		rows = append(rows, "  "+th.dim.Render(cells.Fit(note, width-2)))
	}
	for i := range rows {
		rows[i] = cells.Fit(rows[i], width)
	}
	return rows, tea.NewCursor(min(x+argsGutter, max(0, width-1)), y)
}

// liner is a form with one input line. Its answer is the line.
type liner struct {
	sheet
	title, detail string
	line          textarea.Area
	reading       scroll.Reader
	secret        bool // only a dot is visible for each character
}

func newLiner(title, detail, text string) *liner {
	l := &liner{title: cells.Clean(title), detail: strings.TrimSpace(cells.Clean(detail))}
	l.line.Set(plain.OneLine(text))
	return l
}

// key implements component.
func (l *liner) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "esc":
		return l.give(nil)
	case "enter":
		return l.give(l.line.Text())
	case "pgup":
		l.reading.Turn(-1)
	case "pgdown":
		l.reading.Turn(1)
	default:
		l.line.Key(msg)
	}
	return nil, true
}

// paste implements paster.
func (l *liner) paste(text string) bool {
	l.line.Insert(strings.ReplaceAll(text, "\n", " "))
	return true
}

// heading implements form.
func (l *liner) heading() string { return headingOf(l.title, &l.reading) }

// layout implements component.
func (l *liner) layout(width, height int) ([]string, *tea.Cursor) {
	th := l.theme
	detail := askedLines(l.title, l.detail, width-2)
	noted := height > min(len(detail), 1)+1
	room := height - 1
	if noted {
		room--
	}
	rows := cells.Indent("  ", l.reading.Cut(th.dim.Render, detail, width-2, min(len(detail),
		room)))
	line := &l.line
	if l.secret {
		line = dotted(line)
	}
	lines, x, y := line.Layout(width-gutter, 1)
	cursor := tea.NewCursor(x+gutter, y+len(rows))
	rows = append(rows, th.user.Render(prompt)+lines[0])
	if noted {
		rows = append(rows, "  "+th.dim.Render(cells.Fit(l.esc("enter confirms, "), width-2)))
	}
	return rows, cursor
}

// listAnswers implements lineForm.
func (t *texter) listAnswers() []string {
	lines := append([]string{t.title}, nonEmpty(t.detail)...)
	if text := t.area.Text(); text != "" {
		lines = append(lines, "the text now:", text)
	}
	return append(lines, "write the new text; a line with a dot alone ends it, and at once leaves "+
		"the text as it is; Ctrl+C cancels")
}

// readAnswer implements lineForm.
func (t *texter) readAnswer(line string) (problem string) {
	if line == "." {
		t.give(t.area.Text())
		return ""
	}
	if !t.replaced {
		t.area.Set("")
	} else {
		line = "\n" + line
	}
	t.replaced = true
	if t.paste(line); t.full {
		return "the text is too long; this line is left out"
	}
	return ""
}

// characters counts the characters that a person sees.
func characters(text string) (n int) {
	for text != "" {
		cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[max(1, len(cluster)):]
		n++
	}
	return n
}

// dotted returns a line with a dot for each character, and the cursor at the same place.
func dotted(a *textarea.Area) *textarea.Area {
	const dot = "•"
	out := &textarea.Area{}
	out.Set(strings.Repeat(dot, characters(a.Text())))
	out.MoveTo(len(dot) * characters(a.Before()))
	return out
}

// listAnswers implements lineForm.
func (l *liner) listAnswers() []string {
	lines := append([]string{l.title}, nonEmpty(l.detail)...)
	if l.secret {
		return append(lines, "write a line, which is visible on this terminal; Ctrl+C cancels")
	}
	if text := l.line.Text(); text != "" {
		return append(lines, "write a line; an empty one means "+text+"; Ctrl+C cancels")
	}
	return append(lines, "write a line; Ctrl+C cancels")
}

// readAnswer implements lineForm.
func (l *liner) readAnswer(line string) (problem string) {
	if line == "" {
		line = l.line.Text()
	}
	l.give(line)
	return ""
}
