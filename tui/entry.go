// This file holds the blocks of the transcript, except tool calls.

package tui

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/graphics"
	"github.com/agentscripts/agent/tui/internal/lineprint"
	"github.com/agentscripts/agent/tui/internal/markdown"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// userBlock is a prompt or a command of the user.
type userBlock struct {
	text   string
	steers bool      // it reached the model while it was working
	by     string    // the script that sent it; "" = the user
	chips  *chip.Set // those in the text; nil = none
	images []*graphics.Item
}

// newUserBlock returns the block of a text that was sent, with its chips.
func (b *shared) newUserBlock(text string, steers bool) *userBlock {
	if short, ok := b.chips.Compact(text); ok {
		return &userBlock{text: short, steers: steers, chips: b.chips}
	}
	return &userBlock{text: cells.Clean(text), steers: steers}
}

// whole returns the text as it was sent.
func (b *userBlock) whole() string {
	if b.chips == nil {
		return b.text
	}
	return cells.Clean(b.chips.Expand(b.text))
}

func (b *userBlock) compact() bool { return false }
func (b *userBlock) drawLines(c *canvas) []string {
	mark := "› "
	if b.steers {
		mark = "↳ "
	}
	text := b.text
	switch {
	case b.chips != nil && c.expanded:
		text = b.whole()
	case b.chips != nil:
		text = b.chips.Labelled(text)
	}
	var out []string
	if b.by != "" {
		out = append(out, c.theme.user.Render(mark)+
			c.theme.dim.Render(cells.Fit("["+b.by+"] sends", c.width-2)))
		mark = "  "
	}
	for i, l := range fold(c, cells.Wrap(text, c.width-2)) {
		if i > 0 {
			mark = "  "
		}
		out = append(out, c.theme.user.Render(mark)+c.theme.bold.Render(l))
	}
	inner, rows := *c, folded-1
	inner.width = c.width - 2
	if c.expanded {
		rows = imageMost
	}
	for _, i := range b.images {
		out = append(out, cells.Indent("  ", inner.imageLines(i, rows))...)
	}
	return out
}

// messageBlock is a message of the model, in Markdown, beside its mark: only marks of the screen
// begin at the first cell, so that no text passes for a prompt or a call. While it streams, what is
// complete is drawn once, so that the cost of a piece does not grow with the message.
type messageBlock struct {
	cleaner  cells.Cleaner
	stream   markdown.Stream
	final    string
	finished bool

	marked  []string         // the lines beside the mark, of which the first settled ones stay
	settled int              // for the fields below
	width   int              // of the screen
	inks    *palette.Palette // of the screen
}

func (b *messageBlock) compact() bool { return false }
func (b *messageBlock) drawLines(c *canvas) []string {
	width := c.width - cells.Width(answerMark)
	if b.finished {
		b.marked = nil
		return besideMark(nil, c.theme.accent.Render(answerMark),
			b.stream.Finish(c.md, b.final, width))
	}
	if b.width != c.width || b.inks != c.theme.inks {
		b.width, b.inks, b.settled = c.width, c.theme.inks, 0
	}
	lines := b.stream.Lines(c.md, width)
	b.marked = besideMark(b.marked[:min(b.settled, len(b.marked))],
		c.theme.accent.Render(answerMark), lines)
	b.settled = b.stream.Settled()
	return b.marked
}

// answerMark precedes the messages of the model.
const answerMark = "◇ "

// besideMark appends those lines that marked does not have yet: the first is beside the mark, and
// the others below it.
func besideMark(marked []string, mark string, lines []string) []string {
	for i := len(marked); i < len(lines); i++ {
		switch l := lines[i]; {
		case i == 0:
			marked = append(marked, mark+l)
		case l == "":
			marked = append(marked, l)
		default:
			marked = append(marked, strings.Repeat(" ", cells.Width(answerMark))+l)
		}
	}
	return marked
}

// thoughtBlock is reasoning of the model. It is folded once it is over.
type thoughtBlock struct {
	stream   stream
	finished bool
}

func (b *thoughtBlock) compact() bool { return false }
func (b *thoughtBlock) drawLines(c *canvas) []string {
	const mark = "∴ "
	lines := b.stream.lines(c.width - 2)
	n := len(lines)
	for n > 0 && lines[n-1] == "" {
		n--
	}
	lines = lines[:n]
	switch {
	case c.expanded || n < 2:
		lines = fold(c, lines)
	case b.finished:
		note := fmt.Sprintf("  %s of thinking", plain.Count(n, "line"))
		room := max(0, c.width-cells.Width(mark+note))
		lines = []string{cells.Fit(cells.Fit(lines[0], room)+note, c.width-2)}
	case n > liveLines:
		note := fmt.Sprintf("… %s before", plain.Count(n-liveLines, "line"))
		lines = append([]string{cells.Fit(note, c.width-2)}, lines[n-liveLines:]...)
	}
	out := make([]string, 0, len(lines))
	for i, l := range lines {
		before := mark
		if i > 0 {
			before = "  "
		}
		out = append(out, c.theme.dim.Render(before+l))
	}
	return out
}

