// This file converts web pages to Markdown: the text, with enough structure for a model, and the
// links.

package tool

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// nestedMost is how deep lists and quotes are indented: no readable page is deeper.
	nestedMost = 10
	// tokenBytes bounds one tag with its attributes.
	tokenBytes = 1 << 20
)

// markdown converts a page to Markdown and returns its title. base is the page's address, which
// makes links absolute.
func markdown(page string, base *url.URL) (text, title string) {
	w := &pageWriter{base: base}
	z := html.NewTokenizer(strings.NewReader(page))
	z.SetMaxBuf(tokenBytes)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				w.line(fmt.Sprintf("[the page ends here: %v]", err))
			}
			return strings.TrimSpace(w.out.String()),
				strings.Join(strings.Fields(w.title.String()), " ")
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			w.openElement(z.Token())
		case html.EndTagToken:
			w.close(z.Token().DataAtom)
		}
	}
}

// pageWriter writes Markdown as the tags of a page arrive, even if they are not well nested.
type pageWriter struct {
	base  *url.URL
	out   strings.Builder
	title strings.Builder

	hidden  atom.Atom // the element that is being skipped
	depth   int       // how often hidden is nested in itself
	inTitle bool
	pre     int
	quotes  int
	lists   []int    // numbers of the next items; -1 = bullets
	links   []string // targets of the open ones

	newlines int // at the end of the output
	// nothing was written since the mark of an item or a heading: the next text is on its line
	held  bool
	due   int  // newlines before the next text
	space bool // a space before the next text
	cell  bool // not the first cell of its row
}

// left reports whether an element is left out because it is not for readers.
func left(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object,
		atom.Canvas, atom.Select, atom.Math, atom.Audio, atom.Video:
		return true
	}
	return false
}

func (w *pageWriter) text(s string) {
	switch {
	case w.inTitle:
		w.title.WriteString(s)
		return
	case w.hidden != 0:
		return
	case w.pre > 0:
		w.raw(strings.ReplaceAll(s, "\r", ""))
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		w.space = w.space || s != ""
		return
	}
	if !strings.HasPrefix(s, words[0]) {
		w.space = true
	}
	w.putText(strings.Join(words, " "))
	w.space = !strings.HasSuffix(s, words[len(words)-1])
}

