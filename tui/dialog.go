// This file holds dialogs: questions that wait for the user. One is visible at a time.

package tui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// form is the component inside a dialog, below its title. Its texts are clean or revealed. It uses
// every key, and gives its answer with sheet.give.
type form interface {
	component
	// heading returns the title, as of the last layout.
	heading() string
	onSheet() *sheet
}

// sheet is the part that all forms have: what the dialog tells the form, and the answer. It has the
// methods of a form that has no messages.
type sheet struct {
	theme   *theme // of the screen
	listens bool   // the dialog takes keys
	stops   bool   // esc interrupts the agent: see dialogs.stopsAgent

	answer any
	done   bool // the user has decided
}

// esc says what esc does, after other text.
func (s *sheet) esc(before string) string {
	if s.stops {
		return before + "esc interrupts"
	}
	return before + "esc cancels"
}

// onSheet implements form.
func (s *sheet) onSheet() *sheet { return s }

// handleMsg implements component.
func (s *sheet) handleMsg(tea.Msg) tea.Cmd { return nil }

// give ends the dialog with the user's answer; nil means none. It returns what key returns.
func (s *sheet) give(answer any) (tea.Cmd, bool) {
	s.answer, s.done = answer, true
	return nil, true
}

// lineForm is a form that can be answered by lines.
type lineForm interface {
	form
	// listAnswers returns what is asked, and how to answer it.
	listAnswers() []string
	// readAnswer takes a clean line of the user. It ends the form with sheet.give unless more lines
	// follow, or says what is wrong.
	readAnswer(line string) (problem string)
}

// lineQuestion is a dialog that lines answer.
type lineQuestion struct {
	model  *model
	dialog *dialog
}

// Ask implements lineprint.Question.
func (q lineQuestion) Ask() []string {
	q.dialog.patience.Go()
	q.dialog.onSheet().theme = q.model.theme
	return q.dialog.form.(lineForm).listAnswers()
}

// Answer implements lineprint.Question.
func (q lineQuestion) Answer(line string) (problem string, cmd tea.Cmd) {
	problem = q.dialog.form.(lineForm).readAnswer(line)
	if sheet := q.dialog.onSheet(); problem == "" && sheet.done {
		cmd = q.model.overlays.dialogs.close(sheet.answer)
	}
	return problem, cmd
}

// paster is a component that takes pasted text. paste inserts clean text; false means that there is
// no place for it now.
type paster interface{ paste(text string) bool }

// strict is a form whose answer must not be given by keys that are meant for the editor.
type strict interface {
	strays(msg tea.KeyPressMsg) bool
	answers(msg tea.KeyPressMsg) bool
}

// dialog is one question.
type dialog struct {
	form
	gate
	answer chan any // capacity 1: receives the user's answer, nil = none
	// used in place of answer if the user opened the dialog and the screen wants the answer
	then func(answer any) tea.Cmd

	own      bool         // the program itself asks, not its agent: esc only cancels
	more     int          // how many dialogs wait behind it
	about    string       // who asks what, on one line
	patience *ui.Patience // nil: no time limit
}

func newDialog(f form) *dialog { return &dialog{form: f, answer: make(chan any, 1)} }

// askedBy notes who asks what.
func (d *dialog) askedBy(q *ui.Dialog) {
	d.about, d.patience = asker(q)+": "+plain.OneLine(q.Title), q.Patience
	d.own = q.Script == ""
}

// strays reports whether a key is text that is not an answer: then the user is still typing for the
// editor, and the keys that follow are not meant for the dialog either. A dialog that the user
// opened has no such keys.
func (d *dialog) strays(msg tea.KeyPressMsg) bool {
	q, ok := d.form.(strict)
	return ok && d.then == nil && q.strays(msg)
}

// paste passes pasted text to the form. It reports false if the form does not take it.
func (d *dialog) paste(text string) bool {
	p, ok := d.form.(paster)
	return ok && p.paste(text)
}

// answers reports whether a key by itself may end the dialog or change what its keys mean. Such a
// key must not be the beginning of a text that is meant for the editor.
func (d *dialog) answers(msg tea.KeyPressMsg) bool {
	q, ok := d.form.(strict)
	return ok && d.then == nil && q.answers(msg)
}

// closeMsg removes a dialog whose question has been withdrawn.
type closeMsg struct {
	dialog  *dialog
	expired bool // no answer in time
}

// armMsg checks whether the front dialog takes keys by now, and redraws it.
type armMsg struct{}

// dialogs is the queue of questions.
type dialogs struct {
	*shared
	transcript *transcript
	toasts     *toasts
	busy       func() bool    // reports whether the agent is working
	interrupt  func() tea.Cmd // stops the agent

	queue []*dialog
}

func newDialogs(b *shared, t *transcript, toasts *toasts) *dialogs {
	return &dialogs{shared: b, transcript: t, toasts: toasts,
		busy: func() bool { return false }, interrupt: func() tea.Cmd { return nil }}
}

// front returns the visible dialog, nil if there is none.
func (q *dialogs) front() *dialog {
	if len(q.queue) == 0 {
		return nil
	}
	return q.queue[0]
}

// asks reports whether the visible dialog waits for the user, who did not open it.
func (q *dialogs) asks() bool {
	d := q.front()
	return d != nil && d.then == nil
}

// handleMsg implements component.
func (q *dialogs) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *dialog:
		q.openDialog(msg)
	case closeMsg:
		return q.closed(msg)
	case ruleCheckedMsg:
		msg.question.ruleChecked(msg)
		if d := q.front(); d != nil && d.form == form(msg.question) && msg.question.done {
			return q.close(msg.question.answer)
		}
	}
	return nil
}

