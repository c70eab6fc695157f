package shell

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestParseCachesTheLastLines(t *testing.T) {
	line := func(i int) string { return fmt.Sprintf("git push origin branch-%d", i) }
	first := Parse(line(0))
	if Parse(line(0)) != first {
		t.Error("a line was read twice in a row")
	}
	for i := 1; i <= maxRecent; i++ {
		Parse(line(i))
	}
	if again := Parse(line(0)); again == first || !reflect.DeepEqual(again, first) {
		t.Errorf("%d lines later: got %+v, want another one like %+v", maxRecent, again, first)
	}
	long := "echo " + strings.Repeat("x", maxRecentText)
	if kept := Parse(long); kept == Parse(long) {
		t.Error("a long line was kept")
	}
}

// Cached scripts are shared by several goroutines: methods of a script do not change it.
func TestScriptMethodsDoNotChangeIt(t *testing.T) {
	for line := range strings.Lines(ordinary) {
		text := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		s, fresh := Parse(text), parseTree(text, wholeLine(), Context{})
		fresh.unclear, fresh.judged = fresh.Opaque(), true
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				s.Check(usual)
				s.Opaque()
				s.Paths()
				for i := range s.Commands {
					s.Commands[i].Carried()
				}
			})
		}
		all.Wait()
		if !reflect.DeepEqual(s, fresh) {
			t.Errorf("%s\n now %+v\nwant %+v", text, s, fresh)
		}
	}
}
