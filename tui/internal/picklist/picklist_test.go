package picklist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/ui"
)

// aList returns a list of choices with these values.
func aList(values ...string) *List {
	l := &List{}
	choices := make([]ui.Choice, len(values))
	for i, v := range values {
		choices[i] = ui.Choice{Value: v, Description: fmt.Sprint("number ", i)}
	}
	l.Offer(choices)
	return l
}

// rows returns the labels of the rows.
func (l *List) rows() string {
	var labels []string
	for i := range l.Found() {
		labels = append(labels, l.Row(i).Label)
	}
	return strings.Join(labels, " ")
}

func TestFilter(t *testing.T) {
	l := aList("parser", "a-par", "printer", "lexer")
	for _, test := range []struct{ filter, want string }{
		{"", "parser a-par printer lexer"}, {"par", "parser a-par"},
		{"prr", "printer parser a-par"},
		{"number 2", "printer"}, {"3 LEX", "lexer"}, {"zzz", ""},
	} {
		l.Edit(func() { l.Filter.Set(test.filter) })
		if got := l.rows(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.filter, got, test.want)
		}
	}
	if l.Value() != "" || l.Narrow("zzz") || l.Found() != 4 || !l.Narrow("lex") {
		t.Errorf("got %q", l.rows())
	}
}

// TestPlaceIsKept checks where the user stands after the list has changed.
func TestPlaceIsKept(t *testing.T) {
	l := aList("one", "two", "three")
	l.Begin("two")
	if l.Value() != "two" || !strings.HasPrefix(l.Row(1).About, "current · ") {
		t.Errorf("it begins at %q", l.Value())
	}
	l.Move(1)
	l.Offer([]ui.Choice{{Value: "three"}, {Value: "four"}})
	if l.Value() != "three" || l.At() != 0 {
		t.Errorf("it is at %q", l.Value())
	}
	l.Move(9)
	l.Edit(func() { l.Filter.Insert("f") })
	if l.Value() != "four" || !l.Moved() {
		t.Errorf("it is at %q", l.Value())
	}
}

func TestMarks(t *testing.T) {
	l := aList("one", "two")
	l.Several, l.Other = true, true
	l.Mark([]string{"two", "none"})
	l.Toggle()
	l.Edit(func() { l.Filter.Set("my own") })
	if l.rows() != "my own" || l.Row(0).Number != 0 {
		t.Errorf("got %q", l.rows())
	}
	l.Toggle()
	if got, want := l.Marked(), []string{"one", "two", "my own"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.Filter.Text() != "" || !l.Row(0).Marked || l.Value() != "my own" {
		t.Errorf("it is at %q", l.Value())
	}
}

// TestLabelCells checks how long labels share a line with descriptions.
func TestLabelCells(t *testing.T) {
	l := &List{}
	l.Offer([]ui.Choice{{Value: strings.Repeat("a", 40), Description: strings.Repeat("b", 40)}})
	if got := l.LabelCells(100, 0); got != 40 {
		t.Errorf("got %d", got)
	}
	if got := l.LabelCells(60, 4); got != 28 {
		t.Errorf("got %d", got)
	}
	same := strings.Repeat("a", 39)
	l.Offer([]ui.Choice{{Value: same + "1", Description: "b"}, {Value: same + "2",
		Description: strings.Repeat("b", 40)}})
	if got := l.LabelCells(60, 0); got != 40 {
		t.Errorf("got %d", got)
	}
}
