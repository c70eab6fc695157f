// This file makes the dialogs that ask for permission, for tool calls and for scripts.

package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/argsedit"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// newApproval returns the dialog that asks about a tool call.
func newApproval(q *engine.Question) *dialog {
	d := &question{title: approvalTitle(q.Call, " wants to run"+placeOf(q.Call)),
		options: []option{
			{key: "y", label: "Allow once", answer: engine.Answer{Allow: true}},
			{word: "session", label: "Allow this session",
				answer: engine.Answer{Allow: true, Session: true}},
		}, edit: argsedit.New(q.Call.Args, editorLimit)}
	if d.edit != nil {
		d.editTitle = approvalTitle(q.Call, ": edit "+d.edit.What())
	}
	if q.AnyEdit() {
		d.options[1].label = "Allow edits of any file this session"
	}
	always := ""
	if q.Always != "" {
		always = "Always allow: " + plain.FirstLine(cells.Reveal(q.Always))
		o := option{word: "always", label: always,
			answer: engine.Answer{Allow: true, Always: true}}
		// what cannot be drawn cannot be edited
		if d.checkRule = q.CheckRule; q.CheckRule != nil && cells.Reveal(q.Always) == q.Always &&
			!strings.Contains(q.Always, "\n") {
			o.rule = q.Always
		}
		d.options = append(d.options, o)
	}
	if d.edit != nil {
		d.options = append(d.options, option{key: "e", label: "Edit arguments", edit: true})
	}
	reject := len(d.options)
	d.options = append(d.options, option{key: "n", label: "Reject"},
		option{key: "r", label: "Reject and say why", reason: true})
	for _, a := range q.Asks {
		// A guard failed or is missing: enter alone must not allow the call.
		if a.Failure != nil || a.Absent {
			d.at = reject
		}
	}
	d.body = cached(func(th *theme, width int) []string {
		var lines []string
		if cells.Width(d.title) > titleRoom(width) {
			lines = append(cells.Wrap(d.title, width), "")
		}
		if q.Rewritten != nil {
			lines = append(lines, rewrittenCall(&canvas{theme: th, width: width}, q.Rewritten,
				q.Call.Tool, q.Call.Args)...)
			lines = append(lines, "")
		}
		lines = append(lines, callLines(th, q, width)...)
		for i, risk := range q.Risks {
			if i == 0 {
				lines = append(lines, "")
			}
			text := cells.Indent("  ", cells.Wrap(cells.Reveal(risk), width-2))
			text[0] = "! " + text[0][len("  "):]
			lines = append(lines, styled(th.warn.Render, text)...)
		}
		for i := range q.Asks {
			lines = append(lines, "")
			lines = append(lines, askLines(th, &q.Asks[i], width)...)
		}
		// The label would not show the whole rule.
		if cells.Width(always)+labelMargin > width || strings.Contains(q.Always, "\n") {
			lines = append(append(lines, ""), cells.Wrap("Always allow: "+cells.Reveal(q.Always),
				width)...)
		}
		return lines
	})
	return newDialog(d)
}

// nearPreview returns q with the title of its preview as the transcript shows it: a path relative
// to dir.
func nearPreview(dir string, q *engine.Question) *engine.Question {
	if q.Preview == nil {
		return q
	}
	shown, asked := *q.Preview, *q
	shown.Display.Title = near(dir, shown.Display.Title)
	asked.Preview = &shown
	return &asked
}

// placeOf says which of the calls of a message c is; "" = the only one.
func placeOf(c *engine.Call) string {
	if c.Of <= 1 {
		return ""
	}
	return fmt.Sprintf(", call %d of %d", c.Number, c.Of)
}

// labelMargin is how many cells a choice needs in addition to its text.
const labelMargin = 3

// callLines shows what a call would do in the form in which the transcript will show its result,
// or, failing that, its arguments.
func callLines(th *theme, q *engine.Question, width int) []string {
	bar := "│ "
	if width < ruleLeast {
		bar = ""
	}
	inner := width - cells.Width(bar)
	var head []string
	p := q.Preview
	if p != nil {
		if p.Fails != "" {
			head = styled(th.err.Render,
				cells.Wrap("this would fail now: "+cells.Reveal(p.Fails), width))
		}
		if note := strings.Trim(cells.Reveal(p.Display.Title)+": "+cells.Reveal(p.Note),
			": "); note != "" {
			head = append(head, styled(th.bold.Render, cells.Wrap(note, width))...)
		}
	}
	if p == nil || p.Display.Text == "" {
		return append(head, cells.Indent(th.warn.Render(bar), argsLines(q.Call.Args, inner))...)
	}
	c := &canvas{theme: th, width: inner}
	shown := display{kind: p.Display.Kind, lang: cells.Clean(p.Display.Lang),
		text: cells.Reveal(strings.TrimSuffix(p.Display.Text, "\n"))}
	return append(head, cells.Indent(th.warn.Render(bar), shown.drawResult(c, false))...)
}

// approvalTitle says what is about a tool and, for a sub-agent's call, names the sub-agent.
func approvalTitle(c *engine.Call, what string) string {
	title := plain.FirstLine(cells.Reveal(c.Tool)) + what
	if c.Env != nil && c.Env.Depth > 0 {
		title += ", for the sub-agent " + plain.FirstLine(cells.Reveal(c.Env.Agent))
	}
	return title
}

