// This file holds dialogs: questions that wait for the user, one in sight at a time.

package tui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/tui/cells"
)

// form is what a dialog asks, and how. Its texts are clean or revealed.
type form interface {
	// key handles a key. done says that the user has decided; an answer of nil is none.
	key(msg tea.KeyPressMsg) (answer any, done bool)
	// paste takes clean text; false: there is no place for it.
	paste(text string) bool
	// heading is the title, as of the last layout.
	heading() string
	// layout draws what is below the title in at most height lines, which may be none; listens
	// tells whether keys are heard.
	layout(th *theme, width, height int, listens bool) ([]string, *tea.Cursor)
}

// dialog is one question.
type dialog struct {
	form
	gate
	answer chan any // capacity 1: takes the user's answer, nil = none
	// instead: the user opened the dialog, and the screen wants the answer
	then func(answer any) tea.Cmd

	about    string           // who asks what, on one line
	patience *engine.Patience // nil: it waits as long as it takes
}

func newDialog(f form) *dialog { return &dialog{form: f, answer: make(chan any, 1)} }

// strays reports whether a key is text that is no answer: whoever presses it goes on typing, and
// what follows is not meant for the dialog either. A dialog that the user opened has no such keys.
func (d *dialog) strays(msg tea.KeyPressMsg) bool {
	q, ok := d.form.(*question)
	return ok && d.then == nil && q.strays(msg)
}

// answers reports whether a key may end the dialog, or change what its keys mean, by itself: such a
// key must not be the beginning of a text that is meant for the editor.
func (d *dialog) answers(msg tea.KeyPressMsg) bool {
	q, ok := d.form.(*question)
	return ok && d.then == nil && q.answers(msg)
}

// closeMsg takes away a dialog whose question is no longer asked.
type closeMsg struct {
	dialog  *dialog
	expired bool // nobody answered in time
}

// armMsg asks whether what is in front may take keys now, and has it drawn.
type armMsg struct{}

// dialogs is the queue of questions.
type dialogs struct {
	*shared
	transcript *transcript
	toasts     *toasts
	busy       func() bool    // reports whether the agent works
	interrupt  func() tea.Cmd // stops it

	queue []*dialog
}

func newDialogs(b *shared, t *transcript, toasts *toasts) *dialogs {
	return &dialogs{shared: b, transcript: t, toasts: toasts,
		busy: func() bool { return false }, interrupt: func() tea.Cmd { return nil }}
}

// front is the dialog in sight, nil if there is none.
func (q *dialogs) front() *dialog {
	if len(q.queue) == 0 {
		return nil
	}
	return q.queue[0]
}

// handleMsg implements component.
func (q *dialogs) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *dialog:
		q.openDialog(msg)
	case closeMsg:
		return q.closed(msg)
	}
	return nil
}

// key implements component: it gives a key to the dialog in front.
func (q *dialogs) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	d := q.front()
	if d == nil {
		return nil, false
	}
	answer, done := d.key(msg)
	switch {
	case !done:
		return nil, true
	case msg.String() == "esc" && q.busy() && d.then == nil:
		return q.stopAt(d), true
	}
	return q.close(answer), true
}

// layout implements component: it draws the dialog in front. Time that is left for an answer passes
// only while the dialog takes keys.
func (q *dialogs) layout(width, height int) ([]string, *tea.Cursor) {
	d := q.front()
	if d == nil {
		return nil, nil
	}
	if d.opened {
		d.patience.Go()
	} else {
		d.patience.Hold()
	}
	return d.drawDialog(q.theme, width, height, d.opened)
}

// openDialog puts d behind the others.
func (q *dialogs) openDialog(d *dialog) { q.queue = append(q.queue, d) }

// close answers the front dialog and shows the next.
func (q *dialogs) close(answer any) tea.Cmd {
	d := q.queue[0]
	q.queue = q.queue[1:]
	if d.then != nil {
		return d.then(answer)
	}
	d.answer <- answer
	return nil
}

// dropDialog takes a dialog away unanswered.
func (q *dialogs) dropDialog(d *dialog) {
	for i, x := range q.queue {
		if x == d {
			q.queue = append(q.queue[:i:i], q.queue[i+1:]...)
			return
		}
	}
}

// drawDialog draws the dialog in at most height lines: its title, which says so while the dialog
// does not take keys yet, and the form.
func (d *dialog) drawDialog(th *theme, width, height int, listens bool) ([]string, *tea.Cursor) {
	if height < 1 {
		return nil, nil
	}
	titled := 1
	if height <= 2 { // what is asked and the answers come first
		titled = 0
	}
	rows, cursor := d.layout(th, width, height-titled, listens)
	rows = rows[:min(len(rows), height-titled)]
	if titled == 0 {
		return rows, cursor
	}
	if cursor != nil {
		cursor.Y++
	}
	title := d.heading()
	if left, ok := d.patience.Left(); ok && listens {
		seconds := fmt.Sprintf("%.0f s left", math.Ceil(left.Seconds()))
		title = cells.Fit(title, titleRoom(width)-cells.Width(seconds)-3) + " · " + seconds
	}
	title = waitingTitle(title, width, listens)
	return append([]string{titleRule(th, title, width)}, rows...), cursor
}

// waitNotes say that keys go to the editor still: the first one that fits is shown.
var waitNotes = [...]string{
	"keys go to the editor until you pause typing", "waits until you pause typing",
	"waits for a pause", "waits",
}

// waitingTitle is a title, with a note if what it is about does not take keys yet.
func waitingTitle(title string, width int, listens bool) string {
	if listens {
		return title
	}
	room := titleRoom(width)
	for _, note := range waitNotes {
		if left := room - cells.Width(note) - 3; left >= min(cells.Width(title), room/2) {
			return cells.Fit(title, left) + " · " + note
		}
	}
	return waitNotes[len(waitNotes)-1]
}

// titleRoom is how much of a title fits a line of the given width.
func titleRoom(width int) int {
	if width < ruleLeast {
		return width
	}
	return width - 6
}

// ruleLeast is the width from which on a title has a rule around it: below, each cell is needed for
// words.
const ruleLeast = 24

// titleRule is the line that a dialog begins with.
func titleRule(th *theme, title string, width int) string {
	title = cells.Fit(title, titleRoom(width))
	if width < ruleLeast {
		return th.warn.Render(title)
	}
	title = "── " + title + " "
	return th.warn.Render(title + strings.Repeat("─", max(0, width-cells.Width(title))))
}

// closed takes away a dialog whose question is no longer asked. Whoever looks away for a while must
// see afterwards what was decided without them.
func (q *dialogs) closed(msg closeMsg) tea.Cmd {
	q.dropDialog(msg.dialog)
	if !msg.expired {
		return nil
	}
	text := msg.dialog.about + ": nobody answered in time"
	q.transcript.addEntry(&noticeBlock{"warn", text})
	return q.toasts.addToast("warn", text)
}

// stopAt interrupts the agent where a dialog is open. The question goes with it; whoever asks it
// for something else than what was interrupted is told no, but only then: no call may be refused,
// and the next one be made, before the agent knows that it is to stop.
func (q *dialogs) stopAt(d *dialog) tea.Cmd {
	q.dropDialog(d)
	stop := q.interrupt()
	return func() tea.Msg {
		var dropped tea.Msg
		if stop != nil {
			dropped = stop()
		}
		d.answer <- nil // has room: a dialog that was dropped is answered by nobody else
		return dropped
	}
}
