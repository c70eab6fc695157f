package cells

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestOver(t *testing.T) {
	for _, test := range []struct {
		line string
		from int
		over string
		want string
	}{
		{"abcdef", 2, "XY", "abXYef"}, {"", 2, "XY", "  XY"}, {"a", 2, "XY", "a XY"},
		{"abc", 2, "XY", "abXY"}, {"abcd", 0, "XY", "XYcd"}, {"abcd", 2, "", "abcd"},
		{"漢字漢字", 1, "XY", " XY 漢字"}, {"漢字漢字", 2, "XY", "漢XY漢字"}, {"漢字", 3, "X", "漢 X"},
		{"a漢b", 2, "X", "a Xb"}, {"é́b", 1, "X", "é́X"},
	} {
		for _, line := range []string{test.line, "\x1b[1m" + test.line + "\x1b[m"} {
			if got := ansi.Strip(Over(line, test.from, test.over)); got != test.want {
				t.Errorf("%q over %q at %d: got %q, want %q", test.over, line, test.from, got,
					test.want)
			}
		}
	}
	if got := Over("\x1b[31mabcdef\x1b[m", 2, "XY"); got !=
		"\x1b[31mab\x1b[m\x1b[mXY\x1b[m\x1b[31mef\x1b[m" {
		t.Errorf("the style is lost: %q", got)
	}
}
