// Package picklist is a list of choices that a filter narrows, and in which the user stands on one.
//
//	var l picklist.List
//	l.Offer(choices)
//	l.Edit(func() { l.Filter.Insert("par") }) // shorter, best first
//	l.Move(1)
//	answer := l.Value()
//
// It draws nothing: Row returns the texts of a row, and LabelCells how wide their column is.
package picklist

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// List is a list of choices. The zero List is empty.
type List struct {
	Several bool // choices can be marked
	Other   bool // the text of the filter can be picked too
	Filter  textarea.Area

	choices []ui.Choice  // texts are clean and on one line each, except values
	labels  []string     // in lower case: what the filter matches
	folded  []string     // the same, with the description
	current string       // the value that is set now: marked, and where the list begins
	columns [2]int       // the widths of the widest label and description
	marked  map[int]bool // choices
	found   []int        // choices that match the filter, best first, or own
	at      int          // in found
	moved   bool         // the user moved to at
}

// own stands in found for the words in the filter line.
const own = -1

// Offer replaces the choices. The filter and the user's position in the list stay.
func (l *List) Offer(choices []ui.Choice) {
	kept := l.Value()
	l.marked = map[int]bool{}
	l.choices, l.labels, l.folded, l.columns = nil, nil, nil, [2]int{}
	for _, x := range choices {
		l.addChoice(x)
	}
	if l.narrow(); l.moved || l.Value() != l.current {
		l.Stand(kept)
	}
}

// Begin sets the value that is set now, and stands on it.
func (l *List) Begin(current string) {
	l.current = current
	l.Offer(l.choices)
}

// Choices returns all choices. Their labels and descriptions are clean and on one line each.
func (l *List) Choices() []ui.Choice { return l.choices }

// addChoice appends a choice.
func (l *List) addChoice(x ui.Choice) {
	if x.Label == "" {
		x.Label = x.Value
	}
	x.Label, x.Description = plain.OneLine(x.Label), plain.OneLine(x.Description)
	l.choices = append(l.choices, x)
	l.labels = append(l.labels, strings.ToLower(x.Label))
	l.folded = append(l.folded, strings.ToLower(x.Label+" "+x.Description))
	l.columns[0] = max(l.columns[0], cells.Width(x.Label))
	l.columns[1] = max(l.columns[1], cells.Width(l.About(x)))
}

// About describes a choice, and says whether it is set now.
func (l *List) About(x ui.Choice) string {
	switch {
	case l.current == "" || x.Value != l.current:
		return x.Description
	case x.Description == "":
		return "current"
	}
	return "current · " + x.Description
}

// Value returns the value of the choice on which the user stands, "" if there is none.
func (l *List) Value() string {
	switch {
	case l.at >= len(l.found):
		return ""
	case l.found[l.at] == own:
		return strings.TrimSpace(l.Filter.Text())
	}
	return l.choices[l.found[l.at]].Value
}

// Stand moves to the choice with the given value, if it matches the filter.
func (l *List) Stand(value string) {
	for at, i := range l.found {
		if i != own && l.choices[i].Value == value {
			l.at = at
			return
		}
	}
}

// Mark marks the choices with the given values.
func (l *List) Mark(values []string) {
	for i, x := range l.choices {
		if slices.Contains(values, x.Value) {
			l.marked[i] = true
		}
	}
}

// Marked returns the marked values, in the order of the choices.
func (l *List) Marked() []string {
	values := []string{}
	for i, x := range l.choices {
		if l.marked[i] {
			values = append(values, x.Value)
		}
	}
	return values
}

// Toggle marks or unmarks the choice on which the user stands, and goes on to the next. The user's
// own words become a new choice.
func (l *List) Toggle() {
	if len(l.found) == 0 {
		return
	}
	i := l.found[l.at]
	if i == own {
		i = len(l.choices)
		l.addChoice(ui.Choice{Value: l.Value()})
		l.Filter.Set("")
		l.narrow()
		l.Stand(l.choices[i].Value)
	}
	if l.marked[i] = !l.marked[i]; l.found[l.at] == i {
		l.Move(1)
	}
}

// narrow filters the choices. Those that contain the words of the filter come first, in their
// original order; then, best first, those that contain only its letters in order, in the label or
// else anywhere. Without a filter, the value that is set now is where the list begins.
func (l *List) narrow() {
	l.found, l.at = l.found[:0], 0
	words := strings.Fields(strings.ToLower(l.Filter.Text()))
	in := make([]bool, len(l.choices))
	add := func(i int) {
		if !in[i] {
			in[i] = true
			l.found = append(l.found, i)
		}
	}
	for i, text := range l.folded {
		if hasAll(text, words) {
			add(i)
		}
	}
	letters := strings.Join(words, "")
	for _, texts := range [][]string{l.labels, l.folded} {
		for _, m := range fuzzy.Find(letters, texts) {
			add(m.Index)
		}
	}
	if l.Other && len(words) > 0 {
		l.found = append(l.found, own)
	}
	if len(words) == 0 && l.current != "" {
		l.Stand(l.current)
	}
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Narrow sets the text of the filter. It reports false, and removes the filter, if nothing matches.
func (l *List) Narrow(text string) bool {
	l.Filter.Set(text)
	if l.narrow(); len(l.found) > 0 {
		return true
	}
	l.Filter.Set("")
	l.narrow()
	return false
}

// Edit changes the filter. The choice that the user has moved to stays current while it matches.
func (l *List) Edit(change func()) {
	before, kept := l.Filter.Text(), l.Value()
	if change(); l.Filter.Text() == before {
		return
	}
	if l.narrow(); l.moved { // else the best match is current
		l.Stand(kept)
	}
}

// Move moves by n rows.
func (l *List) Move(n int) {
	l.at = max(0, min(l.at+n, len(l.found)-1))
	l.moved = true
}

// Moved reports whether the user has moved.
func (l *List) Moved() bool { return l.moved }

// At returns the row on which the user stands.
func (l *List) At() int { return l.at }

// Found returns how many rows match the filter.
func (l *List) Found() int { return len(l.found) }

// Row is a row of the list.
type Row struct {
	ui.Choice
	Number int // of the choice, from 1; 0 stands for the user's own words
	About  string
	Marked bool
}

// Row returns a row of those that match the filter.
func (l *List) Row(i int) Row {
	n := l.found[i]
	if n == own {
		return Row{Choice: ui.Choice{Label: plain.OneLine(l.Filter.Text())},
			About: "in your own words"}
	}
	return Row{l.choices[n], n + 1, l.About(l.choices[n]), l.marked[n]}
}

// LabelCells returns the width of the column of labels, each after a mark if there is one. Long
// labels leave the descriptions the room that they need, up to half of it; if labels that are cut
// then look the same, only the word current has room there.
func (l *List) LabelCells(width, mark int) int {
	widest := l.columns[0] + mark
	cut := min(widest, width-2-min(l.columns[1], width/2))
	if cut == widest {
		return cut
	}
	seen := map[string]bool{}
	for _, x := range l.choices {
		label := cells.Fit(x.Label, cut)
		if seen[label] && !seen[x.Label] {
			return max(cut, min(widest, width-2-len("current  ")))
		}
		seen[label], seen[x.Label] = true, true
	}
	return cut
}
