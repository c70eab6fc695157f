// This file draws code.

package markdown

import (
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/highlight"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// codeIndent is how far code is indented.
const codeIndent = "  "

// highlighted is how many bytes of one piece of code are highlighted: more than a person reads in
// a conversation. The rest is drawn in one colour, so that a huge text does not hold up the screen.
const highlighted = 256 << 10

// looks are the looks of code in a known language.
var looks = [...]look{highlight.Comment: dim, highlight.String: code, highlight.Number: code,
	highlight.Keyword: keyword, highlight.Added: added, highlight.Removed: removed,
	highlight.Hunk: hunk, highlight.File: bold}

// coder draws code line by line.
type coder struct {
	inks     *palette.Palette
	language *highlight.Language // nil: unknown
	state    highlight.State
	read     int  // bytes
	prose    bool // sentences, which are broken at spaces
	diff     bool // the first column has signs
}

// newCoder returns a coder for a language, which may be unknown.
func newCoder(language string, inks *palette.Palette) *coder {
	l := highlight.Find(language)
	return &coder{inks: inks, language: l, prose: language == "text", diff: l != nil && l.Diff()}
}

// Code returns the lines of code in a language, which may be unknown, each at most width cells wide
// and with its own colour sequences. The text must not contain control characters other than
// newlines.
func Code(text, language string, width int, inks *palette.Palette) (lines []string) {
	c := newCoder(language, inks)
	for line := range strings.SplitSeq(text, "\n") {
		lines = c.draw(lines, line, max(width, 1))
	}
	return lines
}

// code draws the lines of a code block.
func (p *page) code(source []string, language string, width int) (lines []string) {
	c := newCoder(language, p.inks)
	for _, s := range source {
		lines = append(lines, c.block(s, width)...)
	}
	return lines
}

// block draws the next line of a code block.
func (c *coder) block(source string, width int) []string {
	return beside(codeIndent, codeIndent, width,
		func(width int) []string { return c.draw(nil, source, width) })
}

// draw appends a line of the source. If it does not fit, it continues below, at the same
// indentation.
func (c *coder) draw(lines []string, source string, width int) []string {
	spans := c.spans(source)
	if len(source) <= width && plain.ASCII(source) { // the common case
		line := strings.TrimRight(source, " ")
		if line == "" {
			return append(lines, "")
		}
		margin := len(line) - len(strings.TrimLeft(line, " "))
		return append(lines, line[:margin]+c.inked(spans, margin, len(line)))
	}
	cells := cellsOf(spans)
	margin := 0
	if c.diff && len(cells) > 0 && cells[0].width == 1 && width > 2 {
		margin = 1
	}
	for margin < len(cells) && margin < (width-1)/2 && cells[margin].text == " " {
		margin++
	}
	if c.prose {
		return c.drawSentence(lines, cells[margin:], margin, width)
	}
	before := styled(cells[:margin], c.inks)
	if !c.diff {
		before = strings.Repeat(" ", margin)
	}
	for i, l := range cutCode(cells[margin:], width-margin) {
		switch l = trimmed(l); {
		case len(l) > 0:
			lines = append(lines, before+styled(l, c.inks))
		case i == 0: // a sign alone
			lines = append(lines, styled(trimmed(cells[:margin]), c.inks))
		default:
			lines = append(lines, "")
		}
		before = strings.Repeat(" ", margin)
	}
	return lines
}

// spans returns the source of a line with its looks.
func (c *coder) spans(source string) []span {
	if c.read += len(source); c.language == nil || c.read > highlighted {
		return []span{{source, code}}
	}
	var found []highlight.Span
	found, c.state = c.language.Line(source, c.state)
	spans := make([]span, len(found))
	for i, s := range found {
		spans[i] = span{s.Text, looks[s.Kind]}
	}
	return spans
}

// inked returns the bytes from one to another of spans of ASCII text, with their colours.
func (c *coder) inked(spans []span, from, to int) string {
	var b strings.Builder
	for _, s := range spans {
		if n := min(to, len(s.text)); from < n {
			b.WriteString(s.look.style(c.inks).Styled(s.text[from:n]))
		}
		from, to = max(0, from-len(s.text)), to-len(s.text)
		if to <= 0 {
			break
		}
	}
	return b.String()
}

// drawSentence appends a line of a code block in the language text. If it does not fit, it is
// broken at spaces and continues below, further in than it begins.
func (c *coder) drawSentence(lines []string, rest []cell, margin, width int) []string {
	room := width - margin
	if widthOf(rest) > room && room > 2*len(codeIndent) {
		room -= len(codeIndent)
	}
	for i, l := range wrap(rest, room) {
		before := strings.Repeat(" ", margin)
		if i > 0 && room < width-margin {
			before += codeIndent
		}
		if len(l) == 0 {
			before = ""
		}
		lines = append(lines, before+styled(trimmed(l), c.inks))
	}
	return lines
}
