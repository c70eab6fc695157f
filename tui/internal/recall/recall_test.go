package recall

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestListIsBounded checks that the oldest prompts are dropped, and that stepping ends.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	var l List
	var own []string
	for i := range mostSearched + 5 {
		own = append(own, fmt.Sprint("prompt ", i))
	}
	l.Load(own, nil)
	l.Append("")
	l.Append("last")
	l.Append("last")
	steps, text := 0, ""
	for {
		older, ok := l.Step(-1, "draft")
		if !ok {
			break
		}
		steps, text = steps+1, older
	}
	if want := fmt.Sprint("prompt ", mostSearched+5-mostKept+1); steps != mostKept || text != want {
		t.Errorf("got %d steps back to %q, want %d to %q", steps, text, mostKept, want)
	}
	for range steps {
		text, _ = l.Step(1, "")
	}
	if _, ok := l.Step(1, ""); text != "draft" || ok {
		t.Errorf("got %q", text)
	}
	if s := l.Search(); s.Count() != fmt.Sprintf("1 of %d", mostSearched) {
		t.Errorf("got %s", s.Count())
	}
}

// TestSearchShowsTheMatch checks that the line with the query is visible.
func TestSearchShowsTheMatch(t *testing.T) {
	t.Parallel()
	var l List
	l.Append(strings.Repeat("line\n", 50) + "日本 needle\n" + strings.Repeat("line\n", 50))
	s := l.Search()
	s.Paste("NEEDLE")
	match, query, x := s.Layout(40, 3)
	if !slices.ContainsFunc(match, func(l string) bool { return strings.Contains(l, "needle") }) ||
		len(match) > 3 || query != "NEEDLE" || x != 6 {
		t.Errorf("got %q, %q, %d", match, query, x)
	}
	s.Paste("x")
	if match, _, _ := s.Layout(40, 3); strings.Join(match, "") != "" {
		t.Errorf("got %q, want nothing", match)
	}
}

// TestOutboxKeepsOrder checks that prompts are sent once and in order.
func TestOutboxKeepsOrder(t *testing.T) {
	t.Parallel()
	var o Outbox[string]
	var sent []string
	var all sync.WaitGroup
	for i := range 50 {
		o.Append(fmt.Sprint(i))
		all.Go(func() {
			if err := o.Flush(func(text string) error {
				sent = append(sent, text)
				return errors.New(text)
			}); err != nil && !slices.Contains(sent, err.Error()) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, text := range sent {
		if text != fmt.Sprint(i) {
			t.Fatalf("got %q", sent)
		}
	}
	if len(sent) != 50 {
		t.Errorf("got %d", len(sent))
	}
}
