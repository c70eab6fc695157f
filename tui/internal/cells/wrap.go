package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/plain"
)

// Wrap breaks clean text into lines of at most width cells, at spaces if possible.
func Wrap(text string, width int) []string {
	text = strings.TrimRight(text, "\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = AppendWrapped(lines, line, width)
	}
	return lines
}

// AppendWrapped appends one line of text, broken into as many lines as necessary.
func AppendWrapped(lines []string, line string, width int) []string {
	if len(line) <= width && plain.ASCII(line) { // the common case; clean text has no tabs
		return append(lines, line)
	}
	width = max(width, 1)
	for l := range strings.SplitSeq(ansi.Wrap(line, width, ""), "\n") {
		if Width(l) <= width {
			lines = append(lines, l)
			continue
		}
		// ansi.Wrap can leave spaces beyond the width
		for h := range strings.SplitSeq(ansi.Hardwrap(l, width, true), "\n") {
			lines = append(lines, Fit(h, width))
		}
	}
	return lines
}

// Width returns the number of cells that a text takes on the screen.
func Width(s string) int { return ansi.StringWidth(s) }

// Fit truncates a line to width cells.
func Fit(line string, width int) string {
	if len(line) <= width {
		return line
	}
	return ansi.Truncate(line, max(width, 0), "…")
}

// Indent puts prefix before each line.
func Indent(prefix string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = prefix + l
	}
	return out
}

// WrapIndented breaks clean text into lines of at most width cells, at spaces if possible. A line
// that does not fit continues below, two cells further in than it begins.
func WrapIndented(text string, width int) []string {
	const further = "  "
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		said := strings.TrimLeft(line, " ")
		margin := line[:len(line)-len(said)]
		margin = plain.Head(margin, max(width/2, 0))
		if Width(line) <= width || len(margin)+len(further) >= width {
			lines = AppendWrapped(lines, line, width)
			continue
		}
		first := AppendWrapped(nil, said, width-len(margin))[0]
		lines = append(lines, margin+first)
		if rest := strings.Trim(strings.TrimPrefix(said, first), " "); rest != "" {
			lines = append(lines, Indent(margin+further, AppendWrapped(nil, rest,
				width-len(margin)-len(further)))...)
		}
	}
	return lines
}

// Over returns a line with another one drawn over it, from a cell on. A wide character that is
// covered in half is a space.
func Over(line string, from int, over string) string {
	end := from + Width(over)
	left := ansi.Truncate(line, from, "")
	gap := strings.Repeat(" ", max(0, from-Width(left)))
	right := ""
	if all := Width(line); all > end {
		right = ansi.TruncateLeft(line, end, "")
		for cut := end; Width(right) > all-end; { // it keeps a wide character that it should cut
			cut++
			right = ansi.TruncateLeft(line, cut, "")
		}
		right = strings.Repeat(" ", all-end-Width(right)) + right
	}
	return left + ansi.ResetStyle + gap + over + ansi.ResetStyle + right
}

// Longest returns the first of the texts that fits the width, or the last one.
func Longest(width int, texts ...string) string {
	for _, text := range texts {
		if Width(text) <= width {
			return text
		}
	}
	return texts[len(texts)-1]
}
