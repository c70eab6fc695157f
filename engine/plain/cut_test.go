package plain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

func TestCuts(t *testing.T) {
	const s = "aé漢😀z" // of 1, 2, 3, 4 and 1 bytes
	for n := range len(s) + 2 {
		head, tail := plain.Head(s, n), plain.Tail(s, n)
		if !utf8.ValidString(head) || !utf8.ValidString(tail) || len(head) > n || len(tail) > n {
			t.Errorf("%d: got %q and %q", n, head, tail)
		}
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) ||
			len(head) < min(n, len(s))-3 || len(tail) < min(n, len(s))-3 {
			t.Errorf("%d: got %q and %q of %q", n, head, tail, s)
		}
		if got := plain.Unfinished(s[:min(n, len(s))]); got != min(n, len(s))-len(head) {
			t.Errorf("%d: %d bytes are unfinished", n, got)
		}
		if string(plain.Head([]byte(s), n)) != head {
			t.Errorf("%d: bytes are cut elsewhere than text", n)
		}
	}
	for text, want := range map[string]string{"\x80\x80\x80\x80\x80": "\x80\x80\x80", "": "",
		"ab": "ab"} {
		if got := plain.Head(text, 3); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
	if got := plain.Clip("häuser", 2) + plain.Clip("ok", 2); got != "h...ok" {
		t.Errorf("got %q", got)
	}
}

func TestShort(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""}, {"a", 0, "…"}, {"añc", 3, "añc"}, {"añc", 2, "añ…"}, {"añc", 1, "a…"},
		{"日本", 1, "日…"}, {"a\xffb", 2, "a\xff…"},
	} {
		if got := plain.Short(tt.text, tt.n); got != tt.want {
			t.Errorf("%q, %d: got %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestChars(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"äöüß", 2, "äö"}, {"ä", 0, ""},
		{"a\xffb", 2, "a\xff"}} {
		if got := plain.Chars(test.s, test.n); got != test.want {
			t.Errorf("Chars(%q, %d) = %q, want %q", test.s, test.n, got, test.want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "a": "a", "\n  a b\nc\n": "a b", " \n": ""} {
		if got := plain.FirstLine(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
