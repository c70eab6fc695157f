package audit

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
)

// TestFailuresAreBounded: a script that fails without end does not fill the log: of each minute,
// some failures are recorded, and the others counted. Other scripts, and other records of this one,
// are recorded as ever.
func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	table, err := event.NewTable(spec.Events(), time.Now, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "audit")
	at := &clock{t: noon}
	l := New(Options{Dir: dir, Now: at.now})
	fail := func(script string, times int) {
		for range times {
			l.Heard(table.New(nil, event.ScriptError{Script: script, Message: "no", Handler: "x"}))
		}
	}
	fail("a.lua", 5000)
	fail("b.lua", 3)
	l.Heard(table.New(nil, event.ScriptUnload{Script: "a.lua", Cause: "save"}))
	at.set(noon.Add(2 * failuresSpan))
	fail("a.lua", mostFailures+7)
	flush(t, l)
	at.set(noon) // the clock was set back
	fail("a.lua", 1)
	flush(t, l)
	list, err := Read(dir, Query{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range list {
		c, err := r.Call()
		if err != nil {
			t.Fatal(err)
		}
		got[r.Kind+" "+c.Script]++
	}
	want := map[string]int{"failure a.lua": 2*mostFailures + 1, "failure b.lua": 3,
		"unload a.lua": 1, "lost a.lua": 2}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	lost, err := Read(dir, Query{Kind: Lost, Script: "a"})
	if err != nil || len(lost) != 2 {
		t.Fatal(lost, err)
	}
	for i, want := range []string{"a.lua failed 4900 more times", "a.lua failed 7 more times"} {
		if line := lost[i].Line(); !strings.HasSuffix(line, want) {
			t.Errorf("%q, want %q", line, want)
		}
	}
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Error(text)
	}
}
