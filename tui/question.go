// This file holds the form of a question with a few answers, which are chosen by a key or by the
// highlight.

package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/argsedit"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/scroll"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// question is a form with a body to read and a few answers, all of type engine.Answer. Nothing can
// be allowed before all of the body has been on the screen.
type question struct {
	sheet
	title string
	// the title while the user edits the arguments
	editTitle string

	body    func(th *theme, width int) []string
	options []option

	at      int // option
	reading scroll.Reader
	refused bool             // the user tried to allow before all had been on the screen
	line    *inputLine       // open while the user types the reason, or edits the rule
	edit    *argsedit.Editor // nil = there is nothing to edit
	editing bool             // the user edits the arguments
	// says why an edited rule cannot be stored, and may wait for a disk; nil = no rule is edited
	checkRule func(rule string) error
}

// option is one answer.
type option struct {
	word   string // what the user writes to choose it by a line; "" = key
	key    string // "" = only Enter on the highlighted option: it applies more than once
	label  string
	answer engine.Answer
	reason bool   // ask why first
	edit   bool   // let the user edit the arguments first
	rule   string // let the user edit this rule first; "" = there is none
}

func (o *option) text() string {
	if o.key == "" {
		return o.label
	}
	return o.label + " (" + o.key + ")"
}

// key implements component.
func (q *question) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case q.line != nil:
		return q.lineKey(msg)
	case q.editing:
		return q.editKey(msg)
	}
	switch k := msg.String(); k {
	case "esc":
		return q.give(nil)
	case "left", "up", "shift+tab":
		q.at = (q.at + len(q.options) - 1) % len(q.options)
	case "right", "down", "tab":
		q.at = (q.at + 1) % len(q.options)
	case "enter":
		return q.choose(q.options[q.at])
	case "pgup":
		q.reading.Turn(-1)
	case "pgdown", "space":
		q.reading.Turn(1)
	default:
		for i, o := range q.options {
			if k == o.key {
				q.at = i
				return q.choose(o)
			}
		}
	}
	return nil, true
}

// strays reports whether key is text that is not the key of an answer.
func (q *question) strays(msg tea.KeyPressMsg) bool {
	k := msg.String()
	if q.line != nil || q.editing || msg.Text == "" || k == "space" {
		return false
	}
	return !slices.ContainsFunc(q.options, func(o option) bool { return o.key == k })
}

// answers reports whether a key is an answer: Enter, or the letter of an option.
func (q *question) answers(msg tea.KeyPressMsg) bool {
	if q.line != nil || q.editing {
		return false
	}
	k := msg.String()
	return k == "enter" ||
		slices.ContainsFunc(q.options, func(o option) bool { return o.key == k })
}

func (q *question) choose(o option) (tea.Cmd, bool) {
	switch {
	case o.reason:
		q.line = &inputLine{}
	case o.edit:
		q.editing = true
	case o.answer.Allow && !q.reading.All:
		q.refused = true
	case o.rule != "":
		q.line = &inputLine{rule: o.rule}
		q.line.area.Set(o.rule)
	default:
		return q.give(o.answer)
	}
	return nil, true
}

// lineKey edits the reason or the rule: enter sends it, esc goes back.
func (q *question) lineKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	l := q.line
	l.problem = ""
	switch msg.String() {
	case "enter":
		return q.sendLine()
	case "esc":
		q.line = nil
		return nil, true
	}
	if len(l.area.Text())+l.area.Grows(msg) > editorLimit {
		l.problem = argsedit.TooLong
		return nil, true
	}
	l.area.Key(msg)
	return nil, true
}

// sendLine answers with the reason or the rule. An edited rule is checked first.
func (q *question) sendLine() (tea.Cmd, bool) {
	a, text := q.options[q.at].answer, strings.TrimSpace(q.line.area.Text())
	switch {
	case q.line.rule == "":
		a.Reason = text
	case text != q.line.rule:
		check := q.checkRule
		return func() tea.Msg { return ruleCheckedMsg{q, text, check(text)} }, true
	}
	return q.give(a)
}

// ruleCheckedMsg is the result of checking an edited rule.
type ruleCheckedMsg struct {
	question *question
	rule     string
	err      error
}

// ruleChecked answers with a checked rule, or says what is wrong with it. It does nothing if the
// user has gone on editing.
func (q *question) ruleChecked(msg ruleCheckedMsg) {
	l := q.line
	switch {
	case q.done, l == nil, l.rule == "", strings.TrimSpace(l.area.Text()) != msg.rule:
	case msg.err != nil:
		l.problem = plain.OneLine(cells.Reveal(plain.Error(msg.err)))
	default:
		a := q.options[q.at].answer
		a.Rule = msg.rule
		q.give(a)
	}
}

