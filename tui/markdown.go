// This file draws Markdown, and sees to it that drawing it adds nothing but colours.

package tui

import (
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	xansi "github.com/charmbracelet/x/ansi"
)

// markdownLimit is the largest text, in bytes, that is drawn as Markdown: about the longest answer a
// model gives. A longer one is drawn as it is, because it would hold up the screen.
const markdownLimit = 64 << 10

const (
	// nestedMost is how many quotes and lists one line may open. Those that have no room beside each other are wrapped again at each level, and
	// each time into twice as much: 80 quotes fill the memory.
	nestedMost = 12
	// markupLimit is how many lines and signs of Markdown a text may have. Each costs some 50 µs, and signs that could belong together are
	// looked at again and again; the longest answer has fewer, code and all.
	markupLimit = 8000
	// headingSigns is how many signs a heading counts for: each is compared with all those before it.
	headingSigns = 9
)

// renderersKept is how many widths a renderer is kept for: whole lines, results and what is told the
// user each have one.
const renderersKept = 4

// markdown draws Markdown. It keeps the renderers of the widths in use.
type markdown struct {
	renderers map[int]*markdownRenderer
}

func (m *markdown) renderer(width int) *markdownRenderer {
	if r := m.renderers[width]; r != nil {
		return r
	}
	if m.renderers == nil || len(m.renderers) >= renderersKept {
		m.renderers = map[int]*markdownRenderer{}
	}
	r := newMarkdownRenderer(width)
	m.renderers[width] = r
	return r
}

// lines draws clean text as Markdown; text that cannot be drawn so is wrapped instead.
func (m *markdown) lines(text string, width int) []string {
	if len(text) > markdownLimit || width < 4 || intricate(text) {
		return wrap(text, width)
	}
	out, err := m.renderer(width).render(text)
	if err != nil {
		delete(m.renderers, width) // it may have stopped half way
		return wrap(text, width)
	}
	var lines []string
	for l := range strings.SplitSeq(colorsOnly(out), "\n") {
		if l = strings.TrimRight(l, " "); cells(l) > width { // tables and code blocks may be wider
			for part := range strings.SplitSeq(lipgloss.Wrap(l, width, ""), "\n") {
				lines = appendWrapped(lines, part, width) // it leaves some too wide
			}
			continue
		}
		lines = append(lines, l)
	}
	for len(lines) > 1 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 1 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// blank reports whether nothing is seen of a line.
func blank(line string) bool { return strings.TrimSpace(xansi.Strip(line)) == "" }

// intricate reports whether text has more Markdown in it than people write, and than can be drawn while they wait.
func intricate(text string) bool {
	left := markupLimit
	for line := range strings.Lines(text) {
		if nesting(line) > nestedMost {
			return true
		}
		if l := strings.TrimLeft(line, " >"); strings.HasPrefix(l, "#") || strings.HasPrefix(l, "=") {
			left -= headingSigns
		}
		left--
		for i := range len(line) {
			switch line[i] {
			case '*', '_', '~', '`', '[', ']', '<', '|':
				left--
			}
		}
		if left < 0 {
			return true
		}
	}
	return false
}

// nesting is how many quotes and lists a line opens, or stands in as far as it repeats their signs.
func nesting(line string) (n int) {
	for {
		line = strings.TrimLeft(line, " ")
		rest, quote := strings.CutPrefix(line, ">")
		if !quote {
			rest = strings.TrimLeft(line, "0123456789") // of 1. or 1)
			if rest = strings.TrimLeft(rest, "-+*.)"); rest == line || rest != "" && rest[0] != ' ' && rest[0] != '\n' {
				return n
			}
		}
		n, line = n+1, rest
		if rest == "" {
			return n
		}
	}
}

// colorsOnly removes everything from drawn Markdown that is neither text nor a colour sequence.
func colorsOnly(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "\x1b") {
		if i > 0 {
			if n := colorSequence(part); n > 0 {
				b.WriteString("\x1b" + part[:n])
				part = part[n:]
			} else {
				part = clean("\x1b" + part)
			}
		}
		b.WriteString(clean(part))
	}
	return b.String()
}

// colorSequence returns the length of the colour sequence, without its escape character, that s begins with.
func colorSequence(s string) int {
	if !strings.HasPrefix(s, "[") {
		return 0
	}
	end := strings.TrimLeft(s[1:], "0123456789;:")
	if strings.HasPrefix(end, "m") {
		return len(s) - len(end) + 1
	}
	return 0
}

// markdownStyle is the style of Markdown in the terminal's own colours.
func markdownStyle() ansi.StyleConfig {
	yes, two := true, uint(2)
	str := func(s string) *string { return &s }
	heading := func(prefix string) ansi.StyleBlock {
		return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: prefix}}
	}
	return ansi.StyleConfig{
		BlockQuote: ansi.StyleBlock{Indent: new(uint(1)), IndentToken: str("│ ")},
		List:       ansi.StyleList{LevelIndent: 2},
		Heading:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{BlockSuffix: "\n", Bold: &yes, Color: str("4")}},
		H1:         heading("# "), H2: heading("## "), H3: heading("### "),
		H4: heading("#### "), H5: heading("##### "), H6: heading("###### "),
		Strikethrough:  ansi.StylePrimitive{CrossedOut: &yes},
		Emph:           ansi.StylePrimitive{Italic: &yes},
		Strong:         ansi.StylePrimitive{Bold: &yes},
		HorizontalRule: ansi.StylePrimitive{Format: "\n────────\n", Faint: &yes},
		Item:           ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "[x] ", Unticked: "[ ] "},
		Link:           ansi.StylePrimitive{Underline: &yes, Color: str("4")},
		LinkText:       ansi.StylePrimitive{Bold: &yes},
		ImageText:      ansi.StylePrimitive{Format: "[image: {{.text}}]"},
		Code:           ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: str("6")}},
		CodeBlock:      ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: str("6")}, Margin: &two}},
		Table:          ansi.StyleTable{CenterSeparator: str("┼"), ColumnSeparator: str("│"), RowSeparator: str("─")},
	}
}