// key implements component: it passes a key to the front dialog.
func (q *dialogs) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	d := q.front()
	if d == nil {
		return nil, false
	}
	cmd, _ := d.key(msg)
	switch {
	case !d.onSheet().done:
		return cmd, true
	case msg.String() == "esc" && q.stopsAgent(d):
		return q.stopAt(d), true
	}
	return q.close(d.onSheet().answer), true
}

// stopsAgent reports whether the user who leaves d interrupts the agent: d may be part of its work.
func (q *dialogs) stopsAgent(d *dialog) bool { return q.busy() && d.then == nil && !d.own }

// layout implements component: it draws the front dialog. The time limit of its answer runs only
// while the dialog takes keys.
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
	d.onSheet().theme, d.more = q.theme, len(q.queue)-1
	d.onSheet().stops = q.stopsAgent(d)
	return d.layout(width, height)
}

// least returns in how many lines the front dialog can be read without scrolling, 0 if it is not
// known.
func (q *dialogs) least(width int) int {
	d := q.front()
	if d == nil {
		return 0
	}
	d.onSheet().theme = q.theme
	if f, ok := d.form.(interface{ least(width int) int }); ok {
		return 1 + f.least(width)
	}
	return 0
}

// keys returns what the front dialog says about its keys where the editor is, "" if nothing.
func (q *dialogs) keys(width int) string {
	d := q.front()
	if d == nil || !d.opened {
		return ""
	}
	d.onSheet().stops = q.stopsAgent(d)
	if f, ok := d.form.(interface{ keys(width int) string }); ok {
		return f.keys(width)
	}
	return ""
}

// aside returns one line for the front dialog, none if there is no dialog, while keys are for the
// transcript. The time limit of the answer does not run.
func (q *dialogs) aside(width int) []string {
	d := q.front()
	if d == nil {
		return nil
	}
	d.patience.Hold()
	note := cells.Longest(titleRoom(width)/2, "esc goes back to the question",
		"esc: the question", "esc")
	title := cells.Fit(plain.FirstLine(d.heading()), titleRoom(width)-cells.Width(note)-3)
	return []string{titleRule(q.theme, title+" · "+note, width)}
}

// openDialog appends d to the queue.
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

// dropDialog removes a dialog without an answer.
func (q *dialogs) dropDialog(d *dialog) {
	for i, x := range q.queue {
		if x == d {
			q.queue = append(q.queue[:i:i], q.queue[i+1:]...)
			return
		}
	}
}

// layout draws the dialog in at most height lines: its title, with a note while the dialog does not
// take keys yet, and the form.
func (d *dialog) layout(width, height int) ([]string, *tea.Cursor) {
	sheet := d.onSheet()
	sheet.listens = d.opened
	if height < 1 {
		return nil, nil
	}
	titled := 1
	if height <= 2 { // the question and the answers have priority
		titled = 0
	}
	rows, cursor := d.form.layout(width, height-titled)
	rows = rows[:min(len(rows), height-titled)]
	if titled == 0 {
		return rows, cursor
	}
	if cursor != nil {
		cursor.Y++
	}
	return append([]string{titleRule(sheet.theme, d.title(width), width)}, rows...), cursor
}

// title returns the heading with notes: how many dialogs wait behind this one, how much time is
// left to answer, and that keys are not taken yet.
func (d *dialog) title(width int) string {
	notes := ""
	if d.more > 0 && width >= ruleLeast {
		notes = fmt.Sprintf(" · %d more", d.more)
	}
	if left, ok := d.patience.Left(); ok && d.opened {
		notes += fmt.Sprintf(" · %.0f s left", math.Ceil(left.Seconds()))
	}
	width -= cells.Width(notes)
	return cells.Fit(waitingTitle(d.heading(), width, d.opened), titleRoom(width)) + notes
}

// waitNotes say that keys still go to the editor. The first one that fits is shown.
var waitNotes = [...]string{
	"keys go to the editor until you pause typing", "waits until you pause typing",
	"waits for a pause", "waits",
}

// waitingTitle returns a title, with a note if its dialog does not take keys yet.
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

// titleRoom returns how many cells of a title fit a line of the given width.
func titleRoom(width int) int {
	if width < ruleLeast {
		return width
	}
	return width - 6
}

// ruleLeast is the least width at which a rule surrounds the title; below, every cell is needed for
// words.
const ruleLeast = 24

// titleRule returns the first line of a dialog.
func titleRule(th *theme, title string, width int) string {
	title = cells.Fit(title, titleRoom(width))
	if width < ruleLeast {
		return th.warn.Render(title)
	}
	title = "── " + title + " "
	return th.warn.Render(title + strings.Repeat("─", max(0, width-cells.Width(title))))
}

// closed removes a dialog whose question has been withdrawn. A user who was away must see later
// what was decided without them.
func (q *dialogs) closed(msg closeMsg) tea.Cmd {
	q.dropDialog(msg.dialog)
	if !msg.expired {
		return nil
	}
	text := msg.dialog.about + ": no answer in time"
	q.transcript.addEntry(&noticeBlock{"warn", text})
	return q.toasts.addToast("warn", text)
}

// stopAt interrupts the agent while a dialog is open. The interrupted question is withdrawn by
// itself; a question of another asker is answered with no, but only after the interrupt: the agent
// must know that it is to stop before a call is refused, or it would make the next one.
func (q *dialogs) stopAt(d *dialog) tea.Cmd {
	q.dropDialog(d)
	stop := q.interrupt()
	return func() tea.Msg {
		var dropped tea.Msg
		if stop != nil {
			dropped = stop()
		}
		d.answer <- nil // never blocks: a dropped dialog has no other answer
		return dropped
	}
}
