// This file draws Markdown that grows at its end.

package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/palette"
)

const (
	// unit is how many bytes are parsed at once, unless a block is longer: the parser takes more
	// than linear time for some texts.
	unit = 2 << 10
	// lively is the size, in bytes, up to which the unfinished end of a text is drawn again with
	// each piece. A longer end is drawn as Markdown when it has grown by a quarter, and what came
	// since as plain text.
	lively = 4 << 10
)

// Stream draws a text that grows at its end. Blocks, items of lists and lines of code that are
// complete are drawn once, as they will be at the end: no later piece changes their lines. The zero
// Stream is empty. It is not safe for concurrent use.
type Stream struct {
	text  []byte
	width int
	inks  *palette.Palette
	lines []string // of text[:done]: these do not change
	done  int
	unit  int // how many bytes are parsed next; 0 = unit

	fence *fence // text[done:] begins in it; nil = in none
	list  bool   // text[done:] begins with an item of a list
	apart bool   // an empty line precedes this item
	item  int    // its number

	tail    []string // the lines of text[done:tailEnd]
	tailEnd int      // 0 = not drawn
}

// fence is an open code block.
type fence struct {
	sign   string // what ends it, at least
	indent int    // spaces that are removed from its lines
	code   *coder
	begun  bool // a line of it was drawn
}

// Write appends a piece. It must not contain control characters other than newlines.
func (s *Stream) Write(piece string) { s.text = append(s.text, piece...) }

// Text returns what was written.
func (s *Stream) Text() string { return string(s.text) }

// Lines returns the lines of the unfinished text, each at most width cells wide and with its own
// colour sequences. The caller must not change them.
func (s *Stream) Lines(d *Drawer, width int) []string {
	s.resize(width, d.Inks)
	tail := s.settle(d, false)
	n := len(s.lines)
	return append(s.lines[:n:n], s.parted(tail)...)
}

// Settled returns how many of the lines do not change any more, whatever is written.
func (s *Stream) Settled() int { return len(s.lines) }

// Finish returns the lines of the finished text and empties the stream. If the text is not what was
// written, it is drawn from the beginning.
func (s *Stream) Finish(d *Drawer, text string, width int) []string {
	if string(s.text) != text {
		*s = Stream{text: []byte(text)}
	}
	s.resize(width, d.Inks)
	s.settle(d, true)
	lines := s.lines
	*s = Stream{}
	return lines
}

// resize begins again if the lines that were drawn have another width or other colours.
func (s *Stream) resize(width int, inks *palette.Palette) {
	if s.width != width || s.inks != inks {
		*s = Stream{text: s.text, width: width, inks: inks}
	}
}

// settle draws what is complete, all of the text if it is finished. It returns the lines of the
// rest.
func (s *Stream) settle(d *Drawer, finished bool) (tail []string) {
	for s.done < len(s.text) {
		if s.fence != nil {
			if tail, more := s.settleCode(finished); !more {
				return tail
			}
			continue
		}
		rest := s.text[s.done:]
		if !finished && len(rest) > lively && len(s.text) < s.tailEnd+len(rest)/4 {
			return append(s.tail[:len(s.tail):len(s.tail)],
				s.plainLines(s.text[s.tailEnd:])...)
		}
		part, last := s.part(rest)
		if s.width < 4 || len(part) > longestText || intricate(string(part)) {
			if last && !finished && len(part) <= longestText {
				return s.keepTail(s.plainLines(part))
			}
			s.settlePlain(part)
			continue
		}
		p := &page{source: part, inks: s.inks, links: d.Links}
		doc := d.parser.Parse(text.NewReader(part))
		switch n := s.settleBlocks(p, doc, last && finished); {
		case n > 0:
			s.done, s.unit, s.tailEnd = s.done+n, 0, 0
		case last:
			return s.keepTail(s.blocks(p, doc.FirstChild(), nil))
		default:
			s.unit = 2 * len(part)
		}
	}
	return nil
}

