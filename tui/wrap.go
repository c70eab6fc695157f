package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/plain"
)

// wrap breaks clean text into lines of at most width cells, at spaces where it can.
func wrap(text string, width int) []string {
	text = strings.TrimRight(text, "\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = appendWrapped(lines, line, width)
	}
	return lines
}

// appendWrapped appends one line of text, broken into as many as it needs.
func appendWrapped(lines []string, line string, width int) []string {
	if len(line) <= width && plain.ASCII(line) { // the common case; a tab is never in it
		return append(lines, line)
	}
	width = max(width, 1)
	for l := range strings.SplitSeq(ansi.Wrap(line, width, ""), "\n") {
		if cells(l) <= width {
			lines = append(lines, l)
			continue
		}
		// Wrap leaves spaces over
		for h := range strings.SplitSeq(ansi.Hardwrap(l, width, true), "\n") {
			lines = append(lines, fit(h, width))
		}
	}
	return lines
}

// fit cuts a line to width cells.
func fit(line string, width int) string {
	if len(line) <= width {
		return line
	}
	return ansi.Truncate(line, max(width, 0), "…")
}

// indent puts prefix before each line.
func indent(prefix string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = prefix + l
	}
	return out
}

const (
	// folded is how many lines of a long result are shown: enough to see what it is, few enough to
	// keep the conversation together.
	folded = 12
	// unfolded is how many lines of an entry are shown at most. It bounds the time that one frame
	// takes.
	unfolded = 2000
)

// fold cuts lines that are too many and says how many are not shown.
func fold(c *canvas, lines []string) []string {
	limit, hint := folded, " (ctrl+o shows them)"
	if c.expanded {
		limit, hint = unfolded, ""
	}
	if len(lines) <= limit+1 { // a line that says "one more line" would be no shorter
		return lines
	}
	note := fmt.Sprintf("… %d more lines%s", len(lines)-limit, hint)
	return append(lines[:limit:limit], c.theme.dim.Render(fit(note, c.width)))
}
