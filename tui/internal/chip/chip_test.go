package chip

import (
	"slices"
	"strings"
	"testing"
)

// TestLong checks which texts become chips.
func TestLong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "word": false, strings.Repeat("x\n", 5): false, strings.Repeat("x\n", 6): true,
		"a\nb\nc\nd\ne\nf": true, "a\rb\rc\rd\re\rf": true, "1\r\n2\r\n3\r\n4\r\n5\r\n": false,
		strings.Repeat("é", 1000): false, strings.Repeat("é", 1001): true,
	} {
		if Long(text) != want {
			t.Errorf("%.20q: got %v", text, !want)
		}
	}
}

// TestLabels checks that labels say how much was pasted, and that no two chips have the same.
func TestLabels(t *testing.T) {
	t.Parallel()
	var s Set
	for _, test := range []struct{ text, label string }{
		{strings.Repeat("a\n", 120), "[Pasted 120 lines]"},
		{strings.Repeat("b\r\n", 120), "[Pasted 120 lines #2]"},
		{strings.Repeat("c\r", 119) + "c", "[Pasted 120 lines #3]"},
		{strings.Repeat("a\n", 120), "[Pasted 120 lines]"}, // the same text
		{strings.Repeat("é", 2000), "[Pasted 2000 characters]"},
		{strings.Repeat("x\n", 50<<10), "[Pasted 51200 lines, 100 KB]"},
		{strings.Repeat("x", 10<<20), "[Pasted 1 line, 10.0 MB]"},
	} {
		r, ok := s.Add(test.text)
		if got := s.Label(r); got != test.label || !ok {
			t.Errorf("got %s, want %s", got, test.label)
		}
		if text := "see " + string(r); s.Expand(text) != "see "+test.text ||
			s.Labelled(text) != "see "+test.label {
			t.Errorf("%s: not expanded", test.label)
		}
	}
}

// TestTextFromOutside checks that neither a typed label nor the code point of a chip in other texts
// is a chip.
func TestTextFromOutside(t *testing.T) {
	t.Parallel()
	var s Set
	r, _ := s.Add("pasted")
	typed := "[Pasted 1 line] " + Clean(string(r)) + string(r+1)
	if got := s.Expand(typed); got != "[Pasted 1 line] \ufffd"+string(r+1) {
		t.Errorf("got %q", got)
	}
	if !s.Begins(string(r)+"x") || s.Begins("x"+string(r)) || s.Begins("") {
		t.Error("Begins is wrong")
	}
}

// TestReserved checks a chip whose text comes later.
func TestReserved(t *testing.T) {
	t.Parallel()
	var s Set
	r, _ := s.Reserve("a\nb\n")
	text := "x" + string(r)
	if s.Ready(text) || !s.Ready("x") || s.Labelled(text) != "x[Pasted 2 lines]" {
		t.Errorf("got %q", s.Labelled(text))
	}
	s.Fill(r, "short")
	if s.Cut(text) != "" {
		t.Error("all of it is sent")
	}
	if s.FillPart(r, "short"); s.Cut(text) != "[Pasted 2 lines]" || s.Cut("x") != "" {
		t.Errorf("got %q", s.Cut(text))
	}
	if s.Fill(r+1, "none"); !s.Ready(text) || s.Expand(text) != "xshort" || s.Size(text) != 5 {
		t.Errorf("got %q", s.Expand(text))
	}
}

// TestSentTexts checks that the text of a prompt is found by what was sent.
func TestSentTexts(t *testing.T) {
	t.Parallel()
	var s Set
	r, _ := s.Add("one\ntwo")
	whole := s.Send("see " + string(r) + "!")
	if got, ok := s.Compact(whole); !ok || got != "see "+string(r)+"!" || whole != "see one\ntwo!" {
		t.Errorf("got %q, %v", got, ok)
	}
	if _, ok := s.Compact(s.Send("plain")); ok {
		t.Error("a text without chips is kept")
	}
}

// TestSpans checks that a text survives as spans, as in a file of prompts, and that wrong spans
// cost nothing but themselves.
func TestSpans(t *testing.T) {
	t.Parallel()
	var s, later Set
	a, _ := s.Add("éa")
	b, _ := s.Add("bb")
	text := string(a) + "日" + string(b) + "."
	whole, spans := s.Expand(text), s.Spans(text)
	if got := Split(whole, spans); !slices.Equal(got, []string{"", "éa", "日", "bb", "."}) {
		t.Errorf("got %q", got)
	}
	if got := later.Join(Split(whole, spans)); later.Expand(got) != whole ||
		later.Labelled(got) != "[Pasted 2 characters]日[Pasted 2 characters #2]." {
		t.Errorf("got %q", later.Labelled(got))
	}
	for _, bad := range [][2]int{{-1, 2}, {1, 3}, {0, 1}, {3, 3}, {5, 2}, {0, 99}} {
		if got := Split(whole, [][2]int{bad}); !slices.Equal(got, []string{whole}) {
			t.Errorf("%v: got %q", bad, got)
		}
	}
}

// TestRefold checks that what was pasted is found again in a text that was edited elsewhere.
func TestRefold(t *testing.T) {
	t.Parallel()
	var s Set
	a, _ := s.Add("A1\nA2")
	b, _ := s.Add("B1\nB2")
	draft := "x " + string(a) + " y " + string(b)
	for edited, want := range map[string][]string{
		"x A1\nA2 y B1\nB2":  {"x ", "A1\nA2", " y ", "B1\nB2", ""},
		"A1\nA3 y B1\nB2\n":  {"A1\nA3 y ", "B1\nB2", "\n"},
		"":                   {""},
		"B1\nB2A1\nA2 moved": {"B1\nB2", "A1\nA2", " moved"},
	} {
		if got := s.Refold(edited, draft); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", edited, got, want)
		}
	}
}
