// This file parses Markdown and changes the tree so that every word of the text is drawn: what the
// renderer would leave out (raw HTML, titles of links, cells that are too many) or read a second time
// (backslashes and entities in code) becomes literal text.

package tui

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"charm.land/glamour/v2/ansi"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownRenderer draws Markdown at one width.
type markdownRenderer struct {
	md    goldmark.Markdown
	width int
}

// tables says what becomes of tables.
type tables int

const (
	tablesDrawn tables = iota
	tablesLeftOut
	tablesAsWritten
)

func newMarkdownRenderer(width int) *markdownRenderer {
	// There are no paragraph transformers: definitions of links stay in the text, where they can be read.
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.GFM, extension.DefinitionList))
	draw := ansi.NewRenderer(ansi.Options{WordWrap: width, Styles: markdownStyle(), InlineTableLinks: true})
	md.SetRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(draw, 1000)))) // instead of those of the extensions: they write HTML
	return &markdownRenderer{md, width}
}

// render returns clean text as it is drawn. The renderer cuts what does not fit into a table: if letters
// of a table are lost, tables are shown as they are written.
func (r *markdownRenderer) render(markdown string) (string, error) {
	out, inTables, err := r.draw(markdown, tablesDrawn)
	if err != nil || inTables == 0 {
		return out, err
	}
	rest, _, err := r.draw(markdown, tablesLeftOut)
	if err == nil && letters(xansi.Strip(out)) < inTables+letters(xansi.Strip(rest)) {
		out, _, err = r.draw(markdown, tablesAsWritten)
	}
	return out, err
}

// draw returns clean text as it is drawn, and how many letters its tables have.
func (r *markdownRenderer) draw(markdown string, tables tables) (out string, inTables int, err error) {
	t := &tree{source: []byte(markdown)}
	doc := r.md.Parser().Parse(text.NewReader(t.source))
	t.source = append(t.source, '\n') // a segment that ends the text may write one there
	t.change(doc)
	for _, n := range t.tables {
		inTables += t.letters(n)
		switch tables {
		case tablesLeftOut:
			n.Parent().RemoveChild(n.Parent(), n)
		case tablesAsWritten:
			t.changeTable(n)
		}
	}
	var b bytes.Buffer
	err = r.md.Renderer().Render(&b, t.source, doc)
	return b.String(), inTables, err
}

// letters is how many letters and digits there are in s.
func letters(s string) (n int) {
	for _, c := range s {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
	}
	return n
}

// tree is a parsed text whose nodes are changed. Nodes say where their text is in source, so that new
// text is appended to it.
type tree struct {
	source []byte
	tables []*extast.Table
}

// segment appends s to the source and returns where it is.
func (t *tree) segment(s string) text.Segment {
	start := len(t.source)
	t.source = append(t.source, s...)
	return text.NewSegment(start, len(t.source))
}

// newText returns a node that is drawn as s.
func (t *tree) newText(s string) *ast.Text {
	n := ast.NewTextSegment(t.segment(s))
	n.SetRaw(true) // change does not read it as Markdown
	return n
}

// change changes all nodes below doc.
func (t *tree) change(doc ast.Node) {
	var nodes []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if entering {
			nodes = append(nodes, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.Text:
			t.changeText(n)
		case *ast.RawHTML:
			t.changeRawHTML(n)
		case *ast.HTMLBlock:
			t.changeHTMLBlock(n)
		case *ast.FencedCodeBlock:
			t.changeCode(n)
			t.changeInfo(n)
		case *ast.CodeBlock:
			t.changeCode(n)
		case *ast.Link:
			t.changeLink(n)
		case *ast.Image:
			n.Destination = t.changeDestination(n, n.Destination, " ", n.Title)
		case *ast.AutoLink:
			if address := string(n.URL(t.source)); !drawnAddress(address) {
				n.Parent().ReplaceChild(n.Parent(), n, t.newText(t.encode(n, address)))
			}
		case *extast.TableRow:
			t.changeRow(n)
		case *extast.Table:
			t.tables = append(t.tables, n)
		}
	}
}

