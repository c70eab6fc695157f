package scripttest

import (
	"regexp"
	"strings"
	"testing"
)

// marks are the errors a script must run into, by line.
type marks map[int]*mark

type mark struct {
	want *regexp.Regexp
	met  bool
}

// readMarks reads what stands behind ### on each line.
func readMarks(t *testing.T, src string) marks {
	t.Helper()
	m := marks{}
	for i, line := range strings.Split(src, "\n") {
		_, want, ok := strings.Cut(line, "### ")
		if !ok {
			continue
		}
		re, err := regexp.Compile(strings.TrimSpace(want))
		if err != nil {
			t.Fatalf("line %d: ###: %v", i+1, err)
		}
		m[i+1] = &mark{want: re}
	}
	return m
}
