package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// liner is a form with one input line. Its answer is the line.
type liner struct {
	sheet
	title, detail string
	line          textarea.Area
	reading       scroller
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
		l.reading.turn(-1)
	case "pgdown":
		l.reading.turn(1)
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
	rows := cells.Indent("  ", l.reading.cutLines(th, detail, width-2, min(len(detail), room)))
	lines, x, y := l.line.Layout(width-gutter, 1)
	cursor := tea.NewCursor(x+gutter, y+len(rows))
	rows = append(rows, th.user.Render(prompt)+lines[0])
	if noted {
		rows = append(rows, "  "+th.dim.Render(cells.Fit("enter confirms, esc cancels", width-2)))
	}
	return rows, cursor
}
