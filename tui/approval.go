package tui

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// argsKept is how many lines of arguments a dialog offers to scroll through.
const argsKept = 5000

// newApproval makes the dialog of a question about a tool call.
func newApproval(q *engine.Question) *dialog {
	d := &question{title: approvalTitle(q.Call),
		options: []option{
			{key: "y", label: "Allow once", answer: engine.Answer{Allow: true}},
			{key: "s", label: "Allow this session", answer: engine.Answer{Allow: true, Session: true}},
		}, edit: newArgsEdit(q.Call.Args)}
	if q.Always != "" {
		d.options = append(d.options, option{key: "a", label: "Always allow: " + firstLine(reveal(q.Always)), answer: engine.Answer{Allow: true, Always: true}})
	}
	if d.edit != nil {
		d.options = append(d.options, option{key: "e", label: "Edit arguments", edit: true})
	}
	reject := len(d.options)
	d.options = append(d.options, option{key: "n", label: "Reject"}, option{key: "r", label: "Reject and say why", reason: true})
	for _, a := range q.Asks {
		if a.Failure != nil { // a guard could not say what it thinks: enter alone must not allow it
			d.at = reject
		}
	}
	d.body = cached(func(th *theme, width int) []string {
		lines := argsLines(q.Call.Args, width-2)
		if len(lines) > argsKept {
			lines = append(lines[:argsKept:argsKept], fmt.Sprintf("… %d more lines are not shown", len(lines)-argsKept))
		}
		lines = indent(th.warn.Render("│ "), lines)
		for i := range q.Asks {
			lines = append(lines, "")
			lines = append(lines, askLines(th, &q.Asks[i], width)...)
		}
		return lines
	})
	return newDialog(d)
}

// approvalTitle says what wants to run, and for whom if that is not the agent that the user talks to.
func approvalTitle(c *engine.Call) string {
	title := firstLine(reveal(c.Tool)) + " wants to run"
	if c.Env != nil && c.Env.Depth > 0 {
		title += ", for the sub-agent " + firstLine(reveal(c.Env.Agent))
	}
	return title
}

// askLines shows who asks, what and why.
func askLines(th *theme, a *engine.Ask, width int) []string {
	who := "permission mode"
	if a.Rule != "" {
		who = "your rules"
	}
	if a.Script != "" {
		who = engine.Position{File: firstLine(reveal(a.Script)), Line: a.Line}.String()
	}
	var out []string
	for i, l := range wrap(who+": "+reveal(a.Text), width) {
		if i == 0 && strings.HasPrefix(l, who) {
			l = th.bold.Render(who) + l[len(who):]
		}
		out = append(out, l)
	}
	if a.Reason != "" && a.Reason != a.Text {
		out = append(out, indent("  ", wrap(reveal(a.Reason), width-2))...)
	}
	if a.Failure != nil {
		for l := range strings.SplitSeq(reveal(a.Failure.Detail()), "\n") {
			out = append(out, "  "+th.err.Render(fit(l, width-2)))
		}
	}
	for _, k := range engine.SortedKeys(a.Detail) {
		v, ok := a.Detail[k].(string)
		if !ok {
			v = jsonText(a.Detail[k], "")
		}
		out = append(out, indent("  ", wrap(reveal(k)+": "+reveal(v), width-2))...)
	}
	return out
}

// newConfirm makes the dialog of a question that is not about a call: a script's own, or, with none named,
// the program's.
func newConfirm(q *engine.Dialog) *dialog {
	label := func(s, or string) string {
		if s == "" {
			return or
		}
		return firstLine(reveal(s))
	}
	d := &question{title: asker(q),
		options: []option{
			{key: "y", label: label(q.Yes, "Yes"), answer: engine.Answer{Allow: true}},
			{key: "n", label: label(q.No, "No")},
		}}
	if !q.Default {
		d.at = 1
	}
	d.body = cached(func(th *theme, width int) []string {
		lines := styled(th.bold.Render, wrap(reveal(q.Title), width))
		if q.Detail != "" {
			lines = append(lines, wrap(reveal(q.Detail), width)...)
		}
		return lines
	})
	return newDialog(d)
}

// asker says who asks: a script or, with none named, the program.
func asker(q *engine.Dialog) string {
	if q.Script == "" {
		return "agent asks"
	}
	return firstLine(reveal(q.Script)) + " asks"
}

// cached keeps what draw returned for the width last asked for: it may be long, and is asked for each frame.
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
