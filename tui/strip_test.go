package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/markdown"
	"github.com/agentscripts/agent/tui/internal/palette"
)

func TestClean(t *testing.T) {
	t.Parallel()
	var c cells.Cleaner
	if got := cells.Clean("a\tb\x1b[1m") + c.Add("c\t\x1b[") + c.Add("1md") +
		c.Flush(); got != "a    bc    d" {
		t.Errorf("got %q", got)
	}
}

func TestReveal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"ls -l", "ls -l"},
		{"rm x\recho", "rm x␍echo"},
		{"a\x1b[8mb\x7f", "a␛[8mb␡"},
		{"a\u202eb\u200b\u009b", "a<U+202E>b<U+200B><U+009B>"},
		{"a\n\tb", "a\n    b"},
		{"a\U000e0101\u3164", "a<U+E0101><U+3164>"},
	} {
		if got := cells.Reveal(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzReveal(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\x07c\r\nd\xe6\x97\xa5\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range cells.Reveal(s) {
			if r != '\n' && (plain.Control(r) || plain.Invisible(r)) {
				t.Errorf("revealed %q has %U", cells.Reveal(s), r)
			}
		}
	})
}

// TestIntricateMarkdownIsShownAsPlainText checks Markdown that would block the screen, some of it
// forever.
func TestIntricateMarkdownIsShownAsPlainText(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"quotes":          strings.Repeat(">", 13) + "a",
		"quotes, later":   "a\n\n" + strings.Repeat("> ", 13) + "a",
		"lists":           strings.Repeat("- ", 13) + "a",
		"numbers":         strings.Repeat("1. ", 13) + "a",
		"lists of quotes": strings.Repeat("> 1) ", 7) + "a",
		"nothing in them": strings.Repeat(">", 13),
		"emphasis":        strings.Repeat("a**b_", 3000),
		"brackets":        strings.Repeat("[a](", 4500),
		"headings":        strings.Repeat("# a\n", 1000),
		"underlined":      strings.Repeat("a\n=\n", 1000),
		"lines":           strings.Repeat("a\n\n", 4500),
	} {
		if got, want := testDrawer().markdown(s, 80), cells.Wrap(s, 80); !slices.Equal(got, want) {
			t.Errorf("%s: got %d lines, the first one %q, want the %d of the text", name, len(got),
				got[0], len(want))
		}
	}
	for _, s := range []string{"> > - **a**", "---\n**a**", "2024-11-21 **a**",
		strings.Repeat("* ", 6) + "**a**",
		"**a**\n```\n" + strings.Repeat("for _, x := range list[1:] { f(x) }\n", 1500) + "```"} {
		if got := strings.Join(testDrawer().markdown(s, 80), "\n"); strings.Contains(got, "**a**") {
			t.Errorf("%.40q was not drawn", s)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n\n&#27;[31m `b` &#x9b;\n\n```go\nx\n```\n|a|b|\n|-|-|\n|1|2|", 30)
	f.Add(" 0", 1)
	f.Add("[a](http://b&#7;c)\n\n> &lt;&ZeroWidthSpace;\n- [x] d", 10)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if len(s) > 4096 {
			return
		}
		width = min(max(width, 1), 200)
		for _, l := range testDrawer().markdown(cells.Clean(s), width) {
			if colorsOnly(l) != l || strings.Contains(l, "\n") {
				t.Errorf("%q", l)
			}
			if cells.Width(l) > width {
				t.Errorf("%q is %d cells wide, not %d", l, cells.Width(l), width)
			}
		}
	})
}

// TestTitlesOfHugeArguments checks that a title is short: it is drawn again at each output of the
// tool.
func TestTitlesOfHugeArguments(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"command": "é", "other": `{"other":"`} {
		title, whole := (&canvas{}).argsTitle("", map[string]any{key: strings.Repeat("é", 1<<20)})
		if whole || len(title) > titleBytes+10 || !strings.HasPrefix(title, want) ||
			strings.ContainsRune(title, '\uFFFD') {
			t.Errorf("%s: got %d bytes %.20q, whole: %v", key, len(title), title, whole)
		}
	}
	title, whole := (&canvas{}).argsTitle("", map[string]any{"command": "ls"})
	if title != "ls" || !whole {
		t.Errorf("got %q, %v", title, whole)
	}
}

// TestEndlessLine checks that the wrapped part of a line is kept, so that each piece takes
// the same time.
func TestEndlessLine(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"é", "word ", "x", "👩\u200d👧"} {
		var s stream
		var all strings.Builder
		for all.Len() < 5*pieceBytes {
			part := strings.Repeat(piece, 500)
			s.writePiece(part)
			all.WriteString(part)
			if s.lines(80); len(s.text)-s.done > pieceBytes {
				t.Fatalf("%q: %d bytes are wrapped again with each piece", piece,
					len(s.text)-s.done)
			}
		}
		s.writePiece("\nend")
		lines := s.lines(80)
		got := strings.ReplaceAll(strings.Join(lines, ""), " ", "")
		if want := strings.ReplaceAll(all.String(), " ", "") + "end"; got != want ||
			lines[len(lines)-1] != "end" {
			t.Errorf("%q: got %d bytes, want %d", piece, len(got), len(want))
		}
	}
}

// testDrawer returns a canvas that draws Markdown.
func testDrawer() *canvas { return &canvas{md: markdown.NewDrawer(palette.Named("dark"))} }

// colorsOnly removes everything from drawn Markdown that is neither text nor a colour sequence.
func colorsOnly(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "\x1b") {
		if i > 0 {
			if n := colorSequence(part); n > 0 {
				b.WriteString("\x1b" + part[:n])
				part = part[n:]
			} else {
				part = cells.Clean("\x1b" + part)
			}
		}
		b.WriteString(cells.Clean(part))
	}
	return b.String()
}

// colorSequence returns the length of the colour sequence, without its escape character, that s
// begins with.
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