// putText writes text to the current line, after pending newlines and spaces.
func (w *pageWriter) putText(s string) {
	if s == "" {
		return
	}
	w.beginLine()
	if w.space && w.newlines == 0 && !strings.HasSuffix(w.out.String(), " ") {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(s)
	w.space, w.held, w.newlines = false, false, 0
}

// beginLine writes pending newlines and the prefix of a line.
func (w *pageWriter) beginLine() {
	if w.out.Len() == 0 {
		w.due, w.newlines = 0, 1
	}
	fresh := w.newlines > 0
	for w.newlines < w.due {
		w.out.WriteByte('\n')
		w.newlines++
		fresh = true
	}
	w.due = 0
	if fresh && w.quotes > 0 {
		w.out.WriteString(strings.Repeat("> ", min(w.quotes, nestedMost)))
	}
}

// raw writes text unchanged.
func (w *pageWriter) raw(s string) {
	if s == "" {
		return
	}
	w.beginLine()
	w.out.WriteString(s)
	w.space, w.held, w.newlines = false, false, 0
	for w.newlines < len(s) && s[len(s)-1-w.newlines] == '\n' {
		w.newlines++
	}
}

// line writes s on a line of its own.
func (w *pageWriter) line(s string) {
	w.block(1)
	w.putText(s)
	w.block(1)
}

// block ensures at least n newlines before the next text.
func (w *pageWriter) block(n int) {
	if n == 0 || w.held {
		return
	}
	w.due = max(w.due, n)
	w.space = false
}

func (w *pageWriter) openElement(t html.Token) {
	if w.hidden != 0 {
		if t.DataAtom == w.hidden && t.Type == html.StartTagToken {
			w.depth++
		}
		return
	}
	switch a := t.DataAtom; a {
	case atom.Title:
		w.inTitle = w.title.Len() == 0
		w.hidden, w.depth = a, 1
	case atom.Br:
		w.block(1)
	case atom.Hr:
		w.block(2)
		w.putText("---")
		w.block(2)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.block(2)
		w.putText(strings.Repeat("#", int(t.Data[1]-'0')) + " ")
		w.held = true
	case atom.Ul, atom.Menu:
		w.list(-1)
	case atom.Ol:
		w.list(1)
	case atom.Li:
		w.item()
	case atom.Blockquote:
		w.block(2)
		w.quotes++
	case atom.Pre:
		w.block(2)
		w.raw("```\n")
		w.pre++
	case atom.A:
		w.links = append(w.links, w.link(attribute(t, "href")))
		if w.links[len(w.links)-1] != "" {
			w.putText("[")
		}
	case atom.Img:
		if alt := strings.Join(strings.Fields(attribute(t, "alt")), " "); alt != "" {
			w.putText("![" + alt + "](" + w.link(attribute(t, "src")) + ")")
		}
	case atom.Tr:
		w.block(1)
		w.cell = false
	case atom.Td, atom.Th:
		if w.cell {
			w.space = true
			w.putText("|")
			w.space = true
		}
		w.cell = true
	default:
		if left(a) && t.Type == html.StartTagToken {
			w.hidden, w.depth = a, 1
			return
		}
		if a == atom.Code && w.pre == 0 {
			w.putText("`")
		}
		w.block(blocks[a])
	}
}

// after writes text that is joined to the word before it.
func (w *pageWriter) after(s string) {
	space := w.space
	w.space = false
	w.putText(s)
	w.space = space
}

// blocks maps the elements that have lines of their own to the number of newlines around them.
var blocks = map[atom.Atom]int{atom.P: 2, atom.Div: 1, atom.Section: 2, atom.Article: 2,
	atom.Main: 2, atom.Header: 2, atom.Footer: 2, atom.Nav: 2, atom.Aside: 2,
	atom.Table: 2, atom.Figure: 2, atom.Figcaption: 1, atom.Form: 1, atom.Fieldset: 1, atom.Dl: 2,
	atom.Dt: 1, atom.Dd: 1, atom.Details: 2, atom.Summary: 1,
	atom.Address: 1, atom.Option: 1, atom.Body: 1, atom.Caption: 1}

func (w *pageWriter) list(first int) {
	w.block(2)
	if len(w.lists) > 0 {
		w.due = min(w.due, 1)
	}
	w.lists = append(w.lists, first)
}

func (w *pageWriter) item() {
	w.block(1)
	sign, depth := "- ", max(0, len(w.lists)-1)
	if n := len(w.lists); n > 0 && w.lists[n-1] > 0 {
		sign = fmt.Sprintf("%d. ", w.lists[n-1])
		w.lists[n-1]++
	}
	w.putText(strings.Repeat("  ", min(depth, nestedMost)) + sign)
	w.held = true
}

func (w *pageWriter) close(a atom.Atom) {
	if w.hidden != 0 {
		if a == w.hidden {
			if w.depth--; w.depth == 0 {
				w.hidden, w.inTitle = 0, false
			}
		}
		return
	}
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.held = false
		w.block(2)
	case atom.Li:
		w.held, w.due = false, 1 // a paragraph in it must not add an empty line after it
	case atom.Ul, atom.Ol, atom.Menu:
		if n := len(w.lists); n > 0 {
			w.lists = w.lists[:n-1]
		}
		w.block(2 - min(1, len(w.lists)))
	case atom.Blockquote:
		w.quotes = max(0, w.quotes-1)
		w.block(2)
	case atom.Pre:
		if w.pre > 0 {
			w.pre--
			w.block(1)
			w.raw("```")
		}
		w.block(2)
	case atom.A:
		if n := len(w.links); n > 0 {
			if to := w.links[n-1]; to != "" {
				w.after("](" + to + ")")
			}
			w.links = w.links[:n-1]
		}
	default:
		if a == atom.Code && w.pre == 0 {
			w.after("`")
		}
		w.block(blocks[a])
	}
}

// link returns the target of a link; "" if it cannot be fetched.
func (w *pageWriter) link(to string) string {
	to = strings.TrimSpace(to)
	if to == "" || strings.HasPrefix(to, "#") || len(to) > urlBytes {
		return ""
	}
	u, err := w.base.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u.String())
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
