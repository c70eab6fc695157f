// This file holds dialogs: questions that wait for the user, one in sight at a time.
package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

const (
	// quiet is for how long no key must have been pressed before a dialog that opened by itself listens: a
	// key that was meant for the editor must not answer it.
	quiet = 425 * time.Millisecond
	// quietMost is after how long it listens all the same: somebody who never pauses means the dialog.
	quietMost = 1500 * time.Millisecond
)

// dialog is one question. Its texts are clean or revealed.
type dialog struct {
	title   string
	body    func(th *theme, width int) []string
	options []option
	answer  chan engine.Answer // capacity 1

	opened  time.Time
	armed   bool // it listens to keys
	at      int  // option
	scrolls int  // first line of the body in sight
	most    int  // largest scrolls
	page    int
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

// closeMsg takes away a dialog whose question is no longer asked.
type closeMsg struct{ dialog *dialog }

// armMsg asks whether the dialog may listen now.
type armMsg struct{}

// dialogs is the queue of questions.
type dialogs struct{ queue []*dialog }

// front is the dialog in sight, nil if there is none.
func (q *dialogs) front() *dialog {
	if len(q.queue) == 0 {
		return nil
	}
	return q.queue[0]
}

func (q *dialogs) open(d *dialog, now time.Time) tea.Cmd {
	q.queue = append(q.queue, d)
	if len(q.queue) > 1 {
		return nil
	}
	return q.begin(now)
}

// begin puts the front dialog in sight.
func (q *dialogs) begin(now time.Time) tea.Cmd {
	d := q.front()
	if d == nil {
		return nil
	}
	d.opened = now
	return armAfter(quiet)
}

func armAfter(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return armMsg{} })
}

// arm lets the front dialog listen if typing has paused, else asks again later.
func (q *dialogs) arm(now, lastKey time.Time) tea.Cmd {
	d := q.front()
	if d == nil || d.listens(now, lastKey) {
		return nil
	}
	return armAfter(max(d.ready(lastKey).Sub(now), time.Millisecond))
}

// close answers the front dialog and shows the next.
func (q *dialogs) close(a engine.Answer, now time.Time) tea.Cmd {
	q.queue[0].answer <- a
	q.queue = q.queue[1:]
	return q.begin(now)
}

// drop takes a dialog away unanswered.
func (q *dialogs) drop(d *dialog, now time.Time) tea.Cmd {
	for i, x := range q.queue {
		if x == d {
			if q.queue = append(q.queue[:i:i], q.queue[i+1:]...); i == 0 {
				return q.begin(now)
			}
		}
	}
	return nil
}

// ready is when d may listen, if no further key is pressed.
func (d *dialog) ready(lastKey time.Time) time.Time {
	pause := d.opened
	if lastKey.After(pause) {
		pause = lastKey
	}
	pause = pause.Add(quiet)
	if most := d.opened.Add(quietMost); most.Before(pause) {
		return most
	}
	return pause
}

// listens reports whether keys go to d; once they do, they do for good.
func (d *dialog) listens(now, lastKey time.Time) bool {
	d.armed = d.armed || !now.Before(d.ready(lastKey))
	return d.armed
}

// key handles a key. done says that the answer is the user's.
func (d *dialog) key(msg tea.KeyPressMsg) (a engine.Answer, done bool) {
	switch {
	case d.reason != nil:
		return d.reasonKey(msg)
	case d.editing:
		return d.editKey(msg)
	}
	switch k := msg.String(); k {
	case "esc":
		return engine.Answer{}, true
	case "left", "up", "shift+tab":
		d.at = (d.at + len(d.options) - 1) % len(d.options)
	case "right", "down", "tab":
		d.at = (d.at + 1) % len(d.options)
	case "enter":
		return d.choose(d.options[d.at])
	case "pgup":
		d.scroll(-d.page)
	case "pgdown":
		d.scroll(d.page)
	default:
		for i, o := range d.options {
			if k == o.key {
				d.at = i
				return d.choose(o)
			}
		}
	}
	return engine.Answer{}, false
}

