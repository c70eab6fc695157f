package find_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/find"
)

func TestIn(t *testing.T) {
	for _, test := range []struct {
		query, text string
		want        bool
	}{
		{"error", "an ERROR", true}, {"ERROR", "an error", true}, {"é", "CAFÉ", true},
		{"漢", "a漢b", true}, {"", "a", false}, {"a", "", false}, {"aab", "aaab", true},
		{"k", "\u212a", true}, {"k", "K", true}, {"x.", "xy", false}, {"é", "\xff\xc3", false},
		{"a b", "a  b", false},
	} {
		if got := find.New(test.query).In(test.text); got != test.want {
			t.Errorf("%q in %q: got %v", test.query, test.text, got)
		}
	}
}

func ink(s string) string { return "<" + s + ">" }

func TestMark(t *testing.T) {
	for _, test := range []struct{ query, line, want string }{
		{"b", "abcB", "a<b>c<B>"},
		{"漢", "x漢字漢", "x<漢>字<漢>"},
		{"é", "e\u0301é", "e\u0301<é>"},
		{"aa", "aaaaa", "<aa><aa>a"},
	} {
		got, ok := find.New(test.query).Mark(test.line, ink)
		if got = ansi.Strip(got); got != test.want || !ok {
			t.Errorf("%q in %q: got %q, want %q", test.query, test.line, got, test.want)
		}
	}
	if got, ok := find.New("x").Mark("\x1b[1ma\x1b[m", ink); got != "\x1b[1ma\x1b[m" || ok {
		t.Errorf("got %q", got)
	}
}

// FuzzMark checks that marks add and remove no text.
func FuzzMark(f *testing.F) {
	f.Add("b", "\x1b[1mab\x1b[31mc\x1b[m漢字")
	f.Fuzz(func(t *testing.T, query, text string) {
		text = strings.ToValidUTF8(text, "")
		line := "\x1b[1m" + strings.Map(func(r rune) rune {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, text) + "\x1b[m"
		got, _ := find.New(query).Mark(line, func(s string) string { return s })
		if ansi.Strip(got) != ansi.Strip(line) {
			t.Errorf("%q in %q: got %q", query, line, got)
		}
	})
}
