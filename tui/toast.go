package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/cells"
)

const (
	// toastTime and toastErrorTime are how long a toast stays: enough time to look up from work and
	// read a line.
	toastTime      = 4 * time.Second
	toastErrorTime = 10 * time.Second
	// toastsShown is the greatest number of toasts at once. Older ones are removed; their text is
	// in the transcript.
	toastsShown = 3
)

// toasts are short remarks in the upper right corner that disappear by themselves.
type toasts struct {
	keyless
	unseen // drawn over the lines of others
	*shared
	list []toast
	next int
}

type toast struct {
	id          int
	level, text string
}

// toastOver reports that the toast's time is over.
type toastOver int

// handleMsg implements component.
func (t *toasts) handleMsg(msg tea.Msg) tea.Cmd {
	if over, ok := msg.(toastOver); ok {
		t.removeToast(int(over))
	}
	return nil
}

func (t *toasts) addToast(level, text string) tea.Cmd {
	t.next++
	id := t.next
	t.list = append(t.list, toast{id, level, text})
	if len(t.list) > toastsShown {
		t.list = t.list[len(t.list)-toastsShown:]
	}
	d := toastTime
	if level == "error" || level == "warn" {
		d = toastErrorTime
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return toastOver(id) })
}

func (t *toasts) removeToast(id int) {
	for i := range t.list {
		if t.list[i].id == id {
			t.list = append(t.list[:i:i], t.list[i+1:]...)
			return
		}
	}
}

// drawOver draws the toasts over the ends of the first rows.
func (t *toasts) drawOver(rows []string, width int) {
	for i, x := range t.list {
		if i >= len(rows) || width < 20 {
			return
		}
		text := " " + cells.Fit(x.text, width*2/3) + " "
		left := width - cells.Width(text)
		row := ansi.Truncate(rows[i], left-1, "")
		rows[i] = row + strings.Repeat(" ", left-cells.Width(row)) +
			t.theme.level(x.level).Reverse(true).Render(text)
	}
}