func (d *dialog) scroll(n int) { d.scrolls = min(max(d.scrolls+n, 0), d.most) }

func (d *dialog) choose(o option) (engine.Answer, bool) {
	switch {
	case o.reason:
		d.reason = &area{}
	case o.edit:
		d.editing = true
	default:
		return o.answer, true
	}
	return engine.Answer{}, false
}

// reasonKey edits the reason: enter sends it, esc goes back.
func (d *dialog) reasonKey(msg tea.KeyPressMsg) (engine.Answer, bool) {
	switch msg.String() {
	case "enter":
		a := d.options[d.at].answer
		a.Reason = d.reason.text
		return a, true
	case "esc":
		d.reason = nil
		return engine.Answer{}, false
	}
	d.reason.edit(msg)
	return engine.Answer{}, false
}

// editKey edits the arguments. Esc goes back, where the old ones are shown and can be allowed; what was
// edited is still there when the user comes again.
func (d *dialog) editKey(msg tea.KeyPressMsg) (engine.Answer, bool) {
	if msg.String() == "esc" {
		d.editing = false
		return engine.Answer{}, false
	}
	args, done := d.edit.key(msg)
	return engine.Answer{Allow: done, Args: args}, done
}

// paste puts clean text into the reason or into the arguments.
func (d *dialog) paste(text string) {
	switch {
	case d.reason != nil:
		d.reason.insert(strings.ReplaceAll(text, "\n", " "))
	case d.editing:
		d.edit.insert(text)
	}
}

// layout draws the dialog in at most height lines: its title, and its question or the arguments that are edited.
func (d *dialog) layout(th *theme, width, height int) ([]string, *tea.Cursor) {
	text, draw := d.title, d.ask
	if d.editing {
		text, draw = d.title+": edit "+d.edit.what(), d.edit.layout
	}
	title := "── " + fit(text, width-6) + " "
	rows, cursor := draw(th, width, height-1)
	if cursor != nil {
		cursor.Y++
	}
	return append([]string{th.warn.Render(title + strings.Repeat("─", max(0, width-cells(title))))}, rows...), cursor
}

// ask draws the question in at most height lines: body and answers.
func (d *dialog) ask(th *theme, width, height int) ([]string, *tea.Cursor) {
	foot, cursor := d.foot(th, width)
	body := d.body(th, width-2)
	room := max(1, height-len(foot)-1)
	d.page, d.most = max(1, room-1), 0
	if len(body) > room {
		d.most = len(body) - room + 1
		d.scroll(0)
		shown := body[d.scrolls:min(len(body), d.scrolls+room-1)]
		note := fmt.Sprintf("lines %d-%d of %d; page up and page down scroll", d.scrolls+1, d.scrolls+len(shown), len(body))
		body = append(shown[:len(shown):len(shown)], th.dim.Render(fit(note, width-2)))
	}
	rows := append(indent("  ", body), "")
	if cursor != nil {
		cursor.Y += len(rows)
	}
	return append(rows, foot...), cursor
}

// foot draws the answers, or the line in which the reason is typed.
func (d *dialog) foot(th *theme, width int) ([]string, *tea.Cursor) {
	if d.reason != nil {
		const ask = "  Why not? "
		lines, x, y := d.reason.layout(width-len(ask), 1)
		hint := "  " + th.dim.Render(fit("enter rejects, esc goes back", width-2))
		return []string{th.bold.Render(ask) + lines[0], hint}, tea.NewCursor(x+len(ask), y)
	}
	var rows []string
	row := " "
	for i, o := range d.options {
		text := fmt.Sprintf(" %s (%s) ", o.label, o.key)
		if cells(row)+cells(text) > width && row != " " {
			rows, row = append(rows, row), " "
		}
		switch {
		case !d.armed: // it does not listen yet
			row += th.dim.Render(text)
		case i == d.at:
			row += th.choice.Render("›" + text[1:])
		default:
			row += text
		}
	}
	return append(rows, row), nil
}
