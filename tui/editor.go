// This file holds the editor: a text with a history.

package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

const (
	// historyKept is how many prompts can be called back.
	historyKept = 500
	// editorLimit is the largest text, in bytes, that the editor takes: a longer one belongs into a file that
	// the agent can read.
	editorLimit = 1 << 20
	// prompt is what stands before the editor's text; its width is that of gutter.
	prompt, gutter = "› ", 2
)

// editor is where the user writes. The cursor is the terminal's own, so that nothing needs to tick for it
// to blink.
type editor struct {
	theme   *theme
	area    area
	history []string
	at      int    // in history; len(history) = the draft
	draft   string // what was written before history was called
}

func (e *editor) value() string { return e.area.text }

func (e *editor) set(text string) { e.area.set(text) }

// insert puts clean text at the cursor; it reports false if that would be too much.
func (e *editor) insert(text string) bool {
	if len(e.area.text)+len(text) > editorLimit {
		return false
	}
	e.area.insert(text)
	return true
}

// key handles a key of the text; it reports false if there is no room for it.
func (e *editor) key(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "ctrl+j", "shift+enter":
		return e.insert("\n")
	case "up":
		if !e.area.vertical(-1) {
			e.recall(-1)
		}
	case "down":
		if !e.area.vertical(1) {
			e.recall(1)
		}
	default:
		if len(e.area.text)+len(msg.Text) > editorLimit {
			return false
		}
		e.area.edit(msg)
	}
	return true
}

// continued turns a backslash before the cursor into a line end.
func (e *editor) continued() bool {
	a := &e.area
	if !strings.HasSuffix(a.text[:a.pos], `\`) {
		return false
	}
	a.replace(a.pos-1, a.pos, "\n")
	return true
}

// take empties the editor and returns what was in it.
func (e *editor) take() string {
	text := strings.TrimSpace(e.area.text)
	e.area.set("")
	if n := len(e.history); text != "" && (n == 0 || e.history[n-1] != text) {
		e.history = append(e.history, text)
		e.history = e.history[max(0, len(e.history)-historyKept):]
	}
	e.at, e.draft = len(e.history), ""
	return text
}

// recall goes back (-1) or on (1) in the history.
func (e *editor) recall(step int) {
	to := e.at + step
	if to < 0 || to > len(e.history) {
		return
	}
	if e.at == len(e.history) {
		e.draft = e.area.text
	}
	if e.at = to; to == len(e.history) {
		e.area.set(e.draft)
	} else {
		e.area.set(e.history[to])
	}
}

// shellMode says who sees what a line for the shell says; "" if text is none.
func shellMode(text string) string {
	switch {
	case strings.HasPrefix(text, "!!"):
		return "shell: the model does not see it"
	case strings.HasPrefix(text, "!"):
		return "shell: the model sees it"
	}
	return ""
}

// layout draws the editor in at most height lines; hint is shown while it is empty.
func (e *editor) layout(width, height int, hint string) ([]string, *tea.Cursor) {
	lines, x, y := e.area.layout(width-gutter, height)
	if e.area.text == "" {
		lines = []string{e.theme.dim.Render(fit(hint, width-gutter))}
	}
	mark := e.theme.user.Render(prompt)
	if shellMode(e.area.text) != "" {
		mark = e.theme.warn.Render("$ ")
	}
	for i, l := range lines {
		if i == 0 && e.area.scroll == 0 {
			lines[i] = mark + l
		} else {
			lines[i] = strings.Repeat(" ", gutter) + l
		}
	}
	return lines, tea.NewCursor(x+gutter, y)
}