// inputLine is the line below a question in which the user types why not, or edits the rule that
// will be stored.
type inputLine struct {
	area    textarea.Area
	rule    string // before any edit; "" = the line is for the reason
	problem string // why the rule was not accepted; clean
}

// layout draws the line, the problem and the keys in at most height lines.
func (l *inputLine) layout(th *theme, width, height int) ([]string, *tea.Cursor) {
	ask, rows := cells.Longest(width/2, "  Why not? ", "Why? ", ""), 1
	keys := cells.Longest(width, "  enter rejects, esc goes back", "enter rejects", "enter")
	if l.rule != "" {
		ask, rows = cells.Longest(width/2, "  Rule: ", ""), max(1, min(ruleRows, height/2))
		keys = cells.Longest(width, "  enter stores the rule and allows the call, esc goes back",
			"  enter stores it, esc goes back", "enter stores it", "enter")
	}
	drawn, x, y := l.area.Layout(width-len(ask), rows)
	for i, text := range drawn {
		before := strings.Repeat(" ", len(ask))
		if i == 0 {
			before = th.bold.Render(ask)
		}
		drawn[i] = before + cells.Fit(text, width-len(ask))
	}
	room := height - len(drawn) - 1 // a line of the question stays
	if room > 0 && l.problem != "" {
		wrong := cells.Indent("  ", cells.Wrap(l.problem, width-2))
		wrong = wrong[:min(len(wrong), max(1, room-1))]
		room -= len(wrong)
		drawn = append(drawn, styled(th.err.Render, wrong)...)
	}
	if room > 0 {
		drawn = append(drawn, th.dim.Render(cells.Fit(keys, width)))
	}
	return drawn, tea.NewCursor(min(x+len(ask), width-1), y)
}

// ruleRows is how many rows of a rule are visible: enough for all that are offered.
const ruleRows = 4

// editKey edits the arguments. Esc goes back to the original ones, which can be allowed; the edited
// text is still there when the user returns.
func (q *question) editKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if msg.String() == "esc" {
		q.editing = false
		return nil, true
	}
	if args, done := q.edit.Key(msg); done {
		return q.give(engine.Answer{Allow: true, Args: args})
	}
	return nil, true
}

// paste implements paster: the text goes into the line or into the arguments.
func (q *question) paste(text string) bool {
	switch {
	case q.line != nil:
		if len(q.line.area.Text())+len(text) > editorLimit {
			q.line.problem = argsedit.TooLong
			break
		}
		q.line.problem = ""
		q.line.area.Insert(strings.ReplaceAll(text, "\n", " "))
	case q.editing:
		q.edit.Insert(text)
	default:
		return false
	}
	return true
}

// heading implements form.
func (q *question) heading() string {
	if q.editing {
		return q.editTitle
	}
	return headingOf(q.title, &q.reading)
}

// layout implements component: it draws the question, or the arguments being edited.
func (q *question) layout(width, height int) ([]string, *tea.Cursor) {
	th := q.theme
	if q.editing {
		return drawArgs(q.edit, th, width, height)
	}
	side := sideOf(width)
	body := q.body(th, width-len(side))
	gap := 0
	if height >= roomy && height != q.least(width) {
		gap = 1
	}
	foot, cursor := q.foot(th, width, height-gap, len(body))
	room := height - len(foot) - gap
	if hint := q.hint(th, width, len(body) > room); hint != "" && room > 1 {
		foot = append([]string{hint}, foot...)
		room--
		if cursor != nil {
			cursor.Y++
		}
	}
	rows := cells.Indent(side, q.reading.Cut(th.dim.Render, body, width-len(side), room))
	for range gap {
		rows = append(rows, "")
	}
	if cursor != nil {
		cursor.Y += len(rows)
	}
	return append(rows, foot...), cursor
}

// least returns how many lines all of the question needs.
func (q *question) least(width int) int {
	if q.editing || q.line != nil {
		return 0
	}
	return len(q.body(q.theme, width-len(sideOf(width)))) + len(q.rowsOfAnswers(q.theme, width))
}

// sideOf returns what is before each line of the body.
func sideOf(width int) string {
	if width < ruleLeast {
		return ""
	}
	return "  "
}

// keys says what the keys do, "" while the question shows it by itself.
func (q *question) keys(width int) string {
	if q.editing || q.line != nil {
		return ""
	}
	choose := "up and down choose, "
	if len(q.options) <= 2 { // they are side by side
		choose = "left and right choose, "
	}
	return cells.Longest(width, q.esc("enter confirms, "+choose),
		q.esc("enter confirms, "), "enter confirms")
}

// roomy is the least number of lines at which a question has an empty line before its answers.
const roomy = 10

