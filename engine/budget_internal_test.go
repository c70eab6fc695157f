package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

// TestBudgetsDocs: docs/events.md lists the budgets of each kind of run.
func TestBudgetsDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| run | ")
	table, _, _ = strings.Cut(table, "\n\n")
	if got, want := strings.Count(table, "\n")-1, len(vm.AllLimits()); got != want {
		t.Errorf("docs/events.md has %d rows of budgets, want %d", got, want)
	}
	for kind, l := range vm.AllLimits() {
		row := fmt.Sprintf("| %s | %s | %s | %s |", kind, budgetText(l.Script), budgetText(l.Wall),
			budgetText(l.Turn))
		if !strings.Contains(table, "\n"+row) {
			t.Errorf("docs/events.md does not have the row %q", row)
		}
	}
}

func budgetText(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.String()
}

// TestEngineIsNotWeighed: memory that all scripts share is not charged to a script.
func TestEngineIsNotWeighed(t *testing.T) {
	e := &Engine{opts: Options{Secrets: []string{strings.Repeat("x", 1<<20)}}}
	if w := vm.Weigh(e); w.Bytes != 0 {
		t.Errorf("got %+v, want 0", w)
	}
}