// sayBlock is Markdown from a script or from the screen itself.
type sayBlock struct {
	source, text string
	narrow       string // replaces the text on a narrow screen; "" = nothing does
	document     bool   // see canvas.document
}

// narrowBelow is the width below which a screen is narrow for a table of four columns.
const narrowBelow = 100

func (b *sayBlock) compact() bool { return false }
func (b *sayBlock) drawLines(c *canvas) []string {
	var lines []string
	if b.source != "" {
		lines = append(lines, c.theme.dim.Render(cells.Fit("["+b.source+"]", c.width)))
	}
	whole := *c
	whole.expanded = true // the user asked for it
	const margin = "  "
	text := b.text
	if b.narrow != "" && c.width < narrowBelow {
		text = b.narrow
	}
	draw := c.markdown
	if b.document {
		draw = c.document
	}
	drawn := draw(text, c.width-len(margin))
	return append(lines, cells.Indent(margin, fold(&whole, drawn))...)
}

// noticeBlock is one remark; level is that of a notification, or "dim". The same remark several
// times in a row is one entry with a count.
type noticeBlock struct{ level, text string }

func (b *noticeBlock) compact() bool { return true }
func (b *noticeBlock) drawLines(c *canvas) []string {
	style, mark := c.theme.dim, "· "
	if b.level != "dim" {
		style = c.theme.level(b.level)
		mark = levelMark(b.level)
	}
	text := b.text
	if c.times > 1 {
		text += fmt.Sprintf(" (%d times)", c.times)
	}
	var out []string
	for i, l := range fold(c, cells.Wrap(text, c.width-2)) {
		if i > 0 {
			mark = "  "
		}
		out = append(out, style.Render(mark+l))
	}
	return out
}

// levelMark returns the mark of a notification's level.
func levelMark(level string) string {
	switch level {
	case "warn":
		return "! "
	case "error":
		return "✗ "
	case "success":
		return "✓ "
	}
	return "i "
}

// failureBlock is a script's error: the message, the place, the source around it, and a hint.
type failureBlock struct {
	message, excerpt, hint string
	waits                  bool // nothing failed: a new version waits for the user
}

func (b *failureBlock) compact() bool { return false }
func (b *failureBlock) drawLines(c *canvas) []string {
	var out []string
	first, style := "✗ ", c.theme.err
	if b.waits {
		first, style = "… ", c.theme.warn
	}
	for i, l := range cells.Wrap(b.message, c.width-2) {
		mark := "  "
		if i == 0 {
			mark = first
		}
		out = append(out, style.Render(mark+l))
	}
	if b.excerpt != "" {
		// not wrapped: the columns must stay aligned
		for l := range strings.SplitSeq(fault.FitExcerpt(b.excerpt, c.width-2), "\n") {
			style := c.theme.dim
			if strings.HasPrefix(l, ">") {
				style = c.theme.bold
			}
			out = append(out, "  "+style.Render(cells.Fit(l, c.width-2)))
		}
	}
	if b.hint != "" {
		for _, l := range cells.Wrap(b.hint, c.width-2) {
			out = append(out, "  "+c.theme.warn.Render(l))
		}
	}
	return out
}

// stream is a text that grows at its end. Complete lines are wrapped once per width.
type stream struct {
	cleaner cells.Cleaner
	text    []byte // clean
	width   int
	wrapped []string // of text[:done]
	done    int
}

// writePiece appends a piece.
func (s *stream) writePiece(piece string) { s.text = append(s.text, s.cleaner.Add(piece)...) }

// lines returns the text in lines of width cells. The caller must not change them.
func (s *stream) lines(width int) []string {
	if width != s.width {
		s.width, s.wrapped, s.done = width, nil, 0
	}
	for {
		i := bytes.IndexByte(s.text[s.done:], '\n')
		if i < 0 {
			break
		}
		s.wrapped = cells.AppendWrapped(s.wrapped, string(s.text[s.done:s.done+i]), width)
		s.done += i + 1
	}
	for len(s.text)-s.done > pieceBytes {
		n := s.piece()
		s.wrapped = cells.AppendWrapped(s.wrapped, string(s.text[s.done:s.done+n]), width)
		s.done += n
	}
	if s.done == len(s.text) {
		return s.wrapped
	}
	n := len(s.wrapped)
	return cells.AppendWrapped(s.wrapped[:n:n], string(s.text[s.done:]), width)
}