// askLines shows who asks, what and why.
func askLines(th *theme, a *engine.Ask, width int) []string {
	who := askerOf(a)
	var out []string
	for i, l := range cells.Wrap(who+": "+cells.Reveal(cmp.Or(a.Short, a.Text)), width) {
		if i == 0 && strings.HasPrefix(l, who) {
			l = th.bold.Render(who) + l[len(who):]
		}
		out = append(out, l)
	}
	if a.Reason != "" && a.Reason != a.Text {
		out = append(out, cells.Indent("  ", cells.Wrap(cells.Reveal(a.Reason), width-2))...)
	}
	if text := a.FailureText(); text != "" {
		for l := range strings.SplitSeq(cells.Reveal(text), "\n") {
			out = append(out, "  "+th.err.Render(cells.Fit(l, width-2)))
		}
	}
	for _, k := range value.SortedKeys(a.Detail) {
		v, ok := a.Detail[k].(string)
		if !ok {
			v = jsonText(a.Detail[k], "")
		}
		out = append(out,
			cells.Indent("  ", cells.Wrap(cells.Reveal(k)+": "+cells.Reveal(v), width-2))...)
	}
	return out
}

// askerOf names who asks about a call: a script, or the part of the program.
func askerOf(a *engine.Ask) string {
	switch {
	case a.Script != "":
		return fault.Position{File: plain.FirstLine(cells.Reveal(a.Script)), Line: a.Line}.String()
	case a.Rule == "":
		return "permission mode"
	case a.Rule == engine.RuleSandbox:
		return "sandbox"
	case a.Rule == engine.RuleProtected:
		return "protected file"
	}
	return "your rules"
}

// newConfirm returns the dialog for a question that is not about a call. A script asks it or, if
// none is named, the program.
func newConfirm(q *ui.Dialog) *dialog {
	label := func(s, or string) string {
		if s == "" {
			return or
		}
		return plain.FirstLine(cells.Reveal(s))
	}
	d := &question{title: asker(q),
		options: []option{
			{key: "y", label: label(q.Yes, "Yes"), answer: engine.Answer{Allow: true}},
			{key: "n", label: label(q.No, "No")},
		}}
	if q.Lasting {
		d.options[0].key, d.options[0].word = "", "yes"
	}
	if !q.Default {
		d.at = 1
	}
	d.body = cached(func(th *theme, width int) []string {
		lines := styled(th.bold.Render, cells.Wrap(cells.Reveal(q.Title), width))
		for _, o := range d.options {
			if cells.Width(o.label)+labelMargin > width {
				lines = append(lines, cells.Wrap("› "+o.label, width)...)
			}
		}
		if q.Detail != "" {
			lines = append(lines, detailLines(th, cells.Reveal(q.Detail), q.Lang, width)...)
		}
		return lines
	})
	return newDialog(d)
}

// detailLines draws the detail of a question: text, with the changes of files as in the results of
// tools.
func detailLines(th *theme, text, lang string, width int) (lines []string) {
	c := &canvas{theme: th, width: width}
	rows := strings.Split(text, "\n")
	for len(rows) > 0 {
		change, n := strings.HasPrefix(rows[0], "@@ -"), 1
		for n < len(rows) && continues(rows[n], change) {
			n++
		}
		part := strings.Join(rows[:n], "\n")
		if rows = rows[n:]; change {
			d := &display{kind: "diff", lang: lang, text: part}
			lines = append(lines, d.drawText(c, false)...)
		} else {
			lines = append(lines, cells.Wrap(part, width)...)
		}
	}
	return lines
}

// continues reports whether a row continues a change, or a text.
func continues(row string, change bool) bool {
	if change {
		return row != "" && strings.Contains(" +-@", row[:1])
	}
	return !strings.HasPrefix(row, "@@ -")
}

// asker names the asker: a script or, if none is named, the program.
func asker(q *ui.Dialog) string {
	if q.Script == "" {
		return "agent asks"
	}
	return plain.FirstLine(cells.Reveal(q.Script)) + " asks"
}

// cached remembers what draw returned for the last width, because the text may be long and is drawn
// in every frame.
func cached(draw func(th *theme, width int) []string) func(*theme, int) []string {
	var lines []string
	drawn := -1
	return func(th *theme, width int) []string {
		if drawn != width {
			lines, drawn = draw(th, width), width
		}
		return lines
	}
}

// argsGutter is the width of the margin before the rows of arguments.
const argsGutter = 4

// drawArgs draws arguments that are being edited, the problem and the keys in at most height lines.
func drawArgs(e *argsedit.Editor, th *theme, width, height int) ([]string, *tea.Cursor) {
	var foot []string
	if height >= roomy {
		foot = append(foot, "")
	}
	if e.Problem != "" && height > 1 {
		wrong := cells.Wrap(e.Problem, width-2)
		wrong = wrong[:min(len(wrong), max(1, height/3))]
		foot = append(foot, cells.Indent("  ", styled(th.err.Render, wrong))...)
	}
	side, gutter := "  "+th.warn.Render("│ "), argsGutter
	if width < ruleLeast {
		side, gutter = "", 0
	}
	rows, x, y := e.Rows(width-gutter, height-len(foot)-1)
	rows = cells.Indent(side, rows)
	if keys := e.Keys(width); height > 2 || height > 1 && e.Problem == "" {
		foot = append(foot, th.dim.Render(cells.Fit(keys, width)))
	}
	rows = append(rows, foot...)
	for i := range rows {
		rows[i] = cells.Fit(rows[i], width)
	}
	return rows, tea.NewCursor(min(x+gutter, max(0, width-1)), y)
}
