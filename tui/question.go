// This file holds the form of a question that has a few answers, each with a key.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// question is a form with a body to read and a few answers, all of them engine.Answer.
type question struct {
	title   string
	body    func(th *theme, width int) []string
	options []option

	at      int // option
	reading scroller
	reason  *area     // open: the user types why not
	edit    *argsEdit // nil = there is nothing to edit
	editing bool      // the user edits the arguments
}

// option is one answer.
type option struct {
	key, label string
	answer     engine.Answer
	reason     bool // ask why first
	edit       bool // let the user edit the arguments first
}

// key implements form.
func (q *question) key(msg tea.KeyPressMsg) (any, bool) {
	switch {
	case q.reason != nil:
		return q.reasonKey(msg)
	case q.editing:
		return q.editKey(msg)
	}
	switch k := msg.String(); k {
	case "esc":
		return nil, true
	case "left", "up", "shift+tab":
		q.at = (q.at + len(q.options) - 1) % len(q.options)
	case "right", "down", "tab":
		q.at = (q.at + 1) % len(q.options)
	case "enter":
		return q.choose(q.options[q.at])
	case "pgup":
		q.reading.turn(-1)
	case "pgdown":
		q.reading.turn(1)
	default:
		for i, o := range q.options {
			if k == o.key {
				q.at = i
				return q.choose(o)
			}
		}
	}
	return nil, false
}

func (q *question) choose(o option) (any, bool) {
	switch {
	case o.reason:
		q.reason = &area{}
	case o.edit:
		q.editing = true
	default:
		return o.answer, true
	}
	return nil, false
}

// reasonKey edits the reason: enter sends it, esc goes back.
func (q *question) reasonKey(msg tea.KeyPressMsg) (any, bool) {
	switch msg.String() {
	case "enter":
		a := q.options[q.at].answer
		a.Reason = q.reason.text
		return a, true
	case "esc":
		q.reason = nil
		return nil, false
	}
	q.reason.edit(msg)
	return nil, false
}

// editKey edits the arguments. Esc goes back, where the old ones are shown and can be allowed; what was
// edited is still there when the user comes again.
func (q *question) editKey(msg tea.KeyPressMsg) (any, bool) {
	if msg.String() == "esc" {
		q.editing = false
		return nil, false
	}
	args, done := q.edit.key(msg)
	return engine.Answer{Allow: done, Args: args}, done
}

// paste implements form: text goes into the reason or into the arguments.
func (q *question) paste(text string) bool {
	switch {
	case q.reason != nil:
		q.reason.insert(strings.ReplaceAll(text, "\n", " "))
	case q.editing:
		q.edit.insert(text)
	default:
		return false
	}
	return true
}

// layout implements form: a title, then the question or the arguments that are edited.
func (q *question) layout(th *theme, width, height int, armed bool) ([]string, *tea.Cursor) {
	var rows []string
	var cursor *tea.Cursor
	title := q.title
	if q.editing {
		title += ": edit " + q.edit.what()
		rows, cursor = q.edit.layout(th, width, height-1)
	} else {
		rows, cursor = q.ask(th, width, height-1, armed)
	}
	if cursor != nil {
		cursor.Y++
	}
	return append([]string{titleRule(th, title, width)}, rows...), cursor
}

// ask draws the question in at most height lines: body and answers.
func (q *question) ask(th *theme, width, height int, armed bool) ([]string, *tea.Cursor) {
	foot, cursor := q.foot(th, width, armed)
	body := q.body(th, width-2)
	body = q.reading.cut(th, body, width-2, height-len(foot)-1)
	rows := append(indent("  ", body), "")
	if cursor != nil {
		cursor.Y += len(rows)
	}
	return append(rows, foot...), cursor
}

// foot draws the answers, or the line in which the reason is typed.
func (q *question) foot(th *theme, width int, armed bool) ([]string, *tea.Cursor) {
	if q.reason != nil {
		const ask = "  Why not? "
		lines, x, y := q.reason.layout(width-len(ask), 1)
		hint := "  " + th.dim.Render(fit("enter rejects, esc goes back", width-2))
		return []string{th.bold.Render(ask) + lines[0], hint}, tea.NewCursor(x+len(ask), y)
	}
	var rows []string
	row := " "
	for i, o := range q.options {
		text := fmt.Sprintf(" %s (%s) ", o.label, o.key)
		if cells(row)+cells(text) > width && row != " " {
			rows, row = append(rows, row), " "
		}
		switch {
		case !armed:
			row += th.dim.Render(text)
		case i == q.at:
			row += th.choice.Render("›" + text[1:])
		default:
			row += text
		}
	}
	return append(rows, row), nil
}
