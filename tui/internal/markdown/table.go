package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	columnGap = " │ "
	ruleGap   = "─┼─"
	gapWidth  = 3
	// wordLeast is the length of a word's part that a column must have room for: longer words are
	// broken.
	wordLeast = 24
)

// table draws a table whose cells are wrapped beside each other. If the columns have no room for
// their words, it draws the table's source.
func (p *page) table(n *extast.Table, width int) []string {
	var rows [][][]cell
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		rows = append(rows, p.row(row))
	}
	widths := columnWidths(rows, len(n.Alignments), width-gapWidth*(len(n.Alignments)-1))
	if widths == nil {
		return p.code(p.tableSource(n), "", width)
	}
	var lines []string
	for i, row := range rows {
		lines = append(lines, p.drawRow(row, widths, n.Alignments)...)
		if i == 0 {
			lines = append(lines, p.styled(cellsOf([]span{{rule(widths), dim}})))
		}
	}
	return lines
}

// row returns the cells of a row. Excess cells are joined to the last column.
func (p *page) row(n ast.Node) (row [][]cell) {
	l := look(0)
	if n.Kind() == extast.KindTableHeader {
		l = bold
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		spans := p.inline(c, l)
		if c == n.LastChild() {
			if more := p.beyond(c); more != "" {
				spans = append(spans, span{" | " + more, l})
			}
		}
		row = append(row, cellsOf(spans))
	}
	return row
}

// beyond returns the text after the last cell of its line.
func (p *page) beyond(cell ast.Node) string {
	if cell.Lines().Len() == 0 {
		return ""
	}
	rest := p.source[cell.Lines().At(0).Stop:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.Trim(string(rest), "| \t\r")
}

// columnWidths divides room among columns. Each gets the width that it needs, or at least its
// longest word and a fair share of the rest. It returns nil if there is no room for the words.
func columnWidths(rows [][][]cell, columns, room int) []int {
	most, least := make([]int, columns), make([]int, columns)
	for _, row := range rows {
		for i, c := range row[:min(len(row), columns)] {
			for _, line := range wrap(c, 1<<30) {
				most[i] = max(most[i], widthOf(line))
			}
			least[i] = max(least[i], min(longestWord(c), wordLeast))
		}
	}
	widths := slices.Clone(least)
	for _, w := range widths {
		room -= w
	}
	if room < 0 {
		return nil
	}
	for room > 0 {
		narrow := -1 // the narrowest column that needs more
		for i, w := range widths {
			if w < most[i] && (narrow < 0 || w < widths[narrow]) {
				narrow = i
			}
		}
		if narrow < 0 {
			break
		}
		widths[narrow]++
		room--
	}
	return widths
}

// longestWord returns the width of the longest part of a line without spaces.
func longestWord(cells []cell) (longest int) {
	word := 0
	for _, c := range cells {
		if c.text == " " || c.text == "\n" {
			word = 0
			continue
		}
		word += c.width
		longest = max(longest, word)
	}
	return longest
}

// drawRow draws a row in as many lines as its longest cell needs.
func (p *page) drawRow(row [][]cell, widths []int, alignments []extast.Alignment) []string {
	wrapped := make([][][]cell, len(widths))
	height := 1
	for i := range wrapped {
		if i < len(row) {
			wrapped[i] = wrap(row[i], max(widths[i], 1))
		}
		height = max(height, len(wrapped[i]))
	}
	lines := make([]string, height)
	for y := range lines {
		var b strings.Builder
		for i, w := range widths {
			var c []cell
			if y < len(wrapped[i]) {
				c = wrapped[i][y]
			}
			left, right := padding(w-widthOf(c), alignments[i])
			if i > 0 {
				b.WriteString(p.styled(cellsOf([]span{{columnGap, dim}})))
			}
			b.WriteString(strings.Repeat(" ", left) + p.styled(c) + strings.Repeat(" ", right))
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// padding returns the numbers of spaces on both sides of a cell.
func padding(free int, a extast.Alignment) (left, right int) {
	free = max(free, 0)
	switch a {
	case extast.AlignRight:
		return free, 0
	case extast.AlignCenter:
		return free / 2, free - free/2
	}
	return 0, free
}

// rule returns the line below the head of a table.
func rule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return strings.Join(parts, ruleGap)
}

// tableSource returns the source lines of a table.
func (p *page) tableSource(n *extast.Table) (lines []string) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		line, _, _ := strings.Cut(string(p.source[row.Pos():]), "\n")
		lines = append(lines, line)
		if row == n.FirstChild() {
			lines = append(lines, strings.Repeat("|---", len(n.Alignments))+"|")
		}
	}
	return lines
}
