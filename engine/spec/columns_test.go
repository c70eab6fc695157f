package spec

import (
	"strings"
	"testing"
)

func TestWrapped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30) + "end"
	first, rest := strings.Repeat("word ", 19)+"word", strings.Repeat("word ", 10)+"end"
	item := strings.Repeat("word ", 18) + "word"
	for in, want := range map[string]string{
		"":                                "",
		"# a\n\nshort\n":                  "# a\n\nshort\n",
		long:                              first + "\n" + rest,
		"- " + long:                       "- " + item + "\n  word " + rest,
		"  - " + long:                     "  - " + item + "\n    word " + rest,
		"12. " + long:                     "12. " + item + "\n    word " + rest,
		"| " + long + " |":                "| " + long + " |",
		"```\n" + long + "\n```\n" + long: "```\n" + long + "\n```\n" + first + "\n" + rest,
		first + " `a b c` x":              first + "\n`a b c` x",
		first + " - 1. 2 x":               first + " - 1.\n2 x",
	} {
		if got := Wrapped(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