// changeText has a text drawn as CommonMark reads it. The renderer would find more entities in it.
func (t *tree) changeText(n *ast.Text) {
	s := string(n.Segment.Value(t.source))
	switch {
	case !strings.ContainsAny(s, `&\`):
		return
	case !n.IsRaw():
		s = literal(s)
	}
	n.Segment = t.segment(t.encode(n, s))
}

// changeRawHTML puts the text of a tag in its place.
func (t *tree) changeRawHTML(n *ast.RawHTML) {
	parent := n.Parent()
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		s := string(seg.Value(t.source))
		line := t.newText(t.encode(n, strings.TrimRight(s, "\n")))
		line.SetSoftLineBreak(strings.HasSuffix(s, "\n"))
		parent.InsertBefore(parent, n, line)
	}
	parent.RemoveChild(parent, n)
}

// changeHTMLBlock makes code of a block of HTML, whose lines stay as they are, or a paragraph of one line.
func (t *tree) changeHTMLBlock(n *ast.HTMLBlock) {
	lines := n.Lines()
	if n.HasClosure() {
		lines.Append(n.ClosureLine)
	}
	if lines.Len() == 1 {
		p, line := ast.NewParagraph(), lines.At(0)
		p.AppendChild(p, t.newText(t.encode(p, strings.TrimSpace(string(line.Value(t.source))))))
		n.Parent().ReplaceChild(n.Parent(), n, p)
		return
	}
	code := ast.NewCodeBlock()
	code.SetLines(lines)
	n.Parent().ReplaceChild(n.Parent(), n, code)
	t.changeCode(code)
}

// changeCode keeps backslashes in code: the renderer takes away those that would escape something.
func (t *tree) changeCode(n ast.Node) {
	lines := text.NewSegments()
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		if line := seg.Value(t.source); bytes.IndexByte(line, '\\') >= 0 {
			seg = t.segment(doubled(string(line)))
		}
		lines.Append(seg)
	}
	n.SetLines(lines)
}

// changeInfo shows what follows the language behind a fence, as the first line of the code.
func (t *tree) changeInfo(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		return
	}
	info := string(n.Info.Segment.Value(t.source))
	if !strings.ContainsAny(strings.TrimSpace(info), " \t<") {
		return
	}
	lines := text.NewSegments()
	lines.Append(t.segment(doubled(info) + "\n"))
	lines.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
	n.SetLines(lines)
}

// changeLink shows the destination and the title of a link.
func (t *tree) changeLink(n *ast.Link) {
	n.Destination = t.changeDestination(n, n.Destination, "", n.Title) // the renderer puts a space before nothing, too
}

// changeDestination shows the title of a link or an image behind it, and the destination itself where the
// renderer would leave it out or, as it does with what is relative, change it. It returns what the renderer shows.
func (t *tree) changeDestination(n ast.Node, destination []byte, space string, title []byte) []byte {
	more := ""
	if d := string(destination); !drawnAddress(d) || !strings.Contains(d, ":") {
		if d != "" {
			more = space + d
		}
		destination = nil
	}
	if len(title) > 0 {
		more += ` "` + string(title) + `"`
	}
	if more != "" {
		n.Parent().InsertAfter(n.Parent(), n, t.newText(t.encode(n.Parent(), more)))
	}
	return destination
}

// drawnAddress reports whether the renderer shows an address.
func drawnAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && "#"+u.Fragment != address
}

// changeRow shows the cells of a row that are more than its table has columns, in the last of these.
func (t *tree) changeRow(row *extast.TableRow) {
	cell := row.LastChild()
	if cell == nil || cell.Lines().Len() == 0 {
		return
	}
	rest := t.source[cell.Lines().At(0).Stop:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	if more := strings.Trim(string(rest), "| \t\r"); more != "" {
		cell.AppendChild(cell, t.newText(t.encode(cell, " | "+more)))
	}
}

// letters is how many letters a changed node shows.
func (t *tree) letters(n ast.Node) (count int) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			count += letters(strings.ReplaceAll(string(n.Segment.Value(t.source)), "&amp;", ""))
		case *ast.AutoLink:
			count += letters(string(n.URL(t.source)))
		case *ast.Link:
			count += letters(string(n.Destination))
		case *ast.Image:
			count += letters(string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
	return count
}

// changeTable makes code of a table: its lines stay as they are written.
func (t *tree) changeTable(n *extast.Table) {
	lines := text.NewSegments()
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		line, _, _ := strings.Cut(string(t.source[row.Pos():]), "\n")
		lines.Append(t.segment(doubled(line) + "\n"))
		if row == n.FirstChild() {
			lines.Append(t.segment(strings.Repeat("|---", len(n.Alignments)) + "|\n"))
		}
	}
	code := ast.NewCodeBlock()
	code.SetLines(lines)
	n.Parent().ReplaceChild(n.Parent(), n, code)
}

// encode writes s so that the renderer, which reads a text of this place once more, draws s.
func (t *tree) encode(n ast.Node, s string) string {
	code, again, alt := false, false, false
	for p := n; p != nil && p.Type() == ast.TypeInline || p != nil && p.Kind() == extast.KindTableCell; p = p.Parent() {
		switch p.Kind() {
		case ast.KindCodeSpan:
			code = true
		case ast.KindLink, extast.KindTableCell, extast.KindStrikethrough:
			again = true
		case ast.KindImage:
			alt = true
		}
	}
	if !code || again {
		s = doubled(s)
	}
	if !alt {
		s = strings.ReplaceAll(s, "&", "&amp;")
	}
	return s
}

func doubled(s string) string { return strings.ReplaceAll(s, `\`, `\\`) }

var escapeOrEntity = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

// literal resolves backslashes and entities as CommonMark does. A reference to a control character stays
// as it is written: it must not reach the terminal.
func literal(s string) string {
	return escapeOrEntity.ReplaceAllStringFunc(s, func(m string) string {
		if m[0] == '\\' {
			return m[1:]
		}
		if c := html.UnescapeString(m); c == clean(c) && c != "" {
			return c
		}
		return m
	})
}
