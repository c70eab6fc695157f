// This file holds dialogs: questions that wait for the user, one in sight at a time.

package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// quiet is for how long no key must have been pressed before a dialog that opened by itself listens: a
	// key that was meant for the editor must not answer it.
	quiet = 425 * time.Millisecond
	// quietMost is after how long it listens all the same: somebody who never pauses means the dialog.
	quietMost = 1500 * time.Millisecond
)

// form is what a dialog asks, and how. Its texts are clean or revealed.
type form interface {
	// key handles a key. done says that the user has decided; an answer of nil is none.
	key(msg tea.KeyPressMsg) (answer any, done bool)
	// paste takes clean text; false: there is no place for it.
	paste(text string) bool
	// layout draws at most height lines; armed tells whether keys are heard yet.
	layout(th *theme, width, height int, armed bool) ([]string, *tea.Cursor)
}

// dialog is one question.
type dialog struct {
	form
	answer chan any                 // capacity 1: takes the user's answer, nil = none
	then   func(answer any) tea.Cmd // instead: the user opened the dialog, and the screen wants the answer

	opened time.Time
	armed  bool // it listens to keys
}

func newDialog(f form) *dialog { return &dialog{form: f, answer: make(chan any, 1)} }

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

// open puts d behind the others. One that the user opened listens at once if nothing is before it.
func (q *dialogs) open(d *dialog, now time.Time) tea.Cmd {
	q.queue = append(q.queue, d)
	if len(q.queue) > 1 {
		return nil
	}
	d.armed = d.then != nil
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
func (q *dialogs) close(answer any, now time.Time) tea.Cmd {
	d := q.queue[0]
	q.queue = q.queue[1:]
	if d.then != nil {
		return tea.Batch(d.then(answer), q.begin(now))
	}
	d.answer <- answer
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

// titleRule is the line that a dialog begins with.
func titleRule(th *theme, title string, width int) string {
	title = "── " + fit(title, width-6) + " "
	return th.warn.Render(title + strings.Repeat("─", max(0, width-cells(title))))
}