// part returns how much of the rest is parsed, in whole lines, and whether that is all of it.
func (s *Stream) part(rest []byte) (part []byte, last bool) {
	n := max(s.unit, unit)
	if len(rest) <= n {
		return rest, true
	}
	if i := bytes.LastIndexByte(rest[:n], '\n'); i >= 0 {
		return rest[:i+1], false
	}
	if i := bytes.IndexByte(rest, '\n'); i >= 0 && i+1 < len(rest) {
		return rest[:i+1], false
	}
	return rest, true
}

// keepTail keeps the lines of the rest until it has grown.
func (s *Stream) keepTail(lines []string) []string {
	s.tail, s.tailEnd = lines, len(s.text)
	return lines
}

// settlePlain draws the beginning of a text as it is, up to a space if it is too long.
func (s *Stream) settlePlain(part []byte) {
	n := len(part)
	if n > longestText {
		if n = bytes.LastIndexByte(part[:longestText], ' ') + 1; n == 0 {
			n = len(plain.Head(part, longestText))
		}
	}
	s.addBlock(s.plainLines(part[:n]))
	s.done, s.unit, s.tailEnd, s.list = s.done+n, 0, 0, false
}

func (s *Stream) plainLines(part []byte) []string {
	text := string(bytes.TrimRight(part, "\n"))
	return (&page{inks: s.inks}).linesOf(wrap(cellsOf([]span{{text: text}}), max(s.width, 1)))
}

// addBlock adds the lines of a block.
func (s *Stream) addBlock(lines []string) { s.lines = append(s.lines, s.parted(lines)...) }

// parted returns the lines of the next block, after an empty one if one precedes the block.
func (s *Stream) parted(lines []string) []string {
	within := s.list && !s.apart || s.fence != nil && s.fence.begun
	if len(lines) == 0 || len(s.lines) == 0 || within {
		return lines
	}
	return append([]string{""}, lines...)
}

// settleBlocks draws the blocks that are complete and returns how many bytes of the source they
// are. A block is complete if two others follow it: what follows can make a paragraph a heading, a
// table or a term that is defined.
func (s *Stream) settleBlocks(p *page, doc ast.Node, all bool) int {
	if doc.FirstChild() == nil {
		if all {
			return len(p.source)
		}
		return 0
	}
	if f := s.openFence(p, doc.LastChild()); f != nil {
		return s.settleUpToFence(p, doc, f)
	}
	if all {
		s.settleUpTo(p, doc, nil)
		return len(p.source)
	}
	open := doc.LastChild() // the first block that may change
	if before := open.PreviousSibling(); before != nil && !many(open) {
		open = before
	}
	for !inOrder(p, open) {
		if open = open.PreviousSibling(); open == nil {
			return 0
		}
	}
	start := startOf(p, open)
	s.settleUpTo(p, doc, open)
	if list, ok := open.(*ast.List); ok && many(open) {
		return s.settleItems(p, list, start)
	}
	return start
}

// inOrder reports whether the blocks before n are from the text before it: the parser puts a table
// in a heading before the rest of the heading.
func inOrder(p *page, n ast.Node) bool {
	start, before := startOf(p, n), true
	for c := n.Parent().FirstChild(); c != nil; c = c.NextSibling() {
		if c == n {
			before = false
		} else if before != (startOf(p, c) < start) {
			return false
		}
	}
	return true
}

// settleUpToFence draws the blocks before a code block at the end, and begins the code block.
func (s *Stream) settleUpToFence(p *page, doc ast.Node, f *fence) int {
	block := doc.LastChild().(*ast.FencedCodeBlock)
	s.settleUpTo(p, doc, block)
	s.list, s.fence = false, f
	for _, line := range p.info(block) {
		s.addCode(line)
	}
	start := startOf(p, block)
	return start + lineLength(p.source[start:])
}

// many reports whether a block is a list with items that are complete.
func many(n ast.Node) bool { return n.Kind() == ast.KindList && n.ChildCount() > 2 }

// settleUpTo draws the blocks before end, nil being the end of the text.
func (s *Stream) settleUpTo(p *page, doc, end ast.Node) {
	if first := doc.FirstChild(); first != end {
		s.addBlock(s.blocks(p, first, end))
		s.list = false
	}
}

