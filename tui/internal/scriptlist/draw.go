// This file draws the line of a script, and what it unfolds to.

package scriptlist

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
)

const (
	// mostName is the greatest width of the column of names: the full name is in what unfolds.
	mostName = 28
	gap      = 2
)

// column is one column of the list.
type column struct {
	title string
	// rank is the order in which columns go when the screen is narrow: the greatest goes first.
	rank  int
	right bool
	text  func(s *Script) string
}

func columns() []column {
	number := func(n int) string {
		if n == 0 {
			return "-"
		}
		return strconv.Itoa(n)
	}
	return []column{
		{"script", 0, false, name},
		{"state", 1, false, func(s *Script) string { return string(s.State) }},
		{"from", 8, false, func(s *Script) string { return s.Source }},
		{"grants", 7, true, func(s *Script) string { return number(len(s.Grants)) }},
		{"handlers", 5, true, func(s *Script) string { return number(len(s.Handlers)) }},
		{"commands", 6, true, func(s *Script) string { return number(len(s.Commands)) }},
		{"tools", 6, true, func(s *Script) string { return number(len(s.Tools)) }},
		{"calls", 3, true, func(s *Script) string { return number(s.Calls) }},
		{"p50", 9, true, func(s *Script) string { return plain.Took(s.P50) }},
		{"p99", 4, true, func(s *Script) string { return plain.Took(s.P99) }},
		{"errors", 2, true, func(s *Script) string { return number(s.Errors) }},
	}
}

// widths returns the width of each column, 0 for those that do not fit.
func (l *List) widths(list []column, width int) []int {
	out := make([]int, len(list))
	total := gap + 1 // the marks
	for i, c := range list {
		out[i] = cells.Width(c.title)
		for k := range l.scripts {
			out[i] = max(out[i], cells.Width(c.text(&l.scripts[k])))
		}
		if i == 0 {
			out[i] = min(out[i], mostName)
		}
		total += out[i] + gap
	}
	for rank := len(list); rank > 0 && total-gap > width; rank-- {
		for i, c := range list {
			if c.rank == rank {
				total -= out[i] + gap
				out[i] = 0
			}
		}
	}
	if total-gap > width { // only the names are left
		out[0] = max(1, width-gap-1)
	}
	return out
}

// scriptLines draws the list; from and to are the lines of the current script.
func (l *List) scriptLines(width int, now time.Time) (rows []ui.Line, from, to int) {
	list := columns()
	widths := l.widths(list, width)
	var titles []string
	for i, c := range list {
		if widths[i] > 0 {
			titles = append(titles, pad(c.title, widths[i], c.right))
		}
	}
	rows = append(rows, ui.Line{{Text: cells.Fit("   "+strings.Join(titles, "  "), width),
		Style: "dim"}})
	for i := range l.scripts {
		s := &l.scripts[i]
		if i == l.at {
			if from = len(rows); i == 0 {
				from = 0
			}
		}
		rows = append(rows, l.row(s, list, widths, width, i == l.at))
		if l.unfolded[s.Path] {
			rows = append(rows, l.details(s, width, now)...)
		}
		if i == l.at {
			to = len(rows)
		}
	}
	return rows, from, to
}

func pad(text string, width int, right bool) string {
	text = cells.Fit(text, width)
	space := strings.Repeat(" ", max(0, width-cells.Width(text)))
	if right {
		return space + text
	}
	return text + space
}

// row draws the line of one script.
func (l *List) row(s *Script, list []column, widths []int, width int, current bool) ui.Line {
	mark := marks[s.State]
	var texts []string
	for i, c := range list {
		if widths[i] > 0 {
			texts = append(texts, pad(c.text(s), widths[i], c.right))
		}
	}
	text := cells.Fit(strings.Join(texts, "  "), width-gap-1)
	style, here := "", " "
	switch {
	case current:
		style, here = "choice", "›"
	case s.State == Disabled && s.Guards, s.State == Broken, s.State == Failed:
		style = "error"
	case s.State == Disabled, s.State == Replaced:
		style = "dim"
	}
	return ui.Line{{Text: here}, {Text: mark[0], Style: mark[1]}, {Text: " "},
		{Text: text, Style: style}}
}

// details draws what a script unfolds to.
func (l *List) details(s *Script, width int, now time.Time) (out []ui.Line) {
	indent := "    "
	if width < 60 {
		indent = "  "
	}
	add := func(style, format string, args ...any) {
		out = append(out, wrapped(indent, fmt.Sprintf(format, args...), style, width)...)
	}
	add("dim", "%s", plain.RevealName(s.Path))
	if s.Summary != "" {
		add("", "%s", plain.OneLine(s.Summary))
	}
	if s.State == Disabled && s.Guards {
		add("error", "DISABLED: what it guards is NOT GUARDED; d enables it")
	}
	if !s.Since.IsZero() {
		add("dim", "in force since %s · %s, %s · p50 %s, p99 %s", clock(s.Since, now),
			plain.Count(s.Calls, "call"), plain.Count(s.Errors, "error"),
			plain.Took(s.P50), plain.Took(s.P99))
	}
	for _, h := range s.Handlers {
		at := name(s)
		if h.Line > 0 { // a manifest has no lines
			at += ":" + strconv.Itoa(h.Line)
		}
		style, text := "", at+"  "+plain.OneLine(h.Text)
		if h.Broken {
			style, text = "error", text+"  BROKEN: it fails each time"
		}
		add(style, "%s", text)
	}
	if len(s.Commands) > 0 {
		add("", "commands: /%s", plain.OneLine(strings.Join(s.Commands, ", /")))
	}
	if len(s.Tools) > 0 {
		add("", "tools: %s", plain.OneLine(strings.Join(s.Tools, ", ")))
	}
	for _, g := range s.Grants {
		add("", "may: %s", plain.OneLine(g))
	}
	for _, n := range s.Notes { // a disabled guard is said above
		if s.State == Disabled && s.Guards {
			break
		}
		add("warn", "%s", plain.OneLine(n))
	}
	if s.Problem != "" {
		style := "error"
		if s.State == Waiting {
			style = "warn"
		}
		add(style, "%s", fault.FitExcerpt(s.Problem, width-len(indent)))
	}
	if f, ok := l.Failures[s.Path]; ok {
		add("error", "last error, %s: %s", clock(f.At, now),
			fault.FitExcerpt(f.Text, width-len(indent)))
	}
	for _, d := range l.Past[s.Path].Decisions {
		out = append(out, ui.Line{{Text: cells.Fit(indent+plain.OneLine(d), width), Style: "dim"}})
	}
	return out
}

// clock formats a time: "12:03:04" if it is of today, else with the day.
func clock(t, now time.Time) string {
	now = now.In(t.Location())
	if y, m, d := t.Date(); now.Year() == y && now.Month() == m && now.Day() == d {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// Text returns a line for each script, for a terminal without panels.
func Text(scripts []Script) string {
	var b strings.Builder
	for _, x := range scripts {
		fmt.Fprintf(&b, "%s: %s, from %s", plain.OneLine(x.Name), x.State, plain.OneLine(x.Source))
		if x.Problem != "" {
			b.WriteString(", " + plain.FirstLine(cells.Clean(x.Problem)))
		}
		b.WriteString("\n")
	}
	return b.String()
}
