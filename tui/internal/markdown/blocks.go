package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// blocks draws the blocks below n, with an empty line between two of them.
func (p *page) blocks(n ast.Node, width int) []string { return p.children(n, width, false) }

// children draws the blocks below n, without empty lines between those of a tight list.
func (p *page) children(n ast.Node, width int, tight bool) (lines []string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		block := p.block(c, width)
		if len(block) == 0 {
			continue
		}
		if len(lines) > 0 && !tight && c.Kind() != extast.KindDefinitionDescription {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

// block draws one block.
func (p *page) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return p.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return p.prose(n, width, span{}, 0)
	case *extast.DefinitionTerm:
		return p.prose(n, width, span{}, bold)
	case *extast.DefinitionDescription:
		return beside("  ", "  ", width,
			func(w int) []string { return p.children(n, w, n.IsTight) })
	case *ast.ThematicBreak:
		return []string{p.styled(cellsOf([]span{{strings.Repeat("─", min(width, 8)), dim}}))}
	case *ast.Blockquote:
		return beside("│ ", "│ ", width, func(w int) []string { return p.blocks(n, w) })
	case *ast.List:
		lines, _ := p.items(n.FirstChild(), nil, n.Start, width)
		return lines
	case *ast.FencedCodeBlock:
		return p.code(append(p.info(n), p.lines(n.Lines())...), string(n.Language(p.source)),
			width)
	case *ast.CodeBlock:
		return p.code(p.lines(n.Lines()), "", width)
	case *ast.HTMLBlock:
		return p.html(n, width)
	case *extast.Table:
		return p.table(n, width)
	}
	return p.blocks(n, width)
}

// headingMark returns what precedes the headings of a level, which are told apart by it without
// colours. Those of deep levels are as in the source: few texts have them.
func headingMark(level int) string {
	marks := []string{"══ ", "── ", "─ "}
	if level <= len(marks) {
		return marks[level-1]
	}
	return strings.Repeat("#", level) + " "
}

// heading draws a heading. Its lines after the first begin below its text.
func (p *page) heading(n *ast.Heading, width int) []string {
	sign := headingMark(n.Level)
	before := cellsOf([]span{{sign, headingLook}})
	indent := widthOf(before)
	if width-indent < narrowest {
		return p.prose(n, width, span{sign, headingLook}, headingLook)
	}
	lines := p.prose(n, width-indent, span{}, headingLook)
	if len(lines) == 0 || lines[0] == "" {
		return p.prose(n, width, span{strings.TrimRight(sign, " "), headingLook}, 0)
	}
	for i, l := range lines {
		if i == 0 {
			lines[i] = p.styled(before) + l
		} else {
			lines[i] = strings.Repeat(" ", indent) + l
		}
	}
	return lines
}

// prose draws the text below n after the span before, which is never alone on a line.
func (p *page) prose(n ast.Node, width int, before span, l look) []string {
	return p.linesOf(wrap(cellsOf(append([]span{before}, p.inline(n, l)...)), width))
}

// styled returns a line with its colour sequences.
func (p *page) styled(cells []cell) string { return styled(cells, p.inks, p.targets...) }

// linesOf formats wrapped lines with their colours.
func (p *page) linesOf(wrapped [][]cell) (lines []string) {
	for _, l := range wrapped {
		lines = append(lines, p.styled(l))
	}
	return lines
}

// beside draws a block beside a marker: sign precedes the first line, and rest the others. If the
// width does not allow that, the marker has a line of its own.
func beside(sign, rest string, width int, draw func(width int) []string) []string {
	signWidth := widthOf(cellsOf([]span{{text: sign}}))
	if width-signWidth < narrowest {
		lines := draw(width)
		if sign = strings.TrimRight(sign, " "); sign != "" {
			lines = append((&page{}).linesOf(cutCells(cellsOf([]span{{text: sign}}), width)),
				lines...)
		}
		return lines
	}
	lines := draw(width - signWidth)
	if len(lines) == 0 {
		return []string{strings.TrimRight(sign, " ")}
	}
	for i, l := range lines {
		before := rest
		if i == 0 {
			before = sign
		}
		if l == "" {
			before = strings.TrimRight(before, " ")
		}
		lines[i] = before + l
	}
	return lines
}

// items draws the items of a list from one up to another, nil being its end, and returns the next
// number. Empty lines separate what they separate in the source, so that a list that grows keeps
// its lines.
func (p *page) items(item, end ast.Node, number, width int) (lines []string, next int) {
	for ; item != end; item = item.NextSibling() {
		sign := "• "
		if item.Parent().(*ast.List).IsOrdered() {
			sign = strconv.Itoa(number) + ". "
			number++
		}
		if len(lines) > 0 && item.HasBlankPreviousLines() {
			lines = append(lines, "")
		}
		rest := strings.Repeat(" ", widthOf(cellsOf([]span{{text: sign}})))
		lines = append(lines, beside(sign, rest, width,
			func(w int) []string { return p.item(item, w) })...)
	}
	return lines, number
}

// item draws the blocks of a list item.
func (p *page) item(n ast.Node, width int) (lines []string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		block := p.block(c, width)
		if len(lines) > 0 && len(block) > 0 && c.HasBlankPreviousLines() {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

// lines returns the source lines of a block.
func (p *page) lines(segments *text.Segments) (lines []string) {
	for i := range segments.Len() {
		seg := segments.At(i)
		lines = append(lines, strings.TrimSuffix(string(seg.Value(p.source)), "\n"))
	}
	return lines
}

// info returns the words after the language of a fence, which are drawn as a line of the code.
func (p *page) info(n *ast.FencedCodeBlock) []string {
	if n.Info == nil {
		return nil
	}
	info := string(n.Info.Segment.Value(p.source))
	if !strings.ContainsAny(strings.TrimSpace(info), " \t<") {
		return nil
	}
	return []string{info}
}

// html draws the source of an HTML block: several lines as code, one as a paragraph.
func (p *page) html(n *ast.HTMLBlock, width int) []string {
	lines := p.lines(n.Lines())
	if n.HasClosure() {
		lines = append(lines, strings.TrimSuffix(string(n.ClosureLine.Value(p.source)), "\n"))
	}
	if len(lines) == 1 {
		return p.linesOf(wrap(cellsOf([]span{{text: strings.TrimSpace(lines[0])}}), width))
	}
	return p.code(lines, "", width)
}
