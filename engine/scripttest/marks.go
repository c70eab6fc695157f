package scripttest

import (
	"regexp"
	"strings"
	"testing"
)

// marks are the errors that a script must cause, by line; line 0 has the error that may occur
// anywhere.
type marks map[int]*mark

type mark struct {
	want *regexp.Regexp
	met  bool
}

// readMarks parses the text after ### on each line; "### anywhere" does not refer to its line.
func readMarks(t *testing.T, src string) marks {
	t.Helper()
	m := marks{}
	for i, line := range strings.Split(src, "\n") {
		_, want, ok := strings.Cut(line, "### ")
		if !ok {
			continue
		}
		at := i + 1
		if rest, ok := strings.CutPrefix(want, "anywhere "); ok {
			at, want = 0, rest
		}
		re, err := regexp.Compile(strings.TrimSpace(want))
		if err != nil {
			t.Fatalf("line %d: ###: %v", i+1, err)
		}
		m[at] = &mark{want: re}
	}
	return m
}
