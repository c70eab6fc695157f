package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/markdown"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// TestCode checks the colours of code, and that each line ends those that it begins.
func TestCode(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"known", "```go\nfor {} // x\n  /* a\nb */ 1\n```",
			"  \x1b[35mfor\x1b[m {} \x1b[2m// x\x1b[m\n    \x1b[2m/* a\x1b[m\n" +
				"  \x1b[2mb */\x1b[m \x1b[36m1\x1b[m"},
		{"unknown", "```nosuch\nfor \"a\"\n```", "  \x1b[36mfor \"a\"\x1b[m"},
		{"none", "```\nfor\n```", "  \x1b[36mfor\x1b[m"},
		{"diff", "```diff\n@@ -1 +1 @@\n-a\n+b\n c\n```",
			"  \x1b[36m@@ -1 +1 @@\x1b[m\n  \x1b[31m-a\x1b[m\n  \x1b[32m+b\x1b[m\n   c"},
		{"in a list", "- a\n  ```sh\n  if\n  ```", "• a\n    \x1b[35mif\x1b[m"},
		{"wide", "```go\nx := \"漢字\" // é\n```",
			"  x := \x1b[36m\"漢字\"\x1b[m \x1b[2m// é\x1b[m"},
	} {
		lines, ok := markdown.NewDrawer(ink()).Draw(test.text, 40)
		if got := strings.Join(lines, "\n"); got != test.want || !ok {
			t.Errorf("%s: got\n%q\nwant\n%q", test.name, got, test.want)
		}
	}
}

// TestWrappedCode checks that code that does not fit continues at its own indentation, after a
// space if there is one near the end of the line.
func TestWrappedCode(t *testing.T) {
	for _, test := range []struct {
		language, text string
		width          int
		want           []string
	}{
		{"go", "if {\n    return abcdefgh\n}", 12,
			[]string{"if {", "    return", "    abcdefgh", "}"}},
		{"go", "a bcdefghijklmn op q", 10, []string{"a bcdefghi", "jklmn op q"}},
		{"go", "call(a, b,   c)", 10, []string{"call(a, b,", "c)"}},
		{"diff", "+  abcdefgh\n-漢字漢字", 8,
			[]string{"+  abcde", "   fgh", "-漢字漢", " 字"}},
		{"", strings.Repeat(" ", 9) + "ab", 4, []string{"", " ab"}},
		{"go", "\"漢\"", 1, []string{"\"", "漢", "\""}},
		{"diff", "+", 1, []string{"+"}},
	} {
		lines := markdown.Code(test.text, test.language, test.width, ink())
		for i, l := range lines {
			lines[i] = ansi.Strip(l)
		}
		if !slices.Equal(lines, test.want) {
			t.Errorf("%q: got %q, want %q", test.text, lines, test.want)
		}
	}
}

// TestHugeCode checks that all of a huge text is drawn, and that the cost of its colours is
// bounded.
func TestHugeCode(t *testing.T) {
	const line = "return 1"
	text := strings.Repeat(line+"\n", 1<<20/len(line))
	lines := markdown.Code(text, "go", 80, ink())
	if n := strings.Count(text, "\n") + 1; len(lines) != n {
		t.Errorf("%d lines, want %d", len(lines), n)
	}
	first, last := lines[0], lines[len(lines)-2]
	if first != "\x1b[35mreturn\x1b[m \x1b[36m1\x1b[m" || last != "\x1b[36mreturn 1\x1b[m" {
		t.Errorf("the first line is %q, the last one %q", first, last)
	}
	lines = markdown.Code(strings.Repeat("\"a", 1<<19), "go", 80, ink())
	if got := ansi.Strip(strings.Join(lines, "")); len(got) != 1<<20 {
		t.Errorf("%d bytes of 1 MB in one line", len(got))
	}
}

// FuzzCode checks that all of the code is drawn, within the width.
func FuzzCode(f *testing.F) {
	f.Add("for \"a\\\" /* 漢\n 👩\u200d👧 */ `x`\n+- @@", "go", 7)
	f.Add("+1️⃣é\n  -x", "diff", 3)
	f.Add("\u2000", "ooog", 0)
	f.Fuzz(func(t *testing.T, text, language string, width int) {
		text = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(text, ""))
		width = 2 + min(max(width, 0), 100)
		got := ""
		for _, l := range markdown.Code(text, language, width, ink()) {
			if n := ansi.StringWidth(l); n > width {
				t.Errorf("%q is %d cells wide, not %d", l, n, width)
			}
			got += ansi.Strip(l)
		}
		visible := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := visible(got), visible(text); language != "text" && got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// ink returns the colours of the tests: the terminal's own sixteen.
func ink() *palette.Palette { return palette.Named(palette.Terminal) }
