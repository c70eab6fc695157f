// Package markdown draws Markdown in a terminal. It draws every word of the text: raw HTML, link
// destinations and titles, and table cells without a column are shown as they are written. The
// colours are the tokens of a palette.
package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// narrowest is the least width, in cells, of the text in a quote, a list or a table column. Text
// that would have less is not indented.
const narrowest = 6

// Drawer draws Markdown. It is not safe for concurrent use.
type Drawer struct {
	// Inks are the colours. What has been drawn keeps those that it has; a Stream is drawn again if
	// this is another palette.
	Inks *palette.Palette
	// Links makes texts lead to the addresses of links, by sequences of the terminal (OSC 8). It
	// must not change after the first drawing of a Stream.
	Links bool
	// Joined draws a line break in a paragraph as a space, as browsers do: for documents whose
	// lines were broken at a column. Otherwise it ends the line.
	Joined bool
	parser parser.Parser
}

// NewDrawer returns a Drawer of GitHub Flavored Markdown with definition lists.
func NewDrawer(inks *palette.Palette) *Drawer {
	// There are no paragraph transformers: link definitions stay in the text, where they can be
	// read.
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	md := goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.GFM,
		extension.DefinitionList))
	return &Drawer{Inks: inks, parser: md.Parser()}
}

// Draw returns the lines of markdown, each at most width cells wide and with its own colour
// sequences. The text must not contain control characters other than newlines. ok is false, and
// nothing is drawn, if the text is too long, has more Markdown than people write, or width is less
// than four.
func (d *Drawer) Draw(markdown string, width int) (lines []string, ok bool) {
	if len(markdown) > longestText || width < 4 || intricate(markdown) {
		return nil, false
	}
	source := []byte(markdown)
	p := &page{source: source, inks: d.Inks, links: d.Links, joined: d.Joined}
	if lines = p.blocks(d.parser.Parse(text.NewReader(source)), width); lines == nil {
		lines = []string{""}
	}
	return lines, true
}

// escapeOrEntity matches a backslash escape or a character reference.
var escapeOrEntity = lazyregexp.New("\\\\[!-/:-@\\[-`{-~]|" +
	"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

// literal resolves backslashes and entities as CommonMark does. A reference to a control character
// is left as it is: the character must not reach the terminal.
func literal(s string) string {
	if !strings.ContainsAny(s, `&\`) {
		return s
	}
	return escapeOrEntity().ReplaceAllStringFunc(s, func(m string) string {
		if m[0] == '\\' {
			return m[1:]
		}
		if c := html.UnescapeString(m); c != "" && c == plain.Text(c) &&
			!strings.ContainsAny(c, "\n\t") {
			return c
		}
		return m
	})
}