// hint says what the user has to do before anything can be allowed, "" if nothing. It takes its
// line for as long as the body scrolls: the body's size must not change while the user reads.
func (q *question) hint(th *theme, width int, long bool) string {
	if !long || q.line != nil {
		return ""
	}
	if q.reading.All {
		return th.dim.Render(cells.Fit(cells.Longest(width, "  all of it has been on the screen",
			"all of it was read", "all read"), width))
	}
	text := cells.Fit(cells.Longest(width,
		"  read all of it before you allow it: page down goes on",
		"  page down, then allow", "page down: read", "pgdn: read"), width)
	if q.refused {
		return th.alarm.Render(text)
	}
	return th.warn.Render(text)
}

// foot draws the answers, or the line in which the user types, in at most height lines. More than
// two answers are a list if the body, of the given number of lines, is not scrolled then; else they
// are in rows.
func (q *question) foot(th *theme, width, height, body int) ([]string, *tea.Cursor) {
	if q.line != nil {
		return q.line.layout(th, width, height)
	}
	rows, listed := q.rowsOfAnswers(th, width), len(q.options)+1 // and an empty line
	switch {
	case (len(rows) > 1 || len(q.options) > 2) && body+listed <= height:
		return append(q.listOfAnswers(th, width), ""), nil
	case len(rows) == 1 || len(rows) <= height/2:
		return rows, nil
	}
	return []string{q.carousel(th, width)}, nil
}

// listOfAnswers draws one answer per line, with the keys in a column.
func (q *question) listOfAnswers(th *theme, width int) []string {
	var rows []string
	widest := 0
	for _, o := range q.options {
		widest = max(widest, cells.Width(o.label))
	}
	for i, o := range q.options {
		text := "  " + o.label
		if o.key != "" {
			text += strings.Repeat(" ", widest-cells.Width(o.label)) + "  " + o.key
		}
		rows = append(rows, " "+q.style(th, i, cells.Fit(text+" ", width-1)))
	}
	return rows
}

// rowsOfAnswers draws as many answers per line as fit.
func (q *question) rowsOfAnswers(th *theme, width int) []string {
	var rows []string
	row, used := " ", 1
	for i := range q.options {
		text := " " + q.options[i].text() + " "
		if used+cells.Width(text) > width && used > 1 {
			rows, row, used = append(rows, row), " ", 1
		}
		text = cells.Fit(text, width-used)
		used += cells.Width(text)
		row += q.style(th, i, text)
	}
	return append(rows, row)
}

// carousel draws the highlighted answer alone, if there is no room for all of them.
func (q *question) carousel(th *theme, width int) string {
	o := &q.options[q.at]
	count := fmt.Sprintf(" %d/%d", q.at+1, len(q.options))
	switch room := width - labelMargin - cells.Width(o.text()); {
	case room >= cells.Width(count+" ←→"):
		count += " ←→"
	case room < cells.Width(count): // the whole text comes first
		count = ""
	}
	return q.style(th, q.at, cells.Fit(" "+o.text(), width-cells.Width(count))) +
		th.dim.Render(count)
}

// style draws an answer; text begins with a space. It is dim until it can take effect.
func (q *question) style(th *theme, i int, text string) string {
	if i == q.at && q.listens {
		text = "›" + text[1:]
	}
	switch {
	case !q.listens, q.options[i].answer.Allow && !q.reading.All:
		return th.dim.Render(text)
	case i == q.at:
		return th.choice.Render(text)
	}
	return text
}

// listAnswers implements lineForm.
func (q *question) listAnswers() []string {
	lines := []string{q.title}
	for _, l := range q.body(q.theme, longLine) {
		lines = append(lines, strings.Replace(ansi.Strip(l), "│ ", "  ", 1))
	}
	for i := range q.options {
		switch o := &q.options[i]; {
		case o.edit: // needs an editor
		case o.reason:
			lines = append(lines, o.written()+" and the reason: "+o.label)
		default:
			lines = append(lines, o.written()+": "+o.label)
		}
	}
	return lines
}

// longLine is a width at which nothing that a person reads is wrapped: the terminal does that.
const longLine = 10_000

// written returns what the user writes to choose an answer.
func (o *option) written() string {
	if o.word != "" {
		return o.word
	}
	return o.key
}

// readAnswer implements lineForm.
func (q *question) readAnswer(line string) (problem string) {
	word, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	var words []string
	for _, o := range q.options {
		if o.edit {
			continue
		}
		words = append(words, o.written())
		if !strings.EqualFold(word, o.written()) || reason != "" && !o.reason {
			continue
		}
		o.answer.Reason = strings.TrimSpace(reason)
		q.give(o.answer)
		return ""
	}
	return "not an answer; write " + strings.Join(words, ", ") + "; Ctrl+C interrupts"
}
