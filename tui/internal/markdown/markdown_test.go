package markdown_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/markdown"
)

// drawn returns the drawn lines of a Markdown text, without colours.
func drawn(t *testing.T, text string, width int) string {
	t.Helper()
	lines, ok := markdown.NewDrawer(ink()).Draw(text, width)
	if !ok {
		t.Fatalf("%q was not drawn", text)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > width {
			t.Errorf("%q is %d cells wide, not %d", l, n, width)
		}
		lines[i] = ansi.Strip(l)
	}
	return strings.Join(lines, "\n")
}

// TestMarkdownIsComplete checks that everything in a text is on the screen, even what other
// Markdown renderers hide.
func TestMarkdownIsComplete(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Use <div> and Vec<T> here", "Use <div> and Vec<T> here"},
		{"a <b class=\"x\">bold</b> word", "a <b class=\"x\">bold</b> word"},
		{"see <!-- a remark --> here", "see <!-- a remark --> here"},
		{"<!-- alone -->", "<!-- alone -->"},
		{"<details>\n<summary>More</summary>\n\n*inside*\n\n</details>",
			"  <details>\n  <summary>More</summary>\n\ninside\n\n</details>"},
		{"<script>\nlet x = 1 &lt; 2\n</script>", "  <script>\n  let x = 1 &lt; 2\n  </script>"},
		{"# Map<K, V> and <T>", "══ Map<K, V> and <T>"},
		{"## two", "── two"}, {"### three", "─ three"}, {"#### four", "#### four"},
		{"###### six", "###### six"}, {"Setext\n---", "── Setext"}, {"##", "──"},
		{"- List<int>\n- <li>", "• List<int>\n• <li>"},
		{"> a <q> b", "│ a <q> b"},
		{"*a <i> b* and **c <b>** ~~d <s>~~", "a <i> b and c <b> d <s>"},
		{"[a <T>](http://x.y \"a title\")", "a <T> http://x.y \"a title\""},
		{"[up](#top)", "up #top"},
		{"![an <img>](a.png \"of it\")", "[image: an <img>] a.png \"of it\""},
		{"<https://x.y/z> and <me@x.y>", "https://x.y/z and me@x.y"},
		{"<http://[bad>", "http://[bad"},
		{"[one]: http://x.y/one \"first\"\n\nsee [one]",
			"[one]: http://x.y/one \"first\"\n\nsee [one]"},
		{"a &lt; b &amp; c &copy; d", "a < b & c © d"},
		{"&#27;[31m &#7; &nosuch; AT&T a&copy b", "&#27;[31m &#7; &nosuch; AT&T a&copy b"},
		{"`&lt;` and `&#27;` and `a\\*b`", "&lt; and &#27; and a\\*b"},
		{"`Vec<T>` and ``a ` b``", "Vec<T> and a ` b"},
		{"\\<div\\> \\*a\\* C:\\dir \\\\", "<div> *a* C:\\dir \\"},
		{"```go\nx := \"\\n\\*\\.\" // <T> &lt;\n```", "  x := \"\\n\\*\\.\" // <T> &lt;"},
		{"```go title=\"a.go\"\nx\n```", "  go title=\"a.go\"\n  x"},
		{"    indented <T> \\* &lt;", "  indented <T> \\* &lt;"},
		{"a <div\nb> c\n`d\ne`", "a <div\nb> c\nd e"},
	} {
		if got := drawn(t, test.text, 60); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
	table := drawn(t,
		"| a<T> | b |\n|---|---|\n| <li> | `x\\*y &lt;` |\n| 1 | 2 | too many | cells |\n| "+
			"https://x.y/z?a=1 | [l](http://q.r) |", 80)
	for _, want := range []string{"a<T>", "<li>", `x\*y &lt;`, "2 | too many | cells",
		"https://x.y/z?a=1", "l http://q.r"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

// TestLayout checks that related lines are aligned below each other, at any width.
func TestLayout(t *testing.T) {
	const text = "1. one long item that wraps to the next line\n2. two\n   - nested with more " +
		"text that wraps\n   - b\n\n" +
		"> quote that is long and wraps to the next line\n> > deeper\n\n" +
		"```go\nfunc f() {\n    call(\"a long line of code\", 42)\n}\n```\n" +
		"| name | n | what |\n|:--|--:|:-:|\n| 漢字 | 1 | some text that is too long |\n| b | 22 | " +
		"x |\n\nterm\n: what it means"
	const want = `1. one long item that wraps
   to the next line
2. two
   • nested with more text
     that wraps
   • b

│ quote that is long and
│ wraps to the next line
│
│ │ deeper

  func f() {
      call("a long line of
      code", 42)
  }

name │  n │       what
─────┼────┼─────────────────
漢字 │  1 │  some text that
     │    │   is too long
b    │ 22 │        x

term
  what it means`
	if got := strings.ReplaceAll(drawn(t, text, 28), " \n", "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSentences checks that sentences in a code block are broken at spaces, and continue further
// in.
func TestSentences(t *testing.T) {
	const text = "```text\nwho decided, and a long line\n" +
		"  1. guard.lua:2 (version 9918500b01ec) said\n\nshort\n```"
	const want = "  who decided, and a\n    long line\n    1. guard.lua:2\n      (version\n" +
		"      9918500b01ec)\n      said\n\n  short"
	if got := strings.ReplaceAll(drawn(t, text, 22), " \n", "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestColours checks that a line ends the colours that it begins, so that each can be drawn by
// itself.
func TestColours(t *testing.T) {
	lines, _ := markdown.NewDrawer(ink()).Draw("**bold *and italic `code`*** x", 8)
	want := []string{"\x1b[1mbold \x1b[m\x1b[1;3mand\x1b[m", "\x1b[1;3mitalic\x1b[m",
		"\x1b[1;3;36mcode\x1b[m x"}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

// TestNarrowTables checks that the headings of a table are not broken at any width.
func TestNarrowTables(t *testing.T) {
	const text = "| name | value | a longer column | more |\n|---|---|---|---|\n| alphabetical | " +
		"22222222 | some text | <div> |\n| bb | 22 | x | y |"
	for width := 4; width < 100; width++ {
		got := strings.Join(strings.Fields(drawn(t, text, width)), "")
		for _, want := range []string{"name", "value", "column", "more", "bb"} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d: no %s in\n%s", width, want, drawn(t, text, width))
			}
		}
	}
}

// scribe writes Markdown of all kinds in which each word occurs once.
type scribe struct {
	*rand.Rand
	words  []string
	narrow bool // no tables: their cells are wrapped beside each other
}

func (w *scribe) word() string {
	n := len(w.words)
	forms := []string{"w%dz", "<w%dz>", "</w%dz>", "V<w%dz>", "<w%dz a=\"b\">", "<!-- w%dz -->",
		"&lt;w%dz&gt;", "`w%dz<T>`", "*w%dz*", "**w%dz**", "~~w%dz~~",
		"[w%dz](http://h/p)", "[t](http://h/w%dz)", "[t](http://h \"w%dz\")", "![w%dz](p.png)",
		"<http://h/w%dz>", "http://h/w%dz", "`\\w%dz\\*`", "*<w%dz>*", "[w%dz]", "w%dz\\<", "<w%dz",
		"a&w%dz;"}
	w.words = append(w.words, fmt.Sprintf("w%dz", n))
	return fmt.Sprintf(forms[w.IntN(len(forms))], n)
}

func (w *scribe) line() string {
	words := make([]string, 1+w.IntN(6))
	for i := range words {
		words[i] = w.word()
	}
	return strings.Join(words, " ")
}

const tableBlock = 4

func (w *scribe) block() string {
	kind := w.IntN(10)
	if kind == tableBlock && w.narrow {
		kind = 0
	}
	switch kind {
	case 0:
		return strings.Repeat("#", 1+w.IntN(6)) + " " + w.line()
	case 1:
		return "- " + w.line() + "\n- " + w.line() + "\n  - " + w.line() + "\n\n  " + w.line()
	case 2:
		return "1. " + w.line() + "\n2. [x] " + w.line() + "\n3. " + w.line()
	case 3:
		return "```lang " + strings.ReplaceAll(w.line(), "`", "") + "\n" + w.line() + "\n" +
			w.line() + "\n```"
	case tableBlock:
		return "| " + w.word() + " | " + w.word() + " |\n|---|:-:|\n| " + w.word() + " | " +
			w.word() + " |\n| " + w.word() + " | " + w.word() + " | " + w.word()
	case 5:
		return "> " + w.line() + "\n> " + w.line()
	case 6:
		return "<div>\n" + w.line() + "\n</div>"
	case 7:
		return w.line() + "\n===="
	case 8:
		return "[x]: http://h/" + w.line()
	}
	return w.line() + "\n" + w.line()
}

// TestMarkdownDrawsEveryWord checks that every word of a text is on the screen, in any combination
// of Markdown.
func TestMarkdownDrawsEveryWord(t *testing.T) {
	for seed := range uint64(500) {
		w := &scribe{Rand: rand.New(rand.NewPCG(seed, 1)), narrow: seed%2 == 0}
		var blocks []string
		for range 1 + w.IntN(5) {
			blocks = append(blocks, w.block())
		}
		text := strings.Join(blocks, strings.Repeat("\n", 1+w.IntN(2)))
		width := 80 + w.IntN(100)
		if w.narrow {
			width = 10 + w.IntN(70)
		}
		got := drawn(t, text, width)
		for _, word := range w.words {
			if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(got, "│", "")), ""),
				word) {
				t.Fatalf("seed %d, width %d: no %s in\n%s\nof\n%s", seed, width, word, got, text)
			}
		}
	}
}

// TestHeadingsHang checks that the lines of a long heading begin below its text, unless there is no
// room for that.
func TestHeadingsHang(t *testing.T) {
	for width, want := range map[int]string{
		12: "── one two\n   three",
		8:  "── one\ntwo\nthree",
	} {
		if got := drawn(t, "## one two three", width); got != want {
			t.Errorf("%d cells: got\n%s\nwant\n%s", width, got, want)
		}
	}
}

// TestJoined checks that line breaks are spaces when lines are joined, except hard ones.
func TestJoined(t *testing.T) {
	d := markdown.NewDrawer(ink())
	d.Joined = true
	lines, _ := d.Draw("one *two\nthree* `a\nb`\nfour  \nfive\n\n- item\n  goes on\n- next\n\n"+
		"> said\n> so\n\n| a |\n|---|\n| b |\n\n```\nx\ny\n```", 60)
	got := strings.Split(ansi.Strip(strings.Join(lines, "\n")), "\n")
	for _, want := range []string{"one two three a b four", "five", "• item goes on", "• next",
		"│ said so", "  x", "  y"} {
		if !slices.Contains(got, want) {
			t.Errorf("no line %q in %q", want, got)
		}
	}
}