// pieceBytes bounds how much of an unfinished line is wrapped again with each piece. A longer line,
// such as a model repeating one word forever, may be broken where that is not necessary.
const pieceBytes = 16 << 10

// piece returns how much of a line that is too long is wrapped for good: whole characters, up to a
// space if there is one.
func (s *stream) piece() int {
	part := s.text[s.done : s.done+pieceBytes]
	if i := bytes.LastIndexByte(part, ' '); i >= 0 {
		return i + 1
	}
	return len(plain.Head(s.text[s.done:], pieceBytes))
}

// levelWords precede notices by their level: a mark would not be read out.
var levelWords = map[string]string{"warn": "warning: ", "error": "error: "}

// lineEntry returns a block as it is printed.
func (s *lineSource) lineEntry(b block) lineprint.Entry {
	remark := func(texts ...string) lineprint.Entry {
		return lineprint.Entry{Lines: []string{strings.Join(nonEmpty(texts...), "\n")}}
	}
	switch b := b.(type) {
	case goneBlock:
		return lineprint.Entry{Kind: lineprint.Gone}
	case *noticeBlock:
		if b.level == "dim" && !s.model.work.conversation.scripts.begun {
			break // one line for many scripts may replace it
		}
		return remark(levelWords[b.level] + b.text)
	case *failureBlock:
		return remark(levelWords["error"]+b.message, b.excerpt, b.hint)
	case *changeBlock:
		return remark(levelWords[b.level] + b.text)
	case *userBlock:
		e := lineprint.Entry{Kind: lineprint.Prompt, Text: b.text}
		switch n := len(b.images); n {
		case 0:
		case 1:
			e.After = []string{"[1 image]"}
		default:
			e.After = []string{fmt.Sprintf("[%d images]", n)}
		}
		return e
	case *messageBlock:
		return lineprint.Entry{Kind: lineprint.Message, Text: b.stream.Text(), Ended: b.finished,
			Final: b.final}
	case *toolBlock:
		return s.lineCall(b)
	case *sayBlock:
		return remark(strings.TrimPrefix("["+b.source+"] ", "[] ") + b.text)
	case *subagentBlock:
		if b.status != "" {
			return s.markedEntry(b, "sub-agent")
		}
	case *thoughtBlock:
		if b.finished {
			return s.markedEntry(b, "thinking")
		}
	default:
		return s.drawnEntry(b)
	}
	return lineprint.Entry{Kind: lineprint.Pending}
}

// lineWidth is the width for what is drawn as on a screen.
const lineWidth = 100

// drawnEntry returns a block as it is drawn on a screen.
func (s *lineSource) drawnEntry(b block) lineprint.Entry {
	c := s.model.transcript.canvas
	c.width, c.times = lineWidth, 1
	return lineprint.Entry{Lines: b.drawLines(&c)}
}

// markedEntry returns a block as it is drawn on a screen, with a word in place of its mark.
func (s *lineSource) markedEntry(b block, word string) lineprint.Entry {
	e := s.drawnEntry(b)
	if len(e.Lines) > 0 {
		_, rest, _ := strings.Cut(ansi.Strip(e.Lines[0]), " ")
		e.Lines[0] = word + ": " + rest
	}
	return e
}

// lineCall returns a call.
func (s *lineSource) lineCall(b *toolBlock) lineprint.Entry {
	if b.state < toolRunning {
		return lineprint.Entry{Kind: lineprint.Pending}
	}
	e := lineprint.Entry{Kind: lineprint.Call, Short: "tool " + cells.Clean(b.tool),
		Ended: b.state > toolRunning}
	title := b.title
	if title == "" {
		title, _ = s.model.transcript.canvas.argsTitle(b.tool, b.args)
	}
	if b.agent != nil {
		e.Short, title = "sub-agent "+cells.Clean(b.agent.name), plain.OneLine(b.agent.task)
	}
	e.Title = strings.TrimSuffix(e.Short+": "+title, ": ")
	switch b.state {
	case toolFailed:
		e.Why = "failed: " + plain.FirstLine(b.said)
		if b.exit != "" {
			e.Why = strings.TrimSuffix("failed, "+b.exit+": "+plain.FirstLine(b.result.text), ": ")
		}
	case toolRefused:
		e.Why = "refused: " + plain.OneLine(b.why)
	case toolCancelled:
		e.Why = "cancelled: " + plain.OneLine(b.why)
	}
	if b.byUser {
		e.After = append(e.After, b.said)
	}
	if b.forUser != "" {
		e.After = append(e.After, b.forUser)
	}
	return e
}
