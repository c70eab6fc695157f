package plain

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// shown returns what a terminal shows of pieces.
func shown(pieces ...string) string {
	var e Escapes
	var l Lines
	out := ""
	for _, p := range pieces {
		out += l.Write(e.Write(p))
	}
	return out + l.Write(e.Flush()) + l.Flush()
}

func TestTerminal(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"plain\ntext", "plain\ntext"},
		{"a\x1b[31mred\x1b[0mb\n", "aredb\n"},
		{"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"},
		{"10%\r20%\r100%\ndone\n", "100%\ndone\n"},
		{"one\r\ntwo\r\n", "one\ntwo\n"},
		{"downloading 50%\r\x1b[Kdone\n", "done\n"},
		{"downloading 50%\x1b[2Kdone\n", "done\n"},
		{"downloading 50%\x1b[1Gdone\n", "doneloading 50%\n"},
		{"long line\rshort", "shortline"},
		{"abc\b\bX\n", "aXc\n"},
		{"\b\b\ra\n", "a\n"},
		{"wait |\b/\b-\b\\\b done\n", "wait  done\n"},
		{"a\x00\x07\x0b\x0cb\n", "ab\n"},
		{"\x1b[1;2Hab\u009b31mc", "abc"},
		{"zero\u200bwidth \u00e9 \U0001f468\u200d\U0001f469",
			"zero\u200bwidth \u00e9 \U0001f468\u200d\U0001f469"},
		{"a\xffb", "a\ufffdb"},
		{"unfinished \x1b[", "unfinished "},
	} {
		if got := shown(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
		if got := shown(strings.Split(test.in, "")...); got != test.want &&
			utf8.ValidString(test.in) {
			t.Errorf("%q by characters: got %q, want %q", test.in, got, test.want)
		}
		var bytes []string
		for i := range len(test.in) {
			bytes = append(bytes, test.in[i:i+1])
		}
		if got := shown(bytes...); got != test.want {
			t.Errorf("%q by bytes: got %q, want %q", test.in, got, test.want)
		}
	}
}

// TestTerminalIsBounded: a line without an end is shown in parts, and nothing of it is lost.
func TestTerminalIsBounded(t *testing.T) {
	var l Lines
	piece, got := strings.Repeat("x", 1000), 0
	for range 1000 {
		got += len(l.Write(piece))
		if held := len(l.Unfinished()); held > lineLimit {
			t.Fatalf("%d characters are held back", held)
		}
	}
	if got += len(l.Flush()); got != 1000*1000 {
		t.Errorf("got %d bytes, want %d", got, 1000*1000)
	}
}

func FuzzTerminal(f *testing.F) {
	f.Add("a\x1b[2Kb\rc\b\n", 3)
	f.Fuzz(func(t *testing.T, s string, at int) {
		at = min(max(at, 0), len(s))
		whole := shown(s)
		if parts := shown(s[:at], s[at:]); parts != whole {
			t.Errorf("%q in two pieces: got %q, want %q", s, parts, whole)
		}
		for _, r := range whole {
			if Control(r) && r != '\n' && r != '\t' {
				t.Errorf("%q: %q is in %q", s, r, whole)
			}
		}
	})
}
