package tui

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"plain\ntext", "plain\ntext"},
		{"a\x1b[31mred\x1b[0mb", "aredb"},
		{"a\x1b[38;2;1;2;3mb", "ab"},
		{"a\x1b]0;title\x07b", "ab"},
		{"a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"},
		{"a\x1bPq#0\x1b\\b", "ab"},
		{"a\x1b(Bb", "ab"},
		{"a\x1bcb", "ab"},
		{"a\u009b2Jb", "ab"},
		{"a\u009d0;x\u009cb", "ab"},
		{"a\x1b]unfinished\nb", "a\nb"},
		{"a\x1b[12\nb", "a\nb"},
		{"a\x1b\nb", "a\nb"},
		{"a\x1b", "a"},
		{"a\x00\x08\x7f\u0085b", "ab"},
		{"a\tb", "a    b"},
		{"a\r\nb\rc", "a\nb\nc"},
		{"a\u202eb\u2066c\u200bd\ufeffe", "abcde"},
		{"👩\u200d👧", "👩\u200d👧"},
		{"a\u2028b", "a\nb"},
		{"a\xffb", "a\uFFFDb"},
		{"a\xe6\x97", "a\uFFFD"},
		{"日本", "日本"},
	} {
		if got := clean(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestUnfinishedControlStringHidesLittle(t *testing.T) {
	if got := clean("\x1b]" + strings.Repeat("x", 2*stringLimit)); len(got) < stringLimit-1 {
		t.Errorf("%d characters of %d are left", len(got), 2*stringLimit)
	}
}

func TestReveal(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"ls -l", "ls -l"},
		{"rm x\recho", "rm x␍echo"},
		{"a\x1b[8mb\x7f", "a␛[8mb␡"},
		{"a\u202eb\u200b\u009b", "a<U+202E>b<U+200B><U+009B>"},
		{"a\n\tb", "a\n    b"},
	} {
		if got := reveal(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\x07c\r\nd\xe6\x97\xa5", 5)
	f.Add("\x1b\x1b]\x1b[\u009b1m\u202e", 2)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		got := clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if r != '\n' && (control(r) || r != 0x200c && r != 0x200d && invisible(r)) {
				t.Errorf("%q has %U", got, r)
			}
		}
		cut = min(max(cut, 0), len(s))
		var c cleaner
		if pieces := c.write(s[:cut]) + c.write(s[cut:]) + c.flush(); pieces != got {
			t.Errorf("in pieces %q, else %q", pieces, got)
		}
		for _, r := range reveal(s) {
			if r != '\n' && (control(r) || invisible(r)) {
				t.Errorf("revealed %q has %U", reveal(s), r)
			}
		}
	})
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
		for _, l := range (&markdown{}).lines(clean(s), width) {
			if colorsOnly(l) != l || strings.Contains(l, "\n") {
				t.Errorf("%q", l)
			}
			if cells(l) > width {
				t.Errorf("%q is %d cells wide, not %d", l, cells(l), width)
			}
		}
	})
}
