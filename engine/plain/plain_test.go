package plain

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
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
		{"a\tb", "a\tb"},
		{"a\r\nb\rc", "a\nb\nc"},
		{"a\u202eb\u2066c\u200bd\ufeffe", "abcde"},
		{"👩\u200d👧", "👩\u200d👧"},
		{"葛\U000e0100\U000e0041", "葛\U000e0100"},
		{"a\u2028b", "a\nb"},
		{"a\xffb", "a\uFFFDb"},
		{"a\xe6\x97", "a\uFFFD"},
		{"日本", "日本"},
	} {
		if got := Text(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestUnfinishedControlStringHidesLittle(t *testing.T) {
	if got := Text("\x1b]" + strings.Repeat("x", 2*stringLimit)); len(got) < stringLimit-1 {
		t.Errorf("%d characters of %d are left", len(got), 2*stringLimit)
	}
}

func TestLine(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{{" a\tb\n\x1b[1mc ", 9, "a b c"}, {"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abcdef…"},
		{"日本", 4, "日…"}, {"", 0, ""}} {
		if got := Line(test.in, test.n); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\x07c\r\nd\xe6\x97\xa5", 5)
	f.Add("\x1b\x1b]\x1b[\u009b1m\u202e", 2)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		got := Text(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && (Control(r) || Invisible(r) && !joins(r)) {
				t.Errorf("%q has %U", got, r)
			}
		}
		cut = min(max(cut, 0), len(s))
		var c Cleaner
		if pieces := c.Write(s[:cut]) + c.Write(s[cut:]) + c.Flush(); pieces != got {
			t.Errorf("in pieces %q, else %q", pieces, got)
		}
	})
}

func TestFencesAreLongerThanWhatTheyHold(t *testing.T) {
	for text, want := range map[string]string{"a": "```", "``": "```", "a ``` b ````": "`````",
		strings.Repeat("`", 1<<20): strings.Repeat("`", 1<<20+1)} {
		if got := Fenced("go", text); got != want+"go\n"+text+"\n"+want {
			t.Errorf("%.20q: got %.40q", text, got)
		}
	}
}

func TestReveal(t *testing.T) {
	for in, want := range map[string]string{
		"a\x00b":       "a\u2400b",
		"\xff\u202e\n": "\ufffd<U+202E>\n",
		strings.Repeat("\x00", 1e6) + strings.Repeat("\x01", 8) + "x": "<1000000 times \u2400>" +
			strings.Repeat("\u2401", 8) + "x",
		strings.Repeat("\u200b", 9): "<9 times <U+200B>>",
		strings.Repeat("\n", 20):    strings.Repeat("\n", 20),
	} {
		if got := Reveal(in); got != want {
			t.Errorf("%.40q: got %q, want %q", in, got, want)
		}
	}
}

// TestRevealName: no two names look the same that a person could take for each other.
func TestRevealName(t *testing.T) {
	for in, want := range map[string]string{
		".lua": ".lua", " .lua": "\u2420.lua", "my script.lua": "my script.lua",
		"a .js": "a\u2420.js", "a  b": "a\u2420\u2420b", "x ": "x\u2420", " ": "\u2420", "": "",
		"/p/ x.lua": "/p/\u2420x.lua",
		"a\u00a0b":  "a<U+00A0>b", "a\nb\t": "a\u240ab\u2409", "a\u202eb": "a<U+202E>b",
	} {
		if got := RevealName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestRevealLine checks that a sentence with a name keeps its spaces, on one line.
func TestRevealLine(t *testing.T) {
	const in, want = "changes of .env\n and\u200b more", "changes of .env and<U+200B> more"
	if got := RevealLine(in); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