// settleItems draws the items of a list that are complete: those that two others follow.
func (s *Stream) settleItems(p *page, list *ast.List, start int) int {
	open := list.LastChild().PreviousSibling()
	at := lineStart(p.source, open.Pos())
	if at <= start || len(bytes.TrimLeft(p.source[at:min(len(p.source), at+4)], " ")) == 0 {
		return start
	}
	first := list.Start
	if s.list {
		first = s.item
	}
	lines, next := p.items(list.FirstChild(), open, first, s.width)
	s.addBlock(lines)
	s.list, s.apart, s.item = true, open.HasBlankPreviousLines(), next
	return at
}

// blocks draws the blocks from first up to end.
func (s *Stream) blocks(p *page, first, end ast.Node) (lines []string) {
	for n := first; n != end; n = n.NextSibling() {
		var block []string
		if n == first && s.list && n.Kind() == ast.KindList {
			block, _ = p.items(n.FirstChild(), nil, s.item, s.width)
		} else {
			block = p.block(n, s.width)
		}
		if len(lines) > 0 && len(block) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

// startOf returns where the first line of a block begins.
func startOf(p *page, n ast.Node) int {
	at := n.Pos()
	switch n.Kind() {
	case extast.KindDefinitionList: // its position is that of the first colon
		at = n.FirstChild().Lines().At(0).Start
	case extast.KindTable: // its position is that of the text before it
		at = n.FirstChild().Pos()
	}
	return lineStart(p.source, at)
}

func lineStart(source []byte, at int) int { return bytes.LastIndexByte(source[:at], '\n') + 1 }

// lineLength returns the length of the first line, with its newline.
func lineLength(source []byte) int {
	if i := bytes.IndexByte(source, '\n'); i >= 0 {
		return i + 1
	}
	return len(source)
}

// openFence returns the code block that n begins, nil if it is none or its first line is not
// complete.
func (s *Stream) openFence(p *page, n ast.Node) *fence {
	block, ok := n.(*ast.FencedCodeBlock)
	if !ok {
		return nil
	}
	source := p.source[startOf(p, n):]
	line, complete := bytes.CutSuffix(source[:lineLength(source)], []byte("\n"))
	if !complete {
		return nil
	}
	opening := strings.TrimLeft(string(line), " ")
	signs := len(opening) - len(strings.TrimLeft(opening, opening[:1]))
	return &fence{sign: opening[:signs], indent: len(line) - len(opening),
		code: newCoder(string(block.Language(p.source)), p.inks)}
}

// settleCode draws the complete lines of a code block. It returns the lines of the rest; more
// reports that the code block has ended, and that text follows it.
func (s *Stream) settleCode(finished bool) (tail []string, more bool) {
	f := s.fence
	for s.done < len(s.text) {
		rest := s.text[s.done:]
		n := lineLength(rest)
		line, complete := strings.CutSuffix(string(rest[:n]), "\n")
		if !complete && !finished {
			if strings.Trim(line, " "+f.sign[:1]) == "" { // perhaps the end of the code
				return nil, false
			}
			unfinished := *f.code
			return unfinished.block(f.content(line), s.width), false
		}
		s.done += n
		if f.ends(line) {
			s.fence = nil
			return nil, true
		}
		s.addCode(f.content(line))
	}
	return nil, false
}

// addCode adds a line of the code block.
func (s *Stream) addCode(line string) {
	s.addBlock(s.fence.code.block(line, s.width))
	s.fence.begun = true
}

// ends reports whether a line ends the code block.
func (f *fence) ends(line string) bool {
	signs := strings.TrimLeft(line, " ")
	return len(line)-len(signs) < 4 && strings.HasPrefix(signs, f.sign) &&
		strings.Trim(strings.TrimRight(signs, " "), f.sign[:1]) == ""
}

// content returns a line of the code block without the indentation of the block.
func (f *fence) content(line string) string {
	n := 0
	for n < f.indent && n < len(line) && line[n] == ' ' {
		n++
	}
	return line[n:]
}
